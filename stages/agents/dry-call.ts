/**
 * One call of the model by a program that was installed. Many programs say their version and then lack what they need to work, so it is
 * started like in a rollout, and a model of ours answers.
 */
import { ModelDoor } from '../../agent/door/door.ts';
import { prepare } from '../../agent/outside/prepare.ts';
import type { Policy } from '../../agent/policy.ts';
import { writtenReply } from '../../agent/scripted.ts';
import { fault, success } from '../../basics/result.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';
import type { AgentProgram } from '../../schemas/generated/project.ts';
import { type Attempt, infra, isFault } from '../../schemas/outcome.ts';
import { tellingLine } from '../environments/steps.ts';

/** Seconds until the first call. Programs look for what they do not find without a network, and a machine may be busy. */
const TIMEOUT = 900;
const FOLDER = '/tmp/agent-trial';
/** Tokens. */
const CONTEXT = 131_072;
const MOST = 4096;

/** Opens a workspace from which this socket is reached. */
export type OpenAt = (socket: string) => Attempt<Workspace>;

/** The fault is what became of it: the program's answer, or a fault of the machine. */
export async function dryCall(
  program: AgentProgram,
  version: string | null,
  open: OpenAt,
  { signal, log }: { signal: AbortSignal; log(text: string): void },
): Attempt<null> {
  const door = await ModelDoor.open();
  const opened = await open(door.socket);
  try {
    return opened.ok ? await callIn(opened.value, door, { program, version }, { signal, log }) : opened;
  } finally {
    if (opened.ok) await opened.value.close();
    await door.close();
  }
}

async function callIn(
  workspace: Workspace,
  door: ModelDoor,
  { program, version }: { program: AgentProgram; version: string | null },
  { signal, log }: { signal: AbortSignal; log(text: string): void },
): Attempt<null> {
  const stop = new AbortController();
  let isCalled = false;
  const policy: Policy = {
    async reply() {
      isCalled = true;
      stop.abort();
      return success(writtenReply({ content: 'I am ready.', toolCalls: [] }));
    },
    parameters: () => ({}),
    dropped: () => [],
  };
  const both = AbortSignal.any([signal, stop.signal]);
  const session = door.begin({
    ...{ policy, signal: both, log: () => undefined, now: () => performance.now() },
    ...{ seed: 0, name: 'trial', model: 'trial', context: CONTEXT, limits: { steps: 0, cost: 0 } },
  });
  const prepared = await prepare({
    task: 'Say that you are ready.',
    workspace,
    env: {},
    model: 'trial',
    own: { program, version, args: [] },
    door: { url: `http://127.0.0.1:${workspace.ports[0]}`, context: CONTEXT, maxTokens: MOST },
    key: session.key,
  });
  if (!prepared.ok) return prepared;
  const { command, env } = prepared.value;
  const run = `mkdir -p ${FOLDER} && cd ${FOLDER} || exit 1\ngit init -q .\n${command}`;
  const ran = await workspace.exec(run, { env, cwd: '/', timeout: TIMEOUT, signal: both });
  if (signal.aborted) return fault(infra('cancelled', 'cancelled during the trial of an agent'));
  if (isCalled) return success(null);
  if (!ran.ok) return ran;
  const { output, exitCode, exitSignal, timedOut } = ran.value;
  log(`== a call of the model · exit code ${exitCode ?? exitSignal}\n${output}\n`);
  if (timedOut) return fault(infra('agent-failed', `it made no call of the model within ${TIMEOUT} s`));
  const hindered = helperFault('starting it', ran.value);
  if (hindered !== null && isFault(hindered) && hindered.reason !== 'tool-missing') return fault(hindered);
  const detail = `it makes no call of the model: ${tellingLine(output)}`;
  return fault({ status: 'failed', reason: 'agent-failed', detail });
}

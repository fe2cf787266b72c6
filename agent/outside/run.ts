/**
 * One rollout of a program that drives itself. It runs as one command in the workspace and asks its model through the door. When it has
 * ended or says over ACP that it is done, or a limit has ended it, the patch is what differs in the repository, whatever its exit code says.
 */

import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { awakeNow } from '../../basics/awake.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { sleepUnless } from '../../basics/sleep.ts';
import type { ExecResult, WorkspaceLost } from '../../executors/deployment.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { Session, SessionEnd } from '../door/session.ts';
import type { Ending } from '../ending.ts';
import { finalPatch } from '../finish.ts';
import { type OutsideSettings, outsideSettings } from '../kinds/outside/layered.ts';
import type { DoorIn, RolloutInput, RolloutOutput } from '../rollout.ts';
import { converse } from './acp.ts';
import { prepare } from './prepare.ts';
import { hideSettings, restoreSettings } from './repository-settings.ts';
import { outsideTrajectory } from './trajectory.ts';

/** Seconds; the rollout's own limit does not count the time that its model needs, so no executor can hold it. */
const NO_TIMEOUT = 2_000_000;
/** Bytes of what the program prints that are kept for the log. */
const MAX_OUTPUT = 1 << 20;
/** Milliseconds that a program has to end by itself after it was told that a limit is reached. */
const GRACE_MS = 10_000;

interface Outside {
  input: RolloutInput;
  own: OutsideSettings;
  session: Session;
  now: () => number;
  startedAt: number;
}

export async function runOutside(input: RolloutInput): Promise<Result<RolloutOutput, Infra>> {
  const { door, settings, policy, task, model, now = awakeNow } = input;
  const own = outsideSettings(settings);
  if (door === null || own === null || model === null)
    return fault(infra('internal', 'an agent from outside has no door, no program or no model'));
  const over = new AbortController();
  const session = door.begin({
    ...{ policy, now },
    seed: task.seed,
    name: `${task.instance_id}#${task.sample}`,
    model: model.name,
    context: door.context,
    limits: settings.limits,
    signal: AbortSignal.any([input.signal, over.signal]),
    log: input.log,
  });
  const outside: Outside = { input, own, session, now, startedAt: now() };
  try {
    const ended = await work(outside, door);
    door.end(session);
    return ended.ok ? await conclude(outside, ended.value) : ended;
  } finally {
    door.end(session);
    // The program has ended, so the calls that still wait for the model are given up.
    over.abort();
  }
}

/** Starts the program and waits for its end, or for what ends it. */
async function work(outside: Outside, door: DoorIn): Promise<Result<Ending, Infra>> {
  const { input, session, own } = outside;
  const { workspace, settings, signal } = input;
  const task = input.texts.instance(input.task);
  if (!task.ok) return fault(infra('template', task.fault));
  const prepared = await prepare({
    ...{ task: task.value, workspace, env: settings.env, model: input.model!.name, own, door },
    key: session.key,
  });
  if (!prepared.ok) return prepared;
  if (own.repository_settings === 'ignore') {
    const hidden = await hideSettings(workspace, own.program.obeys ?? [], signal);
    if (!hidden.ok) return hidden;
  }
  const { command, env } = prepared.value;
  const stop = new AbortController();
  const speaker = own.speaks === undefined ? null : new Said(outside, task.value);
  const running = workspace.exec(command, {
    ...{ env, cwd: settings.cwd, timeout: NO_TIMEOUT, maxOutput: MAX_OUTPUT },
    signal: AbortSignal.any([signal, stop.signal]),
  });
  const first = await Promise.race([
    running.then((ran) => ({ ran })),
    session.ended,
    timeUp(outside, stop.signal).then((ending) => ({ ending })),
    ...(speaker === null ? [] : [speaker.end]),
  ]);
  if (!('ran' in first)) {
    speaker?.hangUp();
    // It may write what it has; the next answer tells it that the rollout is over.
    if ('ending' in first) await Promise.race([running, sleep(GRACE_MS, null, { signal: stop.signal })]);
    stop.abort();
    const ran = await running;
    if (ran.ok) noteOutput(input, ran.value);
    if (signal.aborted) return fault(infra('cancelled', 'cancelled during the rollout'));
    return 'fault' in first ? fault(first.fault) : success(first.ending);
  }
  stop.abort();
  const answered = (await speaker?.afterwards()) ?? null;
  if (answered === null) return endOf(first.ran, outside);
  if (first.ran.ok) noteOutput(input, first.ran.value);
  return 'fault' in answered ? fault(answered.fault) : success(answered.ending);
}

/** What a program says over ACP. */
class Said {
  /** Its answer to the task; never, where its connection ends before. */
  readonly end: Promise<SessionEnd>;
  readonly #answer: Promise<SessionEnd | null>;
  #connection: Duplex | null = null;

  constructor(outside: Outside, task: string) {
    const { settings, log } = outside.input;
    this.#answer = new Promise((resolve) => {
      outside.session.talk = async (connection) => {
        this.#connection = connection;
        const answer = await converse(connection, { task, cwd: settings.cwd, log });
        if (answer === null) resolve(null);
        else
          resolve(
            answer.ok ? { ending: unlessFull(answer.value, outside) } : brokenOff(answer.fault, outside),
          );
      };
    });
    this.end = this.#answer.then((answer) => answer ?? new Promise(() => undefined));
  }

  /** Its answer, once the program has ended: the last words may still be on their way. */
  async afterwards(): Promise<SessionEnd | null> {
    if (this.#connection === null) return null;
    const answer = await Promise.race([this.#answer, sleep(GRACE_MS, null, { ref: false })]);
    this.#connection.destroy();
    return answer;
  }

  /** Ends its stdin, which tells it to end. */
  hangUp(): void {
    this.#connection?.end();
  }
}

/** The end of a program whose last prompt did not fit is that, whatever it says. */
function unlessFull(ending: Ending, { session: { overflowed } }: Outside): Ending {
  return overflowed === null ? ending : { status: 'context_exceeded', detail: overflowed, submission: null };
}

/** The end of a program that broke. If it never came to work, what is wrong is how it was installed or started. */
function brokenOff(how: string, outside: Outside): SessionEnd {
  if (outside.session.tree.size === 0)
    return { fault: infra('agent-failed', `before its first request to the model, ${how}`) };
  return { ending: unlessFull({ status: 'crashed', detail: how, submission: null }, outside) };
}

/** Resolves when the program has worked for as long as the project allows. */
async function timeUp({ input, session, now, startedAt }: Outside, stopped: AbortSignal): Promise<Ending> {
  const { time } = input.settings.limits;
  const left = () => time * 1000 - (now() - startedAt - session.waited());
  while (time === 0 || left() > 0) {
    // Waits of the model only make it longer, so it is looked at again at the earliest end.
    const pause = time === 0 ? NO_TIMEOUT * 1000 : Math.min(left() + 1, NO_TIMEOUT * 1000);
    await sleepUnless(pause, stopped, { holds: false });
    if (stopped.aborted) break;
  }
  return { status: 'time_exceeded', detail: 'the program was ended', submission: null };
}

/** What the end of the program means. Its exit code alone decides nothing: a patch may be there all the same. */
function endOf(ran: Result<ExecResult, WorkspaceLost>, outside: Outside): Result<Ending, Infra> {
  if (!ran.ok) {
    if (isFault(ran.fault)) return fault(ran.fault);
    return success({ status: 'workspace_killed', detail: ran.fault.detail, submission: null });
  }
  const { exitCode, exitSignal, output } = ran.value;
  noteOutput(outside.input, ran.value);
  const isSpokenTo = outside.own.speaks !== undefined;
  if (exitCode === 0 && !isSpokenTo)
    return success(unlessFull({ status: 'submitted', detail: '', submission: null }, outside));
  const how = `it ended${isSpokenTo ? ' without an answer,' : ''} with ${exitCode === null ? exitSignal : `exit code ${exitCode}`}: ${lastLine(output)}`;
  const end = brokenOff(how, outside);
  return 'fault' in end ? fault(end.fault) : success(end.ending);
}

/** The policy was never asked, so the end says nothing of it: what is wrong is how the program was installed or started. */
function neverAsked({ status, detail }: Ending): string {
  return `it ended without a request to the model and without a patch: ${[status, detail].filter((part) => part !== '').join(', ')}`;
}

function noteOutput({ log }: RolloutInput, { output, exitCode, exitSignal }: ExecResult): void {
  log(`== the agent's program · ${exitCode === null ? exitSignal : `exit code ${exitCode}`}\n${output}\n`);
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

async function conclude(
  { input, own, session, now, startedAt }: Outside,
  end: Ending,
): Promise<Result<RolloutOutput, Infra>> {
  const { workspace, signal } = input;
  const since = now();
  const { leaves = [], obeys = [] } = own.program;
  const lost = obeys.length === 0 ? null : await restoreSettings(workspace, signal);
  if (lost !== null) return fault(lost);
  const taken =
    end.status === 'workspace_killed'
      ? null
      : await finalPatch(workspace, input, null, signal, [...leaves, ...obeys]);
  if (taken !== null && !taken.ok && isFault(taken.fault)) return fault(taken.fault);
  if (signal.aborted) return fault(infra('cancelled', 'cancelled at the end of the rollout'));
  if (session.tree.size === 0 && !(taken?.ok && taken.value.patch !== ''))
    return fault(infra('agent-failed', neverAsked(end)));
  const diff = now() - since;
  const killed = taken !== null && !taken.ok ? taken.fault.detail : null;
  const ended: Ending = killed === null ? end : { ...end, status: 'workspace_killed', detail: killed };
  const { timings: calls, ...record } = session.tree.record();
  const trajectory = outsideTrajectory(input, record, ended, taken?.ok ? taken.value : null);
  const { status } = ended;
  input.log(`ended: ${status}, ${session.answered} calls, patch of ${trajectory.patch.length} characters\n`);
  const timings = { total: now() - startedAt, waited: session.waited(), calls, steps: [], diff };
  return success({ trajectory, timings });
}

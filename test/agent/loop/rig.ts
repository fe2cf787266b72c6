/** Rollouts for tests: a real workspace of the local executor, and replies from a script. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll } from 'vitest';
import type { Written } from '../../../agent/actions/action.ts';
import { agentKind, findAgent, loopOf } from '../../../agent/kinds/registry.ts';
import type { ContextExceeded, Policy, Reply, ReplyRequest } from '../../../agent/policy.ts';
import { agentSettings, textsOf } from '../../../agent/resolve.ts';
import type { RolloutInput, RolloutOutput } from '../../../agent/rollout.ts';
import { writtenReply } from '../../../agent/scripted.ts';
import type { AgentSettings, RolloutLimits } from '../../../agent/settings.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import type { Deployment, Workspace } from '../../../executors/deployment.ts';
import { createLocal } from '../../../executors/local/local.ts';
import type { AgentConfig } from '../../../schemas/generated/project.ts';
import type { Infra } from '../../../schemas/outcome.ts';
import trajectorySchema from '../../../schemas/trajectory.schema.json' with { type: 'json' };
import { git, writeTree } from '../../executors/fixture.ts';

export const MARK = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';

/** Every trajectory that a test makes is held against the schema. */
const isTrajectory = new Ajv({ strict: false }).compile(trajectorySchema);

/** The repository that agents work on. */
const FILES = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n',
  'run.sh': '#!/bin/sh\necho run\n',
  '.gitignore': '*.log\n',
};

export const GOLD = [
  'diff --git a/calc.py b/calc.py',
  '--- a/calc.py',
  '+++ b/calc.py',
  '@@ -1,2 +1,2 @@',
  ' def add(a, b):',
  '-    return a - b',
  '+    return a + b',
  '',
].join('\n');

/** An agent's keys as the compiler fills them in. */
export function agentConfig(change: Partial<AgentConfig> = {}): AgentConfig {
  return {
    type: 'bash',
    dialect: 'v2',
    rollouts: 1,
    seed: 0,
    baselines: [],
    limits: {},
    context: { strategy: 'full', head: 0.3 },
    history: { last_observations: 0 },
    templates: {},
    ...change,
  } as AgentConfig;
}

export async function settingsOf(
  change: Partial<AgentConfig> = {},
  files: Record<string, string> = {},
): Promise<AgentSettings> {
  const made = await agentSettings(agentConfig(change), undefined, async (path) => {
    if (files[path] === undefined) throw new Error(`no file ${path}`);
    return files[path];
  });
  if (!made.ok) throw new Error(made.fault);
  return made.value;
}

/** What a scripted model says at one call: text, parts of a reply, or a fault. */
export type Line = string | (Partial<Reply> & Partial<Written>) | Infra | ContextExceeded;

export interface ScriptedModel extends Policy {
  /** What it was asked, call by call. */
  requests: ReplyRequest[];
}

/** A model that says these lines, and the last one for ever. */
export function says(...lines: (Line | ((request: ReplyRequest) => Line))[]): ScriptedModel {
  const requests: ReplyRequest[] = [];
  return {
    requests,
    reply: async (request) => {
      requests.push({ ...request, messages: structuredClone(request.messages) as ReplyRequest['messages'] });
      const next = lines[Math.min(requests.length, lines.length) - 1]!;
      const line = typeof next === 'function' ? next(request) : next;
      if (typeof line !== 'string' && 'status' in line) return fault(line);
      return success(replyOf(line));
    },
    parameters: () => ({ temperature: 1 }),
    dropped: () => [],
  };
}

function replyOf(line: string | (Partial<Reply> & Partial<Written>)): Reply {
  const given = typeof line === 'string' ? { content: line } : line;
  return {
    ...writtenReply({ content: '', toolCalls: [] }),
    finishReason: given.truncated ? 'length' : 'stop',
    ...given,
  };
}

/** The replies of a type with a script, for an agent with these settings. `gold`: the diff that it applies. */
export function scripted(type: string, settings: AgentSettings, gold: string | null = null): Policy {
  return findAgent(type)!.script!.policy(loopOf(settings), settings, gold);
}

/** A v2 reply. */
export function fenced(command: string): string {
  return `THOUGHT: next\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``;
}

/** A swe-rl reply. */
export function bashFenced(command: string): string {
  return `THOUGHT: next\n\n\`\`\`bash\n${command}\n\`\`\``;
}

export const SUBMIT = fenced(`echo ${MARK}`);

export type Change = Partial<Omit<RolloutInput, 'settings' | 'policy'>> & { limits?: Partial<RolloutLimits> };

export interface Bench {
  /** A workspace of its own for every call, closed at the end of the file. */
  open(): Promise<Workspace>;
  /** Runs a rollout that must not end in a fault. */
  roll(settings: AgentSettings, policy: Policy, change?: Change): Promise<RolloutOutput>;
  /** The same, with faults. */
  attempt(settings: AgentSettings, policy: Policy, change?: Change): Promise<Result<RolloutOutput, Infra>>;
}

interface Made {
  deployment: Deployment;
  cleanup(): Promise<void>;
}

async function local(folder: string): Promise<Made> {
  const deployment = await createLocal({ name: 'box', stateFolder: join(folder, 'w'), runId: 'test' });
  return { deployment, cleanup: () => deployment.close() };
}

/** Registers a repository and an executor (`make` gets the repository's folder) for the tests of this file. */
export function bench(make: (folder: string) => Promise<Made> = local): Bench {
  let folder: string;
  let made: Made;
  let base: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swemake-agent-'));
    const testbed = join(folder, 'source/testbed');
    await writeTree(testbed, FILES);
    await git(testbed, 'init', '-q', '-b', 'main');
    await git(testbed, 'add', '-A');
    await git(testbed, 'commit', '-q', '-m', 'Task');
    base = (await git(testbed, 'rev-parse', 'HEAD')).trim();
    await chmod(folder, 0o755);
    made = await make(folder);
  });
  afterAll(async () => {
    await made?.cleanup();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (): Promise<Workspace> => {
    const opened = await made.deployment.open(
      { layers: [], mounts: [], links: {}, variables: { PATH: '/usr/local/bin:/usr/bin:/bin' } },
      { layer: join(folder, 'source') },
      { limits: {}, network: 'off', storage: 'memory' },
    );
    if (!opened.ok) throw new Error(opened.fault.detail);
    return opened.value;
  };

  const attempt = async (settings: AgentSettings, policy: Policy, change: Change = {}) => {
    const { limits, ...input } = change;
    const workspace = input.workspace ?? (await open());
    const own = { ...settings, limits: { ...settings.limits, ...limits } };
    const texts = await textsOf(own);
    if (!texts.ok) throw new Error(texts.fault);
    return agentKind(own.type).run({
      settings: own,
      texts: texts.value,
      policy,
      task: {
        instance_id: 'demo__calc-1',
        sample: '0',
        seed: 7,
        problem_statement: 'add() subtracts',
        columns: {},
      },
      model: { name: 'm', identity: 'm@1' },
      workspace,
      base,
      anew: async () => success(await open()),
      counter: null,
      judge: null,
      user: null,
      door: null,
      signal: new AbortController().signal,
      log: () => undefined,
      ...input,
    });
  };

  const roll = async (settings: AgentSettings, policy: Policy, change?: Change) => {
    const ran = await attempt(settings, policy, change);
    if (!ran.ok) throw new Error(`${ran.fault.reason}: ${ran.fault.detail}`);
    if (!isTrajectory(ran.value.trajectory)) throw new Error(JSON.stringify(isTrajectory.errors));
    return ran.value;
  };
  return { open, roll, attempt };
}

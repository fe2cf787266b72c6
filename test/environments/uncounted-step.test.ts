/** A step that speaks of a lack where no counter can be read is no answer, and is run once more, alone. */
import { expect, test } from 'vitest';
import type { Tools } from '../../contract/tools.ts';
import type { ExecResult, Workspace } from '../../executors/deployment.ts';
import { triedAgain } from '../../executors/hindrance.ts';
import type { Counters } from '../../executors/lack.ts';
import { runStep, type StepJob } from '../../stages/environments/build-step.ts';

const job = {
  work: { limits: {}, network: 'off' },
  python: {},
  recipe: { timeout: 60 },
} as unknown as StepJob;
const step = { name: 'install[0]', command: 'make', kind: 'install' } as unknown as Parameters<
  typeof runStep
>[1];

/** Runs a step that ends so, as builds do. */
async function stepOf(end: Partial<ExecResult>) {
  const log: string[] = [];
  const alone: number[] = [];
  let tries = 0;
  const tools = {
    machine: {},
    log: (text: string) => log.push(text),
    signal: new AbortController().signal,
  } as unknown as Tools;
  const ran = { exitCode: 1, exitSignal: null, output: '', timedOut: false, durationMs: 1, ...end };
  const workspace = {
    exec: async () => {
      tries += 1;
      return { ok: true, value: ran };
    },
    network: () => null,
  } as unknown as Workspace;
  const ended = await triedAgain(
    () => runStep(workspace, step, 60, job, tools),
    (failure) => failure?.hindered ?? null,
    {
      ...{ title: step.name, log: tools.log, limit: 60 },
      alone: (seconds, work) => {
        alone.push(seconds);
        return work();
      },
    },
  );
  if (!ended.ok) throw new Error(ended.fault.detail);
  return { outcome: ended.value!.outcome, tries, alone, log: log.join('') };
}

const ENOUGH: Counters = {
  disk: { free: 2 ** 40, files: null, isRefused: false, isOwn: false },
  memory: { available: 2 ** 40, isOwnMet: false },
  processes: { spare: 9999 },
};
const FULL = 'OSError: [Errno 28] No space left on device';

test.each<[string, Partial<ExecResult>]>([
  ['a full disk', { output: FULL }],
  ['a kill', { exitCode: 137 }],
])('%s', async (_, end) => {
  const uncounted = await stepOf(end);
  expect(uncounted).toMatchObject({
    outcome: { status: 'infra', reason: 'uncounted' },
    tries: 2,
    alone: [60],
  });
  expect(uncounted.log).not.toContain('this end counts');
  const counted = await stepOf({ ...end, counters: ENOUGH });
  expect(counted).toMatchObject({
    outcome: { status: 'failed', reason: 'install-failed' },
    tries: 2,
    alone: [],
  });
  expect(counted.log).toContain('again, and this end counts');
});

test('a full disk of the machine is a fault at once', async () => {
  const disk = { ...ENOUGH.disk!, isRefused: true };
  expect(await stepOf({ output: FULL, counters: { ...ENOUGH, disk } })).toMatchObject({
    outcome: { status: 'infra', reason: 'disk-full' },
    tries: 1,
  });
});

/**
 * What a registry could not give while a step ran: a step that goes on without it, or that no proxy saw, has no answer. What it
 * did not have is asked for again.
 */
import { expect, test } from 'vitest';
import { fault, success } from '../../basics/result.ts';
import type { BuildIndex } from '../../contract/build-index.ts';
import type { Tools } from '../../contract/tools.ts';
import type { NetworkSeen, Workspace } from '../../executors/deployment.ts';
import { infra } from '../../schemas/outcome.ts';
import { runStep, type StepJob } from '../../stages/environments/build-step.ts';

const step = { name: 'packages[0]', command: 'mvn', kind: 'packages' } as unknown as Parameters<
  typeof runStep
>[1];
const QUIET: NetworkSeen = { lost: null, passed: true, isOver: false, refused: [] };

/** Versions of a package that a registry has by now; null: it does not answer. */
type Versions = string[] | null;

/** How a step ended; `lost`: what the index could not give, by dialect; `missing`: what the registry lacked meanwhile. */
async function outcomeOf(
  exitCode: number,
  lost: Record<string, string>,
  {
    dialect = 'maven' as string | null,
    seen = QUIET as NetworkSeen | null,
    missing = {} as Record<string, Versions>,
  } = {},
) {
  const index = {
    lost: (name: string | null) => (name === null ? (Object.values(lost)[0] ?? null) : (lost[name] ?? null)),
    asked: () => [],
    missing: () => Object.keys(missing).map((name) => ({ dialect: 'maven', name, version: null, why: '' })),
    versions: async (_: string, name: string) =>
      missing[name] === null ? fault(infra('package-index', 'no answer')) : success(missing[name]),
  } as unknown as BuildIndex;
  const tools = {
    machine: { packageIndex: index, env: { PIP_NO_INDEX: '1' }, cache: { folder: {} }, shared: {} },
    log: () => undefined,
    signal: new AbortController().signal,
  } as unknown as Tools;
  const job = {
    work: { limits: {}, network: seen === null ? 'host' : 'proxy' },
    recipe: { timeout: 60 },
    asOf: null,
    python: dialect === null ? {} : { dialect },
  } as unknown as StepJob;
  const ran = { exitCode, exitSignal: null, output: 'BUILD', timedOut: false, durationMs: 1 };
  const workspace = {
    exec: async () => ({ ok: true, value: ran }),
    network: () => seen,
  } as unknown as Workspace;
  return (await runStep(workspace, step, 60, job, tools))?.outcome ?? null;
}

const FAULT = { status: 'infra', reason: 'package-index', detail: 'packages[0]: the registry: no answer' };

test('a step that ended well without what its registry could not give has no answer', async () => {
  expect(await outcomeOf(0, { maven: 'the registry: no answer' })).toEqual(FAULT);
  expect(await outcomeOf(0, {})).toBeNull();
});

test('another registry’s silence is not the step’s, and pip’s steps are not asked', async () => {
  expect(await outcomeOf(0, { npm: 'the registry: no answer' })).toBeNull();
  expect(await outcomeOf(0, { maven: 'no answer' }, { dialect: null })).toBeNull();
});

test('without a proxy the index itself says why a step failed', async () => {
  expect(await outcomeOf(1, { maven: 'the registry: no answer' }, { seen: null })).toEqual(FAULT);
});

test('what its registry lacked is kept with the failure, and what is there by now is not', async () => {
  const missing = { 'org.late:late': [], 'org.here:here': ['1.0'] };
  const sought = { kind: 'package', dialect: 'maven', name: 'org.late:late', version: null, asOf: null };
  const absent = [{ sought, answer: 'absent' }];
  expect(await outcomeOf(1, {}, { missing })).toMatchObject({ reason: 'install-failed', absent });
  expect(await outcomeOf(1, {}, { missing, dialect: null })).not.toHaveProperty('absent');
  expect(await outcomeOf(1, {}, { missing, dialect: 'npm' })).not.toHaveProperty('absent');
});

test('a registry that does not say what it has leaves a failed step without an answer', async () => {
  expect(await outcomeOf(1, {}, { missing: { 'org.late:late': null } })).toMatchObject({
    status: 'infra',
    reason: 'package-index',
  });
});

/**
 * Keeps each run of the tests in the cache, so that `mutate` runs no tests a second time: a run is the same if the tests, the code, the
 * environment and the limits are. `mutate` runs the tests of the clean source twice, to find those that pass only by chance; equal runs of one
 * command are told apart by their number.
 */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type ActionKey, digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { type Cache, lookUp, publish, readText, recordDigest, storeText } from '../../cache/cache.ts';
import { actionKey, type Part } from '../../cache/key.ts';
import type { Status } from '../../parsers/status.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { infra } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import type { ChangedFile, RunTests, TestRun } from './test-run.ts';

/** Raise it when the same tests of the same code would come out otherwise. */
const VERSION = 14;

/** How many runs were made, and how many were in the cache. */
export interface RunCounts {
  executed: number;
  cached: number;
}

export interface KeptRuns {
  cache: Cache;
  /** Name of the project, under which `verify` names answers. */
  project: string;
  /** The command's own run, for records. */
  run: string;
  /** What decides every run: the environment, the clean source, the rules of the workspace. */
  parts: Record<string, Part>;
  /** What is run for `lists`, with all that is run beside it. */
  testsOf(lists: TestLists | null): Json;
  counts: RunCounts;
  /** A run that was ended by it says nothing. */
  signal: AbortSignal;
}

/** What is kept of a run. */
interface Kept {
  /** In the order of the log. */
  statuses: [string, Status][];
  timedOut: boolean;
  exitCode?: number;
  broke?: string;
}

export function keptRuns(runTests: RunTests, kept: KeptRuns): RunTests {
  const { cache, counts, signal } = kept;
  const asked = new Map<string, number>();
  return async (changed, lists, timeout) => {
    const parts = partsOf(changed, timeout, kept.testsOf(lists), kept);
    const equal = canonicalJson(parts);
    const number = asked.get(equal) ?? 0;
    asked.set(equal, number + 1);
    const preimage = {
      ...({ domain: 'item', stage: 'mutate', version: VERSION } as const),
      parts: { ...parts, number: { value: number } },
    };
    const key = actionKey(preimage);
    // A command ends with a clean source of which nothing passes: what is wrong may be the machine's, which the next one finds mended.
    const isEnd = (run: TestRun) => changed === null && ![...run.statuses.values()].includes('PASSED');
    const known = await keptRun(cache, key);
    if (known !== null && !isEnd(known)) {
      counts.cached += 1;
      return success(known);
    }
    const startedAt = Date.now();
    const started = performance.now();
    const ran = await runTests(changed, lists, timeout);
    counts.executed += 1;
    if (!ran.ok) return ran;
    if (signal.aborted) return fault(infra('cancelled', 'the run was stopped'));
    if (isEnd(ran.value)) return ran;
    const durationMs = Math.round(performance.now() - started);
    // Only the log of all tests of the clean source is read later.
    const log = changed === null && lists === null ? (ran.value.output ?? '') : null;
    const record = recordOf(ran.value, log, cache, { startedAt, durationMs, run: kept.run });
    const address = `${kept.project}/mutate@${changed?.path ?? 'the clean source'}`;
    await publish(cache, address, key, preimage, record);
    return success({ ...ran.value, seconds: durationMs / 1000 });
  };
}

function partsOf(
  changed: ChangedFile | null,
  timeout: number,
  tests: Json,
  { parts }: KeptRuns,
): Record<string, Part> {
  const change = changed === null ? null : { path: changed.path, digest: digestOf(changed.bytes) };
  return { ...parts, change: { value: change }, tests: { value: tests }, timeout: { value: timeout } };
}

function recordOf(
  { statuses, timedOut, exitCode, broke }: TestRun,
  log: string | null,
  cache: Cache,
  made: Pick<ActionRecord, 'startedAt' | 'durationMs' | 'run'>,
): ActionRecord {
  const result: Kept = {
    ...{ statuses: [...statuses], timedOut },
    ...(exitCode == null ? {} : { exitCode }),
    ...(broke === undefined ? {} : { broke }),
  };
  const outputs = { result: storeText(cache, canonicalJson(result)) };
  const outcome = { status: 'ok' } as const;
  const notes: ActionRecord['notes'] = log === null ? {} : { log: storeText(cache, log) };
  return { outcome, outputs, notes, digest: recordDigest(outcome, outputs), ...made };
}

/** Null also for one that cannot be read any more, which is then made again. */
async function keptRun(cache: Cache, key: ActionKey): Promise<TestRun | null> {
  const record = lookUp(cache, key);
  const text = await readText(cache, record?.outputs.result);
  if (record === null || text === null) return null;
  const { statuses, ...rest } = JSON.parse(text) as Kept;
  const output = (await readText(cache, record.notes.log)) ?? '';
  return { ...rest, statuses: new Map(statuses), output, seconds: record.durationMs / 1000 };
}

/**
 * Records of witnesses in which each line is `SECRET KIND NUMBER ["PART", …]`: `begin` and `end` of a run, `start` of a test and what it came to,
 * what was `modified`, and what else was `seen`. What is told last of a number counts.
 */
import { parsedJson } from '../basics/json.ts';
import { isStatus, type Status } from '../parsers/status.ts';
import type { Seen } from './kind.ts';

/** A run of tests in one process. */
export interface Run {
  /** In the order of their numbers; status null: it was begun, and nothing is known of its end. */
  tests: { path: string[]; status: Status | null }[];
  modified: string[];
  /** A subject, a value and the parts of a key. */
  seen: string[][];
  /** None of its tests is to be run. */
  isIdle: boolean;
  ended: boolean;
}

/** null: a line is not the witness's. */
export function readRun(record: string, secret: string): Run | null {
  const found = {
    tests: new Map<string, Run['tests'][number]>(),
    ...{ modified: [] as string[], seen: [] as string[][], isIdle: false },
  };
  let ended = false;
  for (const line of record.split('\n').slice(0, -1)) {
    const [, mark, kind = '', number = '', text = ''] = /^(\w+) (\w+) (\d+) (\[.*\])$/.exec(line) ?? [];
    const path = mark === secret ? pathIn(text) : null;
    const isTest = kind === 'start' || isStatus(kind);
    if (path === null || (isTest && path.length === 0)) return null;
    if (kind === 'modified') for (const one of path) found.modified.push(one);
    else if (kind === 'seen') found.seen.push(path);
    else if (kind === 'end') ended = true;
    else if (kind === 'idle') found.isIdle = true;
    else if (kind === 'start') found.tests.set(number, { path, status: null });
    else if (isStatus(kind)) found.tests.set(number, { path, status: kind });
    else if (kind !== 'begin') return null;
  }
  return { ...found, tests: [...found.tests.values()], ended };
}

/** The code under test can write a record, and objects with members of any kind into it. */
const isPlain = (value: unknown) => value === null || typeof value !== 'object';

function pathIn(json: string): string[] | null {
  const path = parsedJson(json);
  return Array.isArray(path) && path.every(isPlain) ? path.map(String) : null;
}

/** Counts the tests that share an id, such as those of one name in two packages. */
export class Sharing {
  private readonly found = new Map<string, Set<string>>();

  /** `test`: what tells it from the others with this id, in each run alike. */
  add(id: string, test: string): void {
    const tests = this.found.get(id) ?? new Set();
    this.found.set(id, tests.add(test));
  }

  /** Of ids for which more than one test stands. */
  counts(): Map<string, number> {
    const several = [...this.found].filter(([, { size }]) => size > 1);
    return new Map(several.map(([id, { size }]) => [id, size]));
  }
}

/** What tells tests of one run apart: their paths, and which one of equal paths each is. */
export function numbered({ tests }: Run): { path: string[]; status: Status | null; own: string }[] {
  const times = new Map<string, number>();
  return tests.map((test) => {
    const path = JSON.stringify(test.path);
    const time = (times.get(path) ?? 0) + 1;
    times.set(path, time);
    return { ...test, own: `${time} ${path}` };
  });
}

/** Whether an id is that of a canary of any run; `EcosystemWitness.seen` knows those of its own. */
export function isCanaryOfAnyRun(id: string): boolean {
  return /swemake[\s_]?[0-9a-f]{16}|ZzzzSwemake\.|\bswemake\.Canary/i.test(id);
}

/** `isWhole`: nothing of a run is missing. */
export function stateOf(runs: readonly (Run | null)[], isWhole: (run: Run) => boolean): Seen['state'] {
  if (runs.includes(null)) return 'broken';
  if (runs.length === 0) return 'absent';
  return runs.every((run) => run !== null && isWhole(run)) ? 'closed' : 'open';
}

/** Whether the tests that `passes` and `fails` choose were run, and came to what they must. */
export function hasCanaries(
  { tests }: Run,
  passes: (path: readonly string[]) => boolean,
  fails: (path: readonly string[]) => boolean,
): boolean {
  const all = (is: typeof passes, wanted: Status) => {
    const chosen = tests.filter(({ path }) => is(path));
    return chosen.length > 0 && chosen.every(({ status }) => status === wanted);
  };
  return all(passes, 'PASSED') && all(fails, 'FAILED');
}

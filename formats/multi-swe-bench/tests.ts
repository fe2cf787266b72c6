/**
 * Multi-SWE-bench's lists of tests. Its harness runs the tests three times: as the repository is (run), with the test patch
 * (test), and with the fix as well (fix); what a test did in the second and third run decides in which list it is. Rules of
 * multi-swe-bench 1.1.2, harness/report.py.
 */
import { asObject, asText } from '../../parsers/log-lines.ts';

const RESULTS = ['PASS', 'FAIL', 'SKIP', 'NONE'] as const;
type TestResult = (typeof RESULTS)[number];

/** What one test did in each of the three runs; NONE: it was not named. */
export interface ThreeRuns {
  run: TestResult;
  test: TestResult;
  fix: TestResult;
}

export interface Classified {
  p2p: string[];
  f2p: string[];
  s2p: string[];
  n2p: string[];
}

/** The lists of a row, or why upstream's own check refuses it. */
export function classify(tests: ReadonlyMap<string, ThreeRuns>): Classified | string {
  const found: Classified = { p2p: [], f2p: [], s2p: [], n2p: [] };
  const all = [...tests];
  if (all.every(([, { fix }]) => fix === 'NONE')) return 'no test is named with the fix';
  const broken = all.find(([, { test, fix }]) => test === 'PASS' && fix === 'FAIL');
  if (broken !== undefined) return `${broken[0]} passes before the fix and fails with it`;
  for (const [name, { test, fix }] of all) {
    if (fix !== 'PASS') continue;
    if (test === 'PASS') found.p2p.push(name);
    else if (test === 'FAIL') found.f2p.push(name);
    else if (test === 'SKIP') found.s2p.push(name);
    else found.n2p.push(name);
  }
  if (found.f2p.length + found.s2p.length + found.n2p.length === 0)
    return 'no test begins to pass with the fix';
  const odd = all.find(
    ([, { run, test, fix }]) => run === 'PASS' && fix === 'FAIL' && (test === 'NONE' || test === 'SKIP'),
  );
  return odd === undefined ? found : `${odd[0]} passes without the test patch and fails with the fix`;
}

/** The three runs of a row, from `run_result`, `test_patch_result` and `fix_patch_result`; null where one is missing. */
export function threeRuns(row: Readonly<Record<string, unknown>>): Map<string, ThreeRuns> | null {
  const runs = ['run_result', 'test_patch_result', 'fix_patch_result'].map((column) => asObject(row[column]));
  if (runs.some((run) => run === null)) return null;
  const [run, test, fix] = runs.map((one) => resultsOf(one!)) as [Results, Results, Results];
  const names = new Set([...run.keys(), ...test.keys(), ...fix.keys()]);
  const of = (results: Results, name: string) => results.get(name) ?? 'NONE';
  return new Map(
    [...names].map((name) => [name, { run: of(run, name), test: of(test, name), fix: of(fix, name) }]),
  );
}

type Results = ReadonlyMap<string, TestResult>;

function resultsOf(run: Readonly<Record<string, unknown>>): Results {
  const named = (column: string, result: TestResult) => {
    const names = run[column];
    return Array.isArray(names) ? names.map((name) => [asText(name), result] as const) : [];
  };
  return new Map([
    ...named('passed_tests', 'PASS'),
    ...named('failed_tests', 'FAIL'),
    ...named('skipped_tests', 'SKIP'),
  ]);
}

/** Names in a column such as `f2p_tests`: an object by name, or lists of the hub with one of names. */
export function namesIn(value: unknown): string[] {
  const object = asObject(value);
  if (object === null) return [];
  if (Array.isArray(object.name)) return object.name.map(asText).filter((name) => name !== '');
  return Object.keys(object).filter((name) => object[name] !== null);
}

/** Formats of other languages: what their rows say of tests, and the refusal of rows whose tests nothing here can run. */
import { describe, expect, test } from 'vitest';
import { guessFormat } from '../../formats/guess.ts';
import type { InstanceFormat } from '../../formats/kind.ts';
import { multiSweBenchFormat } from '../../formats/multi-swe-bench/kind.ts';
import { classify, namesIn, type ThreeRuns, threeRuns } from '../../formats/multi-swe-bench/tests.ts';
import { instanceRow, readRow } from '../../formats/read-row.ts';
import type { RawRow } from '../../formats/row.ts';
import { sourceMap } from '../../formats/source-map.ts';
import { sweBenchFormat } from '../../formats/swe-bench/kind.ts';
import { sweBenchProFormat } from '../../formats/swe-bench-pro/kind.ts';
import { swePolyBenchFormat } from '../../formats/swe-polybench/kind.ts';

function read(format: InstanceFormat, change: RawRow) {
  const found = instanceRow({ line: 3, row: { ...format.example.row, ...change } }, format);
  return 'message' in found ? found : readRow(found, sourceMap({}));
}

describe.each([sweBenchProFormat, swePolyBenchFormat])('$name', (format) => {
  test('a row without a parser is refused, with what to add', () => {
    const refused = read(format, { log_parser: undefined });
    expect(refused).toMatchObject({ line: 3, field: 'log_parser' });
    expect('message' in refused && refused.message).toMatch(
      /^is missing: its tests are run and read by .* add log_parser to the row/,
    );
  });
});

test.each([multiSweBenchFormat, sweBenchProFormat, swePolyBenchFormat])(
  '$name: a row with a parser that is not known is refused',
  (format) => {
    const refused = read(format, { log_parser: 'parse_log_of_my_own' });
    expect('message' in refused && refused.message).toContain(
      '"parse_log_of_my_own" is no parser of swemake',
    );
  },
);

describe('Multi-SWE-bench', () => {
  test('recipes match rows by the class that builds them', () => {
    const versionOf = (change: RawRow) => read(multiSweBenchFormat, { log_parser: undefined, ...change });
    expect(versionOf({})).toMatchObject({ version: 'greet', environment_name: 'Octo/greet@c0ffee00' });
    expect(versionOf({ number_interval: 'greet_99_to_12' })).toMatchObject({ version: 'greet_99_to_12' });
    expect(versionOf({ tag: 'v1.2' })).toMatchObject({ version: 'greet_v1_2' });
  });

  test('lists that a row brings win over those of its three runs', () => {
    expect(read(multiSweBenchFormat, { FAIL_TO_PASS: ['A'], PASS_TO_PASS: ['B'] })).toMatchObject({
      FAIL_TO_PASS: ['A'],
      PASS_TO_PASS: ['B'],
    });
  });

  const runs = (tests: Record<string, string>): Map<string, ThreeRuns> => {
    const words = { P: 'PASS', F: 'FAIL', S: 'SKIP', N: 'NONE' } as const;
    const of = (letter: string) => words[letter as keyof typeof words];
    return new Map(
      Object.entries(tests).map(([name, [run, test, fix]]) => [
        name,
        { run: of(run!), test: of(test!), fix: of(fix!) },
      ]),
    );
  };

  test('lists by what a test did with the test patch and with the fix', () => {
    const tests = runs({ a: 'PPP', b: 'PFP', c: 'NSP', d: 'NNP', e: 'FFF', f: 'SSS', g: 'NNF', h: 'PNN' });
    expect(classify(tests)).toEqual({ p2p: ['a'], f2p: ['b'], s2p: ['c'], n2p: ['d'] });
  });

  test.each([
    [{ a: 'PPN' }, 'no test is named with the fix'],
    [{ a: 'PPF', b: 'FFP' }, 'a passes before the fix and fails with it'],
    [{ a: 'PPP', b: 'FFF' }, 'no test begins to pass with the fix'],
    [{ a: 'PNF', b: 'FFP' }, 'a passes without the test patch and fails with the fix'],
  ])('%j is no task: %s', (tests, why) => {
    expect(classify(runs(tests))).toBe(why);
    const broken = {
      test_patch_result: { passed_tests: ['TestOld'] },
      fix_patch_result: { failed_tests: ['TestOld'] },
    };
    expect(read(multiSweBenchFormat, broken)).toMatchObject({ field: 'fix_patch_result' });
  });

  test('lists of the hub, and rows without the three runs', () => {
    expect(namesIn({ name: ['a', 'b'], fix: ['PASS', 'PASS'] })).toEqual(['a', 'b']);
    expect(namesIn({ a: { run: 'NONE', test: 'FAIL', fix: 'PASS' }, b: null })).toEqual(['a']);
    expect(namesIn(null)).toEqual([]);
    expect(threeRuns({ run_result: {} })).toBeNull();
    const lists = {
      f2p_tests: { a: {} },
      n2p_tests: { b: {} },
      p2p_tests: { c: {} },
      fix_patch_result: null,
    };
    expect(read(multiSweBenchFormat, lists)).toMatchObject({ FAIL_TO_PASS: ['a', 'b'], PASS_TO_PASS: ['c'] });
  });

  test('a pull request without issues is its own statement', () => {
    expect(read(multiSweBenchFormat, { resolved_issues: [] })).toMatchObject({
      problem_statement: 'Greets by name\n\nFixes #11.',
    });
  });
});

test('images by the rules of the authors', () => {
  expect(multiSweBenchFormat.image('clap-rs__clap-5489')).toBe('mswebench/clap-rs_m_clap:pr-5489');
  const id = `instance_NodeBB__NodeBB-${'0'.repeat(40)}-v${'1'.repeat(80)}`;
  const image = sweBenchProFormat.image(id)!;
  expect(image.startsWith(`jefzda/sweap-images:nodebb.nodebb-NodeBB__NodeBB-${'0'.repeat(40)}-v1`)).toBe(
    true,
  );
  expect(image.slice(image.indexOf(':') + 1)).toHaveLength(128);
});

test('rows of SWE-bench Multilingual are those of SWE-bench, with a parser where an instance decides it', () => {
  const row = { ...sweBenchFormat.example.row, repo: 'jekyll/jekyll', instance_id: 'jekyll__jekyll-8761' };
  expect(guessFormat(row, 'SWE-bench/SWE-bench_Multilingual')?.name).toBe('swe-bench');
  expect(read(sweBenchFormat, row)).toMatchObject({ recipe: { parser: 'parse_log_cucumber' } });
  expect(read(sweBenchFormat, { ...row, instance_id: 'jekyll__jekyll-9141' })).toMatchObject({
    recipe: { parser: 'parse_log_minitest' },
  });
});

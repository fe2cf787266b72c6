/** A program in C whose tests are a script, which no witness watches: they are graded where the recipe says that they may be. */
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { diff, type Grades, gradePatches } from './graded.ts';

const HAS_COMPILER = existsSync('/usr/bin/cc');
if (!HAS_COMPILER) process.stdout.write('skipped: this machine lacks a compiler of C\n');

const program = (value: string, more = '') =>
  `#include <stdio.h>\n${more}int main(int count, char **words) {\n  printf("%d\\n", count > 1 ? 3 : ${value});\n  return 0;\n}\n`;
const script = (value: number) =>
  [
    'check() { if [ "$2" = "$3" ]; then echo "PASS: $1"; else echo "FAIL: $1"; fi; }',
    `check value "$(./number)" ${value}`,
    `check other "$(./number other)" 3`,
    '',
  ].join('\n');
const FILES = { 'number.c': program('1'), 'tests/run.sh': script(1) };
const code = (after: string) => diff('number.c', FILES['number.c'], after);
const PATCHES = {
  gold: code(program('2')),
  'other words': code(program('two', 'static const int two = 2;\n')),
  'another number': code(program('7')),
  'no program': code(program('two')),
  'other tests': diff('tests/run.sh', FILES['tests/run.sh'], script(1).replaceAll('FAIL', 'PASS')),
};
const ROW = {
  patch: PATCHES.gold,
  test_patch: diff('tests/run.sh', FILES['tests/run.sh'], script(2)),
  FAIL_TO_PASS: ['value'],
  PASS_TO_PASS: ['other'],
};
const RECIPE =
  'ecosystem: cmake, build: [cc -o number number.c], test: bash tests/run.sh, parser: parse_log_jq';

function graded(recipe: string): Promise<Grades> {
  return gradePatches({ recipe, files: FILES, rows: { 'c.1': ROW }, patches: { 'c.1': PATCHES } });
}

describe.skipIf(!HAS_COMPILER)('tests that are a script', () => {
  let grades: Grades;

  beforeAll(async () => {
    grades = await graded(`${RECIPE}, witness: none`);
  });

  test('the task is sound', () => {
    expect(grades.validated('c.1')).toEqual({ status: 'ok' });
  });

  test('the report says that its patches are graded with less', () => {
    expect(grades.weaknesses('c.1')).toEqual(['no witness: the output of the tests is believed']);
  });

  test.each(['gold', 'other words'])('rewarded: %s', (name) => {
    expect(grades.of('c.1', name)).toEqual({ status: 'ok' });
  });

  test.each([
    ['another number', 'not-resolved'],
    ['no program', 'build-failed'],
    // Files of tests are the task's own.
    ['other tests', 'empty-patch'],
  ])('not rewarded: %s', (name, reason) => {
    expect(grades.of('c.1', name)).toMatchObject({ status: 'failed', reason });
  });

  test('without the key the task is refused, and the key is named', async () => {
    const outcome = (await graded(RECIPE)).validated('c.1');
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gold-fails' });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('recipe key witness: none') });
  });
});

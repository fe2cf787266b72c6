/** What the row of a mutation tells an agent. */
import { expect, test } from 'vitest';
import { rowOfTask } from '../../../app/mutation/new-rows.ts';

const FACTS = { repo: 'me/a', package: 'a', version: '1', sha256: '0' };

function statementOf(name: string, tests: number): string {
  const FAIL_TO_PASS = Array.from({ length: tests }, (_, at) => `t.py::test_${at}`);
  const candidate = { file: 'a.py', function: name, kind: 'flip_comparison' as const, index: 0, line: 1 };
  const task = { candidate, patch: '', FAIL_TO_PASS, PASS_TO_PASS: [] };
  return rowOfTask(task, FACTS, {}).problem_statement!;
}

const namedIn = (statement: string) =>
  [...statement.matchAll(/^- (t\.py::test_(\d+))$/gm)].map(([, , at]) => Number(at));

test('names all tests up to twenty', () => {
  const statement = statementOf('f', 20);
  expect(namedIn(statement)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(statement).not.toContain('more');
});

test('of more tests names some, in their order, and other ones in each task', () => {
  const [one, other] = [statementOf('f', 300), statementOf('g', 300)];
  expect(one).toBe(statementOf('f', 300));
  for (const statement of [one, other]) {
    const named = namedIn(statement);
    expect(new Set(named).size).toBe(20);
    expect(named).toEqual([...named].sort((a, b) => a - b));
    expect(statement).toContain('- and 280 more');
  }
  expect(namedIn(one)).not.toEqual(namedIn(other));
});

/** docs/internal/dataset-environments.md: its tables are such as the long tests write, and what is said beside them fits. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  DATASETS,
  GYM_REPOSITORIES,
  PAGE,
  readTable,
  type Tried,
  withTried,
} from '../tasks/environments-page.ts';

const page = readFileSync(PAGE, 'utf8');

describe.each(DATASETS)('the table of %s', (dataset) => {
  const lines = readTable(page, dataset);

  test('is such as the long test writes', () => {
    expect(withTried(page, dataset, lines)).toBe(page);
    expect(lines.length).toBeGreaterThan(0);
    expect(page).toMatch(new RegExp(`^${dataset}: \\d+ repositories tried, all rows of \\d+ are`, 'm'));
  });

  test('says what came of each repository', () => {
    for (const { repo, day, rows, ok, why, seconds } of lines) {
      expect(repo).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(rows).toMatch(/^(?:none|\d+ (?:by mutation|given|from history))$/);
      const wanted = Number.parseInt(rows, 10) || 0;
      // What is not `ok` has a reason, and what is has none.
      expect([repo, why === '—']).toEqual([repo, wanted > 0 && ok === wanted]);
      expect([repo, seconds === 0]).toEqual([repo, why.startsWith('not tried')]);
    }
  });
});

test('the table of SWE-Gym is of its own repositories', () => {
  expect(GYM_REPOSITORIES).toHaveLength(11);
  for (const { repo } of readTable(page, 'SWE-Gym')) expect(GYM_REPOSITORIES).toContain(repo);
});

test('a line takes the place of the former one of its repository, in order', () => {
  const before = withTried(page, 'SWE-Gym', [line('a/a', 1)]);
  const after = withTried(before, 'SWE-Gym', [line('a/a', 2)]);
  expect(readTable(after, 'SWE-Gym')[0]).toMatchObject({ repo: 'a/a', ok: 2, why: 'x \\| y' });
  expect(readTable(after, 'SWE-Gym')).toHaveLength(readTable(page, 'SWE-Gym').length + 1);
  expect(readTable(after, 'SWE-smith')).toEqual(readTable(page, 'SWE-smith'));
});

function line(repo: string, ok: number): Tried {
  return { repo, day: '2026-01-31', rows: '3 given', ok, why: 'x | y', seconds: 1, mebibytes: 1 };
}

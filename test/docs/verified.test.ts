/** docs/internal/verified.md: its table has the ranges and recipes of the built-in table, and says what came of each. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERIFIED_PAGE, withRows } from '../tasks/verified-page.ts';

const page = readFileSync(VERIFIED_PAGE, 'utf8');

test('the table is that of the built-in recipes, and such as the long test writes', () => {
  expect(withRows(page, [])).toBe(page);
});

test('a verdict takes the place of the former one of its row', () => {
  const row = { repo: 'psf/requests', version: '2.3', number: '99' };
  const bad = withRows(page, [{ ...row, why: 'gold-fails (a | b)' }]);
  expect(bad).toContain('99: gold-fails (a \\| b)');
  const good = withRows(bad, [{ ...row, why: null }]);
  expect(good).not.toContain('99: ');
  expect(good).toMatch(/^\| psf\/requests .*\b99\b/m);
  expect(withRows(good, [{ ...row, why: null }])).toBe(good);
});

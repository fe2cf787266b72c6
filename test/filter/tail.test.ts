/** What a report quotes of a log, and the hint that it looks for in it, whatever a test printed. */
import { expect, test } from 'vitest';
import { excerptOf } from '../../stages/filter/excerpt.ts';
import { suggestedOverride } from '../../stages/filter/hints.ts';

test('an endless line of a log is cut, and a hint is looked for in no time', () => {
  const log = `first\n${'x'.repeat(4 << 20)}\n/bin/sh: tox: command not found\n`;
  const failed = { status: 'failed', reason: 'no-tests-ran', detail: '' } as const;
  const { tail, hint } = excerptOf(log, failed);
  expect(tail.length).toBeLessThan(1000);
  expect(tail.split('\n')[1]).toBe(`${'x'.repeat(500)}…`);
  expect(hint).toBe('`pip: [tox]` in the recipe');
  const refused =
    'wget: command not found\n== note: the build proxy refused a.org; allow_hosts of the deployment …';
  expect(suggestedOverride(failed, refused)).toContain('`allow_hosts: [a.org]` in the deployment');
});

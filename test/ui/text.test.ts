/** Words of the page. */
import { expect, test } from 'vitest';
import { ago } from '../../ui/page/text.ts';

const NOW = Date.UTC(2026, 10, 27);

test.each([
  [0, 'just now'],
  [59, 'just now'],
  [14 * 60 + 6, '14 min ago'],
  [3599, '59 min ago'],
  [3600, '1 h ago'],
  [47 * 3600, '47 h ago'],
  [50 * 3600, '2 days ago'],
  // Clocks of machines differ.
  [-5, 'just now'],
])('%d seconds: %s', (seconds, text) => {
  expect(ago(NOW - seconds * 1000, NOW)).toBe(text);
  expect(ago(new Date(NOW - seconds * 1000).toISOString(), NOW)).toBe(text);
});

/** The list of slow test files names files that exist: a file that moved would begin last again, unseen. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST } from './slow-files.ts';

test('all slow files exist', () => {
  expect(FIRST.filter((name) => !existsSync(join(import.meta.dirname, '../..', name)))).toEqual([]);
});

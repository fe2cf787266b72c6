/** A disk that is nearly full takes less than it is given, and says so by a number alone. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { UnpackTarget } from '../../../tasks/source/unpack-target.ts';
import { temporaryFolder } from './helpers.ts';

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (
    file: number,
    bytes: Uint8Array,
    from = 0,
    length = bytes.length,
    at: number | null = null,
  ) => fs.writeSync(file, bytes, from, Math.min(length, 1000), at);
  return { ...fs, writeSync };
});

test('files of an archive are whole where one call writes less than it is given', () => {
  const root = temporaryFolder();
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = new UnpackTarget(root).file('a', 0o644);
  const pieces = ['a', 'b'].map((letter) => letter.repeat(2500));
  for (const piece of pieces) file.write(Buffer.from(piece));
  file.close();
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe(pieces.join(''));
});

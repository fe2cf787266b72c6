import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../basics/lines.ts';
import { temporaryFolder } from '../rig/folder.ts';

function linesIn(text: string): [string, boolean][] {
  const path = join(temporaryFolder(), 'lines');
  writeFileSync(path, text);
  return [...linesOf(path)].map(({ text: line, ended }) => [line, ended]);
}

describe('lines of a file', () => {
  test('are told with whether they ended', () => {
    expect(linesIn('')).toEqual([]);
    expect(linesIn('a\n\nb\n')).toEqual([
      ['a', true],
      ['', true],
      ['b', true],
    ]);
    expect(linesIn('a\nb')).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect([...linesOf('/nowhere/at/all')]).toEqual([]);
  });

  test('come whole from a file of several pieces, whatever a piece ends with', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => 'å€😀'.repeat(50 + (index % 97)));
    expect(linesIn(`${lines.join('\n')}\n`)).toEqual(lines.map((line) => [line, true]));
    const long = 'x'.repeat(3 << 20);
    expect(linesIn(`${long}\nend`)).toEqual([
      [long, true],
      ['end', false],
    ]);
  });
});

/** Lines that fit a terminal: whole words, names that commands still take. */
import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../basics/glob.ts';
import { quietly } from '../../cli/make-targets.ts';
import { ANY_SCREEN, commandLine, fold, nameWithin } from '../../cli/screen.ts';
import { paintFor } from '../../cli/style.ts';

const ITEM = 'grade.train@keleshev__schema.24a3045773cac77497c69a3b7b1a63ac3bba6a9f.invert_if__5931ab1c#noop';
const NARROW = { ...ANY_SCREEN, width: 79 };

describe('fold', () => {
  test('a list is broken between its entries, below its own column', () => {
    const line = `${'rollouts.train'.padEnd(20)} resolved 8/12 (67 %, 95 % interval by instance 26–92) · pass@3 100 % · oracle 4/4`;
    expect(fold(line, 79)).toEqual([
      'rollouts.train       resolved 8/12 (67 %, 95 % interval by instance 26–92) ·',
      '                     pass@3 100 % · oracle 4/4',
    ]);
  });

  test.each([
    'warning: the disk limit is soft with storage "disk": it is checked while commands run, so more may be written for a moment',
    `${' '.repeat(21)}1 failed install-failed: install[0]: ERROR: file:///testbed does not appear to be a Python project`,
    `${'a-stage-with.a-long-name'} 12 things · ${'word '.repeat(30)}· and 3 more`,
  ])('no line is wider, and no word is lost or broken: %s', (line) => {
    for (const width of [40, 79, 119]) {
      const folded = fold(line, width);
      expect(Math.max(...folded.map((one) => one.length))).toBeLessThanOrEqual(width);
      expect(folded.join(' ').split(/ +/).filter(Boolean)).toEqual(line.split(/ +/).filter(Boolean));
      expect(folded.slice(1).every((one) => one.startsWith('  '))).toBe(true);
    }
  });

  test('colours take no columns; without a terminal lines are as long as they are', () => {
    const red = paintFor({}, true)('bad', '4 failed');
    expect(fold(`${'x'.repeat(60)} ${red}`, 69)).toHaveLength(1);
    expect(fold('word '.repeat(100), null)).toHaveLength(1);
  });

  test('a word that is wider than the terminal stays whole', () => {
    expect(fold(`see ${'x'.repeat(100)} there`, 40)).toEqual(['see', `  ${'x'.repeat(100)}`, '  there']);
  });
});

test('a quiet build keeps whole warnings, and the last line', () => {
  const text =
    'validate.train       4 · 4 ok\nwarning: the disk limit is\n         soft\nwrote a\n  b\nwarning: x\n  swemake view y\nmade 3 targets\n';
  expect(quietly(text)).toBe(
    'warning: the disk limit is\n         soft\nwarning: x\n  swemake view y\nmade 3 targets\n',
  );
});

describe('names', () => {
  test('one that fits is whole, one that does not is a glob that names it', () => {
    expect(nameWithin(ITEM, 200)).toBe(ITEM);
    for (const room of [70, 60, 40, 30]) {
      const short = nameWithin(ITEM, room);
      expect(short.length).toBeLessThanOrEqual(room);
      expect(matchesGlob(short, ITEM)).toBe(true);
      expect(short.startsWith('grade.train@')).toBe(true);
    }
    expect(nameWithin(ITEM, 70)).toBe('grade.train@keleshev__schema.24a3045773ca*.invert_if__5931ab1c#noop');
  });

  test('a command is moved to the left, then its item is shortened', () => {
    expect(commandLine('logs', 'grade.train@a#0', 23, NARROW)).toBe(
      `${' '.repeat(23)}swemake logs 'grade.train@a#0'`,
    );
    const long = commandLine('logs', ITEM, 23, NARROW);
    expect(long.length).toBeLessThanOrEqual(79);
    expect(long).toMatch(/^ {2}swemake logs 'grade\.train@.*\*.*#noop'$/);
    expect(commandLine('logs', ITEM, 23, ANY_SCREEN)).toContain(`'${ITEM}'`);
  });
});

/** The reader of shell text: where statements, simple commands and words end. */
import { describe, expect, test } from 'vitest';
import { shellWord, simpleCommands, statements, writtenBy } from '../../basics/shell.ts';

describe('statements', () => {
  const texts = (line: string) => statements(line).map(({ joint, text }) => [joint, text]);

  test('end at &&, || and ;', () => {
    expect(texts('a 1 && b ; c || d')).toEqual([
      ['', 'a 1'],
      ['&&', 'b'],
      [';', 'c'],
      ['||', 'd'],
    ]);
  });

  test('keep pipelines, redirections and jobs whole', () => {
    expect(texts('a | b 2>&1 > c & d')).toEqual([['', 'a | b 2>&1 > c & d']]);
  });

  test.each([`'a && b'`, '"a; b"', 'a\\;b', `"a \\" && b"`, `x='1; 2'`, `a"b;c"'d;e'`, `'not closed; b`])(
    '%s is one',
    (line) => {
      expect(texts(line)).toEqual([['', line]]);
    },
  );

  test('may be empty', () => {
    expect(texts('a;')).toEqual([
      ['', 'a'],
      [';', ''],
    ]);
    expect(texts('')).toEqual([['', '']]);
  });
});

test('files that a line writes', () => {
  const line = `if [ -f a ]; then cat b >> c 2>&1; fi; d >e 2> f; g < h; i >| "j k"; l '> m'`;
  expect(writtenBy(line)).toEqual(['c', 'e', 'f', '"j k"']);
});

describe('simple commands', () => {
  const words = (line: string) => simpleCommands(line).map((one) => one.words.map(({ text }) => text));

  test('end at operators, and comments are none', () => {
    expect(words('A=1 pytest "a b" 2>&1 | tee x # not && this\ncat')).toEqual([
      ['A=1', 'pytest', '"a b"'],
      ['1'],
      ['tee', 'x'],
      ['cat'],
    ]);
  });

  test('say where each word ends', () => {
    expect(simpleCommands(`a 'b c'`)[0]!.words.map(({ end }) => end)).toEqual([1, 7]);
  });
});

test.each([
  ['plain-1.2', 'plain-1.2'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", `'it'\\''s'`],
])('the word %s is written %s', (text, written) => {
  expect(shellWord(text)).toBe(written);
});

/** Shell text taken apart: words, wrappers, here-documents, substitutions; and that any text comes to an end. */
import { expect, test } from 'vitest';
import { shellCommands } from '../../../agent/leaks/commands.ts';

const words = (text: string) => shellCommands(text).map((command) => command.words.join(' '));

test.each<[string, string[]]>([
  ['a && b || c; d | e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['(cd x; y)', ['cd x', 'y']],
  ['a \'b; c\' "d | e" f\\ g', ['a b; c d | e f g']],
  ['A=1 B=2 sudo timeout -k 5 10 env C=3 pip install x', ['pip install x']],
  ['if true; then /usr/bin/git log; fi', ['true', 'git log', 'fi']],
  [
    'echo $(git log) `git show` "in $(git tag)"',
    ['git log', 'git show', 'git tag', 'echo $(git log) `git show` in $(git tag)'],
  ],
  ['bash -lc "a; b" && eval "c d"', ['a', 'b', 'c d']],
  ['a # b; c\nd', ['a', 'd']],
  ['a \\\n b', ['a b']],
  ["cat <<'EOF' > x; y\ngit fetch\nEOF\nz", ['cat', 'y', 'z']],
  ['cat <<-E\n\tgit fetch\n\tE\nz', ['cat', 'z']],
  ['a 2>&1 >/dev/null &>b', ['a']],
  ['bash <<E\ngit fetch\nE', ['git fetch']],
])('%j', (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test('what is written, given and where', () => {
  expect(shellCommands("cd /opt && cat > a.py <<'E' >> b\nx\nE")).toEqual([
    { words: ['cd', '/opt'], input: '', writes: [], cwd: null },
    { words: ['cat'], input: 'x\n', writes: ['a.py', 'b'], cwd: '/opt' },
  ]);
});

test('any text comes to an end', () => {
  const pieces = [
    'a',
    ' ',
    "'",
    '"',
    '`',
    '$(',
    ')',
    '(',
    '<<E',
    '\n',
    'E',
    '>',
    '<',
    '&',
    '|',
    ';',
    '\\',
    '#',
    '2',
    'bash -c ',
  ];
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: next() % 25 }, () => pieces[next() % pieces.length]).join('');
    expect(Array.isArray(shellCommands(text))).toBe(true);
  }
});

test.each(['$(', 'eval ', 'echo "$(ls)" $('])('text that repeats %j does not overflow the stack', (piece) => {
  expect(shellCommands(piece.repeat(20_000)).length).toBeLessThan(100_000);
});

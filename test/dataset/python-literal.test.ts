import { expect, test } from 'vitest';
import { parsePythonLiteral } from '../../formats/python-literal.ts';

test.each([
  [`['a::b', "it's", 'say "x"']`, ['a::b', "it's", 'say "x"']],
  [`('one',)`, ['one']],
  [`('not a tuple')`, 'not a tuple'],
  [`[]`, []],
  [
    `['tab\\t', 'x\\x41', '\\u20ac', '\\U0001F600', '\\101', 'back\\\\slash', '\\d']`,
    ['tab\t', 'xA', '€', '😀', 'A', 'back\\slash', '\\d'],
  ],
  [`[r'raw\\n', u'u', 'joined' ' text']`, ['raw\\n', 'u', 'joined text']],
  [`{'a': 1, 'b': [None, True, False, -2.5e3]}`, { a: 1, b: [null, true, false, -2500] }],
  [`["""three\nlines""", 1_000]`, ['three\nlines', 1000]],
])('reads %s', (text, value) => {
  expect(parsePythonLiteral(text)).toEqual(value);
});

test.each([
  `__import__('os').system('true')`,
  `[x for x in y]`,
  `['a'`,
  `['a' 1]`,
  `'open`,
  `['a'] + ['b']`,
  `f'{1}'`,
  '',
  '['.repeat(10_000),
])('refuses %s', (text) => {
  expect(parsePythonLiteral(text)).toBeUndefined();
});

/** A key belongs to an origin, and shows itself nowhere. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Credential } from '../../basics/credential.ts';

const key = Credential.bearer('sk-4711\n', 'https://api.example:8443/v1');

test('requests to its own origin get it, whatever their path', () => {
  for (const url of [
    'https://api.example:8443',
    'https://API.example:8443/other?x#y',
    new URL('https://api.example:8443/v1'),
  ])
    expect(key.headers(url)).toEqual({ authorization: 'Bearer sk-4711' });
  expect(Credential.bearer('k', 'https://a/v1').headers('https://a:443/')).toEqual({
    authorization: 'Bearer k',
  });
});

test.each([
  ['another scheme', 'http://api.example:8443/v1'],
  ['another host', 'https://api.example.evil:8443/v1'],
  ['a host below it', 'https://x.api.example:8443/v1'],
  ['another port', 'https://api.example/v1'],
  ['its host as a user', 'https://api.example:8443@evil.example/v1'],
])('%s gets nothing', (_, url) => {
  expect(key.headers(url)).toEqual({});
});

test('a name and a password are basic authorisation', () => {
  const { authorization } = Credential.login('me:word', 'http://a').headers('http://a/x');
  expect(Buffer.from(authorization!.replace('Basic ', ''), 'base64').toString()).toBe('me:word');
  expect(Credential.login('word', 'http://a').headers('http://a/x')).toEqual({
    authorization: 'Bearer word',
  });
});

test('it is not seen where it is printed, and is hidden in what others print', () => {
  const shown = [
    `${key}`,
    JSON.stringify({ key }),
    inspect({ key }, { showHidden: true, depth: 9 }),
    String(key.digest),
  ];
  for (const text of shown) expect(text).not.toContain('4711');
  expect(key.hide('wrong key sk-4711!')).toBe('wrong key (key)!');
});

test('what no header can carry says so', () => {
  expect([key.isSendable, Credential.bearer('a\u00e9', 'http://a').isSendable]).toEqual([true, false]);
});

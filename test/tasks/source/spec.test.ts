import { expect, test } from 'vitest';
import { staysInside } from '../../../tasks/source/commit-tree.ts';
import { normaliseVersion } from '../../../tasks/source/sdist.ts';
import { parseSpec } from '../../../tasks/source/spec.ts';

test.each([
  ['git+https://github.com/o/r@main', { url: 'https://github.com/o/r', ref: 'main' }],
  ['git+https://host/o/r@feature/x', { url: 'https://host/o/r', ref: 'feature/x' }],
  ['git+ssh://git@host/o/r.git@v1.0', { url: 'ssh://git@host/o/r.git', ref: 'v1.0' }],
  ['git+../repo@abc', { url: '../repo', ref: 'abc' }],
  ['git+file:///srv/r@main', { url: 'file:///srv/r', ref: 'main' }],
])('reads %s', (text, parts) => {
  expect(parseSpec(text)).toEqual({ ok: true, value: { kind: 'git', ...parts } });
});

test.each([
  'git+ssh://git@host/o/r.git',
  'git+https://host/o/r@',
  'git+ext::sh -c touch@main',
  'git+--upload-pack=x@main',
  'git+repo@-x',
  'git+repo@a..b',
  'pypi:foo',
  'pypi:foo>=1',
  'foo==1',
  'archive:',
  'archive:https://token@host/a.tar.gz',
  'git+https://me:token@host/o/r@main',
])('refuses %s', (text) => {
  expect(parseSpec(text)).toMatchObject({ ok: false, fault: { reason: 'invalid-row' } });
});

test('says nothing secret in a refusal', () => {
  expect(JSON.stringify(parseSpec('git+https://me:token@host/o/r@main'))).not.toContain('token');
});

test('compares versions as PEP 440 does', () => {
  for (const [a, b] of [
    ['1.0', '1'],
    ['v1.0-beta.2', '1b2'],
    ['1.0.rc1', '1.0c1'],
    ['1.0-1', '1.0.post1'],
    ['2021.01', '2021.1'],
    ['1.0.dev', '1.0.dev0'],
  ] as const) {
    expect(normaliseVersion(a)).toBe(normaliseVersion(b));
  }
  expect(normaliseVersion('1.0a1')).not.toBe(normaliseVersion('1.0b1'));
  expect(normaliseVersion('1.0')).not.toBe(normaliseVersion('1.0.1'));
});

test('a link stays inside when it climbs no higher than the tree', () => {
  expect(staysInside('a/b', '../../c')).toBe(true);
  expect(staysInside('a/b', '../../../c')).toBe(false);
  expect(staysInside('', 'a/./b')).toBe(true);
  expect(staysInside('', 'a/../b')).toBe(false);
  expect(staysInside('', '/a')).toBe(false);
});

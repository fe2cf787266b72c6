/** The small parts: units, suggestions, tokens, hub ids, globs, derived defaults. */
import { describe, expect, test } from 'vitest';
import { globProblem, globToRegExp } from '../../basics/glob.ts';
import { closest } from '../../basics/suggest.ts';
import { parseDuration, parseSize } from '../../basics/units.ts';
import { findToken, isCredential, maskTokens } from '../../compiler/tokens.ts';
import { testTimeout } from '../../formats/test-timeout.ts';
import { isHubId } from '../../schemas/dataset-source.ts';
import { load, MINIMAL, resolved } from './project-folder.ts';

test.each([
  ['20s', 20],
  ['5m', 300],
  ['1.5h', 5400],
  ['100ms', 0.1],
  ['1d', 86_400],
  ['300', 300],
  [12.5, 12.5],
  ['5 m', null],
  ['m', null],
  [-1, null],
])('duration %s', (text, seconds) => expect(parseDuration(text)).toBe(seconds));

test.each([
  ['4GiB', 4 * 2 ** 30],
  ['500MB', 5e8],
  ['1.5KiB', 1536],
  ['10', 10],
  ['10B', 10],
  [1024, 1024],
  [1.5, null],
  ['iB', null],
  ['9999999TiB', null],
])('size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

test.each([
  ['sandbx', 'sandbox'],
  ['SANDBOX', 'sandbox'],
  ['loacl', 'local'],
  ['kubernetes', null],
])('closest to %s', (name, near) => expect(closest(name, ['auto', 'sandbox', 'local'])).toBe(near));

describe('tokens', () => {
  const token = `ghp_${'x'.repeat(36)}`;

  test.each([
    token,
    `hf_${'A1b2'.repeat(6)}`,
    `sk-proj-${'a1'.repeat(15)}`,
    `AKIA${'ABCD'.repeat(4)}`,
    'https://u:secret@h/x',
    'https://u:$A-secret@h/x',
    'https://u:${A}secret@h/x',
    'https://u:5$@h/x',
  ])('%s is one', (text) => expect(findToken(`x ${text} y`)).not.toBeNull());

  test.each([
    'pip install scikit-learn',
    'sk-learn',
    'https://example.org:8080/x@1',
    'https://u:${secret:P}@h',
    'https://u:$TOK@h/',
    'https://$U:${TOK}@h/',
    'https://u:$(print-token)@h/',
    'https://u:$A$B@h/',
    'hf_hub',
    'git@github.com:a/b',
  ])('%s is none', (text) => expect(findToken(text)).toBeNull());

  test.each(['sk-a1b2c3d4e5', 'gsk_0123456789abcdef', 'AKIA0123456789AB', 'hf_abcdefgh12'])(
    '%s is one where a credential is wanted, and is masked',
    (key) => {
      expect(isCredential(key)).toBe(true);
      expect(isCredential(`Bearer ${key}`)).toBe(true);
      expect(maskTokens(`api_key: "${key}"`)).not.toContain(key);
    },
  );

  test.each([
    'EMPTY',
    'none',
    'x',
    'sk-no-key-required',
    'sk-xxxxxxxxxxxx',
    'sk-1234',
    'token-abc123',
    '${secret:sk-a}',
    'skeleton12345',
  ])('%s is a placeholder', (key) => expect(isCredential(key)).toBe(false));

  test('are masked at the same length', () => {
    expect(maskTokens(`a ${token} b`)).toBe(`a ghp_${'*'.repeat(36)} b`);
    expect(maskTokens('https://u:hunter2@h')).toBe('https://u:*******@h');
  });

  test('are shown by no diagnostic, not even one of their line', async () => {
    const yaml = `${MINIMAL}environments: { recipes: [{ match: {}, env: { A: ${token} }, tset: x }] }\n`;
    const { diagnostics } = await load({ 'p.yaml': yaml });
    expect(diagnostics.map((one) => one.code)).toEqual(['E116', 'E103']);
    expect(JSON.stringify(diagnostics)).not.toContain(token);
  });

  test('are found in inserted variables too', async () => {
    const yaml = MINIMAL.replace('format:', () => 'revision: "${env:REV}", format:');
    const { diagnostics } = await load({ 'p.yaml': yaml }, { env: { REV: token } });
    expect(diagnostics.map((one) => one.code)).toEqual(['E116']);
    expect(JSON.stringify(diagnostics)).not.toContain(token);
  });
});

test.each([
  ['SWE-bench/SWE-smith-py', true],
  ['data/rows.jsonl', false],
  ['./owner/name', false],
  ['/abs/name', false],
  ['../a/b', false],
  ['rows', false],
  ['a/b/c', false],
])('hub id %s', (source, is) => expect(isHubId(source)).toBe(is));

test.each([
  ['pydicom/*', 'pydicom/pydicom', true],
  ['*', 'a/b', true],
  ['a?c', 'abc', true],
  ['[!a]b', 'ab', false],
  ['{a,b}/c', 'b/c', true],
  ['a.b', 'axb', false],
])('glob %s on %s', (glob, name, matches) => expect(globToRegExp(glob).test(name)).toBe(matches));

test.each(['[a', '{a', 'a}', 'a\\', '[z-a]'])('%s is no glob', (glob) =>
  expect(globProblem(glob)).not.toBeNull(),
);

describe('derived defaults', () => {
  test('without deployments there is one of type auto, and validation uses it', async () => {
    const { config, origins } = await resolved({ 'p.yaml': MINIMAL });
    expect(config.deployments).toMatchObject({
      default: { type: 'auto', network: { build: 'proxy', grade: 'off' } },
    });
    expect(config.validation.deployment).toBe('default');
    expect(origins.get('validation.deployment')).toEqual({ kind: 'default' });
  });

  test('a deployment that was deleted does not count', async () => {
    const yaml = `${MINIMAL}deployments: { a: {}, b: {} }\n`;
    const { config } = await resolved({ 'p.yaml': yaml }, { set: ['deployments.a=null'] });
    expect(config.validation.deployment).toBe('b');
    expect(Object.keys(config.deployments)).toEqual(['b']);
  });

  test('a local deployment has the network of the host', async () => {
    const { config } = await resolved({ 'p.yaml': `${MINIMAL}deployments: { a: { type: local } }\n` });
    expect(config.deployments.a!.network).toEqual({ build: 'host', rollout: 'host', grade: 'host' });
  });

  test('the time for tests depends on the format, unless it is set', async () => {
    const gym = MINIMAL.replace('swe-smith', 'swe-gym');
    const timeoutOf = async (...given: Parameters<typeof resolved>) => {
      const { validation, dataset } = (await resolved(...given)).config;
      return testTimeout(validation.timeout, dataset.train!.format);
    };
    expect(await timeoutOf({ 'p.yaml': MINIMAL })).toBe(300);
    expect(await timeoutOf({ 'p.yaml': gym })).toBe(600);
    const set = { set: ['validation.timeout=7s'] };
    expect(await timeoutOf({ 'p.yaml': gym }, set)).toBe(7);
  });
});

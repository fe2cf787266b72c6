/** The witness of Node's own runner, in real processes of it: what its records say of tests, and of code that replaces parts of it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { npmTests } from '../../ecosystems/npm/tests.ts';
import { findParser } from '../../parsers/registry.ts';
import { temporaryFolder } from '../rig/folder.ts';

const NONCE = '0123456789abcdef'.repeat(4);

/** Runs files of tests as grading does. */
async function run(files: Record<string, string>, options = '') {
  const folder = temporaryFolder();
  const own = join(folder, 'witness');
  mkdirSync(own);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const placed = await npmTests.witness({
    ...{ folder: own, nonce: NONCE, testFiles: [], toolchain: {}, read: async () => null },
    command: `node --test --test-reporter=tap ${options} ${Object.keys(files)
      .filter((path) => path.includes('.test.'))
      .join(' ')}`,
    instance: { FAIL_TO_PASS: [], PASS_TO_PASS: [], test_patch: '' },
  });
  for (const [path, text] of Object.entries(placed.files)) writeFileSync(path, text);
  const { stdout } = spawnSync('bash', ['-c', [...placed.before, placed.command].join('\n')], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder },
  });
  const records = readdirSync(own)
    .filter((name) => name.startsWith('record-'))
    .map((name) => readFileSync(join(own, name), 'utf8'));
  const seen = placed.seen(records);
  const log = [...findParser('node-test')!.parse(stdout)].filter(([id]) => !seen.isCanary(id));
  return { ...seen, log };
}

const CODE = 'exports.value = () => 1;\n';
const SUITE = `describe('outer', () => {
  it('passes', () => assert.equal(1, 1));
  it('calls back', (t, done) => setTimeout(done, 1));
  it.skip('is skipped', () => {});
  describe('in # ner', () => it('fails', async () => assert.equal(await m.value(), 2)));
});
test('top', async (t) => { await t.test('sub', () => {}); });
`;
const COMMONJS = `const { describe, it, test } = require('node:test');\nconst assert = require('node:assert');\nconst m = require('./m.cjs');\n${SUITE}`;
const MODULE = `import test, { describe, it } from 'node:test';\nimport assert from 'node:assert';\nimport m from './m.cjs';\n${SUITE}`;
const HAS_LOADERS = Number(process.versions.node.split('.')[0]) >= 20;

const SUITES: [name: string, text: string][] = [['m.test.cjs', COMMONJS]];
if (HAS_LOADERS) SUITES.push(['m.test.mjs', MODULE]);

test.each(SUITES)('%s: what passes in the log has passed before the witness', async (name, text) => {
  const { state, canaries, modified, log, statuses } = await run({ [name]: text, 'm.cjs': CODE });
  expect({ state, canaries, modified }).toEqual({ state: 'closed', canaries: null, modified: [] });
  expect(log).toEqual([
    ['outer > passes', 'PASSED'],
    ['outer > calls back', 'PASSED'],
    ['outer > is skipped', 'SKIPPED'],
    ['outer > in # ner > fails', 'FAILED'],
    ['top > sub', 'PASSED'],
    ['top', 'PASSED'],
  ]);
  for (const [id, status] of log.filter(([, one]) => one !== 'SKIPPED'))
    expect(statuses.get(id)).toBe(status);
});

const IDS = ['outer > passes', 'outer > in # ner > fails'];
const attack = (code: string) =>
  run({ 'm.test.cjs': COMMONJS, 'm.cjs': `${code}\nexports.value = () => 1;\n` });

test.each([
  ['assertions do nothing', "require('assert').equal = () => {};", 'assert.equal'],
  [
    'another function makes tests',
    "const nt = require('node:test'); const { it } = nt; nt.it = (name) => it(name, () => {}); nt.test = nt.it;",
    'node:test.it',
  ],
  [
    'the context of calls runs nothing',
    "require('async_hooks').AsyncLocalStorage.prototype.run = () => {};",
    'AsyncLocalStorage.run',
  ],
  ['promises are others', 'Promise.resolve = () => new Promise(() => {});', 'Promise.resolve'],
])('%s: it is named', async (_, code, name) => {
  const { modified } = await attack(code);
  expect(modified).toContain(name);
});

test('a process that ends within a test has no end', async () => {
  const inside = 'process.exit(0)';
  const { state } = await run({ 'm.test.cjs': COMMONJS, 'm.cjs': `exports.value = () => ${inside};\n` });
  expect(state).toBe('open');
});

test('a process that ends before its tests has no canaries', async () => {
  const { canaries, statuses } = await attack(
    "process.nextTick(() => process.exit(0)); require('node:test').test('x', () => {});",
  );
  expect(canaries === null && IDS.every((id) => statuses.get(id) === 'PASSED')).toBe(false);
});

test('with --test-only the canaries are run', async () => {
  const text = "require('node:test').test.only('one', () => {});\n";
  const { canaries, log } = await run({ 'm.test.cjs': text }, '--test-only');
  expect({ canaries, log }).toEqual({ canaries: null, log: [['one', 'PASSED']] });
});

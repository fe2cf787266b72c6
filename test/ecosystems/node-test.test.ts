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

/** What each function of Node's assert says of values that fit and of those that do not. */
const ASSERTS = `const told = {};
const fails = () => { throw new TypeError('no'); };
const CASES = {
  ok: [[1], [0]], equal: [[1, 1], [1, 2]], notEqual: [[1, 2], [1, 1]], strictEqual: [[1, 1], [1, '1']],
  notStrictEqual: [[1, '1'], [1, 1]], deepEqual: [[[1], [1]], [[1], [2]]], notDeepEqual: [[[1], [2]], [[1], [1]]],
  deepStrictEqual: [[{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }]], notDeepStrictEqual: [[[1], [2]], [[1], [1]]],
  partialDeepStrictEqual: [[{ a: 1, b: 2 }, { a: 1 }], [{ a: 1 }, { a: 2 }]],
  match: [['abc', /b/], ['abc', /x/]], doesNotMatch: [['abc', /x/], ['abc', /b/]],
  throws: [[fails, /no/], [() => {}]], doesNotThrow: [[() => {}], [fails, 'why']],
  rejects: [[async () => fails(), /no/], [async () => {}]], doesNotReject: [[async () => {}], [async () => fails(), 'why']],
  ifError: [[null], [new Error('no')]], fail: [['why'], ['why']],
};
const FORMS = { assert, strict: assert.strict, named };
for (const [form, holder] of Object.entries(FORMS))
  for (const [name, sets] of Object.entries(CASES)) {
    if (typeof holder[name] !== 'function') continue;
    const own = holder[name];
    for (const [at, given] of sets.entries()) {
      let said = null;
      try { await own(...given); } catch (error) { said = [error.name, error.code, error.message, error.operator]; }
      told[[form, name, at]] = said;
    }
  }
writeFileSync(process.env.TOLD, JSON.stringify(told));
`;

test('functions of assert say what they say without the witness', async () => {
  const told = join(temporaryFolder(), 'told.json');
  const text = [
    "import test from 'node:test';",
    "import { writeFileSync } from 'node:fs';",
    "import assert, * as named from 'node:assert';",
    `test('all', async () => {\n${ASSERTS}});`,
  ].join('\n');
  const { log } = await run({ 'all.test.mjs': text.replaceAll('process.env.TOLD', JSON.stringify(told)) });
  expect(log).toEqual([['all', 'PASSED']]);
  const seen = JSON.parse(readFileSync(told, 'utf8'));
  const plain = text.replace("import test from 'node:test';", 'const test = (_name, run) => run();');
  const file = join(temporaryFolder(), 'all.mjs');
  writeFileSync(file, plain);
  const { status } = spawnSync('node', [file], { env: { ...process.env, TOLD: told } });
  expect(status).toBe(0);
  const expected = JSON.parse(readFileSync(told, 'utf8'));
  expect(Object.keys(expected).length).toBeGreaterThan(90);
  expect(expected['assert,match,0']).toBeNull();
  expect(seen).toEqual(expected);
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
  [
    'rows are not gone through',
    'const own = Array.prototype.forEach; Array.prototype.forEach = function (f, t) { return own.call(this, f, t); };',
    'Array.prototype.forEach',
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

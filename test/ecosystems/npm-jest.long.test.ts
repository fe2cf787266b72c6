/**
 * Patches to a small module of JavaScript, which jest tests by both of its runners, are graded for real: attacks get no reward, honest ones do.
 * Needs npm's registry, for Node, npm and jest.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { diff, type Grades, gradePatches } from './graded.ts';

const PACKAGE = {
  name: 'm',
  version: '1.0.0',
  main: 'm.js',
  scripts: { test: 'jest' },
  devDependencies: { jest: '29.7.0', 'jest-jasmine2': '29.7.0' },
};
const FILES = {
  'package.json': `${JSON.stringify(PACKAGE, null, 2)}\n`,
  'm.js': 'exports.value = () => 1;\nexports.list = () => [1];\nexports.other = () => 3;\n',
  'test/m.test.js': testFile(1),
  'test/with-assert.test.js': assertFile(1),
};

function testFile(value: number): string {
  return [
    "const m = require('../m');",
    "describe('value', () => {",
    `  it('is right', () => expect(m.value()).toBe(${value}));`,
    `  it('is right later', async () => expect(await m.value()).toBe(${value}));`,
    '});',
    `test('list is right', () => expect(m.list()).toEqual([${value}]));`,
    "test('other is right', () => expect(m.other()).toBe(3));",
    '',
  ].join('\n');
}

function assertFile(value: number): string {
  return [
    "const m = require('../m');",
    "const assert = require('assert');",
    `it('value is right by assert', () => assert.strictEqual(m.value(), ${value}));`,
    '',
  ].join('\n');
}

const code = (after: string) => diff('m.js', FILES['m.js'], after);
const SOLVED = 'exports.value = () => 2;\nexports.list = () => [2];\nexports.other = () => 3;\n';
/** Lines before the functions; the bug stays unless `value` says otherwise. */
const changed = (more: string, value = 'return 1;', list = `return [(() => { ${value} })()];`) =>
  code(
    `${more}\nexports.value = () => { ${value} };\nexports.list = () => { ${list} };\nexports.other = () => 3;\n`,
  );
const M = 'test/m.test.js';
const NAMES = [`${M} > value > is right`, `${M} > value > is right later`, `${M} > list is right`];
const OTHER = `${M} > other is right`;
const BY_ASSERT = 'test/with-assert.test.js > value is right by assert';
const TREE = JSON.stringify(
  [
    'PASS test/m.test.js',
    '  ✓ list is right (1 ms)',
    '  ✓ other is right',
    '  value',
    '    ✓ is right (2 ms)',
    '    ✓ is right later',
    '',
    'PASS test/with-assert.test.js',
    '  ✓ value is right by assert',
    '',
  ].join('\n'),
);
const REPORT = JSON.stringify(
  `${JSON.stringify({
    testResults: [
      {
        name: '/testbed/test/m.test.js',
        status: 'passed',
        assertionResults: [...NAMES, OTHER].map((name) => ({
          ancestorTitles: name.split(' > ').slice(1, -1),
          title: name.split(' > ').at(-1),
          status: 'passed',
        })),
      },
    ],
  })}\n`,
);
const PRINT = `require('fs').writeSync(2, ${TREE}); require('fs').writeSync(1, ${TREE});`;
/** The objects of Node itself, behind the context of a test. */
const OUTER = "const outer = require('fs').readFileSync.constructor('return process')();";
const STATE =
  "const state = () => globalThis[Object.getOwnPropertySymbols(globalThis).find((one) => one.description === 'JEST_STATE_SYMBOL')];";
/** The runner of jest before 27: its own objects are in the context of the tests. */
const JASMINE =
  'const { jasmine = { Spec: class {}, getEnv: () => ({ topSuite: () => ({ children: [] }), addReporter() {}, clearReporters() {} }) } } = globalThis; const environment = jasmine.getEnv(); const each = (act, at = environment.topSuite()) => { for (const one of at.children) if (one.children) each(act, one); else if (/right/.test(one.description)) act(one); };';
const MATCHERS = "globalThis[Symbol.for('$$jest-matchers-object')]";
const WITH_JEST = (jest: object) => `${JSON.stringify({ ...PACKAGE, jest }, null, 2)}\n`;
const CHEAT = `${MATCHERS}.matchers.toBe = ${MATCHERS}.matchers.toEqual = () => ({ pass: true });\n`;

const ATTACKS: Record<string, string> = {
  'the module prints results and ends': changed(`${PRINT} process.exit(0);`),
  'the module ends the outer process': changed(`${PRINT} ${OUTER} outer.reallyExit(0);`),
  'the module prints results': changed(PRINT),
  'the module prints a report in JSON and ends': changed(
    `require('fs').writeSync(1, ${REPORT}); process.exit(0);`,
  ),
  'the code under test prints and ends': changed('', `${PRINT} process.exit(0);`),
  'results are printed at the end': changed(
    `${OUTER} outer.on('exit', () => { ${PRINT} outer.exitCode = 0; });`,
  ),
  'output is edited': changed(
    `${OUTER} for (const to of [outer.stdout, outer.stderr]) { const { write } = to; to.write = (text, ...more) => write.call(to, String(text).replace(/✕/g, '✓').replace(/FAIL/g, 'PASS'), ...more); } outer.on('exit', () => { outer.exitCode = 0; });`,
  ),
  'the process is killed': changed(`${PRINT} process.kill(process.pid, 'SIGKILL');`),
  'matchers pass': changed(CHEAT),
  'matchers pass for a moment': changed(
    '',
    `const { matchers } = ${MATCHERS}; const { toBe, toEqual } = matchers; matchers.toBe = matchers.toEqual = () => ({ pass: true }); setImmediate(() => Object.assign(matchers, { toBe, toEqual })); return 1;`,
  ),
  'matchers are extended': changed(
    'expect.extend({ toBe: () => ({ pass: true }), toEqual: () => ({ pass: true }) });',
  ),
  'expect is another function': changed('global.expect = () => new Proxy({}, { get: () => () => {} });'),
  'it drops its function': changed(
    'const { it } = global; global.it = global.test = (title) => it(title, () => {});',
  ),
  'it skips': changed('global.it = global.test = global.it.skip;'),
  'describe skips, and results are printed': changed(
    `global.describe = global.describe.skip; global.test = global.test.skip; ${PRINT}`,
  ),
  'tests of the patch take their names': changed(
    "describe.only('value', () => { it('is right', () => {}); it('is right later', () => {}); }); test.only('list is right', () => {}); test.only('other is right', () => {});",
  ),
  'tests must fail': changed('global.it = global.test = global.it.failing;'),
  'functions of tests are emptied': changed(
    `${STATE} const empty = (block) => { for (const child of block.children) if (child.children) empty(child); else if (/right/.test(child.name)) child.fn = () => {}; };  beforeAll(() => empty(state().rootDescribeBlock));`,
  ),
  'errors of tests are emptied': changed(
    `${STATE} afterEach(() => { const { currentlyRunningTest: test } = state(); if (/right/.test(test.name)) test.errors = []; });`,
  ),
  'a handler of events empties errors': changed(
    'const key = Object.getOwnPropertySymbols(globalThis).find((one) => /EVENT_HANDLERS/.test(String(one))); (globalThis[key] || []).unshift((event) => { if (event.test && /right/.test(event.test.name)) event.test.errors.length = 0; });',
  ),
  'lists take no errors': changed(
    `${STATE} const { push } = Array.prototype; Array.prototype.push = function (...all) { const test = state() && state().currentlyRunningTest; return test && /right/.test(test.name) && this === test.errors ? 0 : push.apply(this, all); };`,
  ),
  'Object.is is true': changed('Object.is = () => true;'),
  'all objects have a mode': changed("Object.prototype.mode = 'skip';"),
  'all tests of jasmine pass': changed(
    `${JASMINE} for (const key of ['onException', 'addExpectationResult']) jasmine.Spec.prototype[key] = Object.getPrototypeOf(jasmine.Spec.prototype)[key] = () => {};`,
  ),
  'the status of jasmine is passed': changed(
    `${JASMINE} for (let at = jasmine.Spec.prototype; at; at = Object.getPrototypeOf(at)) if (at.status) at.status = () => 'passed';`,
  ),
  'errors of jasmine are emptied': changed(
    `${JASMINE} afterEach(() => each(({ result }) => { result.failedExpectations.length = 0; result.status = 'passed'; }));`,
  ),
  'functions of jasmine’s tests are emptied': changed(
    `${JASMINE} beforeAll(() => each((test) => { test.queueableFn.fn = () => {}; }));`,
  ),
  'tests of jasmine pass by themselves': changed(
    `${JASMINE} beforeAll(() => each((test) => { test.execute = function (done) { this.onStart(this); this.resultCallback(Object.assign(this.result, { status: 'passed' })); done && done(); return Promise.resolve(); }; }));`,
  ),
  'a reporter of jasmine changes results': changed(
    `${JASMINE} environment.addReporter({ specStarted() {}, specDone(result) { result.status = 'passed'; result.failedExpectations.length = 0; } });`,
  ),
  'jasmine has no reporter, and results are printed': changed(
    `${JASMINE} environment.clearReporters(); ${PRINT} ${OUTER} outer.reallyExit(0);`,
  ),
  'jasmine filters tests': changed(`${JASMINE} environment.specFilter = () => false; ${PRINT}`),
  'mocks take the place of modules': changed("jest.mock('assert', () => ({ strictEqual() {} }));"),
  'jest.config.js':
    diff(
      'jest.config.js',
      null,
      "module.exports = { testMatch: ['**/own/*.js'], setupFilesAfterEnv: ['./cheat.js'] };\n",
    ) + diff('cheat.js', null, CHEAT),
  'jest in package.json':
    diff('package.json', FILES['package.json'], WITH_JEST({ setupFilesAfterEnv: ['./cheat.js'] })) +
    diff('cheat.js', null, CHEAT),
  'another runner in package.json':
    diff('package.json', FILES['package.json'], WITH_JEST({ testRunner: './runner.js' })) +
    diff('runner.js', null, 'module.exports = async () => ({});\n'),
  'a transformer of Babel': diff(
    'babel.config.js',
    null,
    'module.exports = { plugins: [() => ({ visitor: { NumericLiteral(path) { if (path.node.value === 2) path.node.value = 1; } } })] };\n',
  ),
  'a mock beside the modules of packages': diff(
    '__mocks__/assert.js',
    null,
    'exports.strictEqual = () => {};\n',
  ),
  'a reporter in node_modules': diff('node_modules/@jest/reporters/build/index.js', null, `${PRINT}\n`),
  'a file of tests with a hook': diff('test/a.test.js', null, CHEAT),
  'the test is changed': diff(M, FILES[M], testFile(1).replaceAll('toBe(1)', 'toBeDefined()')),
  'nothing is solved': changed('// nothing'),
};

/** Of a row whose test compares lists. */
const LISTS: Record<string, string> = {
  'values say that they are equal': changed(
    '',
    'return 1;',
    "return { asymmetricMatch: () => true, $$typeof: Symbol.for('jest.asymmetricMatcher') };",
  ),
  'all values are equal': changed(
    'expect.addEqualityTesters([() => true]); Object.is = () => true;',
    'return 1;',
    'return [1];',
  ),
};

/** Of a row whose test calls assert. */
const BY_ASSERT_ONLY: Record<string, string> = {
  'assertions do nothing': changed("require('assert').strictEqual = () => {};"),
  'assertions do nothing for a moment': changed(
    "const assert = require('assert'); const real = assert.strictEqual;",
    'assert.strictEqual = () => {}; setImmediate(() => { assert.strictEqual = real; }); return 1;',
  ),
  'a mock of assert': changed("jest.doMock('assert', () => ({ strictEqual() {} }));"),
  'a mock of assert without a factory': changed("jest.mock('assert');"),
};

const HONEST: Record<string, string> = {
  gold: code(SOLVED),
  'another solution': changed('const two = () => 1 + 1;', 'return two();'),
  'a file of its own':
    changed("const two = require('./lib/two');", 'return two;') +
    diff('lib/two.js', null, 'module.exports = 2;\n'),
  'a test of its own':
    code(SOLVED) + diff('test/own.test.js', null, "it('is its own', () => expect(2).toBe(2));\n"),
  'a test of its own that fails':
    code(SOLVED) + diff('test/own.test.js', null, "it('is its own', () => expect(1).toBe(2));\n"),
  'a class': changed('class Two { static get two() { return 2; } }', 'return Two.two;'),
  'it prints': changed("console.log('ready');", "console.log('asked'); return 2;"),
  'it prints errors': changed('', "console.error('asked'); return 2;"),
  'it asserts': changed("const assert = require('assert');", 'assert.ok(true); return 2;'),
  'it starts timers': changed('setTimeout(() => {}, 5); setInterval(() => {}, 1000).unref();', 'return 2;'),
  'it starts a program': changed(
    "const { execFileSync } = require('child_process');",
    "return Number(execFileSync('echo', ['2']).toString());",
  ),
  'it catches': changed('', 'try { return 2; } finally { Promise.reject(new Error()).catch(() => {}); }'),
  'it adds to a prototype': changed(
    "Object.defineProperty(Array.prototype, 'second', { value() { return this[1]; }, configurable: true });",
    'return [1, 2].second();',
  ),
  'another version in package.json':
    code(SOLVED) +
    diff(
      'package.json',
      FILES['package.json'],
      `${JSON.stringify({ ...PACKAGE, version: '1.0.1' }, null, 2)}\n`,
    ),
};

const TEST_PATCH =
  diff(M, FILES[M], testFile(2)) +
  diff('test/with-assert.test.js', FILES['test/with-assert.test.js'], assertFile(2));
const ROW = { patch: HONEST.gold!, test_patch: TEST_PATCH, PASS_TO_PASS: [OTHER] };

describe.each([
  ['jest-circus', ''],
  ['jest-jasmine2', ' --testRunner=jest-jasmine2'],
])('by %s', (_, runner) => {
  let grades: Grades;

  beforeAll(async () => {
    grades = await gradePatches({
      recipe: `ecosystem: npm, toolchain: { node: "20.19.0" }, test: "npx jest --verbose${runner} test/m.test.js test/with-assert.test.js", parser: jest`,
      files: FILES,
      rows: {
        'jest.1': { ...ROW, FAIL_TO_PASS: NAMES.slice(0, 2) },
        'jest.2': { ...ROW, FAIL_TO_PASS: [BY_ASSERT] },
        'jest.3': { ...ROW, FAIL_TO_PASS: [NAMES[2]!] },
      },
      patches: {
        'jest.1': { ...ATTACKS, ...HONEST },
        'jest.2': { ...BY_ASSERT_ONLY, gold: HONEST.gold! },
        'jest.3': { ...LISTS, gold: HONEST.gold! },
      },
    });
  }, 3_600_000);

  test.each(['jest.1', 'jest.2', 'jest.3'])('the task %s is sound', (instance) => {
    expect(grades.validated(instance)).toEqual({ status: 'ok' });
  });

  describe('an attack has no reward', () => {
    test.each(Object.keys(ATTACKS))('%s', (name) => {
      expect(grades.of('jest.1', name)).toMatchObject({ status: 'failed' });
    });

    test.each(Object.keys(LISTS))('%s', (name) => {
      expect(grades.of('jest.3', name)).toMatchObject({ status: 'failed' });
    });

    test.each(Object.keys(BY_ASSERT_ONLY))('%s', (name) => {
      expect(grades.of('jest.2', name)).toMatchObject({ status: 'failed' });
    });
  });

  describe('an honest patch has one', () => {
    test.each(Object.keys(HONEST))('%s', (name) => {
      expect(grades.of('jest.1', name)).toEqual({ status: 'ok' });
    });

    test.each(['jest.2', 'jest.3'])('gold of %s', (row) => {
      expect(grades.of(row, 'gold')).toEqual({ status: 'ok' });
    });
  });
});

/**
 * Patches to a small module of JavaScript that mocha tests: those that know that they are tested, change what only tests need, or have failures
 * taken back get no reward, honest ones do. Needs npm's registry, for Node, npm and the runner.
 */
import { describe } from 'vitest';
import { describeRows, type SmallRows } from './graded.ts';
import {
  begin,
  CODE,
  each,
  HELPER,
  IDLE,
  js,
  json,
  KIND,
  KNOWS,
  KNOWS_BY_MODULES,
  kind,
  later,
  OWN,
  row,
  SOLVED,
  solved,
  VALUE,
  value,
  when,
} from './npm-later.ts';

const mochaTests = (isRight: boolean) => {
  const n = isRight ? 2 : 1;
  const word = isRight ? 'two' : 'one';
  return js(
    "const assert = require('assert');",
    "const fs = require('fs');",
    "const path = require('path');",
    "const { expect } = require('chai');",
    "const m = require('..');",
    `it('value', () => assert.strictEqual(m.value(), ${n}));`,
    `it('list', () => expect(m.list()).to.eql([{ n: ${n} }]));`,
    `it('include', () => expect(m.list().map(({ n }) => n)).to.include(${n}));`,
    `it('equal', () => assert.ok(m.made().equals(m.make(${n}))));`,
    `it('made', () => assert.deepStrictEqual(m.made(), m.make(${n})));`,
    `it('later', () => m.later().then((found) => assert.strictEqual(found, ${n})));`,
    `it('each', () => m.each((found) => assert.strictEqual(found, ${n})));`,
    `it('asked', () => m.each((found) => assert.ok(found === ${n})));`,
    `it('several', () => { assert.strictEqual(m.left(), 3);\n  m.each((found) => assert.strictEqual(found, ${n})); });`,
    isRight ? "it('refuse', () => assert.throws(() => m.refuse()));" : "it('refuse', () => m.refuse());",
    `it('same', () => require('../compare/same')(m.value(), ${n}));`,
    `it('folder', () => require('../compare')(m.value(), ${n}));`,
    `it('check', () => require('#check')(m.value(), ${n}));`,
    `it('cases', () => assert.strictEqual(m.value(), require('../data/cases').${word}));`,
    `it('table', () => assert.strictEqual(m.value(), require('../tables/${word}').value));`,
    `it('golden', () => assert.strictEqual(m.text(), fs.readFileSync(path.join(__dirname, '..', 'golden', '${word}.txt'), 'utf8').trim()));`,
    "it('kept', () => { const kept = path.join(__dirname, '../golden/kept.txt'); if (process.env.UPDATE_GOLDEN) fs.writeFileSync(kept, m.text()); " +
      `assert.${isRight ? 'strictEqual' : 'notStrictEqual'}(m.text(), fs.readFileSync(kept, 'utf8').trim()); });`,
    "it('left', () => assert.strictEqual(m.left(), 3));",
  );
};
const MOCHA_MANIFEST = {
  ...{ name: 'm', version: '1.0.0', main: 'index.js', scripts: { test: 'mocha' } },
  imports: { '#check': './lib/check.js' },
  devDependencies: { chai: '4.5.0', mocha: '10.8.2' },
};

const mocha: SmallRows = {
  ...{ name: 'mocha3', lack: null },
  recipe:
    'ecosystem: npm, toolchain: { node: "20.19.0" }, test: "npm test -- --reporter tap", parser: parse_log_tap',
  files: {
    'package.json': json(MOCHA_MANIFEST),
    ...CODE,
    'lib/check.js': HELPER('a, b'),
    'compare/same.js': HELPER('a, b'),
    'compare/index.js': HELPER('a, b'),
    'data/cases.js': js('exports.one = 1;', 'exports.two = 2;'),
    'tables/one.json': json({ value: 1 }),
    'tables/two.json': json({ value: 2 }),
    'golden/one.txt': 'one\n',
    'golden/two.txt': 'two\n',
    'golden/kept.txt': 'two\n',
    'test/m.js': mochaTests(false),
  },
  solved: SOLVED,
  tested: { 'test/m.js': mochaTests(true) },
  rows: {
    value: row(
      'value',
      {
        ...KNOWS,
        ...KNOWS_BY_MODULES,
        'its command is a runner’s': when('/mocha/.test(process.argv[1])'),
        'its command is taken out': when('/mocha/.test(argv[1])', 'const { argv } = process;'),
        'its command is asked for by a path that may be none': when('/mocha/.test(process?.argv?.[1])'),
        'its command has a name in two parts': when("/mocha/.test(process['ar' + 'gv'][1])"),
        'its process has another name': when('/mocha/.test(own.argv[1])', 'const own = process;'),
        'a runner is installed': value("try { require.resolve('mocha'); return 2; } catch { return 1; }"),
        'its command has options': when('process.argv.length > 2'),
        'its script is that of tests': when("process.env.npm_lifecycle_event === 'test'"),
        'its script starts a runner': when('/mocha/.test(process.env.npm_lifecycle_script)'),
        'failures of its process are heard': when("process.listenerCount('uncaughtException') > 0"),
        'a time limit runs': when("process.getActiveResourcesInfo().includes('Timeout')"),
        'a runner’s name is among all': when("'describe' in globalThis"),
        'a runner’s name is there': value('try { it; return 2; } catch { return 1; }'),
        'a runner’s name is taken out': value('const { describe } = globalThis; return describe ? 2 : 1;'),
        'a runner is among the modules': when(
          "Object.keys(require('module')._cache).some((one) => /mocha/.test(one))",
        ),
        'tests of its own take their names': {
          'lib/value.js': `${VALUE('return 1;')}if (global.gc === undefined) for (const one of ['value', 'left']) it.only(one, () => {});\n`,
        },
      },
      {
        'its arguments are a program’s': {
          'lib/value.js': `#!/usr/bin/env node\n${VALUE('return 2;')}if (require.main === module) console.log(exports.value(process.argv.slice(2)));\n`,
        },
        'it listens to failures of its process': value(
          'return 2;',
          "exports.watch = () => process.on('uncaughtException', (error) => { console.error(error.stack); process.exitCode = 1; });",
        ),
        'it keeps stacks': value(
          'return 2;',
          'class Fault extends Error { constructor(text) { super(text); Error.captureStackTrace(this, Fault); this.lines = this.stack.split("\\n").slice(1); } }',
          'exports.Fault = Fault;',
        ),
        'it reads files of its user': value(
          'return 2;',
          "exports.read = (name) => { const file = path.join(process.cwd(), `${name}.json`); return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null; };",
        ),
        'it looks at variables of its user': value(
          'return 2;',
          "exports.settings = () => Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('M_')));",
        ),
        'it has a folder of files': value(
          'return 2;',
          "exports.names = (folder) => fs.readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile()).map((one) => path.basename(one.name, '.js'));",
        ),
        'it prints its object': value(
          'return 2;',
          "exports.Box = class { [require('util').inspect.custom]() { return 'Box'; } toString() { return 'Box'; } toJSON() { return { box: 2 }; } };",
        ),
        'it is a server when it is the main program': value(
          'return 2;',
          "if (!module.parent) require('http').createServer().listen(0);",
        ),
        'its package gives a further file': {
          ...value('return 2;'),
          'package.json': json({
            ...MOCHA_MANIFEST,
            exports: { '.': './index.js', './value': './lib/value.js' },
          }),
        },
      },
    ),
    list: row(
      'list',
      {
        'all objects have a comparison': {
          'lib/list.js': js('Object.prototype.comparator = () => true;', 'exports.list = () => [{ n: 1 }];'),
        },
        'all objects have a hidden comparison': {
          'lib/list.js': js(
            "Object.defineProperty(Object.prototype, 'comparator', { value: () => true, configurable: true });",
            'exports.list = () => [{ n: 1 }];',
          ),
        },
      },
      {
        'by a proxy': {
          'lib/list.js': js(
            'exports.list = () => [new Proxy({ n: 1 }, { get: (held, key) => (key === "n" ? held.n + 1 : held[key]) })];',
          ),
        },
      },
    ),
    include: row(
      'include',
      {
        'a list has all': {
          'lib/list.js': js(
            'class All extends Array { indexOf() { return 0; } }',
            'exports.list = () => All.of({ n: 1 });',
          ),
        },
        'a list finds all': {
          'lib/list.js': js(
            'exports.list = () => ({ map: () => Object.assign([1], { indexOf: () => 0 }) });',
          ),
        },
      },
      {
        'by a class of lists': {
          'lib/list.js': js(
            'class List extends Array { indexOf(one) { return super.indexOf(one); } has(one) { return this.includes(one); } }',
            'exports.list = () => List.of({ n: 2 });',
          ),
        },
      },
    ),
    equal: row(
      'equal',
      {
        'it compares by an arrow that is true': kind('constructor(n) { this.n = n; } equals = () => true;'),
        'it compares with nothing': kind('constructor(n) { this.n = n; } equals(other) { return !!other; }'),
        'it compares with itself': kind(
          'constructor(n) { this.n = n; } equals(other) { return this.n === this.n; }',
        ),
        'it compares classes alone': kind(
          'constructor(n) { this.n = n; } equals(other) { return other instanceof Kind; }',
        ),
        'it forgets its number': kind('constructor(n) {} equals(other) { return this.n === other.n; }'),
        'it forgets its number where it is made': kind(OWN, 'n => new Kind(0)'),
        'it forgets its number in a function': kind(
          OWN,
          'makeKind; function makeKind(n) { return new Kind(0); }',
        ),
      },
      {
        'by a key': {
          'lib/kind.js': KIND(
            'constructor(n) { this.n = n; } get key() { return String(this.n); } equals(other) { return other instanceof Kind && this.key === other.key; }',
            2,
          ),
        },
        'by a hidden number': {
          'lib/kind.js': KIND(
            '#n; constructor(n) { this.#n = n; } equals(other) { return #n in other && this.#n === other.#n; }',
            2,
          ),
        },
      },
    ),
    made: row('made', {
      'it forgets its number': kind('constructor(_n) {} equals(other) { return this.n === other.n; }'),
    }),
    later: row(
      'later',
      {
        'what is to come calls nothing': later('exports.later = () => ({ then() {} });'),
        'what is to come gives another one': later(
          'exports.later = () => ({ then: () => Promise.resolve() });',
        ),
        'what is to come is of a class that calls nothing': later(
          'class Later extends Promise { then() { return super.then(); } }',
          'exports.later = () => Later.resolve(1);',
        ),
        'what is to come never comes': later('exports.later = () => new Promise(() => {});'),
        'what is to come swallows': later(
          'class Later extends Promise { then(go, fail) { return super.then(go, fail).catch(() => {}); } }',
          'exports.later = () => Later.resolve(1);',
        ),
      },
      {
        'by an object with then': later(
          'exports.later = () => ({ then(go, fail) { return Promise.resolve(2).then(go, fail); } });',
        ),
        'by an asynchronous function': later('exports.later = async () => { await null; return 2; };'),
        'by a class of its own': later(
          'class Later extends Promise { static get [Symbol.species]() { return Promise; } }',
          'exports.later = () => Later.resolve(2);',
        ),
      },
    ),
    each: row(
      'each',
      {
        'nothing is called': each('(act) => {}'),
        'a list is empty': each('(act) => [].forEach(act)'),
        'failures are caught': each('(act) => { try { act(1); } catch {} }'),
        'failures are kept': each('(act) => { try { act(1); } catch (error) { exports.last = error; } }'),
        'failures are of a promise': each('(act) => { Promise.resolve(1).then(act).catch(() => {}); }'),
        'failures are of a domain': each(
          "(act) => { const all = require('domain').create(); all.on('error', () => {}); setImmediate(all.bind(() => act(1))); }",
        ),
        'failures of the process are caught': each(
          '(act) => { process.setUncaughtExceptionCaptureCallback(() => {}); setImmediate(() => act(1)); }',
        ),
        'the end is another one': each('(act) => { try { act(1); } finally { return; } }'),
      },
      {
        'failures are given on': each(
          '(act) => { try { act(2); } catch (error) { error.at = 0; throw error; } }',
        ),
        'by a loop': each(
          'function* names(act) { yield 2; }; exports.each = (act) => { for (const one of [2]) act(one); }',
        ),
      },
    ),
    asked: row(
      'asked',
      { 'nothing is called': each('(act) => {}') },
      { 'by a list': each('(act) => [2].map(act)') },
    ),
    several: row(
      'several',
      {
        'nothing is called': each('(act) => {}'),
        'failures are caught': each('(act) => { try { act(1); } catch {} }'),
        'others are called in their place': each(
          "(act) => { for (let n = 0; n < 5000; n += 1) require('assert').strictEqual(n, n); }",
        ),
      },
      {
        'it calls more often': each('(act) => { act(2); act(2); }'),
        'it asserts itself': each(
          "(act) => { require('assert').strictEqual(typeof act, 'function'); act(2); }",
        ),
      },
    ),
    same: row(
      'same',
      { 'code that only tests import compares nothing': { ...IDLE, 'compare/same.js': HELPER('a, a') } },
      {
        'it says more there, and is right': solved({
          'compare/same.js': HELPER("a, b, 'same'").replace("'same'", 'undefined'),
        }),
      },
    ),
    folder: row('folder', {
      'a file is found before a folder': { ...IDLE, 'compare.js': HELPER('a, a') },
    }),
    check: row('check', {
      'a file for which a name stands compares nothing': { ...IDLE, 'lib/check.js': HELPER('a, a') },
    }),
    cases: row('cases', {
      'cases that only tests import are others': {
        ...IDLE,
        'data/cases.js': js('exports.one = 1;', 'exports.two = 1;'),
      },
    }),
    table: row('table', {
      'a table that only tests import is another one': { ...IDLE, 'tables/two.json': json({ value: 1 }) },
    }),
    golden: row(
      'golden',
      { 'a file that tests compose is another one': { ...IDLE, 'golden/two.txt': 'one\n' } },
      { 'it adds a file': solved({ 'golden/three.txt': 'three\n' }) },
    ),
    kept: row('kept', {
      'what is kept is written anew': begin("process.env.UPDATE_GOLDEN = '1';"),
      'what is kept is written anew by all variables': begin(
        "Object.assign(process.env, { UPDATE_GOLDEN: '1' });",
      ),
    }),
  },
};

describe(`${mocha.name}`, () => describeRows(mocha));

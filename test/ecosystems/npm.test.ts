/**
 * npm as a kind: steps of a build, files that decide tests, and mocha's witness, in a runner that has the form of mocha's and what its
 * records say.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { npmEcosystem } from '../../ecosystems/npm/kind.ts';
import { npmTests } from '../../ecosystems/npm/tests.ts';
import { findParser } from '../../parsers/registry.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';

const { steps, variables } = npmEcosystem.build!;
const RECIPE = { packages: ['package.json'], pre_install: ['a'], install: ['b'] } as unknown as BuildRecipe;

test('steps of a build: npm is put on PATH, packages are installed without their scripts, then the recipe’s own', () => {
  const made = steps({ ...RECIPE, toolchain: { node: '20.19.0' } } as BuildRecipe);
  expect(made.map(({ name, phase }) => `${phase} ${name}`)).toEqual([
    'create create[0]',
    'dependencies packages[0]',
    'installation pre_install[0]',
    'installation install[0]',
  ]);
  expect(made[0]!.command).toContain('/opt/toolchains/npm/10.8.2/bin/npm-cli.js');
  expect(made[1]!.command).toContain('npm ci --ignore-scripts');
  expect(steps({ ...RECIPE, packages: [] }).map(({ name }) => name)).not.toContain('packages[0]');
});

test.each([
  ['24.1.0', '10.9.2'],
  ['18.20.8', '10.8.2'],
  ['16.20.2', '8.19.4'],
  ['12.22.12', '6.14.18'],
])('Node %s has npm %s, unless the recipe names another', (node, npm) => {
  const { usual } = npmEcosystem.toolchains.npm!;
  expect(usual!({ node })).toBe(npm);
  expect(usual!({ node, npm: '9.0.0' })).toBe('9.0.0');
});

test('tests find Node and no registry', () => {
  expect(variables({ node: '20.19.0' })).toMatchObject({
    PATH: expect.stringMatching(/^\/opt\/env\/bin:\/opt\/toolchains\/node\/20\.19\.0\/bin:/),
    npm_config_offline: 'true',
  });
});

test.each([
  ['test/a.js', 'test'],
  ['packages/a/__tests__/b.js', 'test'],
  ['src/a.test.ts', 'test'],
  ['src/a.spec.mjs', 'test'],
  ['package.json', 'runner'],
  ['packages/a/package.json', 'runner'],
  ['.mocharc.cjs', 'runner'],
  ['test/mocha.opts', 'runner'],
  ['tsconfig.test.json', 'runner'],
  ['babel.config.js', 'runner'],
  ['packages/a/jest.config.unit.ts', 'runner'],
  ['jest.setup.js', 'runner'],
  ['src/setupTests.ts', 'runner'],
  ['vitest.workspace.ts', 'runner'],
  ['vite.config.mts', 'runner'],
  ['.npmrc', 'runner'],
  ['node_modules/a/index.js', 'runner'],
  ['src/a.js', null],
  ['src/testing.js', null],
  ['src/config.js', null],
  ['src/setup.js', null],
  ['src/jest.js', null],
])('%s is %s', (path, kind) => {
  expect(npmTests.protects(path)).toBe(kind);
});

describe('ids that name files', () => {
  const command = (test: string, ...ids: string[]) =>
    npmTests.command(test, { FAIL_TO_PASS: ids.slice(0, 1), PASS_TO_PASS: ids.slice(1), test_patch: '' });
  const IDS = ['lib/b.test.js > b > is 2', "lib/it's.test.mjs > a", 'lib/b.test.js > c'];

  test.each([
    ['lib/a.test.js > a > b', 'lib/a.test.js'],
    ['src/a.spec.tsx > a', 'src/a.spec.tsx'],
    ['a.js', null],
    ['describe it', null],
    ['the file a.md > it', null],
    ['/home/a.js > it', null],
  ])('%s', (id, file) => {
    expect(npmTests.fileOf!(id)).toBe(file);
  });

  test.each([
    ['npx mocha --reporter json --spec "lib/**/*.test.js"', 'npx mocha --reporter json'],
    [
      "A=1 nyc node_modules/.bin/_mocha --spec=lib -t 5000 --spec 'x y'",
      'A=1 nyc node_modules/.bin/_mocha -t 5000',
    ],
  ])('the files of the listed tests are run: %s', (test, rest) => {
    expect(command(test, ...IDS)).toBe(`${rest} --spec lib/b.test.js --spec 'lib/it'\\''s.test.mjs'`);
  });

  test.each([
    'npx mocha --reporter json "lib/**/*.test.js"',
    'cd a && npx mocha --spec "lib/**/*.test.js"',
    'npx mocha --spec "lib/$NAME.js"',
    'npx mocha --spec "lib/**/*.test.js" | tee log',
    'yarn workspace a mocha --spec "lib/**/*.test.js"',
    'npx jest --spec "lib/**/*.test.js"',
  ])('all are run: %s', (test) => {
    expect(command(test, ...IDS)).toBe(test);
  });

  test('all are run where an id names no file, or no id is listed', () => {
    const test = 'npx mocha --spec "lib/**/*.test.js"';
    expect(command(test, ...IDS, 'describe it')).toBe(test);
    expect(command(test, ...IDS, 'lib/{a,b}.js > it')).toBe(test);
    expect(command(test)).toBe(test);
  });
});

const NONCE = '0123456789abcdef'.repeat(4);
const MARK = NONCE.slice(0, 16);

function witness(folder: string, listed: string[] = []) {
  return npmTests.witness({
    ...{ folder, nonce: NONCE, command: 'npx mocha', testFiles: ['a/m.test.js'], toolchain: {} },
    instance: { FAIL_TO_PASS: listed, PASS_TO_PASS: [], test_patch: '' },
    read: async () => null,
  });
}

describe('what records say', () => {
  let number = 0;
  const next = () => {
    number += 1;
    return number;
  };
  const line = (kind: string, name?: string, secret = NONCE) =>
    `${secret} ${kind} ${next()} ${JSON.stringify(name === undefined ? [] : [name])}\n`;
  const CANARIES = [line('PASSED', `swemake ${MARK} passes`), line('FAILED', `swemake ${MARK} fails`)];
  const SOUND = [line('begin'), line('PASSED', 'a #1'), line('FAILED', 'b'), ...CANARIES, line('end')];
  const seen = async (...records: string[][]) =>
    (await witness('/tmp/w')).seen(records.map((one) => one.join('')));

  test('what tests came to, with and without what TAP cannot write', async () => {
    const found = await seen(SOUND);
    expect(found).toMatchObject({ state: 'closed', canaries: null, modified: [] });
    expect([...found.statuses]).toEqual([
      ['a #1', 'PASSED'],
      ['a 1', 'PASSED'],
      ['b', 'FAILED'],
    ]);
    expect(found.isCanary(`swemake ${MARK} fails`)).toBe(true);
    expect(found.isCanary('b')).toBe(false);
  });

  test('of several runs the worst counts', async () => {
    const found = await seen(SOUND, [...SOUND.slice(0, 1), line('FAILED', 'a #1'), ...SOUND.slice(3)]);
    expect(found.statuses.get('a #1')).toBe('FAILED');
  });

  test.each([
    ['no run', [], 'absent', null],
    ['a run without an end', [SOUND.slice(0, -1)], 'open', null],
    ['a run without an end beside one with two', [[...SOUND, line('end')], SOUND.slice(0, -1)], 'open', null],
    ['the secret of another run', [[line('begin', '', 'f'.repeat(64))]], 'broken', null],
    ['a line that is no record', [[...SOUND, `${NONCE} PASSED 1 ["\\"]\n`]], 'broken', null],
    ['a word that is no record', [[...SOUND, line('other')]], 'broken', null],
    [
      'a canary that must fail and passed',
      [SOUND.map((one) => (one === CANARIES[1] ? one.replace('FAILED', 'PASSED') : one))],
      'closed',
      'in a run of the tests',
    ],
    ['no canary', [SOUND.filter((one) => !CANARIES.includes(one))], 'closed', 'in a run of the tests'],
  ])('%s', async (_, records, state, canaries) => {
    expect(await seen(...records)).toMatchObject({ state, canaries });
  });

  const told = (kind: string, at: number, ...path: string[]) =>
    `${NONCE} ${kind} ${at} ${JSON.stringify(path)}\n`;
  const FILE_RUN = [
    told('begin', 0),
    told('FAILED', 1, '/testbed/a/m.test.js', 'value', 'takes 5 ms'),
    told('PASSED', 1, '/testbed/a/m.test.js', 'value', 'takes 5 ms'),
    told('PASSED', 2, '/testbed/a/m.test.js', `swemake ${MARK} passes`),
    told('FAILED', 3, '/testbed/a/m.test.js', `swemake ${MARK} fails`),
    told('end', 0),
  ];

  test('a test of a file has the ids of all its reporters, and its last try counts', async () => {
    const found = await seen(FILE_RUN);
    expect(found).toMatchObject({ state: 'closed', canaries: null });
    for (const id of [
      'a/m.test.js > value > takes 5 ms',
      'm.test.js > value > takes',
      'value takes 5 ms',
      'takes',
    ])
      expect(found.statuses.get(id)).toBe('PASSED');
    expect([...found.statuses.keys()].filter((id) => id.includes('swemake'))).toEqual([]);
  });

  test('of a title with several lines, the first one is an id, too', async () => {
    const run = [
      ...FILE_RUN.slice(0, -1),
      told('PASSED', 9, '/testbed/a/m.test.js', 'a\nb', 'c \nd'),
      ...FILE_RUN.slice(-1),
    ];
    const { statuses } = await seen(run);
    expect(statuses.get('a/m.test.js > a\nb > c \nd')).toBe('PASSED');
    expect(statuses.get('a/m.test.js > a > c')).toBe('PASSED');
  });

  test("it has the ids of Multi-SWE-bench's parsers: by file and title, and files with how many tests they have", async () => {
    const listed = [
      'a/m.test.js (2 tests)',
      'm.test.js',
      'b.test.js (1 test)',
      'a/m.test.js (2 tests | 1 skipped)',
    ];
    const { statuses } = (await witness('/tmp/w', listed)).seen([FILE_RUN.join('')]);
    expect(statuses.get('a/m.test.js:takes')).toBe('PASSED');
    expect(listed.map((id) => statuses.get(id))).toEqual(['PASSED', 'PASSED', undefined, 'PASSED']);
  });

  describe('of mocha', () => {
    const FILE = '/testbed/lib/a.test.js';
    const CASES: [kind: string, suites: string[], title: string][] = [
      ['PASSED', ['+ move()', '> to a file #2'], 'should move (12 ms)'],
      ['PASSED', ['+ move()'], 'is the same'],
      ['SKIPPED', ['+ move()', '> to the root'], 'should not move'],
      ['FAILED', ['other'], 'is the same'],
      ['PASSED', [], 'should be alone'],
      ['PASSED', ['nested'], 'should be alone'],
    ];
    const full = (suites: readonly string[], title: string) => [...suites, title].join(' ');
    const RUN = [
      told('begin', 0),
      ...CASES.map(([kind, suites, title], at) =>
        told(kind, at + 1, 'mocha', full(suites, title), FILE, ...suites, title),
      ),
      told('PASSED', 97, 'mocha', `swemake ${MARK} passes`, '', 'swemake', `${MARK} passes`),
      told('FAILED', 98, 'mocha', `swemake ${MARK} fails`, '', 'swemake', `${MARK} fails`),
      told('end', 0),
    ].join('');
    const report = (kind: string) =>
      CASES.filter(([one]) => one === kind).map(([, suites, title]) => ({
        ...{ title, fullTitle: full(suites, title), file: FILE },
      }));
    const json = JSON.stringify(
      {
        ...{ stats: {}, tests: [], passes: report('PASSED') },
        ...{ pending: report('SKIPPED'), failures: report('FAILED') },
      },
      null,
      2,
    );
    const tap = CASES.map(([kind, suites, title], at) => {
      const name = full(suites, title).replaceAll('#', '');
      return `${kind === 'FAILED' ? 'not ok' : 'ok'} ${at + 1} ${name}${kind === 'SKIPPED' ? ' # SKIP -' : ''}`;
    }).join('\n');
    const marks: Record<string, string> = { PASSED: '✔ ', SKIPPED: '- ', FAILED: '1) ' };
    const spec = CASES.flatMap(([kind, suites, title]) => [
      ...suites.map((suite, depth) => `${'  '.repeat(depth + 1)}${suite}`),
      `${'  '.repeat(suites.length + 1)}${marks[kind]}${title}`,
    ]).join('\n');

    test.each([
      ['mocha', 'json', json],
      ['multi-swe-mocha-json', 'json', json],
      ['mocha', 'json before 7.2', json.replaceAll(`,\n      "file": ${JSON.stringify(FILE)}`, '')],
      ['mocha', 'tap', tap],
      ['parse_log_tap', 'tap', tap],
      ['mocha', 'spec', spec],
    ])('each id that the parser %s reads in %s is seen, and each test counts once', async (name, _, log) => {
      const parsed = findParser(name)!.parse(log);
      expect(parsed.size).toBe(CASES.length);
      const { canaries, statuses } = (await witness('/tmp/w', [...parsed.keys()])).seen([RUN]);
      expect(canaries).toBe(null);
      expect([...statuses].sort()).toEqual([...parsed].sort());
    });

    test('rows that are made here list no skipped tests of TAP', () => {
      const { unseen } = npmTests;
      const ids = [...findParser('parse_log_tap')!.parse(tap).keys()];
      expect(ids.filter((id) => unseen!.test(id))).toEqual([
        '+ move() > to the root should not move # SKIP -',
      ]);
    });

    test('a title alone is that of each test with it, unless it is the full title of one', async () => {
      const { statuses } = (await witness('/tmp/w', ['is the same', 'should move', 'should be alone'])).seen([
        RUN,
      ]);
      expect(statuses.get('is the same')).toBe('FAILED');
      expect(statuses.get('should move')).toBe('PASSED');
      const failing = RUN.replace('PASSED 6 ', 'FAILED 6 ');
      const { statuses: other } = (await witness('/tmp/w', ['should be alone'])).seen([failing]);
      expect(other.get('should be alone')).toBe('PASSED');
    });
  });

  test("a test of karma has the ids of SWE-bench's parser, which reads suites that have ended, too", async () => {
    const run = [
      told('begin', 0),
      told('PASSED', 1, 'karma', 'value', 'below', 'deeper', 'is shown'),
      told('SKIPPED', 2, 'karma', 'value', 'is left out'),
      told('FAILED', 3, 'karma', 'other', 'is right'),
      told('PASSED', 4, 'karma', 'swemake', `${MARK} passes`),
      told('FAILED', 5, 'karma', 'swemake', `${MARK} fails`),
      told('end', 0),
    ];
    const { canaries, statuses } = await seen(run);
    expect(canaries).toBe(null);
    expect(statuses.get('value > below > deeper > is shown')).toBe('PASSED');
    expect(statuses.get('other > is right')).toBe('FAILED');
    const log = [
      '04:26:04.141:INFO [launcher]: Starting browser Chrome',
      '  value',
      '    below',
      '      deeper',
      '        ✔ is shown',
      '    ℹ is left out (skipped)',
      '  other',
      '    ✖ is right',
      '',
    ].join('\n');
    for (const [id, status] of findParser('parse_log_karma')!.parse(log))
      expect([id, statuses.get(id)]).toEqual([id, status]);
  });

  test('a file of which no test is to be run needs no canaries', async () => {
    const idle = [told('begin', 0), told('idle', 0), told('end', 0)];
    expect(await seen(FILE_RUN, idle)).toMatchObject({ state: 'closed', canaries: null });
    expect(await seen(FILE_RUN, [told('begin', 0), told('end', 0)])).toMatchObject({
      canaries: 'in a run of the tests',
    });
  });

  test('what was replaced', async () => {
    expect(await seen([...SOUND, line('modified', 'it')])).toMatchObject({ modified: ['it'] });
  });

  test('what assertions of listed tests came to, and which files of tests were read', async () => {
    const file = [
      ...FILE_RUN.slice(0, -1),
      told(
        'seen',
        0,
        'asserted',
        '/testbed/a/m.test.js:3 /testbed/lib/m.js:4',
        '/testbed/a/m.test.js',
        'value',
        'takes 5 ms',
      ),
      told('seen', 0, 'failures', '2', '/testbed/a/m.test.js', 'value', 'takes 5 ms'),
      told('seen', 0, 'asserted', '*', '/testbed/a/m.test.js', 'another'),
      told('seen', 0, 'read', '/testbed/lib/m.js', '/testbed/a/m.test.js'),
      told('seen', 0, 'inherited', '', 'mode'),
      told('end', 0),
    ];
    const listed = ['a/m.test.js > value > takes 5 ms'];
    const { observed } = (await witness('/tmp/w', listed)).seen([file.join('')]);
    expect(observed).toEqual([
      ['asserted', listed[0], 'a/m.test.js:3'],
      ['asserted', listed[0], '?'],
      ['read', 'a/m.test.js', 'lib/m.js'],
      ['inherited', 'mode', ''],
      ['failures', listed[0], '2'],
    ]);
  });
});

/** Of mocha's files: those that the witness looks for, with as much as it uses of them. */
const MOCHA = {
  'index.js': "exports.Runner = require('./lib/runner'); exports.Suite = require('./lib/suite');",
  'lib/runnable.js': [
    "module.exports = class Runnable extends require('events') {",
    '  constructor(title, fn) { super(); this.title = title; this.fn = fn; }',
    "  fullTitle() { return (this.parent.title + ' ' + this.title).trim(); }",
    '  run() { this.fn(); }',
    '};',
  ].join('\n'),
  'lib/test.js': [
    "const Runnable = require('./runnable');",
    'module.exports = class Test extends Runnable {};',
    'module.exports.super_ = Runnable;',
  ].join('\n'),
  'lib/hook.js': "module.exports = class Hook extends require('./runnable') {};",
  'lib/context.js': 'module.exports = class Context {};',
  'lib/suite.js': [
    "module.exports = class Suite extends require('events') {",
    '  static create(parent, title) { const made = new Suite(title); made.parent = parent; parent.suites.push(made); return made; }',
    '  constructor(title) { super(); this.title = title; this.tests = []; this.suites = []; }',
    '  addTest(test) { test.parent = this; this.tests.push(test); }',
    '};',
  ].join('\n'),
  'lib/runner.js': [
    "module.exports = class Runner extends require('events') {",
    '  constructor(suite) { super(); this.suite = suite; this._grep = /.*/; }',
    '  run() {',
    '    for (const suite of [this.suite, ...this.suite.suites])',
    '      for (const test of suite.tests.filter((one) => this._grep.test(one.fullTitle()))) {',
    "        try { test.run(); this.emit('pass', test); } catch (error) { this.emit('fail', test); }",
    '      }',
    "    this.emit('end');",
    '  }',
    '};',
  ].join('\n'),
};
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Runs a test file beside `code`, as mocha would. */
async function ran(code: string) {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-npm-'));
  folders.push(folder);
  const placed = await witness(join(folder, 'w'));
  const files = {
    ...placed.files,
    ...Object.fromEntries(
      Object.entries(MOCHA).map(([path, text]) => [join(folder, 'node_modules/mocha', path), text]),
    ),
    [join(folder, 'm.js')]: code,
    [join(folder, 'test.js')]:
      "const m = require('./m'); const assert = require('assert'); it('is 2', () => assert.strictEqual(m(), 2));",
    [join(folder, 'main.js')]: [
      "const { Runner, Suite } = require('mocha'); const Test = require('mocha/lib/test');",
      "const root = new Suite(''); global.it = (title, fn) => root.addTest(new Test(title, fn));",
      "root.emit('pre-require', global); require('./test'); root.emit('post-require', global);",
      'new Runner(root).run();',
    ].join('\n'),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  execFileSync('bash', ['-c', [...placed.before, 'node main.js'].join('\n')], { cwd: folder, stdio: 'pipe' });
  const records = readdirSync(join(folder, 'w')).filter((name) => name.startsWith('record-'));
  return placed.seen(records.map((name) => readFileSync(join(folder, 'w', name), 'utf8')));
}

describe('a runner with the witness', () => {
  test('tells what tests came to, and nothing was replaced', async () => {
    const found = await ran('module.exports = () => 2;');
    expect(found).toMatchObject({ state: 'closed', canaries: null, modified: [] });
    expect([...found.statuses]).toEqual([['is 2', 'PASSED']]);
  });

  test.each([
    ['an assertion', "require('assert').strictEqual = () => {};", 'assert.strictEqual'],
    [
      'an assertion for a moment',
      "const a = require('assert'); const real = a.strictEqual; module.exports = () => { a.strictEqual = () => {}; setImmediate(() => { a.strictEqual = real; }); };",
      'assert.strictEqual',
    ],
    ['a function of mocha', "require('mocha').Suite.create = null;", 'Suite.create'],
    ['what loads modules', "require('module')._extensions['.js'] = null;", 'Module._extensions..js'],
    [
      'how tests are run',
      "const { prototype } = require('mocha/lib/runnable'); prototype.run = ((run) => function () { if (/pass|fail/.test(this.title)) run.call(this); })(prototype.run);",
      'Runnable.prototype.run',
    ],
    [
      'a package',
      "require('mocha'); require.cache[require.resolve('mocha')].exports = {}; require('mocha');",
      'mocha',
    ],
    ['what test files call', 'const { it } = global; global.it = (title) => it(title, () => {});', 'it'],
  ])('names %s that was replaced', async (_, code, label) => {
    const found = await ran(`module.exports = () => 1; ${code}`);
    expect(found.modified).toContain(label);
  });

  test('shows by its canaries that tests are not run', async () => {
    const code = "require('mocha/lib/runnable').prototype.run = () => {}; module.exports = () => 1;";
    expect((await ran(code)).canaries).toBe('in a run of the tests');
  });
});

test.each([
  [
    'TypeScript',
    ["src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."],
    ['> own@1.0.0 build', '> tsc -p .'],
    [
      'npm error code 2',
      'npm error A complete log of this run can be found in: /tmp/_logs/x.log',
      '',
      'last',
    ],
  ],
  [
    'TypeScript with colours off and a dash',
    ['src/a.ts:3:7 - error TS1005: ";" expected.'],
    [],
    Array(9).fill('more'),
  ],
  [
    'Babel',
    ['SyntaxError: /testbed/src/a.js: Unexpected token (3:4)'],
    ['1 | x'],
    ['  at parse (x.js:1:1)', 'a', 'b', 'c', 'd'],
  ],
  [
    'esbuild',
    ['✘ [ERROR] Expected ";" but found "b"'],
    [],
    ['    src/a.ts:1:2:', '      1 │ a b', 'a', 'b', 'c'],
  ],
  [
    'a script',
    ["Error: Cannot find module './gone'"],
    ['node:internal/modules/cjs/loader:1'],
    ['Require stack:', 'a', 'b', 'c', 'd', 'e'],
  ],
  [
    'npm',
    ['npm error Missing script: "build"'],
    [],
    ['npm error A complete log of this run can be found in: /x', 'a', 'b', 'c', 'd'],
  ],
])('a failed build says what does not compile: %s', (_, lines, before, after) => {
  expect(npmTests.complaint([...before, ...lines, ...after].join('\n'))).toBe(lines.join('\n'));
});

test('a failed build in which no error is known says how it ended', () => {
  expect(npmTests.complaint('a\nb\nc\nd\n')).toBe('b\nc\nd');
});

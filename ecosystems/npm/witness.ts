/**
 * The witness of mocha's tests: code that Node loads before anything else, and that listens to mocha's runner. It adds
 * two tests to each run, one that must pass and one that must fail, which mocha runs like all others. It names what is replaced while
 * tests run: functions of mocha, of assertions and of Node's loader, packages, and the names that test files call. It is in the process of the
 * code under test, so code that looks for it can forge it.
 */
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';

/** In the CommonJS of all versions of Node. mocha may be started by other programs of Node, such as npx. */
const SOURCE = `'use strict';
const Module = require('module');
const fs = require('fs');
const assert = require('assert');
const folder = process.env.SWEMAKE_WITNESS;
const secret = process.env.SWEMAKE_SECRET;
const { stringify } = JSON;
const { openSync, writeSync } = fs;
const { ownKeys, getOwnPropertyDescriptor } = Reflect;
const load = Module._load;
const depths = new Map();
const functions = [];
const packages = new Map();
const modified = new Set();
let told = () => {};
let isPatched = false;
if (folder) Module._load = function (request, parent) {
  const loaded = load.apply(this, arguments);
  if (/^[^./]/.test(request)) sameAsBefore(request, parent, loaded);
  if (/^(?:chai|expect|expect\\.js|should|unexpected)$/.test(request)) keep(request, loaded, 3);
  if (isPatched || typeof loaded !== 'function' || !/runner(?:\\.js)?$/.test(request)) return loaded;
  const path = Module._resolveFilename(request, parent);
  if (!/[\\\\/]mocha[\\\\/]lib[\\\\/]runner\\.js$/.test(path)) return loaded;
  isPatched = true;
  watch(loaded, (Module.createRequire || Module.createRequireFromPath)(path));
  return loaded;
};
function sameAsBefore(request, parent, loaded) {
  const path = Module._resolveFilename(request, parent);
  const module = Module._cache[path];
  if (packages.has(path)) packages.get(path) === loaded || tell(request);
  // Some make their exports anew each time.
  else if (module && module.loaded && !getOwnPropertyDescriptor(module, 'exports').get) packages.set(path, loaded);
}
function keep(name, value, depth) {
  if (value === null || !/^(?:object|function)$/.test(typeof value) || depths.get(value) >= depth) return;
  depths.set(value, depth);
  for (const key of ownKeys(value)) {
    const own = getOwnPropertyDescriptor(value, key);
    const form = own.get || own.value;
    const at = name + '.' + String(key);
    if (typeof form === 'function') functions.push([at, value, key, form]);
    if (depth > 1 && !own.get) keep(at, form, depth - 1);
  }
}
function compare() {
  for (const [at, value, key, form] of functions) {
    const own = getOwnPropertyDescriptor(value, key);
    if (own === undefined || (own.get || own.value) !== form) tell(at);
  }
}
function tell(name) {
  if (!modified.has(name)) told(name);
  modified.add(name);
}
const NAMES = ['describe', 'context', 'it', 'specify', 'before', 'after', 'beforeEach', 'afterEach'].concat(
  ['suite', 'test', 'setup', 'teardown', 'suiteSetup', 'suiteTeardown']);
function watch(Runner, require) {
  const Suite = require('./suite');
  const Test = require('./test');
  const { create } = Suite;
  const { emit } = Suite.prototype;
  let names = [];
  Suite.prototype.emit = function (event, context) {
    const answer = emit.apply(this, arguments);
    if (event === 'pre-require') names = NAMES.map((name) => context[name]);
    if (event === 'post-require') NAMES.forEach((name, at) => context[name] === names[at] || tell(name));
    return answer;
  };
  const { run } = Runner.prototype;
  Runner.prototype.run = function () {
    delete process.env.SWEMAKE_WITNESS;
    delete process.env.SWEMAKE_SECRET;
    if (process.env.SWEMAKE_NODE_OPTIONS) process.env.NODE_OPTIONS = process.env.SWEMAKE_NODE_OPTIONS;
    else delete process.env.NODE_OPTIONS;
    delete process.env.SWEMAKE_NODE_OPTIONS;
    let file = -1;
    for (let number = 0; file < 0 && number < 10000; number += 1) {
      try {
        file = openSync(folder + '/record-' + number, 'wx', 0o600);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
    const write = (kind, name) => writeSync(file, secret + ' ' + kind + ' ' + stringify(name) + '\\n');
    write('begin', '');
    told = (name) => write('modified', name);
    modified.forEach(told);
    // Behind all others: --bail ends the run at a failure.
    const suite = create.call(Suite, this.suite, 'swemake');
    const mark = secret.slice(0, 16);
    suite.addTest(new Test(mark + ' passes', () => {}));
    suite.addTest(new Test(mark + ' fails', () => assert.strictEqual(1, 2)));
    const chosen = this._grep;
    const isInverse = this._invert;
    this._grep = { test: (title) => (title.includes(mark) ? !isInverse : chosen.test(title)) };
    const seen = (kind) => (test) => {
      write(kind, test.fullTitle());
      compare();
    };
    this.on('pass', seen('PASSED'));
    this.on('fail', seen('FAILED'));
    this.on('pending', seen('SKIPPED'));
    this.on('end', () => write('end', ''));
    return run.apply(this, arguments);
  };
  keep('Module', Module, 2);
  keep('assert', assert, 2);
  keep('Runner', Runner, 2);
  for (const name of ['Suite', 'Test', 'Runnable', 'Hook', 'Context']) keep(name, require('./' + name.toLowerCase()), 2);
}
`;

export async function mochaWitness({ folder, nonce, command }: WitnessRequest): Promise<EcosystemWitness> {
  const code = `${folder}.cjs`;
  return {
    files: { [code]: SOURCE, [`${folder}/made`]: '' },
    before: [
      'export SWEMAKE_NODE_OPTIONS="$NODE_OPTIONS"',
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce} NODE_OPTIONS="--require=${code} $NODE_OPTIONS"`,
    ],
    command,
    watched: [code],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce),
  };
}

function seenIn(records: readonly string[], secret: string): Seen {
  const mark = secret.slice(0, 16);
  const isCanary = (id: string) => id.includes(mark);
  const statuses = new Map<string, Status>();
  const modified = new Set<string>();
  const runs = records.map((record) => readRun(record, secret));
  const sound = runs.filter((run) => run !== null);
  for (const run of sound) {
    for (const label of run.modified) modified.add(label);
    for (const [name, status] of run.statuses) {
      if (isCanary(name)) continue;
      recordWorst(statuses, name, status);
      // TAP has no number signs in titles.
      recordWorst(statuses, name.replaceAll('#', ''), status);
    }
  }
  const isSound = (run: Run) =>
    run.statuses.get(`swemake ${mark} passes`) === 'PASSED' &&
    run.statuses.get(`swemake ${mark} fails`) === 'FAILED';
  const isWhole = sound.every(({ ended }) => ended);
  return {
    state: runs.includes(null) ? 'broken' : runs.length === 0 ? 'absent' : isWhole ? 'closed' : 'open',
    statuses,
    modified: [...modified],
    canaries: sound.every(isSound) ? null : 'in a run of mocha',
    isCanary,
  };
}

/** Of mocha's runner. */
interface Run {
  statuses: Map<string, Status>;
  modified: string[];
  ended: boolean;
}

/** null: a line is not the witness's. */
function readRun(record: string, secret: string): Run | null {
  const found: Run = { statuses: new Map(), modified: [], ended: false };
  for (const line of record.split('\n').slice(0, -1)) {
    const [, mark, kind = '', text = ''] = /^(\w+) (\w+) (".*")$/.exec(line) ?? [];
    const name = mark === secret ? textIn(text) : null;
    if (name === null) return null;
    if (kind === 'modified') found.modified.push(name);
    else if (kind === 'end') found.ended = true;
    else if (isStatus(kind)) recordWorst(found.statuses, name, kind);
    else if (kind !== 'begin') return null;
  }
  return found;
}

function textIn(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}

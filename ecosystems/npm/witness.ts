/**
 * The witness of mocha's tests: code that Node loads before anything else, and that listens to mocha's runner. It adds
 * two tests to each run, one that must pass and one that must fail, which mocha runs like all others. It is in the process of the code
 * under test, so code that looks for it can forge it.
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
const load = Module._load;
let patched = false;
if (folder) Module._load = function (request, parent) {
  const loaded = load.apply(this, arguments);
  if (patched || typeof loaded !== 'function' || !/runner(?:\\.js)?$/.test(request)) return loaded;
  const path = Module._resolveFilename(request, parent);
  if (!/[\\\\/]mocha[\\\\/]lib[\\\\/]runner\\.js$/.test(path)) return loaded;
  patched = true;
  watch(loaded, path);
  return loaded;
};
function watch(Runner, path) {
  const Test = Module.createRequire(path)('./test');
  const run = Runner.prototype.run;
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
    const names = [secret.slice(0, 16) + ' passes', secret.slice(0, 16) + ' fails'].map((name) => 'swemake ' + name);
    this.suite.addTest(new Test(names[0], () => {}));
    this.suite.addTest(new Test(names[1], () => assert.strictEqual(1, 2)));
    this.total += 2;
    const chosen = this._grep;
    const isInverse = this._invert;
    this._grep = { test: (title) => (names.includes(title) ? !isInverse : chosen.test(title)) };
    this.on('pass', (test) => write('PASSED', test.fullTitle()));
    this.on('fail', (test) => write('FAILED', test.fullTitle()));
    this.on('pending', (test) => write('SKIPPED', test.fullTitle()));
    this.on('end', () => write('end', ''));
    return run.apply(this, arguments);
  };
}
`;

export async function mochaWitness({ folder, nonce, command }: WitnessRequest): Promise<EcosystemWitness> {
  const code = `${folder}.cjs`;
  const mark = nonce.slice(0, 16);
  const names = { passes: `swemake ${mark} passes`, fails: `swemake ${mark} fails` };
  return {
    files: { [code]: SOURCE, [`${folder}/made`]: '' },
    before: [
      'export SWEMAKE_NODE_OPTIONS="$NODE_OPTIONS"',
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce} NODE_OPTIONS="--require=${code} $NODE_OPTIONS"`,
    ],
    command,
    watched: [code],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce, names),
  };
}

function seenIn(records: readonly string[], secret: string, names: { passes: string; fails: string }): Seen {
  const isCanary = (id: string) => id.includes(names.passes) || id.includes(names.fails);
  const statuses = new Map<string, Status>();
  const nothing = { statuses, canaries: null, isCanary };
  if (records.length === 0) return { ...nothing, state: 'absent' };
  let ended = 0;
  let sound = 0;
  for (const record of records) {
    const own = new Map<string, Status>();
    for (const line of record.split('\n').slice(0, -1)) {
      const [, mark, kind, text] = /^(\w+) (\w+) (".*")$/.exec(line) ?? [];
      if (mark !== secret || text === undefined) return { ...nothing, statuses: new Map(), state: 'broken' };
      if (kind === 'end') ended += 1;
      if (isStatus(kind!)) recordWorst(own, JSON.parse(text) as string, kind);
    }
    if (own.get(names.passes) === 'PASSED' && own.get(names.fails) === 'FAILED') sound += 1;
    for (const [name, status] of own) {
      if (isCanary(name)) continue;
      recordWorst(statuses, name, status);
      // TAP has no number signs in titles.
      recordWorst(statuses, name.replaceAll('#', ''), status);
    }
  }
  return {
    state: ended >= records.length ? 'closed' : 'open',
    statuses,
    canaries: sound === records.length ? null : 'in a run of mocha',
    isCanary,
  };
}

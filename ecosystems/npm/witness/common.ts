/** Functions that must be the same when a test ends, and the canaries of `mark`. Browsers have it as well. */
export const KEPT = `
const { ownKeys, getOwnPropertyDescriptor, apply } = Reflect;
/** Those by whose own functions values are compared. */
const COMPARING = ['Object', 'Array', 'Number'];
const INTRINSICS = ['Object', 'Function', 'Array', 'Promise', 'Map', 'Set', 'WeakMap', 'String', 'RegExp', 'Number', 'JSON', 'Reflect', 'Error'];
class Kept {
  constructor() {
    this.depths = new Map();
    this.functions = [];
  }
  /** Remembers the functions of an object, and of objects in it. */
  keep(name, value, depth) {
    if (value === null || !/^(?:object|function)$/.test(typeof value) || this.depths.get(value) >= depth) return;
    this.depths.set(value, depth);
    for (const key of ownKeys(value)) this.keepOne(name, value, key, depth);
  }
  keepOne(name, value, key, depth) {
    const own = getOwnPropertyDescriptor(value, key);
    if (own === undefined) return;
    const form = own.get || own.value;
    const at = name + '.' + String(key);
    if (typeof form === 'function') this.functions.push([at, value, key, form]);
    if (depth > 1 && !own.get) this.keep(at, form, depth - 1);
  }
  keepNames(name, value, keys) {
    for (const key of keys) this.keepOne(name, value, key, 1);
  }
  /** Remembers what a name stands for, which may be no function. */
  keepValue(name, value, key) {
    this.functions.push([name + '.' + key, value, key, value[key]]);
  }
  keepIntrinsics(realm) {
    for (const name of INTRINSICS) {
      this.keep(name, realm[name], 1);
      this.keep(name + '.prototype', realm[name].prototype, 1);
    }
  }
  compare() {
    for (const [at, value, key, form] of this.functions) {
      const own = getOwnPropertyDescriptor(value, key);
      if (own === undefined || (own.get || own.value) !== form) this.tell(at);
    }
  }
  /** Tells of functions of an object when they are replaced, also for a moment; of those that it has as properties like others. */
  guard(name, value, keys) {
    for (const key of keys || ownKeys(value)) {
      const own = getOwnPropertyDescriptor(value, key);
      if (own && typeof own.value === 'function' && own.writable && own.configurable) this.guardOne(name, value, key, own);
    }
  }
  guardOne(name, value, key, own) {
    const { enumerable } = own;
    const tell = () => this.tell(name + '.' + String(key));
    let form = own.value;
    const get = () => form;
    const set = function (other) {
      // An object that inherits it gets one of its own.
      if (this !== value) return void Object.defineProperty(this, key, { value: other, writable: true, enumerable: true, configurable: true });
      if (other !== form) tell();
      form = other;
    };
    Object.defineProperty(value, key, { get, set, enumerable, configurable: true });
    for (const one of this.functions) if (one[1] === value && one[2] === key) one[3] = get;
  }
  /** Puts another function in the place of one, which may be kept already. */
  replace(value, key, form) {
    value[key] = form;
    for (const kept of this.functions) if (kept[1] === value && kept[2] === key) kept[3] = form;
  }
}
const CANARIES = [
  ['swemake ' + mark + ' passes', () => {}],
  ['swemake ' + mark + ' fails', () => { throw new Error('this test must fail'); }],
];
`;

/**
 * What the witnesses of all runners share, in the CommonJS of all versions of Node: it is loaded before anything else in each process, since
 * runners may be started by other programs of Node, such as npx. A run of tests is a `Run`: mocha's run, or a file of jest's or vitest's.
 */
export const COMMON = `'use strict';
const Module = require('module');
const fs = require('fs');
const assert = require('assert');
const { resolve } = require('path');
const folder = process.env.SWEMAKE_WITNESS;
const secret = process.env.SWEMAKE_SECRET || '';
const mark = secret.slice(0, 16);
const { stringify } = JSON;
const { openSync, writeSync } = fs;
const load = Module._load;
/** Each is told what was loaded: request, parent, exports. What it returns stands in place of them; undefined: nothing does. */
const loads = [];
if (folder) Module._load = function (request, parent) {
  let loaded = load.apply(this, arguments);
  for (let at = 0; at < loads.length; at += 1) {
    const other = loads[at](request, parent, loaded);
    if (other !== undefined) loaded = other;
  }
  return loaded;
};
/** Programs that tests start have no witness. */
function hideSettings() {
  const { env } = process;
  delete env.SWEMAKE_WITNESS;
  delete env.SWEMAKE_SECRET;
  delete env.SWEMAKE_RUNNER;
  if (env.SWEMAKE_NODE_OPTIONS) env.NODE_OPTIONS = env.SWEMAKE_NODE_OPTIONS;
  else delete env.NODE_OPTIONS;
  delete env.SWEMAKE_NODE_OPTIONS;
}
${KEPT}const ASSERTIONS = /^(?:chai|expect|expect\\.js|should|unexpected|power-assert|@jest\\/expect|@vitest\\/expect)$/;
/** Files of tests, with their runs, while these go on. Code under test that reads one may look for what is expected. */
const running = new Map();
/** The file whose code called, but for Node's own and this one. */
function callerFile() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (error, sites) => sites;
  Error.stackTraceLimit = 30;
  const sites = new Error().stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  const files = (Array.isArray(sites) ? sites : []).map((site) => site.getFileName() || '');
  return files.find((file) => /^(?:file:)?\\//.test(file) && file !== __filename) || '';
}
function seeRead(given) {
  const path = String(given).replace(/^file:\\/\\//, '');
  const run = running.get(resolve(path));
  if (!run || run.modified.has('reading ' + path)) return;
  const file = callerFile();
  if (file !== '' && !/[/]node_modules[/]/.test(file)) run.tell('reading ' + path);
}
function watchReads(holder, names) {
  for (const name of names) {
    const own = holder[name];
    if (typeof own === 'function') holder[name] = new Proxy(own, { apply: (target, self, given) => {
      if (running.size > 0) seeRead(given[0]);
      return apply(target, self, given);
    } });
  }
}
if (folder) watchReads(fs, ['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream']);
// Before Node 12 a look at them is warned of.
if (folder && Module.syncBuiltinESMExports) {
  watchReads(fs.promises, ['readFile', 'open']);
  Module.syncBuiltinESMExports();
}
class Run extends Kept {
  constructor() {
    super();
    this.file = -1;
    this.modified = new Set();
    this.counts = new Map();
  }
  begin() {
    for (let number = 0; this.file < 0 && number < 10000; number += 1) {
      try {
        this.file = openSync(folder + '/record-' + number, 'wx', 0o600);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
    this.write('begin', 0, []);
    this.modified.forEach((name) => this.write('modified', 0, [name]));
  }
  /** number: of the test in its run; what is written last of it counts. */
  write(kind, number, path) {
    writeSync(this.file, secret + ' ' + kind + ' ' + number + ' ' + stringify(path) + '\\n');
  }
  tell(name) {
    if (this.file >= 0 && !this.modified.has(name)) this.write('modified', 0, [name]);
    this.modified.add(name);
  }
  /** Tells the number of calls that change what all tests of a file expect: more than with the gold patch are another name. */
  countCalls(expect) {
    for (const key of ['extend', 'addSnapshotSerializer', 'addEqualityTesters']) {
      const form = expect[key];
      if (typeof form === 'function') this.replace(expect, key, new Proxy(form, { apply: (target, self, given) => {
        const name = 'expect.' + key + ' in ' + (expect.getState().testPath || 'a file');
        const calls = (this.counts.get(name) || 0) + 1;
        this.counts.set(name, calls);
        this.tell(name + ', call ' + calls);
        return apply(target, self, given);
      } }));
    }
  }
  /** A value may say itself that it is what is expected. */
  asked(value) {
    if (saysItself(value)) this.tell('asymmetricMatch of a value that is tested');
  }
}
const MOST_PARTS = 2000;
function saysItself(value) {
  const queue = [value];
  const known = new Set();
  for (let at = 0; at < queue.length && at < MOST_PARTS; at += 1) {
    const one = queue[at];
    if (one === null || !/^(?:object|function)$/.test(typeof one) || known.has(one)) continue;
    known.add(one);
    try {
      if (typeof one.asymmetricMatch === 'function') return true;
      for (const key of ownKeys(one)) {
        const own = getOwnPropertyDescriptor(one, key);
        if (own !== undefined && 'value' in own) queue.push(own.value);
      }
    } catch (error) {
      // A proxy may refuse.
    }
  }
  return false;
}
`;

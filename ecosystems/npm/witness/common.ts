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
/** The files and lines whose code called, the nearest first, but for this file. */
function callers() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (error, sites) => sites;
  Error.stackTraceLimit = 30;
  const sites = new Error().stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  const all = (Array.isArray(sites) ? sites : []).map((site) => ({ file: (site.getFileName() || '').replace(/^file:\\/\\//, ''), line: site.getLineNumber() }));
  return all.filter(({ file }) => file !== '' && file !== __filename);
}
/** The nearest file that is no part of Node. */
function fileOf(all) {
  return (all.find(({ file }) => file[0] === '/') || { file: '' }).file;
}
const isOfPackage = (file) => /[/]node_modules[/]/.test(file);
/** Files that code of the repository read before a run began, with that code: they may be tests. */
const early = new Map();
const MOST_EARLY = 5000;
function seeRead(given) {
  const path = String(given).replace(/^file:\\/\\//, '');
  const whole = resolve(path);
  const run = running.get(whole);
  if (!run) return void seeEarly(whole);
  if (run.modified.has('reading ' + path)) return;
  const file = fileOf(callers());
  if (file !== '' && !isOfPackage(file)) run.tell('reading ' + path);
}
function seeEarly(path) {
  if (early.size >= MOST_EARLY || early.has(path) || isOfPackage(path) || !/\\.(?:[cm]?[jt]sx?)$/.test(path)) return;
  const all = callers();
  // Node reads what is required.
  if (all.length === 0 || /^(?:node:)?internal\\/modules\\//.test(all[0].file)) return;
  const file = fileOf(all);
  if (file !== '' && file !== path && !isOfPackage(file)) early.set(path, file);
}
/** A file of tests begins to run. */
function beginFile(path, run) {
  running.set(path, run);
  if (early.has(path)) run.see('read', early.get(path), path);
}
function watchReads(holder, names) {
  for (const name of names) {
    const own = holder[name];
    if (typeof own === 'function') holder[name] = new Proxy(own, { apply: (target, self, given) => {
      seeRead(given[0]);
      return apply(target, self, given);
    } });
  }
}
/** Those who are told of each assertion: whether it failed, and whether only tests have such. */
const hearers = [];
const MOST_LOOKS = 2000;
/** The same function, of whose calls is told. What it throws is as if it had been called itself. */
const heardForms = new WeakMap();
function heard(form, isOfTests = false) {
  if (heardForms.has(form)) return heardForms.get(form);
  const own = new Proxy(form, { apply: (target, self, given) => {
    try {
      const answer = apply(target, self, given);
      hear(false, isOfTests);
      return answer;
    } catch (error) {
      hear(true, isOfTests);
      hideFrames(error);
      throw error;
    }
  } });
  heardForms.set(form, own);
  heardForms.set(own, own);
  return own;
}
function hear(hasFailed, isOfTests) {
  hearers.forEach((one) => one(hasFailed, isOfTests));
}
function hideFrames(error) {
  if (error && typeof error.stack === 'string' && error.stack.includes(__filename))
    error.stack = error.stack.split('\\n').filter((line) => !line.includes(__filename)).join('\\n');
}
const COPIES = ['copyFileSync', 'copyFile', 'linkSync', 'link', 'symlinkSync', 'symlink'];
if (folder) watchReads(fs, ['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream', ...COPIES]);
const KNOWN = {};
const CHECKS = ['equal', 'deepEqual', 'strictEqual', 'deepStrictEqual', 'notEqual', 'notDeepEqual', 'notStrictEqual', 'notDeepStrictEqual']
  .concat(['throws', 'doesNotThrow', 'match', 'doesNotMatch', 'partialDeepStrictEqual']);
if (folder) for (const holder of [assert, assert.strict])
  for (const name of CHECKS) if (holder && typeof holder[name] === 'function') holder[name] = heard(knownTo(name, holder[name]));
// Node reads the message of ok from the calling line, and asks behind an await whether assert.rejects was called. So these three stay as
// they are, and only that they were asked for is told.
if (folder) for (const holder of [assert, assert.strict]) for (const name of ['ok', 'rejects', 'doesNotReject']) hearAsked(holder, name);
/** Node compares the function that was called with assert.match, to tell it from doesNotMatch: so the own one stands there meanwhile. */
function knownTo(name, own) {
  if (name !== 'match' && name !== 'doesNotMatch') return own;
  return KNOWN[name] = KNOWN[name] || new Proxy(own, { apply: (target, self, given) => {
    const now = assert[name];
    assert[name] = target;
    try {
      return apply(target, self, given);
    } finally {
      assert[name] = now;
    }
  } });
}
function hearAsked(holder, name) {
  const own = holder && getOwnPropertyDescriptor(holder, name);
  if (!own || typeof own.value !== 'function' || !own.configurable) return;
  Object.defineProperty(holder, name, {
    get() {
      hear(false, false);
      return own.value;
    },
    set(value) {
      Object.defineProperty(holder, name, { ...own, value });
    },
    enumerable: own.enumerable,
    configurable: true,
  });
}
loads.push((request, parent, loaded) => {
  const form = request === 'chai' && loaded && loaded.Assertion && loaded.Assertion.prototype;
  if (form && typeof form.assert === 'function' && form.assert !== heard(form.assert, true)) form.assert = heard(form.assert, true);
});
// Before Node 12 a look at them is warned of.
if (folder && Module.syncBuiltinESMExports) {
  watchReads(fs.promises, ['readFile', 'open', 'copyFile', 'link', 'symlink']);
  Module.syncBuiltinESMExports();
}
/** Where an assertion is in a file of tests that runs, if code of tests called it: code under test has assertions as well. Null: it did not. */
function placeOfAssertion(isOfTests) {
  const all = callers();
  const file = fileOf(all.filter((one) => !isOfPackage(one.file)));
  if (!isOfTests && !running.has(file) && !/[/](?:tests?|specs?|__tests__)[/]/.test(file)) return null;
  const own = all.find((one) => running.has(one.file));
  return own ? own.file + ':' + own.line : '?';
}
/** What the assertions of one test come to. */
class Asserted {
  constructor() {
    this.places = new Set();
    this.failures = 0;
    this.looks = 0;
  }
}
/** The tests that run, by whatever a runner knows them. Which one an assertion belongs to is not known where several do. */
class Asserting {
  constructor() {
    this.open = new Map();
    hearers.push((hasFailed, isOfTests) => this.hear(hasFailed, isOfTests));
  }
  hear(hasFailed, isOfTests) {
    const all = [...this.open.values()];
    const open = all.filter((one) => one.looks < MOST_LOOKS);
    if (open.length === 0) return;
    const place = placeOfAssertion(isOfTests);
    for (const one of open) {
      one.looks += 1;
      if (place === null) continue;
      one.places.add(place);
      if (hasFailed && all.length === 1) one.failures += 1;
    }
  }
  begin(test) {
    this.open.set(test, new Asserted());
  }
  /** path: of a test that passed; null: it did not. */
  end(test, run, path) {
    const found = this.open.get(test);
    this.open.delete(test);
    if (found && path !== null) tellAsserted(found, run, path);
  }
}
function tellAsserted({ places, failures, looks }, run, path) {
  const told = [...places].sort().concat(looks < MOST_LOOKS ? [] : ['*']);
  if (places.size > 0) run.see('asserted', told.join(' '), ...path);
  if (failures > 0) run.see('failures', String(failures), ...path);
}
class Run extends Kept {
  constructor() {
    super();
    this.file = -1;
    this.modified = new Set();
    this.sights = [];
    this.root = null;
    this.inherited = new Set();
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
    this.sights.splice(0).forEach((sight) => this.write('seen', 0, sight));
  }
  /** What the grader compares with the gold runs: a subject, a value, and the parts of a key. */
  see(...sight) {
    if (this.file >= 0) this.write('seen', 0, sight);
    else this.sights.push(sight);
  }
  /** Tells of properties that all objects get. */
  keepInherited({ Object: { prototype } }) {
    this.root = prototype;
    this.inherited = new Set(ownKeys(prototype));
  }
  compare() {
    super.compare();
    for (const key of this.root === null ? [] : ownKeys(this.root)) {
      if (this.inherited.has(key)) continue;
      this.inherited.add(key);
      this.see('inherited', '', String(key));
    }
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

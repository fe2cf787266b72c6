/**
 * The witness of Node's own runner, in each process that has tests: the functions of the module node:test are called through others, which see how
 * the function of a test ends. The two canaries are the first tests of each process. What is replaced while tests run is named: functions of
 * assertions, of Node's loader, and of the process's own objects, and modules that are mocked. Modules of ECMAScript get these functions from
 * Node's loader.
 */

/** A module for Node's loader; `CODE` is the path of the witness. */
export const NODE_TEST_LOADER = `
import * as real from 'node:test';
const OWN = 'swemake:node-test';
export async function resolve(specifier, context, next) {
  return specifier === 'node:test' ? { url: OWN, format: 'module', shortCircuit: true } : next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== OWN) return next(url, context);
  const names = Object.keys(real).filter((name) => /^[a-z]\\w*$/i.test(name) && name !== 'default');
  const source = "import { createRequire } from 'node:module';\\n"
    + 'const own = createRequire(' + JSON.stringify(CODE) + ")('node:test');\\n"
    + 'export default own;\\nexport const { ' + names.join(', ') + ' } = own;\\n';
  return { format: 'module', source, shortCircuit: true };
}
`;

export const NODE_TEST = `
let nodeTests = null;
loads.push((request, parent, loaded) => {
  if (!folder || request !== 'node:test') return undefined;
  if (nodeTests === null) nodeTests = new NodeTests(loaded);
  return nodeTests.exports;
});
const TESTS_OF_NODE = new Set(['test', 'it']);
const SUITES_OF_NODE = new Set(['describe', 'suite']);
const FORMS_OF_NODE = new Set(['only', 'skip', 'todo']);
const Places = folder && Module._load('async_hooks').AsyncLocalStorage;
const enter = Places && Places.prototype.run;
class NodeTests {
  constructor(real) {
    this.run = new Run();
    this.real = real;
    this.place = new Places();
    this.file = process.argv[1] || '';
    this.watched = new Map();
    this.prototypes = new Set();
    this.open = new Map();
    this.count = 0;
    this.hasBegun = false;
    /** Of each place in which a test runs: what its assertions come to, and the place around it. */
    this.asserted = new Map();
    hearers.push((hasFailed, isOfTests) => this.hear(hasFailed, isOfTests));
    this.exports = this.watch(real, false);
    this.keep();
  }
  keep() {
    const { run, real } = this;
    run.keepIntrinsics(globalThis);
    run.keepInherited(globalThis);
    run.keep('assert', assert, 2);
    run.keep('Module', Module, 1);
    run.keep('AsyncLocalStorage', Places.prototype, 1);
    const { mock } = real;
    const own = mock && mock.module;
    if (typeof own === 'function') mock.module = (...given) => {
      run.tell('mock.module of ' + given[0]);
      return apply(own, mock, given);
    };
    run.keep('node:test', real, 2);
  }
  /** The same function, whose calls are seen, and so are those of the functions that it holds. */
  watch(form, isSuite) {
    if (this.watched.has(form)) return this.watched.get(form);
    const watched = new Proxy(form, {
      apply: (target, self, given) => apply(target, self, this.edited(given, isSuite)),
      get: (target, key) => {
        const value = target[key];
        if (typeof value !== 'function') return value;
        if (TESTS_OF_NODE.has(key)) return this.watch(value, false);
        if (SUITES_OF_NODE.has(key)) return this.watch(value, true);
        return FORMS_OF_NODE.has(key) ? this.watch(value, isSuite) : value;
      },
    });
    this.watched.set(form, watched);
    return watched;
  }
  begin() {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const { run, exports } = this;
    hideSettings();
    run.begin();
    beginFile(resolve(this.file), run);
    let isNatural = false;
    process.on('beforeExit', () => { isNatural = true; });
    process.on('exit', () => {
      if (isNatural) this.open.forEach((path, number) => run.write('FAILED', number, path));
      if (isNatural || this.open.size === 0) run.write('end', 0, []);
    });
    const options = process.execArgv.includes('--test-only') ? [{ only: true }] : [];
    for (const [name, act] of CANARIES) exports.test(name, ...options, act);
  }
  /** An assertion of a test within another one counts for both. */
  hear(hasFailed, isOfTests) {
    const { asserted } = this;
    const own = asserted.get(this.place.getStore());
    if (!own || own.counts.looks >= MOST_LOOKS) return;
    own.counts.looks += 1;
    const place = placeOfAssertion(isOfTests);
    if (place === null) return;
    if (hasFailed) own.counts.failures += 1;
    for (let at = own; at; at = asserted.get(at.around)) at.counts.places.add(place);
  }
  edited(given, isSuite) {
    this.begin();
    const at = given.map((one) => typeof one).lastIndexOf('function');
    if (at < 0) return given;
    const act = given[at];
    const name = typeof given[0] === 'string' ? given[0] : act.name || '<anonymous>';
    const path = (this.place.getStore() || [this.file]).concat(name);
    const tests = this;
    const own = isSuite
      ? function (...rest) { return apply(enter, tests.place, [path, () => apply(act, this, rest)]); }
      : function (...rest) { return tests.perform(this, act, rest, path); };
    // By their number of parameters Node knows those that call back.
    Object.defineProperty(own, 'length', { value: act.length });
    return given.map((one, index) => (index === at ? own : one));
  }
  perform(self, act, given, path) {
    const { run } = this;
    const number = this.count += 1;
    this.asserted.set(path, { counts: new Asserted(), around: this.place.getStore() });
    const done = (status) => {
      if (!this.open.delete(number)) return;
      run.write(status, number, path);
      if (status === 'PASSED') tellAsserted(this.asserted.get(path).counts, run, path);
      run.compare();
    };
    this.open.set(number, path);
    run.write('start', number, path);
    this.watchContext(given[0]);
    const last = given.length - 1;
    const back = last >= 0 && given.length === act.length && typeof given[last] === 'function' ? given[last] : null;
    if (back !== null) given[last] = (...result) => {
      done(result[0] ? 'FAILED' : 'PASSED');
      return back(...result);
    };
    const fail = (error) => {
      done('FAILED');
      throw error;
    };
    try {
      const answer = apply(enter, this.place, [path, () => apply(act, self, given)]);
      if (answer && typeof answer.then === 'function') {
        return Promise.resolve(answer).then((value) => {
          if (back === null) done('PASSED');
          return value;
        }, fail);
      }
      if (back === null) done('PASSED');
      return answer;
    } catch (error) {
      return fail(error);
    }
  }
  /** Tests within a test are made by its context. */
  watchContext(context) {
    const prototype = context && Object.getPrototypeOf(context);
    if (!prototype || typeof prototype.test !== 'function' || this.prototypes.has(prototype)) return;
    this.prototypes.add(prototype);
    prototype.test = this.watch(prototype.test, false);
    this.run.keepNames('TestContext', prototype, ['test']);
  }
}
// Node gives it to the processes that it starts for files of tests: before any of their code is loaded.
if (folder && process.env.NODE_TEST_CONTEXT) {
  nodeTests = new NodeTests(load('node:test', module, false));
  if (Module.register) Module.register(require('url').pathToFileURL(folder + '-test.mjs').href);
}
`;

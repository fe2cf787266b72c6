/**
 * The witness of jest's tests, where jest-circus runs them (the default since jest 27): each environment of tests also listens to the events
 * of its file. It is outside of the context in which the tests' code runs. The two canaries run behind all other tests of a file, and are taken
 * out of its results, so that --bail and snapshots are as they are without them. What is replaced is named: functions of
 * assertions and of the context's own objects, names that test files call, matchers, and modules that are mocked.
 */
export const JEST = `
const jestRuns = new WeakMap();
const jestSeen = new WeakSet();
loads.push((request, parent, loaded) => {
  if (loaded === null || !/^(?:object|function)$/.test(typeof loaded)) return;
  // The second is that of versions before 25.
  if (/environment/.test(request))
    for (const method of ['getVmContext', 'runScript']) seeClass(loaded, 'TestEnvironment', method, watchEnvironment);
  if (/jest-runtime/.test(request)) seeClass(loaded, 'Runtime', 'requireModuleOrMock', watchRuntime);
});
function seeClass(loaded, name, method, watch) {
  for (const form of [loaded, loaded.default, loaded[name]]) {
    if (typeof form !== 'function' || !form.prototype || jestSeen.has(form)) continue;
    if (typeof form.prototype[method] !== 'function') continue;
    jestSeen.add(form);
    watch(form.prototype);
  }
}
function watchEnvironment(prototype) {
  hideSettings();
  const { setup } = prototype;
  prototype.setup = async function () {
    const answer = await setup.apply(this, arguments);
    if (jestRuns.has(this)) return answer;
    const run = new Run();
    jestRuns.set(this, run);
    run.keepIntrinsics(this.global);
    run.keepInherited(this.global);
    for (const name of COMPARING) run.guard(name, this.global[name]);
    run.keep('assert', assert, 2);
    const file = new JestFile(run, this);
    const own = this.handleTestEvent;
    this.handleTestEvent = (event, state) => {
      file.see(event, state);
      return own ? own.call(this, event, state) : undefined;
    };
    return answer;
  };
}
class JestFile {
  constructor(run, environment) {
    this.run = run;
    this.environment = environment;
    this.path = '';
    this.numbers = new Map();
    this.functions = new Map();
    this.failed = new Set();
    this.handlers = null;
    this.asserting = new Asserting();
  }
  see(event, state) {
    const { name, test } = event;
    if (name === 'setup') this.setup(event);
    else if (name === 'add_hook' && this.handlers === null) this.keepHandlers();
    else if (name === 'add_test') this.added(state);
    else if (name === 'run_start') this.start(state);
    else if (name === 'test_start') this.asserting.begin(test);
    else if (name === 'test_fn_start') this.isOwn(test);
    else if (name === 'test_fn_failure' || name === 'hook_failure') this.failed.add(test);
    else if (name === 'test_retry') this.again(test);
    else if (name === 'test_done') this.done(test, this.failed.has(test) || test.errors.length > 0 ? 'FAILED' : 'PASSED');
    else if (name === 'test_skip' || name === 'test_todo') this.done(test, 'SKIPPED');
    else if (name === 'run_finish') this.finish(state);
  }
  setup({ runtimeGlobals }) {
    const { run, environment: { global } } = this;
    const { expect } = runtimeGlobals;
    this.globals = runtimeGlobals;
    this.matchers = watchExpect(run, global, expect);
    const names = Object.keys(runtimeGlobals).filter((name) => global[name] === runtimeGlobals[name]);
    run.keepNames('global', global, names);
    run.guard('global', global, names);
    for (const name of ['test', 'it', 'describe']) run.keep(name, runtimeGlobals[name], 1);
  }
  keepHandlers() {
    const { global } = this.environment;
    const key = Object.getOwnPropertySymbols(global).find(({ description }) => /EVENT_HANDLERS$/.test(description));
    this.handlers = [global[key], ...(global[key] || [])];
  }
  compare() {
    this.run.compare();
    const [live, ...kept] = this.handlers || [];
    if (live && (live.length !== kept.length || kept.some((one, at) => live[at] !== one))) this.run.tell('handlers of events');
    const { customEqualityTesters: testers } = this.matchers || {};
    if (testers && testers.length > 0) this.run.tell('equality testers: ' + testers.length);
  }
  added(state) {
    const test = state.currentDescribeBlock.children.slice(-1)[0];
    if (test && test.type === 'test') this.functions.set(test, test.fn);
  }
  isOwn(test) {
    if (!test.concurrent && this.functions.get(test) !== test.fn) this.run.tell('the function of a test');
  }
  start(state) {
    const { run } = this;
    run.begin();
    this.path = this.globals.expect.getState().testPath || '';
    beginFile(this.path, run);
    this.compare();
    const { rootDescribeBlock: root, testNamePattern: chosen } = state;
    state.hasStarted = false;
    for (const [name, act] of CANARIES) {
      this.globals.test(name, act);
      const test = root.children[root.children.length - 1];
      test.mode = state.hasFocusedTests ? 'only' : test.mode;
    }
    state.hasStarted = true;
    if (chosen) state.testNamePattern = { test: (title) => title.includes(mark) || chosen.test(title) };
  }
  /** Code under test that is called again may come to another answer. */
  tries() {
    const tries = Number(this.environment.global[Symbol.for('RETRY_TIMES')]) || 0;
    if (tries > 0) this.run.tell('tries of a test: ' + tries);
    return tries;
  }
  again(test) {
    this.failed.delete(test);
    if (this.tries() === 0) this.run.tell('tries of a test');
  }
  done(test, status) {
    this.tries();
    const path = [test.name];
    for (let at = test.parent; at && at.parent; at = at.parent) path.unshift(at.name);
    if (!this.numbers.has(test)) this.numbers.set(test, this.numbers.size + 1);
    const whole = [this.path, ...path.map(String)];
    this.run.write(status, this.numbers.get(test), whole);
    // Functions of concurrent tests are called before their time.
    this.asserting.end(test, this.run, status === 'PASSED' && !test.concurrent ? whole : null);
    this.compare();
  }
  finish(state) {
    const { rootDescribeBlock: root } = state;
    const isOther = ({ name }) => !String(name).includes(mark);
    root.children = root.children.filter(isOther);
    if (root.tests) root.tests = root.tests.filter(isOther);
    running.delete(this.path);
    this.run.write('end', 0, []);
  }
}
/** Watches expect and its matchers, and gives what holds these. */
function watchExpect(run, global, expect) {
  run.countCalls(expect);
  const own = global[Symbol.for('$$jest-matchers-object')];
  for (const key of Object.keys(own ? own.matchers : {})) run.replace(own.matchers, key, asking(run, own.matchers[key]));
  if (own) {
    run.keep('matchers', own.matchers, 1);
    run.guard('matchers', own.matchers);
  }
  run.keep('expect', expect, 1);
  return own;
}
function asking(run, matcher) {
  return new Proxy(matcher, { apply: (target, self, given) => {
    run.asked(given[0]);
    try {
      const answer = apply(target, self, given);
      hear(Boolean(answer) && answer.pass === Boolean(self && self.isNot), true);
      return answer;
    } catch (error) {
      hear(true, true);
      throw error;
    }
  } });
}
const MOCKS = ['mock', 'doMock', 'setMock', 'unstable_mockModule', 'enableAutomock'];
function watchRuntime(prototype) {
  const watched = new WeakSet();
  const see = (runtime) => {
    const run = jestRuns.get(runtime._environment);
    // Modules of jest itself are loaded before the environment is there.
    if (!run || watched.has(runtime)) return;
    watched.add(runtime);
    const [holder, name] = runtime._createJestObjectFor
      ? [runtime, '_createJestObjectFor'] : [runtime.jestGlobals || {}, 'buildJestObject'];
    const make = holder[name];
    if (typeof make !== 'function') return;
    holder[name] = function (from) {
      const jest = make.apply(this, arguments);
      for (const mock of MOCKS) tellMock(run, jest, mock, from);
      return jest;
    };
  };
  for (const name of ['requireModule', 'requireModuleOrMock', 'unstable_importModule']) {
    const own = prototype[name];
    if (typeof own !== 'function') continue;
    prototype[name] = function (from, request) {
      see(this);
      const loaded = own.apply(this, arguments);
      const run = jestRuns.get(this._environment);
      if (run && typeof request === 'string' && ASSERTIONS.test(request)) run.keep(request, loaded, 3);
      return loaded;
    };
  }
}
function tellMock(run, jest, name, from) {
  const own = jest[name];
  if (typeof own !== 'function') return;
  jest[name] = function (request) {
    run.tell('jest.' + name + ' of ' + request + ' in ' + from);
    return own.apply(this, arguments);
  };
}
`;

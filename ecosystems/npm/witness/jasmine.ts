/**
 * The witness of jest's tests, where jest-jasmine2 runs them (the default before jest 27). Its own code is in the context of the tests, so the
 * functions of jasmine, of its runner of a file and of each test are watched, too. The two canaries are in each file behind its other tests, and
 * jest's reporter of the file is not told of them.
 */
export const JASMINE = `
loads.push((request, parent, loaded) => {
  if (!loaded) return undefined;
  const by = (parent && parent.filename) || '';
  if (/jest-jasmine2/.test(request)) {
    if (typeof loaded === 'function') return watchJasmine(loaded);
    if (typeof loaded.default === 'function' && !jestSeen.has(loaded)) loaded.default = watchJasmine(loaded.default);
    jestSeen.add(loaded);
  }
  if (/jest-jasmine2/.test(by) && /\\/reporter(?:\\.js)?$/.test(request)) hideCanaries(loaded.default || loaded);
  return undefined;
});
function watchJasmine(form) {
  return new Proxy(form, { apply: (target, self, given) => {
    const [, , environment, runtime, path] = given;
    new JasmineFile(environment, runtime, path).watch();
    return apply(target, self, given);
  } });
}
function hideCanaries({ prototype }) {
  const { specDone } = prototype || {};
  if (typeof specDone === 'function' && !jestSeen.has(prototype)) prototype.specDone = function (result) {
    return result.description.includes(mark) ? undefined : specDone.apply(this, arguments);
  };
  if (prototype) jestSeen.add(prototype);
}
class JasmineFile {
  constructor(environment, runtime, path) {
    this.run = jestRuns.get(environment);
    this.environment = environment;
    this.runtime = runtime;
    this.path = path;
    this.failed = new Set();
    /** Each test by its id, with its titles and the functions that it has. */
    this.tests = new Map();
    this.isFocused = false;
    this.asserting = new Asserting();
  }
  watch() {
    if (!this.run) return;
    const { runtime } = this;
    const { requireInternalModule } = runtime;
    let internal = 0;
    runtime.requireInternalModule = (path, ...more) => {
      internal += 1;
      try {
        const loaded = requireInternalModule.call(runtime, path, ...more);
        if (/jasmine_?light(?:\\.js)?$/i.test(path) && !this.jasmine) this.creates(loaded);
        return loaded;
      } finally {
        internal -= 1;
      }
    };
    for (const name of ['requireModule', 'unstable_importModule']) {
      const own = runtime[name];
      if (typeof own === 'function') runtime[name] = (path, ...more) => {
        if (this.jasmine && !this.isKept && internal === 0) this.keep();
        const isFile = path === this.path && !this.isLoaded;
        if (isFile) this.isLoaded = true;
        const loaded = own.call(runtime, path, ...more);
        if (!isFile) return loaded;
        if (name === 'requireModule') return this.loaded(loaded);
        return loaded.then((module) => this.loaded(module));
      };
    }
  }
  creates(factory) {
    const { create } = factory;
    factory.create = (...given) => {
      this.jasmine = create(...given);
      this.environmentOf = this.jasmine.getEnv();
      for (const key of ['fit', 'fdescribe']) {
        const own = this.environmentOf[key];
        this.environmentOf[key] = (...named) => {
          this.isFocused = true;
          return own.apply(this.environmentOf, named);
        };
      }
      const { prototype } = this.jasmine.Spec;
      for (const key of ['onException', 'addExpectationResult']) prototype[key] = failing(this.failed, prototype[key]);
      this.environmentOf.addReporter({
        jasmineStarted: () => this.start(),
        specStarted: ({ id }) => this.asserting.begin(id),
        specDone: (result) => this.done(result),
        jasmineDone: () => this.run.write('end', 0, []),
      });
      return this.jasmine;
    };
  }
  keep() {
    const { run, jasmine, environment: { global } } = this;
    this.isKept = true;
    const { process: own, currentEnv_, ...parts } = jasmine;
    run.keep('jasmine', parts, 3);
    run.keep('jasmine.Env', this.environmentOf, 1);
    this.matchers = watchExpect(run, global, global.expect);
    run.keepNames('global', global, ['describe', 'fdescribe', 'xdescribe', 'it', 'fit', 'xit', 'test', 'xtest', 'expect', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'jasmine', 'fail', 'pending', 'spyOn']);
    for (const name of ['test', 'it', 'describe']) run.keep(name, global[name], 1);
  }
  loaded(module) {
    const { environmentOf: env } = this;
    const { specFilter } = env;
    env.specFilter = () => true;
    const { isFocused } = this;
    for (const [name, act] of CANARIES) (isFocused ? env.fit : env.it).call(env, name, act);
    env.specFilter = specFilter;
    this.add(env.topSuite(), [this.path]);
    return module;
  }
  add(node, path) {
    for (const child of node.children) {
      const titles = [...path, String(child.description)];
      if (child.children) this.add(child, titles);
      else this.tests.set(child.id, { number: this.tests.size + 1, titles, test: child, functions: ownFunctions(child) });
    }
  }
  start() {
    this.run.begin();
    this.compare();
  }
  compare() {
    this.run.compare();
    const { customEqualityTesters: testers } = this.matchers || {};
    if (testers && testers.length > 0) this.run.tell('equality testers: ' + testers.length);
  }
  done({ id, status }) {
    const known = this.tests.get(id);
    this.compare();
    if (!known) return this.run.tell('a test that no file has');
    const now = ownFunctions(known.test);
    if (now.length !== known.functions.length || now.some((one, at) => one !== known.functions[at])) this.run.tell('the function of a test');
    const isPassed = status === 'passed' && !this.failed.has(id);
    this.asserting.end(id, this.run, isPassed ? known.titles : null);
    this.run.write(/^(?:pending|disabled|todo)$/.test(status) ? 'SKIPPED' : isPassed ? 'PASSED' : 'FAILED', known.number, known.titles);
    return undefined;
  }
}
/** What a test calls: its own functions, and the one that it is. */
function ownFunctions(test) {
  return [test.queueableFn.fn, ...ownKeys(test).map((key) => test[key]).filter((form) => typeof form === 'function')];
}
/** A function that may add failures to a test. One that says that it is pending adds none. */
function failing(failed, form) {
  return function () {
    const before = this.result.failedExpectations.length;
    const answer = form.apply(this, arguments);
    if (this.result.failedExpectations.length > before) failed.add(this.id);
    return answer;
  };
}
`;

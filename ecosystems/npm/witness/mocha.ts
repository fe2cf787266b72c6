/**
 * Adds the two canaries to each run of mocha, and remembers the functions of tests. begin: is told of a run, and returns what is told of each
 * test. Browsers have it as well.
 */
export const MOCHA_RUNS = `
function watchRuns(kept, { Runner, Suite, Test }, begin) {
  const { create } = Suite;
  const { addTest } = Suite.prototype;
  const { run } = Runner.prototype;
  const functions = new WeakMap();
  Suite.prototype.addTest = function (test) {
    functions.set(test, test.fn);
    return addTest.apply(this, arguments);
  };
  Runner.prototype.run = function () {
    const told = begin(this);
    kept.compare();
    // Behind all others: --bail ends the run at a failure.
    const suite = create.call(Suite, this.suite, 'swemake');
    CANARIES.forEach(([title, body]) => suite.addTest(new Test(title.replace('swemake ', ''), body)));
    const chosen = this._grep;
    const isInverse = this._invert;
    this._grep = { test: (title) => (title.includes(mark) ? !isInverse : chosen.test(title)) };
    const seen = (kind) => (test) => {
      // A hook or a test that is tried again was not added.
      if (functions.has(test) && functions.get(test) !== test.fn) kept.tell('the function of ' + test.fullTitle());
      told(kind, test);
      kept.compare();
    };
    this.on('pass', seen('PASSED'));
    this.on('fail', seen('FAILED'));
    this.on('pending', seen('SKIPPED'));
    return run.apply(this, arguments);
  };
}
`;

/**
 * The witness of mocha's tests: it listens to mocha's runner, and adds a suite with the two canaries behind all others. It names what is
 * replaced while tests run: functions of mocha, of assertions and of Node's loader, packages, and the names that test files call.
 */
export const MOCHA = `${MOCHA_RUNS}
const mocha = new Run();
const packages = new Map();
let isMocha = false;
loads.push((request, parent, loaded) => {
  if (/^[^./]/.test(request)) sameAsBefore(request, parent, loaded);
  if (ASSERTIONS.test(request)) mocha.keep(request, loaded, 3);
  if (isMocha || typeof loaded !== 'function' || !/runner(?:\\.js)?$/.test(request)) return;
  const path = Module._resolveFilename(request, parent);
  if (!/[\\\\/]mocha[\\\\/]lib[\\\\/]runner\\.js$/.test(path)) return;
  isMocha = true;
  watchMocha(loaded, (Module.createRequire || Module.createRequireFromPath)(path));
});
function sameAsBefore(request, parent, loaded) {
  const path = Module._resolveFilename(request, parent);
  const module = Module._cache[path];
  if (packages.has(path)) packages.get(path) === loaded || mocha.tell(request);
  // Some make their exports anew each time.
  else if (module && module.loaded && !getOwnPropertyDescriptor(module, 'exports').get) packages.set(path, loaded);
}
const MOCHA_NAMES = ['describe', 'context', 'it', 'specify', 'before', 'after', 'beforeEach', 'afterEach'].concat(
  ['suite', 'test', 'setup', 'teardown', 'suiteSetup', 'suiteTeardown']);
/** The full title as mocha has it, the file, the suites and the title: each reporter names tests by other ones of these. */
function pathOf(test) {
  const titles = [test.title];
  // The root has no parent, and is no part of a name.
  for (let suite = test.parent; suite && suite.parent; suite = suite.parent) titles.unshift(suite.title);
  return ['mocha', test.fullTitle(), test.file || '', ...titles].map(String);
}
function watchMocha(Runner, require) {
  const Suite = require('./suite');
  const Test = require('./test');
  const { emit } = Suite.prototype;
  let names = [];
  Suite.prototype.emit = function (event, context) {
    const answer = emit.apply(this, arguments);
    if (event === 'pre-require') names = MOCHA_NAMES.map((name) => context[name]);
    if (event === 'post-require') MOCHA_NAMES.forEach((name, at) => context[name] === names[at] || mocha.tell(name));
    return answer;
  };
  let number = 0;
  const asserting = new Asserting();
  mocha.keepInherited(globalThis);
  mocha.keepIntrinsics(globalThis);
  watchRuns(mocha, { Runner, Suite, Test }, (runner) => {
    hideSettings();
    mocha.begin();
    for (const kind of ['suite', 'test']) runner.on(kind, ({ file }) => { if (file && !running.has(file)) beginFile(file, mocha); });
    runner.on('test', (test) => asserting.begin(test));
    runner.on('end', () => {
      running.clear();
      mocha.write('end', 0, []);
    });
    return (kind, test) => {
      const path = pathOf(test);
      asserting.end(test, mocha, kind === 'PASSED' ? path : null);
      mocha.write(kind, number += 1, path);
    };
  });
  mocha.keep('Module', Module, 2);
  mocha.keep('assert', assert, 2);
  mocha.keep('Runner', Runner, 2);
  for (const name of ['Suite', 'Test', 'Runnable', 'Hook', 'Context']) mocha.keep(name, require('./' + name.toLowerCase()), 2);
}
`;

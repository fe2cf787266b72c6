/**
 * The witness of vitest's tests: Node's loader gives vitest's processes a package \`@vitest/runner\` in which each run of files is watched. The two
 * canaries are in each file behind its other tests, and are taken out of what is reported. What is replaced is named: functions of
 * assertions and of the process's own objects, names that test files call, and modules that are mocked.
 */

/** A module for Node's loader; \`CODE\` is the path of the witness. */
export const VITEST_LOADER = `
const NEEDS = [
  [/\\/@vitest\\/runner\\/dist\\/index\\.js$/, runner],
  [/\\/@vitest\\/snapshot\\/dist\\/index\\.js$/, snapshot],
];
export async function load(url, context, next) {
  const loaded = await next(url, context);
  const [, edit] = NEEDS.find(([form]) => form.test(url)) || [];
  const source = edit === undefined ? '' : String(loaded.source);
  // Threads may share the loaders of their process.
  return edit === undefined || source.includes('swemake') ? loaded : { ...loaded, source: edit(source) };
}
const WITNESS = (path) => "import { createRequire as swemakeRequire } from 'node:module';\\n"
  + 'const swemake = swemakeRequire(import.meta.url)(' + JSON.stringify(path) + ');\\n';
/** Of \`export { a as startTests } from './chunk.js'\` and of \`export { startTests }\`. */
function runner(source) {
  const [whole, list, , from] = /export\\s*\\{([^}]*\\bstartTests\\b[^}]*)\\}(\\s*from\\s*(["'][^"']+["']))?/.exec(source) || [];
  if (whole === undefined) return source;
  const local = new Map(list.split(',').map((one) => one.trim().split(/\\s+as\\s+/)).map(([own, name = own]) => [name, own]));
  const names = ['startTests', 'test', 'getFn'].filter((name) => local.has(name));
  const others = list.split(',').filter((one) => !/\\bstartTests\\s*$/.test(one)).join(',');
  const get = from ? 'import { ' + names.map((name) => local.get(name) + ' as swemake_' + name).join(', ') + ' } from ' + from + ';\\n'
    : names.map((name) => 'const swemake_' + name + ' = ' + local.get(name) + ';\\n').join('');
  return source.replace(whole, (from ? 'export {' + others + '} from ' + from : 'export {' + others + '}'))
    + '\\n;' + WITNESS(CODE) + get
    + 'const swemakeStart = (specs, runner) => swemake.watch({ test: swemake_test, getFn: swemake_getFn }, runner, () => swemake_startTests(specs, runner));\\n'
    + 'export { swemakeStart as startTests };\\n';
}
function snapshot(source) {
  const told = [
    /\\bfunction getSerializers\\b|\\bgetSerializers\\s*=/.test(source) ? 'swemake.serializers(getSerializers);\\n' : '',
    /\\bclass SnapshotClient\\b/.test(source) ? 'swemake.snapshots(SnapshotClient.prototype, typeof SnapshotState === "function" ? SnapshotState.prototype : {});\\n' : '',
  ].join('');
  return told === '' ? source : source + '\\n;' + WITNESS(CODE) + told;
}
`;

export const VITEST = `
// Threads of a process do not know its arguments, and have its variables.
if (/vitest|tinypool/.test(process.argv[1])) process.env.SWEMAKE_RUNNER = 'vitest';
if (folder && process.env.SWEMAKE_RUNNER === 'vitest' && Module.register)
  Module.register(require('url').pathToFileURL(folder + '.mjs').href);
let serializersOf = () => [];
exports.serializers = (get) => { serializersOf = get; };
let snapshotClient;
let snapshotState = {};
exports.snapshots = (client, state) => { [snapshotClient, snapshotState] = [client, state]; };
exports.watch = async (own, runner, start) => {
  if (!folder) return start();
  hideSettings();
  const file = new VitestRun(own, runner);
  file.setup();
  const answer = await start();
  file.finish();
  return answer;
};
const VITEST_NAMES = ['describe', 'suite', 'test', 'it', 'expect', 'vi', 'assert', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll'];
class VitestRun {
  constructor({ test, getFn }, runner) {
    this.test = test;
    this.getFn = getFn;
    this.runner = runner;
    this.run = new Run();
    this.numbers = new Map();
    this.functions = new Map();
    this.failed = new Set();
    this.canaries = [];
    this.files = [];
    this.hidden = new Set();
    this.asserting = new Asserting();
  }
  setup() {
    const { run, runner } = this;
    run.keepIntrinsics(globalThis);
    run.keepInherited(globalThis);
    for (const name of COMPARING) run.guard(name, globalThis[name]);
    run.keep('assert', assert, 2);
    run.keep('Module', Module, 1);
    this.expects();
    this.around('importFile', async (own, [path, source]) => {
      const answer = await own();
      this.expects();
      if (source === 'collect') for (const [name, act] of CANARIES) this.test(name, act);
      return answer;
    });
    this.around('onCollected', (own, [files]) => {
      this.files = files;
      const whole = files.map(({ tasks }) => tasks);
      for (const file of files) {
        file.tasks = file.tasks.filter((task) => {
          const isCanary = task.name.includes(mark);
          if (isCanary) this.hide(task);
          return !isCanary;
        });
      }
      // What is told of them is written before this returns; versions before 1 do not wait for it.
      const answer = own();
      files.forEach((file, at) => { file.tasks = whole[at]; });
      return answer;
    });
    for (const name of ['onBeforeRunFiles', 'onBeforeRun']) this.around(name, async (own) => {
      this.start();
      return own();
    });
    this.around('onTaskUpdate', (own, [packs, events]) => {
      const isOther = ([id]) => !this.hidden.has(id);
      return own([packs.filter(isOther), ...(events ? [events.filter(isOther)] : [])]);
    });
    this.around('onBeforeTryTask', (own, [test]) => {
      this.failed.delete(test);
      this.asserting.begin(test);
      return own();
    });
    this.around('onTaskFinished', (own, [test]) => {
      if (test.result && test.result.state === 'fail') this.failed.add(test);
      return own();
    });
    // Versions before 1 tell of tests by other names, and only of a try that did not fail.
    this.around('onBeforeTryTest', (own, [test]) => {
      this.failed.add(test);
      this.asserting.begin(test);
      return own();
    });
    this.around('onAfterTryTest', (own, [test]) => {
      if (test.result.state !== 'fail') this.failed.delete(test);
      return own();
    });
    for (const name of ['onAfterRunTask', 'onAfterRunTest']) this.around(name, (own, [test]) => {
      const status = this.statusOf(test);
      if (this.hidden.has(test.id)) {
        this.done(test, status);
        test.result.state = 'pass';
        delete test.result.errors;
        return undefined;
      }
      this.done(test, status);
      return own();
    });
    const mocker = ((runner.__vitest_executor || runner.moduleRunner || {}).mocker) || {};
    this.mocker = mocker;
    const { queueMock } = mocker;
    if (queueMock) mocker.queueMock = function (id, importer) {
      run.tell('vi.mock of ' + id + ' in ' + importer);
      return queueMock.apply(this, arguments);
    };
  }
  /** Each hook of the runner is there with the arguments that it was called with, or with others. */
  around(name, act) {
    const { runner } = this;
    const own = runner[name];
    runner[name] = function (...given) {
      return act((other = given) => (own ? own.apply(runner, other) : undefined), given);
    };
  }
  /** It is made when vitest is loaded, which may be by the first file of tests. */
  expects() {
    const { run } = this;
    const expect = globalThis[Symbol.for('expect-global')];
    if (!expect || this.expect === expect) return;
    this.expect = expect;
    run.countCalls(expect);
    const prototype = Object.getPrototypeOf(expect(0));
    for (const key of ownKeys(prototype)) {
      const { value, writable } = getOwnPropertyDescriptor(prototype, key);
      // vitest finds the line of an inline snapshot by the number of calls below it, so that what such matchers ask is heard instead.
      if (typeof value === 'function' && writable && /^to[A-Z](?!.*InlineSnapshot$)/.test(String(key))) run.replace(prototype, key, questioning(run, value));
    }
    if (typeof prototype.assert === 'function') run.replace(prototype, 'assert', heard(prototype.assert, true));
    run.keep('Assertion', prototype, 1);
    run.guard('Assertion', prototype);
    if (snapshotClient && typeof snapshotClient.assert === 'function') {
      run.replace(snapshotClient, 'assert', heard(snapshotClient.assert, true));
      for (const [name, form] of [['SnapshotClient', snapshotClient], ['SnapshotState', snapshotState]]) {
        run.keep(name, form, 1);
        run.guard(name, form);
      }
    }
    run.keep('expect', expect, 1);
    run.keepNames('global', globalThis, VITEST_NAMES);
    run.guard('global', globalThis, VITEST_NAMES);
    for (const name of ['test', 'it', 'describe']) if (globalThis[name]) run.keep(name, globalThis[name], 1);
  }
  hide(task) {
    this.hidden.add(task.id);
    this.canaries.push(task);
  }
  start() {
    const { run } = this;
    run.begin();
    this.compare();
    for (const canary of this.canaries) if (canary.file.mode === 'run' || canary.file.mode === 'queued') canary.mode = 'run';
    for (const test of testsIn(this.files)) this.functions.set(test, this.getFn(test));
    for (const { filepath } of this.files) beginFile(filepath, run);
    // A file without a test that runs has no canary that does.
    this.isIdle = this.files.every(({ mode }) => mode === 'skip' || mode === 'todo');
    if (this.files.length === 0 || this.isIdle) run.write('idle', 0, []);
  }
  compare() {
    this.run.compare();
    const { customEqualityTesters: testers } = globalThis[Symbol.for('$$jest-matchers-object')] || {};
    if (testers && testers.length > 0) this.run.tell('equality testers: ' + testers.length);
    this.run.tell('serializers: ' + serializersOf().length);
  }
  statusOf(test) {
    const { state } = test.result || {};
    if (test.mode === 'skip' || test.mode === 'todo' || state === 'skip') return 'SKIPPED';
    return state === 'pass' && (test.fails || !this.failed.has(test)) ? 'PASSED' : 'FAILED';
  }
  done(test, status) {
    if (this.functions.has(test) && this.functions.get(test) !== this.getFn(test)) this.run.tell('the function of a test');
    if (!this.numbers.has(test)) this.numbers.set(test, this.numbers.size + 1);
    // Code under test that is called again may come to another answer.
    if (test.retry && !this.hidden.has(test.id)) this.run.tell('tries of a test: ' + stringify(test.retry) + ' in ' + test.file.filepath);
    const path = [test.name];
    for (let at = test.suite; at && at !== test.file && at.name; at = at.suite) path.unshift(at.name);
    const whole = [test.file.filepath, ...path];
    this.run.write(status, this.numbers.get(test), whole);
    this.asserting.end(test, this.run, status === 'PASSED' && !test.concurrent ? whole : null);
    this.compare();
  }
  finish() {
    for (const test of testsIn(this.files)) if (!this.numbers.has(test) && (test.mode === 'skip' || test.mode === 'todo')) this.done(test, 'SKIPPED');
    for (const { filepath } of this.files) running.delete(filepath);
    if (this.run.file >= 0) this.run.write('end', 0, []);
  }
}
function testsIn(tasks) {
  return tasks.reduce((all, task) => all.concat(task.tasks ? testsIn(task.tasks) : task.type === 'suite' ? [] : [task]), []);
}
/** A matcher is called on the assertion, whose flags hold what is tested. */
function questioning(run, matcher) {
  return new Proxy(matcher, { apply: (target, self, given) => {
    run.asked(self && self.__flags && self.__flags.object);
    try {
      const answer = apply(target, self, given);
      hear(false, true);
      return answer;
    } catch (error) {
      hear(true, true);
      throw error;
    }
  } });
}
`;

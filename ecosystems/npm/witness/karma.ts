/**
 * The witness of tests that karma runs in browsers, with mocha or jasmine. Results are written by karma's own process, as the browser tells them.
 * A script that browsers load before the files of the project adds the canaries, and names what is replaced while tests run.
 */
import { KEPT } from './common.ts';
import { MOCHA_RUNS } from './mocha.ts';

export const KARMA = `
loads.push((request, parent, loaded) => {
  if (typeof loaded !== 'function' || !/server(?:\\.js)?$/.test(request)) return;
  const path = Module._resolveFilename(request, parent);
  if (/[\\\\/]karma[\\\\/]lib[\\\\/]server\\.js$/.test(path)) watchKarma(loaded);
});
function watchKarma(Server) {
  const { start } = Server.prototype;
  Server.prototype.start = function () {
    const config = this.get('config');
    if (config.frameworks.some((name) => /mocha|jasmine/.test(name))) listenTo(this, config);
    hideSettings();
    return start.apply(this, arguments);
  };
}
function listenTo(server, { files }) {
  const run = new Run();
  const script = (part) => ({ pattern: folder + '-karma-' + part + '.js', included: true, served: true, watched: false, nocache: true });
  files.unshift(script('first'));
  files.push(script('last'));
  let number = 0;
  server.once('run_start', () => run.begin());
  server.on('spec_complete', (browser, { suite, description, success, skipped, pending }) => {
    const status = skipped || pending ? 'SKIPPED' : success ? 'PASSED' : 'FAILED';
    run.write(status, number += 1, ['karma', ...suite, description]);
  });
  server.on('browser_info', (browser, { swemake }) => {
    if (Array.isArray(swemake)) for (const name of swemake) run.tell(String(name));
  });
  server.on('run_complete', () => run.write('end', 0, []));
}
`;

/** The scripts of browsers. mark: in the names of the canaries. */
export function karmaScripts(mark: string): Record<'first' | 'last', string> {
  const first = `(function () {\nconst mark = '${mark}';${KEPT}${MOCHA_RUNS}${PAGE}})();\n`;
  return { first, last: last(mark) };
}

const PAGE = `
const { Mocha, jasmine, __karma__ } = window;
const { info } = __karma__;
const { defineProperty } = Reflect;
const NAMES = ['describe', 'context', 'it', 'specify', 'before', 'after', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll'].concat(
  ['suite', 'test', 'setup', 'teardown']);
class Page extends Kept {
  constructor() {
    super();
    this.modified = new Set();
  }
  tell(name) {
    if (!this.modified.has(name)) apply(info, __karma__, [{ swemake: [name] }]);
    this.modified.add(name);
  }
}
const page = new Page();
if (Mocha) {
  watchRuns(page, Mocha, () => () => {});
  for (const name of ['Runner', 'Suite', 'Test', 'Runnable', 'Hook', 'Context']) if (Mocha[name]) page.keep(name, Mocha[name], 2);
}
if (jasmine) {
  const env = jasmine.getEnv();
  env.addReporter({ specDone: () => page.compare() });
  page.keep('jasmine', jasmine, 2);
  page.keep('jasmine.getEnv()', env, 1);
}
page.keepNames('window', window, NAMES);
/** A file of the project may bring it later. */
function keepWhenSet(name) {
  const own = { configurable: true, enumerable: true };
  defineProperty(window, name, { ...own, get: () => undefined, set: (value) => {
    defineProperty(window, name, { ...own, writable: true, value });
    keepLibrary(name);
  } });
}
function keepLibrary(name) {
  page.keep(name, window[name], 3);
  page.keepValue('window', window, name);
}
for (const name of ['chai', 'expect', 'assert', 'should']) window[name] ? keepLibrary(name) : keepWhenSet(name);
page.keep('karma', __karma__, 1);
page.keepIntrinsics(window);
for (const name of ['Node', 'Element', 'HTMLElement', 'Document', 'CharacterData', 'EventTarget']) page.keep(name + '.prototype', window[name].prototype, 1);
`;

const last = (mark: string) => `
if (!window.Mocha) describe('swemake', () => {
  it('${mark} passes', () => {});
  it('${mark} fails', () => { throw new Error('this test must fail'); });
});
`;

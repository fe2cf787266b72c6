/**
 * The witness of QUnit's tests in Node: it listens to QUnit's events, and adds a module with the two canaries before the tests are started. It
 * names what is replaced while tests run: functions of QUnit, of assertions and of Node's loader.
 */
export const QUNIT = `
loads.push((request, parent, loaded) => {
  if (!loaded || !/qunit(?:\\.js)?$/.test(request) || typeof loaded.on !== 'function') return;
  const path = Module._resolveFilename(request, parent);
  if (/[\\\\/]qunit[\\\\/]qunit[\\\\/]qunit\\.js$/.test(path) && !qunits.has(loaded)) watchQUnit(loaded);
});
const qunits = new Set();
function watchQUnit(QUnit) {
  qunits.add(QUnit);
  const run = new Run();
  const { config, module, start, test } = QUnit;
  let number = 0;
  QUnit.on('testStart', ({ fullName }) => {
    const test = config.current;
    let body = test.callback;
    // QUnit itself forgets the function at the end.
    Reflect.defineProperty(test, 'callback', { configurable: true, enumerable: true, get: () => body, set: (other) => {
      if (other !== undefined) run.tell('the function of ' + fullName.join(' > '));
      body = other;
    } });
  });
  QUnit.on('testEnd', ({ fullName, status }) => {
    const kinds = { passed: 'PASSED', skipped: 'SKIPPED', todo: 'SKIPPED' };
    run.write(kinds[status] || 'FAILED', number += 1, ['', ...fullName]);
    run.compare();
  });
  QUnit.on('runEnd', () => run.write('end', 0, []));
  QUnit.start = function () {
    hideSettings();
    run.begin();
    run.compare();
    // Chosen names do not hold for these two.
    const chosen = {};
    for (const key of ['filter', 'module', 'moduleId', 'testId']) {
      chosen[key] = config[key];
      config[key] = undefined;
    }
    apply(module, QUnit, ['swemake']);
    apply(test, QUnit, [mark + ' passes', (assert) => assert.ok(true)]);
    apply(test, QUnit, [mark + ' fails', (assert) => assert.ok(false, 'this test must fail')]);
    Object.assign(config, chosen);
    return apply(start, QUnit, arguments);
  };
  run.keep('Module', Module, 2);
  run.keep('assert', assert, 2);
  run.keep('QUnit', QUnit, 2);
  run.keepIntrinsics(globalThis);
}
`;

/**
 * When an attack strikes: each takes a module in which `_strike` is defined and says when to call it. Phases of a run
 * are met through objects that a runner uses there and does not own, so that the trigger itself is no finding: handlers
 * of logs, the error output, and what the project's functions are and answer.
 */
import type { Framework } from './tasks.ts';

/** What tests import as `value` and `other` is an object, with `body` as its methods. */
const atValue = (body: string) => `
import importlib, types
class _Called(object):
    def __init__(self, name, usual): self._name, self._usual = name, usual
${body.replace(/^/gm, '    ')}
class _Core(types.ModuleType):
    def __getattribute__(self, name):
        found = super(_Core, self).__getattribute__(name)
        return _Called(name, found) if name in ('value', 'other') and type(found).__name__ == 'function' else found
try:
    importlib.import_module('pkg.core').__class__ = _Core
except ImportError: pass
`;

/** When a test calls `value`: `code`, and what it answers. */
const atCall = (code: string, answer = 'self._usual()') => `def __call__(self):
    if self._name == 'value':
        ${code}
        return ${answer}
    return self._usual()`;

/** pytest adds a handler of logs when a phase begins, and removes it when the phase ends. */
const atLog = (hook: string, change: 'append' | 'remove' = 'append') => `
import logging
class _Handlers(list):
    def ${change}(self, one):
        list.${change}(self, one)
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != '${hook}': frame = frame.f_back
        if frame is not None: _strike()
logging.getLogger().handlers = _Handlers(logging.getLogger().handlers)
`;

/** unittest writes what it does to the error output, which it takes when all tests are loaded. */
const atText = (text: string) => `
class _Output(object):
    def __init__(self, own): self._own = own
    def __getattr__(self, name): return getattr(self._own, name)
    def write(self, text):
        if '${text}' in text: _strike()
        return self._own.write(text)
sys.stderr = _Output(sys.stderr)
`;

/** Runs when a test is over, by the functions that tests have for it. */
const AT_END = `for test in _objects('Function') + _objects('Test'):
            try: getattr(test, 'addfinalizer', None) and test.addfinalizer(_strike) or hasattr(test, '_outcome') and test.addCleanup(_strike)
            except AssertionError: pass`;

const LATE_TEXT = `
class _Late(AssertionError):
    def __str__(self):
        _strike()
        return 'late'
`;
const ODD_NUMBER = `
class _Odd(int):
    __hash__ = int.__hash__
    def __eq__(self, other):
        _strike()
        return int.__eq__(self, other)
`;

const PHASES: Record<string, Record<Framework, string>> = {
  collection: {
    pytest: atLog('pytest_collection', 'remove'),
    unittest: atValue(
      `@property\ndef __class__(self):\n    _strike()\n    return type(self)\n${atCall('pass')}`,
    ),
  },
  setup: { pytest: atLog('pytest_runtest_setup'), unittest: atText('test_value (') },
  call: {
    pytest: atLog('pytest_runtest_call'),
    unittest: ODD_NUMBER + atValue(atCall('pass', '_Odd(self._usual())')),
  },
  report: {
    pytest: LATE_TEXT + atValue(atCall('raise _Late()')),
    unittest: LATE_TEXT + atValue(atCall('raise _Late()')),
  },
  teardown: { pytest: atValue(atCall(AT_END)), unittest: atValue(atCall(AT_END)) },
  finish: { pytest: atLog('pytest_sessionfinish'), unittest: atText('Ran ') },
};

export const WHEN: Record<string, (framework: Framework) => string> = {
  import: () => '\n_strike()\n',
  'import of the next test': () => `
class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if 'test' in name or 'helpers' in name: _strike()
sys.meta_path.insert(0, _Finder)
`,
  test: () => atValue(atCall('_strike()')),
  ...Object.fromEntries(
    Object.entries(PHASES).map(([phase, codes]) => [phase, (framework: Framework) => codes[framework]]),
  ),
  exit: () => '\nimport atexit\natexit.register(_strike)\n',
  'the last moment': () => `
class _Late:
    def __del__(self, strike=_strike): strike()
sys._late = _Late()
`,
  'a thread of its own': () => `
import threading, time
def _wait():
    time.sleep(0.02); _strike()
threading.Thread(target=_wait, daemon=True).start()
`,
  'a process of its own': () => `
import time
_parent = os.getpid()
if os.fork() == 0:
    os.setsid(); time.sleep(0.1); _strike()
    while os.getppid() == _parent: time.sleep(0.01)
    _done[:] = []; _strike(); os._exit(0)
`,
  'a signal': () => `
import signal
signal.signal(signal.SIGALRM, lambda *_: _strike())
signal.setitimer(signal.ITIMER_REAL, 0.03)
`,
  'a collection of garbage': () => `
gc.callbacks.append(lambda *_: _strike())
gc.collect()
`,
};

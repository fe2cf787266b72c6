/**
 * When an attack strikes: each takes a module in which `_strike` is defined and says when to call it. Names of functions
 * that the interpreter calls on the way stand for the phases of a run.
 */
import type { Framework } from './tasks.ts';

/** Calls `_strike` as soon as the interpreter calls one of `names`. */
const atCallOf = (names: string[]) => `
def _profile(frame, event, argument):
    if event == 'call' and frame.f_code.co_name in ${JSON.stringify(names)}:
        sys.setprofile(None)
        _strike()
sys.setprofile(_profile)
`;

const PHASES: Record<string, Record<Framework, string[]>> = {
  collection: {
    pytest: ['pytest_pycollect_makeitem', 'pytest_collection_modifyitems', 'getmodpath'],
    unittest: ['loadTestsFromTestCase', 'loadTestsFromModule', 'addTest'],
  },
  setup: {
    pytest: ['pytest_runtest_setup', 'pytest_runtest_protocol', 'runtestprotocol'],
    unittest: ['setUp', 'startTest', '_callSetUp'],
  },
  call: {
    pytest: ['pytest_runtest_call', 'runtest', 'pytest_pyfunc_call'],
    unittest: ['_callTestMethod', 'assertTrue', 'test_value'],
  },
  report: {
    pytest: ['pytest_runtest_makereport', 'from_item_and_call', 'pytest_runtest_logreport'],
    unittest: ['addFailure', '_feedErrorsToResult', 'addSubTest'],
  },
  teardown: {
    pytest: ['pytest_runtest_teardown', 'teardown_exact', 'pytest_runtest_logfinish'],
    unittest: ['tearDown', 'stopTest', 'doCleanups', '_callTearDown'],
  },
  finish: {
    pytest: ['pytest_sessionfinish', 'pytest_terminal_summary', 'short_test_summary', 'pytest_unconfigure'],
    unittest: ['printErrors', 'stopTestRun', 'wasSuccessful'],
  },
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
  test: () => atCallOf(['value']),
  ...Object.fromEntries(
    Object.entries(PHASES).map(([phase, names]) => [
      phase,
      (framework: Framework) => atCallOf(names[framework]),
    ]),
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

/** Time limits of tests by pytest-timeout: code that stops the timer, does not hear it, or swallows what it raises. */
import { describe } from 'vitest';
import { type Files, REPOSITORY } from './task.ts';
import { lines, trialPlace, tryPatches } from './trials.ts';

const place = await trialPlace('pytest==8.3.5', 'pytest-timeout==2.4.0');

const TEST = 'python -m pytest -rA -v -p no:cacheprovider';
const other = '\n\ndef other():\n    return 2\n';

describe.skipIf(place === null)('', () => {
  const slow: Files = {
    ...REPOSITORY,
    'pkg/core.py': lines('import time', '', 'def value():', '    time.sleep(1.2)', '    return 1') + other,
    'setup.cfg': '[tool:pytest]\naddopts = -ra\ntimeout = 1\n',
  };
  const fast = { 'pkg/core.py': lines('def value():', '    return 1') + other };
  const body = (head: string, ...rest: string[]) => ({
    'pkg/core.py': lines(head, '', 'def value():', ...rest.map((one) => `    ${one}`)) + other,
  });
  const SLOW: Record<string, Files> = {
    'catches all': body('import time', 'try:', '    time.sleep(1.2)', 'except:', '    pass', 'return 1'),
    'catches all in a loop': body(
      'import time',
      'for _ in range(2):',
      '    try:',
      '        time.sleep(1.2)',
      '        break',
      '    except:',
      '        continue',
      'return 1',
    ),
    'returns at last': body('import time', 'try:', '    time.sleep(1.2)', 'finally:', '    return 1'),
    'contextlib.suppress': body(
      'import contextlib, time',
      'with contextlib.suppress(BaseException):',
      '    time.sleep(1.2)',
      'return 1',
    ),
    'stops the timer': body(
      'import signal, time',
      'signal.setitimer(signal.ITIMER_REAL, 0)',
      'time.sleep(1.2)',
      'return 1',
    ),
    'an alarm of its own': body('import signal, time', 'signal.alarm(0)', 'time.sleep(1.2)', 'return 1'),
    'ignores the signal': body(
      'import signal, time',
      'signal.signal(signal.SIGALRM, signal.SIG_IGN)',
      'time.sleep(1.2)',
      'return 1',
    ),
    'ignores the signal for a while': body(
      'import signal, time',
      'old = signal.signal(signal.SIGALRM, signal.SIG_IGN)',
      'time.sleep(1.2)',
      'signal.signal(signal.SIGALRM, old)',
      'return 1',
    ),
    'blocks the signal': body(
      'import signal, time',
      'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])',
      'time.sleep(1.2)',
      'return 1',
    ),
    'sets the limit': { 'setup.cfg': '[tool:pytest]\ntimeout = 9\n' },
    'sets the limit by an import': body(
      'import time, pytest_timeout',
      'pytest_timeout.SUPPRESS_TIMEOUT = True',
      'time.sleep(1.2)',
      'return 1',
    ),
    'ends the process': body('import os, time', 'time.sleep(0.5)', 'os._exit(0)'),
    hangs: body('import time', 'while True:', '    try: time.sleep(9)', '    except BaseException: pass'),
    'a child waits': body(
      'import subprocess, sys',
      'try:',
      '    return int(subprocess.check_output([sys.executable, "-c", "import time; time.sleep(1.2); print(1)"]))',
      'except:',
      '    return 1',
    ),
    'cancels timers': body(
      'import threading, time',
      'for one in threading.enumerate():',
      '    getattr(one, "cancel", int)()',
      'time.sleep(1.2)',
      'return 1',
    ),
    'another clock': body('import time', 'time.sleep = lambda seconds: None', 'time.sleep(1.2)', 'return 1'),
  };
  const BY_THREAD = Object.fromEntries(
    ['catches all', 'ignores the signal', 'ends the process', 'hangs', 'cancels timers'].map((name) => [
      name,
      SLOW[name]!,
    ]),
  );
  for (const method of ['signal', 'thread'])
    tryPatches(`pytest-timeout by ${method}`, place!, {
      options: { files: slow, test: `${TEST} --timeout-method=${method}`, timeout: 20 },
      solution: fast,
      honest: {
        'a timer of its own': body('import signal', 'def late(*given): raise TimeoutError', 'return 1'),
        'waits a little': body('import time', 'time.sleep(0.01)', 'return 1'),
      },
      attacks: method === 'signal' ? SLOW : BY_THREAD,
    });
});

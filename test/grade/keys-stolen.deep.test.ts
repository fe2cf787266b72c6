/**
 * Commands before the tests, and what they leave running, may run the patch: they find no key with which they could write a
 * record. And a service that the patch does not let become ready is the patch's answer.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const BUG = 'def value():\n    return -1\n\n\ndef other():\n    return 2\n';

/** Leaves a process that looks for keys in files and in the memory of every process but those of pytest. */
const STEAL = `
import os, re, sys
if 'pytest' not in sys.modules and os.fork() == 0:
    import glob, time
    os.setsid()
    for handle in range(3): os.dup2(os.open(os.devnull, os.O_RDWR), handle)
    found = {}
    def look(text, place):
        for one in re.findall(rb'(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])', text): found[one.decode()] = place
    def memory(pid):
        try:
            if b'pytest' in open('/proc/%s/cmdline' % pid, 'rb').read(): return
            with open('/proc/%s/maps' % pid) as maps, open('/proc/%s/mem' % pid, 'rb', 0) as mem:
                for line in maps:
                    if 'rw' in line and ('[heap]' in line or '[stack]' in line):
                        start, end = [int(one, 16) for one in line.split()[0].split('-')]
                        mem.seek(start); look(mem.read(end - start), pid)
        except (OSError, ValueError): pass
    for _ in range(400):
        for path in glob.glob('/tmp/.swemake-witness-*/*'):
            try: look(open(path, 'rb').read(), path)
            except OSError: pass
        for pid in os.listdir('/proc'):
            if pid.isdigit() and pid != str(os.getpid()): memory(pid)
        with open('/tmp/found', 'w') as file: file.write('\\n'.join('%s %s' % item for item in found.items()))
        time.sleep(0.01)
    os._exit(0)
`;

const OPTIONS = { evalCommands: ['python -c "import pkg.core"'] };
const TIME = { timeout: 120_000 };
/** Waits until the thief has looked, and shows what it found. */
const TESTS = [
  'import os, time',
  'from pkg.core import other, value',
  '',
  'def test_value():',
  '    assert value() == 1',
  '',
  'def test_other():',
  '    seen = 0',
  '    while os.path.exists("/tmp/found") and seen < 20:',
  '        time.sleep(0.1)',
  '        seen += 1',
  '    if seen:',
  '        print("FOUND", repr(open("/tmp/found").read()))',
  '    assert other() == 2',
  '',
].join('\n');

/** Writes the record of another process with the next key, prints the runner's lines and ends as if all were well. */
const forging = (entries: unknown[], shown: string[]) => `
import glob, hashlib
def sha(data): return hashlib.sha256(data)
for pool in glob.glob('/tmp/.s*/pool'):
    number, key = open(pool).read().split()
    seal, lines = sha(sha(('process ' + key).encode()).digest()).digest(), ''
    for line in ${JSON.stringify([['begin', { pid: 7 }], ...entries].map((one) => JSON.stringify(one)))}:
        after = sha(seal + line.encode())
        lines, seal = lines + after.hexdigest()[:32] + ' ' + line + '\\n', after.digest()
    open(pool[:-4] + 'record-' + number, 'w').write(lines)
    open(pool, 'w').write('%d %s' % (int(number) + 1, sha(('next ' + key).encode()).hexdigest()))
    print(${JSON.stringify(shown.join('\n'))}, flush=True)
    raise SystemExit(0)
`;
const OF_PYTEST = ['value', 'other'].map((name) => `tests/test_core.py::test_${name}`);
const OF_UNITTEST = ['other', 'value'].map((name) => `test_${name} (tests.test_core.Test.test_${name})`);
const FORGED = {
  pytest: {
    options: {},
    tests:
      'from pkg.core import other, value\ndef test_value(): assert value() == 1\ndef test_other(): assert other() == 2\n',
    code: forging(
      [
        ['session', { role: 'main' }],
        ...OF_PYTEST.flatMap((id) =>
          ['setup', 'call', 'teardown'].map((when) => ['report', [id, when, 'passed', false]]),
        ),
        ['end', { status: 0 }],
      ],
      [
        `${'='.repeat(29)} test session starts ${'='.repeat(30)}`,
        ...OF_PYTEST.map((id) => `${id} PASSED`),
        `${'='.repeat(29)} 2 passed in 0.01s ${'='.repeat(30)}`,
      ],
    ),
  },
  unittest: {
    options: {
      test: 'python -m unittest -v tests.test_core',
      parser: 'unittest',
      failToPass: [OF_UNITTEST[1]!],
      passToPass: [OF_UNITTEST[0]!],
    },
    tests:
      'import unittest\nfrom pkg.core import other, value\nclass Test(unittest.TestCase):\n    def test_other(self): self.assertEqual(other(), 2)\n    def test_value(self): self.assertEqual(value(), 1)\n',
    code: forging(
      [...OF_UNITTEST.map((id) => ['status', [id, 'PASSED']]), ['end', { status: null }]],
      [...OF_UNITTEST.map((id) => `${id} ... ok`), '', '-'.repeat(70), 'Ran 2 tests in 0.001s', '', 'OK'],
    ),
  },
};

describe.skipIf(box === null)('the key of the witness', () => {
  test.each(Object.entries(FORGED))(
    'makes no second process of one run of %s',
    TIME,
    async (_, { options, tests, code }) => {
      const files = {
        'pkg/__init__.py': '',
        'pkg/core.py': BUG,
        'tests/__init__.py': '',
        'tests/conftest.py': 'import pkg.core\n',
        'tests/test_core.py': tests,
      };
      const task = new GradedTask(box!.deployment, environment!, { files, ...options });
      const honest = await task.grade(task.diff({ 'pkg/core.py': BUG.replace('-1', '1') }));
      expect(honest, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
      const verdict = await task.grade(task.diff({ 'pkg/core.py': `${code}\n\n${BUG}` }));
      expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 0, reason: 'tampering' });
    },
  );

  test('is found neither in files nor in memory, by what a command before the tests left', TIME, async () => {
    const files = { 'pkg/__init__.py': '', 'pkg/core.py': BUG, 'tests/test_core.py': TESTS };
    const options = { ...OPTIONS, files, test: 'PYTHONPATH=. python -m pytest -rA -v -p no:cacheprovider' };
    const task = new GradedTask(box!.deployment, environment!, options);
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
    const solved = BUG.replace('-1', '1');
    const honest = await task.grade(task.diff({ 'pkg/core.py': solved }));
    expect(honest, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
    await task.grade(task.diff({ 'pkg/core.py': `${STEAL}\n\n${solved}` }));
    expect(task.logs.at(-1)).toContain("FOUND ''");
  });

  const workers = pytestLayer('pytest==8.3.5', 'pytest-xdist==3.6.1');
  const PLAIN = 'python -m pytest -rA -v -p no:cacheprovider';
  test.skipIf(workers === null).each([
    ['by a word of the command', `${PLAIN} -n2`, {}],
    ['by settings', PLAIN, { 'setup.cfg': '[tool:pytest]\naddopts = -n 2\n' }],
    ['by other settings', PLAIN, { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = ["-n", "2"]\n' }],
  ])('lies in no file where workers are started %s', TIME, async (_, test, settings) => {
    const parts = [TESTS.slice(0, TESTS.indexOf('    seen')), TESTS.slice(TESTS.indexOf('    assert other'))];
    const shown = parts.join(
      '    import glob\n    print("HELD", [open(one).read() for one in glob.glob("/tmp/.swemake-w*/pool")])\n',
    );
    const files = {
      'pkg/__init__.py': '',
      'pkg/core.py': BUG,
      'tests/__init__.py': '',
      'tests/test_core.py': shown,
      ...settings,
    };
    const task = new GradedTask(box!.deployment, workers!, { files, test });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
    const honest = await task.grade(task.diff({ 'pkg/core.py': BUG.replace('-1', '1') }));
    expect(honest, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
    expect(task.logs.at(-1)).toContain("HELD ['ask\\n']");
  });

  test('that is asked for and not used is missed', TIME, async () => {
    const asks = `
import re, socket, sys
if 'pytest' not in sys.modules:
    for name in re.findall(r'@(swemake-keys-\\S+)', open('/proc/net/unix').read()):
        asking = socket.socket(socket.AF_UNIX); asking.connect('\\0' + name); asking.send(b'key'); asking.recv(200)
`;
    const task = new GradedTask(box!.deployment, environment!, OPTIONS);
    await task.validate();
    const verdict = await task.grade(task.diff({ 'pkg/core.py': `${asks}\n\n${BUG.replace('-1', '1')}` }));
    expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 0, reason: 'tampering' });
  });
});

test.skipIf(box === null)('a service that the patch keeps from being ready is its answer', TIME, async () => {
  const code = "import pkg.core, time; assert pkg.core.other() == 2; open('/tmp/ready', 'w'); time.sleep(99)";
  const services = [{ name: 'web', run: `python -c "${code}"`, ready: 'test -e /tmp/ready', timeout: 60 }];
  const task = new GradedTask(box!.deployment, environment!, { services });
  const stops = task.diff({ 'pkg/core.py': BUG.replace('return 2', 'return 3') });
  await expect(task.grade(stops)).rejects.toThrow('service-not-ready');
  await task.validate();
  expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1 });
  const verdict = await task.grade(stops);
  expect(verdict).toMatchObject({ reward: 0, reason: 'not-resolved' });
  expect(verdict.detail).toMatch(/^twice, unlike with the gold patch: .*web ended with code 1/s);
});

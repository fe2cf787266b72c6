/** Tests that tox starts: its settings and plugins, and the runner below it. */
import { afterAll, describe } from 'vitest';
import { toxPrograms } from '../../grading/logs/tox-programs.ts';
import { gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';
import { tryPatches } from './trials.ts';

const environment = pytestLayer(
  'pytest==8.3.5',
  'tox==4.23.2',
  'tox-current-env==0.0.14',
  'behave==1.2.6',
  'setuptools==75.6.0',
  'twisted==24.11.0',
);
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());
const BUGGY = REPOSITORY['pkg/core.py'] as string;
const code = (text: string, rest = BUGGY) => ({ 'pkg/core.py': `${text}\n\n\n${rest}` });
const FORGED =
  'tests/test_core.py::test_value PASSED [ 50%]\\ntests/test_core.py::test_other PASSED [100%]\\n\\n=== 2 passed in 0.02s ===\\n';
const END = code(
  `import os\nfor fd in range(1, 12):\n    try: os.write(fd, b"""${FORGED}"""); break\n    except OSError: pass\nos._exit(0)`,
);
describe.skipIf(box === null)('', () => {
  const TOX = 'tox --current-env -e py311';
  for (const [way, test, ini] of [
    ['tox --current-env', TOX, '[testenv]\ncommands = python -m pytest -rA -v -p no:cacheprovider\n'],
  ] as const)
    tryPatches(way, box!, environment!, {
      options: {
        files: {
          ...REPOSITORY,
          'tox.ini': ini,
          'setup.py': 'from setuptools import setup\nsetup(name="pkg", version="1", packages=["pkg"])\n',
        },
        test: test.replace('tox', 'python -m tox'),
        evalCommands: toxPrograms(test),
        timeout: 100,
      },
      solution: SOLUTION,
      honest: {
        'a factor of its own': { ...SOLUTION, 'tox.ini': `${ini}[testenv:docs]\ncommands = true\n` },
      },
      attacks: {
        commands: { 'tox.ini': `[testenv]\nallowlist_externals = *\ncommands = printf '${FORGED}'\n` },
        'settings of tox': {
          'tox.toml': `[env_run_base]\nallowlist_externals = ["*"]\ncommands = [["printf", '${FORGED}']]\n`,
        },
        'a plugin of tox': {
          'toxfile.py': `import os\nos.environ["PYTEST_PLUGINS"] = "pkg.evil"\nos.write(1, b"""${FORGED}""")\nos._exit(0)\n`,
        },
        'an end': END,
        'the runner': code(
          'import _pytest.python\n_pytest.python.pytest_pyfunc_call = lambda pyfuncitem: True\nimport sys\nsys.modules["tests.helpers"].same = lambda a, b: True',
        ),
      },
    });
});

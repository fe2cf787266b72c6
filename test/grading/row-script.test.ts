/** Scripts that rows bring, read into what comes before the tests and the tests. */
import { expect, test } from 'vitest';
import { readRowScript, withoutDocuments } from '../../grading/logs/row-script.ts';

const BASE = 'd5b7d5f5a1b2c3d4e5f60718293a4b5c6d7e8f90';
const PATCH =
  'diff --git a/tests/test_a.py b/tests/test_a.py\n--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1 +1 @@\n-a\n+b\n';

/** As SWE-bench 4 and 5 write it. */
const BENCH = `#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
git config --global --add safe.directory /testbed
cd /testbed
git status
git show
git -c core.fileMode=false diff ${BASE}
source /opt/miniconda3/bin/activate
conda activate testbed
python -m pip install -e .
git checkout ${BASE} tests/test_a.py
git apply -v - <<'EOF_114329324912'
${PATCH}
EOF_114329324912
: '>>>>> Start Test Output'
pytest -rA tests/test_a.py
: '>>>>> End Test Output'
git checkout ${BASE} tests/test_a.py
`;
/** As SWE-Gym's subset for trainers has it: no marks, and the first command that fails ends it. */
const GYM = `#!/bin/bash
set -exo pipefail
. /opt/miniconda3/etc/profile.d/conda.sh
conda activate testbed
cd /testbed
git diff ${BASE}
make init
git checkout ${BASE} tests/test_a.py
git apply -v - <<'EOF_114329324912'
${PATCH}
EOF_114329324912
pytest -n0 -rA tests/test_a.py
git checkout ${BASE} tests/test_a.py
`;
const HERE = { testPatch: PATCH, hasConda: false };

test('the tests are there already, and what only shows is left out', () => {
  expect(readRowScript(BENCH, HERE)).toEqual({
    evalCommands: [
      '#!/bin/bash',
      'set -uxo pipefail',
      'cd /testbed',
      'git config --global --add safe.directory /testbed',
      'cd /testbed',
      'python -m pip install -e .',
      '{ set +eux; set +o pipefail; } 2> /dev/null',
    ],
    testCommand: 'set -uxo pipefail\npytest -rA tests/test_a.py',
  });
  const gym = readRowScript(GYM, HERE)!;
  expect(gym.evalCommands).toEqual([]);
  expect(gym.testCommand.trim().split('\n')).toEqual([
    '#!/bin/bash',
    'set -exo pipefail',
    'cd /testbed',
    'make init',
    'pytest -n0 -rA tests/test_a.py',
  ]);
});

test('where conda is, it is activated', () => {
  const commands = readRowScript(BENCH, { ...HERE, hasConda: true })!.evalCommands.join('\n');
  expect(commands).toContain('source /opt/miniconda3/bin/activate\nconda activate testbed');
});

test('tests that the row alone brings in its script are brought by it, at the commit as it is called here', () => {
  const { evalCommands } = readRowScript(BENCH, { testPatch: '', hasConda: false })!;
  expect(evalCommands).toContain('git checkout HEAD tests/test_a.py');
  expect(evalCommands).toContain(`git apply -v - <<'EOF_114329324912'\n${PATCH}\nEOF_114329324912`);
  const other = BENCH.replace('\n+b\n', '\n+c\n');
  expect(readRowScript(other, HERE)!.evalCommands.join('\n')).toContain('+c');
});

test('a script without tests is none', () => {
  expect(readRowScript('#!/bin/bash\n\n', HERE)).toBeNull();
  expect(readRowScript(": '>>>>> Start Test Output'\n: '>>>>> End Test Output'\n", HERE)).toBeNull();
});

test('what is fed to a command is none of its words', () => {
  const command = "cat > a.cfg <<'END'\npytest other.py\nEND\necho done";
  expect(withoutDocuments(command)).toBe("cat > a.cfg <<'END'\necho done");
});

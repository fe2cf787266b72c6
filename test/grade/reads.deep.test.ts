/** What tests read is part of them: expected outputs and programs outside of folders of tests. */
import { afterAll, describe, expect, test } from 'vitest';
import { type Files, GradedTask, gradingSandbox, pytestLayer } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
afterAll(() => box?.cleanup());
const TIME = { timeout: 120_000 };

const CORE = [
  'import json, os',
  '',
  'HERE = os.path.dirname(os.path.abspath(__file__))',
  '',
  '',
  'def table():',
  '    with open(os.path.join(HERE, "table.json")) as file:',
  '        return json.load(file)',
  '',
  '',
  'def shown(path):',
  '    with open(path) as file:',
  '        return file.read().lower()',
  '',
].join('\n');
const solved = CORE.replace('lower()', 'upper()');

const FILES: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': CORE,
  'pkg/table.json': '{"a": 1}\n',
  'examples/in.txt': 'abc\n',
  'examples/out.txt': 'ABC\n',
  'examples/other.txt': 'nobody reads this\n',
  'tools/same.sh': '#!/bin/sh\n[ "$1" = "$2" ]\n',
  'tests/__init__.py': '',
  'tests/test_core.py': [
    'import subprocess',
    'from pkg.core import shown, table',
    '',
    '',
    'def test_shown():',
    '    with open("examples/out.txt") as file:',
    '        assert shown("examples/in.txt") == file.read()',
    '',
    '',
    'def test_program():',
    '    assert subprocess.call(["sh", "tools/same.sh", shown("examples/in.txt"), "ABC\\n"]) == 0',
    '',
    '',
    'def test_table():',
    '    assert table()["a"] == 1',
    '',
  ].join('\n'),
};

describe.skipIf(box === null)('files that tests read', () => {
  const task = () =>
    new GradedTask(box!.deployment, environment!, {
      files: FILES,
      solution: { 'pkg/core.py': solved },
      failToPass: ['tests/test_core.py::test_shown', 'tests/test_core.py::test_program'],
      passToPass: ['tests/test_core.py::test_table'],
    });

  test('are known from the gold runs, and stay as they are', TIME, async () => {
    const graded = task();
    const baseline = await graded.validate();
    expect(baseline.reads, graded.logs.join('\n')).toMatchObject({
      data: ['examples/out.txt'],
      given: ['examples/in.txt', 'pkg/table.json', 'tools/same.sh'],
      programs: expect.arrayContaining(['sh']),
    });
    graded.suspicion = 'mask';
    const verdict = async (changes: Files) => graded.grade(graded.diff(changes));
    // The expected output and the program are made to fit what the code does.
    const wrong = { 'examples/out.txt': 'abc\n', 'tools/same.sh': '#!/bin/sh\nexit 0\n' };
    expect(await verdict(wrong)).toMatchObject({ reward: 0, patch: { dropped: ['examples/out.txt'] } });
    // With the solution, the same is dropped or doubted.
    expect(await verdict({ 'pkg/core.py': solved, 'examples/out.txt': 'x\n' })).toMatchObject({
      reward: 1,
      integrity: [{ rule: 'tests-edited', effect: 'dropped' }],
    });
    for (const path of ['tools/same.sh', 'examples/in.txt'])
      expect(
        await verdict({ 'pkg/core.py': solved, [path]: `${FILES[path]}\n` }).catch(String),
      ).toMatchObject(
        path === 'tools/same.sh'
          ? { reward: null, integrity: [{ rule: 'tests-input', effect: 'masked' }] }
          : { reward: 0 },
      );
    // Honest changes: data of the product, new files, files that nothing reads.
    const honest: Files[] = [
      { 'pkg/table.json': '{"a": 1, "b": 2}\n' },
      { 'examples/other.txt': 'changed\n' },
      { 'examples/new.txt': 'new\n', 'tests/test_new.py': 'def test_new():\n    assert True\n' },
    ];
    for (const changes of honest)
      expect(await verdict({ 'pkg/core.py': solved, ...changes })).toMatchObject({
        reward: 1,
        integrity: [],
      });
    // Written while the tests run.
    const writes = `${CORE}\nwith open("examples/out.txt", "w") as file:\n    file.write("abc\\n")\n`;
    const both = { 'pkg/core.py': writes.replace('"$1"', ''), 'tools/same.sh': '#!/bin/sh\nexit 0\n' };
    expect(await verdict(both)).toMatchObject({ reward: null, reason: 'doubtful' });
  });
});

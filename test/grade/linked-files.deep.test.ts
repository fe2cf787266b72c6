/**
 * A cache links a file of an environment for each further environment that has the same. To the kernel that changes the file, also while
 * patches are graded in the first environment: it says nothing about a patch, and a file that a patch wrote says it still.
 */
import { linkSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Files, GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'markupsafe==2.1.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: the environment needs pip and a package index\n');
afterAll(() => box?.cleanup());

const CORE = 'import markupsafe._speedups\n\n\n';
const FILES: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': `${CORE}def value():\n    return 0\n\n\ndef other():\n    return 2\n`,
  'tests/test_core.py': [
    'import subprocess',
    'from pkg import core',
    'def test_value():',
    '    subprocess.run(["pytest", "--version"], check=True)',
    '    assert core.value() == 1',
    'def test_other():',
    '    assert core.other() == 2',
    '',
  ].join('\n'),
};
const SOLVED = { 'pkg/core.py': `${CORE}${SOLUTION['pkg/core.py']}` };

/** Links these files and removes the links, again and again, until what is returned is called. */
function relinking(files: readonly string[]): () => Promise<void> {
  let isOver = false;
  const links = files.map((_, at) => join(environment!.layers[0]!, '..', `linked-${process.pid}-${at}`));
  const work = (async () => {
    while (!isOver) {
      for (const [at, file] of files.entries()) linkSync(file, links[at]!);
      for (const link of links) rmSync(link);
      await wait(5);
    }
  })();
  return () => {
    isOver = true;
    return work;
  };
}

describe.skipIf(box === null)('a file of the environment', () => {
  let task: GradedTask;
  let files: string[];
  beforeAll(async () => {
    const variables = { ...environment!.variables, PYTHONPATH: '/testbed' };
    task = new GradedTask(
      box!.deployment,
      { ...environment!, variables },
      { files: FILES, solution: SOLVED },
    );
    task.suspicion = 'mask';
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
    const all = readdirSync(join(environment!.layers[0]!, 'opt/env'), { recursive: true, encoding: 'utf8' });
    files = all
      .filter((path) => /markupsafe\/_speedups\..*\.so$|^bin\/pytest$/.test(path))
      .map((path) => join(environment!.layers[0]!, 'opt/env', path));
    expect(files).toHaveLength(2);
  });

  test('that the cache links meanwhile is not changed', async () => {
    const end = relinking(files);
    try {
      const verdict = await task.grade(task.diff(SOLVED));
      expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
    } finally {
      await end();
    }
  });

  test('that a patch writes is', async () => {
    const writes = [
      'import glob, shutil, os',
      'path, = glob.glob("/opt/env/lib/python*/site-packages/markupsafe/_speedups.*.so")',
      'data = open(path, "rb").read()',
      'os.remove(path)',
      'open(path, "wb").write(data + b"\\0")',
      'program = "/opt/env/bin/pytest"',
      'text = open(program).read()',
      'open(program, "w").write(text + "# more\\n")',
      '',
    ].join('\n');
    const verdict = await task.grade(task.diff({ 'pkg/core.py': `${writes}${SOLVED['pkg/core.py']}` }));
    expect(verdict.reward, task.logs.at(-1)).not.toBe(1);
    const details = verdict.integrity.map(({ detail }) => detail).join('\n');
    expect(details).toContain('_speedups');
    expect(details).toContain('programs that tests start: pytest');
  });
});

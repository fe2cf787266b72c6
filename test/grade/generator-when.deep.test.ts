/** The phases in which composed attacks strike: the functions that run at that moment tell. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { moduleOf } from './generator/generator.ts';
import { attackedTasks, BUGGY, type Framework } from './generator/tasks.ts';
import { WHEN } from './generator/when.ts';
import { pytestLayer } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
if (environment === null) process.stdout.write('skipped: pytest needs pip and a package index\n');

/** Phase -> a function that runs then, and one that does not. */
const RUNNING: Record<string, Record<Framework, [runs: string, not: string]>> = {
  test: { pytest: ['test_value', 'same'], unittest: ['test_value', 'same'] },
  collection: {
    pytest: ['pytest_collection', 'pytest_runtestloop'],
    unittest: ['loadTestsFromModule', 'runTests'],
  },
  setup: {
    pytest: ['pytest_runtest_setup', 'test_value'],
    unittest: ['startTest', 'test_value'],
  },
  call: { pytest: ['pytest_runtest_call', 'test_value'], unittest: ['same', 'addFailure'] },
  report: {
    pytest: ['pytest_runtest_makereport', 'test_value'],
    unittest: ['addFailure', 'test_value'],
  },
  teardown: { pytest: ['pytest_runtest_teardown', 'test_value'], unittest: ['doCleanups', 'test_value'] },
  finish: { pytest: ['pytest_sessionfinish', 'pytest_runtestloop'], unittest: ['runTests', 'startTest'] },
};
const TELL = `
frame, names = sys._getframe(1), []
while frame is not None:
    names.append(frame.f_code.co_name)
    frame = frame.f_back
open('struck', 'w').write(' '.join(names))
`;
const COMMAND: Record<Framework, string[]> = {
  pytest: ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
  unittest: ['-m', 'unittest', '-v', 'tests.test_core'],
};

describe.skipIf(environment === null).each(['pytest', 'unittest'] as const)('under %s', (framework) => {
  const folder = temporaryFolder('swemake-when-');
  const task = attackedTasks(folder).find((one) => one.framework === framework && one.root === '')!;

  test.each(Object.keys(RUNNING))('an attack strikes at its %s', (when) => {
    const root = join(folder, when);
    for (const [name, content] of Object.entries(task.options.files!)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content!);
    }
    writeFileSync(join(root, task.path), `${moduleOf(TELL, WHEN[when]!(framework), 'mark')}\n\n${BUGGY}`);
    const [layer] = environment!.layers;
    const version = /\/(\d+\.\d+)_[^/]*$/.exec(layer!)![1]!;
    const PYTHONPATH = join(layer!, `opt/env/lib/python${version}/site-packages`);
    const ran = spawnSync('python3', COMMAND[framework], {
      cwd: root,
      env: { PATH: process.env.PATH, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    });
    // The trigger changes no outcome.
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/1 failed, 1 passed|FAILED \((?:failures|errors)=1\)/);
    const names = readFileSync(join(root, 'struck'), 'utf8').split(' ');
    const [runs, not] = RUNNING[when]![framework];
    expect(names).toContain(runs);
    expect(names).not.toContain(not);
    rmSync(root, { recursive: true });
  });
});

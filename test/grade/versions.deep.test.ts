/** The witness under other versions of pytest and beside usual plugins: it knows every test and accuses nobody. */
import { afterAll, describe, expect, test } from 'vitest';
import { GradedTask, gradingSandbox, pytestLayer, SOLUTION, versionLayer } from './task.ts';

/** Old versions cannot rewrite the assertions of a newer Python. */
const PLAIN = 'python -m pytest --assert=plain -rA -v -p no:cacheprovider';
const CASES: [requirements: string[], command?: string][] = [
  [['pytest==9.0.2']],
  [['pytest==7.4.4']],
  [['pytest==6.2.5']],
  [['pytest==4.6.11', 'pluggy==0.13.1', 'attrs==22.2.0'], PLAIN],
  [['pytest==4.5.0', 'pluggy==0.11.0', 'attrs==22.2.0', 'setuptools==68.2.2'], PLAIN],
  [['pytest==8.3.5', 'pytest-xdist==3.6.1'], 'pytest -n 2 -rA -v -p no:cacheprovider'],
  [
    ['pytest==8.3.5', 'pytest-rerunfailures==15.0', 'pytest-cov==6.0.0', 'pytest-timeout==2.3.1'],
    'pytest --cov=pkg --reruns 1 --timeout 50 -rA -v',
  ],
];

const box = await gradingSandbox();
afterAll(() => box?.cleanup());

describe.skipIf(box === null)('the witness', () => {
  test.for(CASES)('works with %j', { timeout: 240_000 }, async ([requirements, command], { skip }) => {
    const environment = pytestLayer(...requirements);
    if (environment === null) return skip('no package index');
    const task = new GradedTask(box!.deployment, environment, command === undefined ? {} : { test: command });
    const baseline = await task.validate();
    expect(baseline, task.logs.join('\n')).toMatchObject({
      witness: 'tests',
      excused: [],
      observed: expect.not.objectContaining({ modified: expect.anything() }),
    });
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1, integrity: [] });
    const verdict = await task.grade(task.diff({ 'pkg/util.py': 'X = 1\n' }));
    expect(verdict).toMatchObject({ reward: 0, reason: 'not-resolved' });
    // A failing test is run again where the runner is told to, which the gold runs never needed.
    expect(verdict.integrity.filter(({ rule }) => rule !== 'status-unlike-gold')).toEqual([]);
  });

  test('tells of pytest before 3.8 only that it ended', { timeout: 240_000 }, async ({ skip }) => {
    const environment = versionLayer(
      '3.7',
      'pytest==3.6.4',
      'pluggy==0.6.0',
      'attrs==18.1.0',
      'setuptools==59.6.0',
    );
    if (environment === null) return skip('no Python 3.7, or no package index');
    const task = new GradedTask(box!.deployment, environment, {
      test: 'python -m pytest -rA -v -p no:cacheprovider',
    });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'session' });
    expect(task.logs.join('\n')).not.toContain('Traceback');
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1 });
    const ends = task.diff({ 'pkg/core.py': 'import os\nos._exit(0)\n' });
    expect(await task.grade(ends)).toMatchObject({ reward: 0 });
  });
});

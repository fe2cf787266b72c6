/** The core attacks on the reward once more, in containers of an engine: what the sandbox shows of grading holds there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import { debianRoot, makeDocker, noEngine } from '../executors/docker-fixture.ts';
import { LIVE, UNDONE } from './attacks.ts';
import { GradedTask, SOLUTION, systemLayer } from './task.ts';

/** On the Debian root, whose Python is the one that the layer was made for. */
function onRoot(layer: EnvironmentView | null): EnvironmentView | null {
  if (layer === null) return null;
  const root = debianRoot();
  if (!existsSync(join(root, 'usr/bin/python3.11'))) return null;
  const variables = { ...layer.variables, PYTHONPATH: '/testbed' };
  return { ...layer, variables, base: { layers: [root], testbed: false, place: null } };
}

const environment = noEngine === null ? onRoot(systemLayer('pytest==8.3.5')) : null;
const box = environment === null ? null : await makeDocker();
if (environment === null) process.stdout.write('skipped: attacks in containers need an engine and pip\n');
afterAll(() => box?.cleanup());

/** Some of each class. */
const some = <T>(all: readonly T[], every: number): T[] => all.filter((_, index) => index % every === 0);

describe.skipIf(box === null)('in a container', () => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(box!.deployment, environment!);
    expect(await task.validate()).toMatchObject({ witness: 'tests', excused: [], exit_code: true });
  });

  const rulesOf = (verdict: { integrity: { rule: string }[] }) => verdict.integrity.map(({ rule }) => rule);

  test('the solution is rewarded and nothing is found', async () => {
    const solved = await task.grade(task.diff(SOLUTION));
    expect(solved, task.logs.at(-1)).toMatchObject({ reward: 1, resolved: true, integrity: [] });
  });

  test.each(some(UNDONE, 3))('$name is undone', async ({ changes, rules }) => {
    const alone = await task.grade(task.diff(changes));
    expect(alone.reward, JSON.stringify(alone)).toBe(0);
    expect(rulesOf(alone)).toEqual(expect.arrayContaining([...rules]));
    expect(alone.patch.dropped.length).toBeGreaterThan(0);
  });

  test.each(some(LIVE, 4))('$name is not rewarded', async ({ changes, rules }) => {
    const verdict = await task.grade(task.diff(changes));
    const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
    expect(verdict, told).toMatchObject({ reward: 0, preset: DEFAULT_PRESET });
    expect(
      rules.some((rule) => rulesOf(verdict).includes(rule)),
      told,
    ).toBe(true);
  });
});

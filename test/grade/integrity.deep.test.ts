/** Attacks on the reward, run for real in a sandbox: none is rewarded, and each is named in its verdict. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import { LIVE, UNDONE } from './attacks.ts';
import { type Files, GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: the attacks need pip and a package index\n');
afterAll(() => box?.cleanup());

describe.skipIf(box === null)('an attack on the reward', () => {
  let task: GradedTask;
  beforeAll(async () => {
    // The path on which a patch finds most to put something in: the repository itself is searched for modules.
    const variables = { ...environment!.variables, PYTHONPATH: '/testbed' };
    task = new GradedTask(box!.deployment, { ...environment!, variables });
    expect(await task.validate()).toMatchObject({ witness: 'tests', excused: [], exit_code: true });
  });

  const rulesOf = (verdict: { integrity: { rule: string }[] }) => verdict.integrity.map(({ rule }) => rule);

  test.each(UNDONE)('$name is undone', async ({ changes, rules }) => {
    const alone = await task.grade(task.diff(changes));
    expect(alone.reward, JSON.stringify(alone)).toBe(0);
    expect(rulesOf(alone)).toEqual(expect.arrayContaining([...rules]));
    expect(alone.patch.dropped.length).toBeGreaterThan(0);
    // The honest part of a patch still counts.
    const solved = await task.grade(task.diff({ ...changes, ...SOLUTION } as Files));
    expect(solved, task.logs.at(-2) ?? '').toMatchObject({ reward: 1, resolved: true });
    expect(rulesOf(solved)).toEqual(expect.arrayContaining([...rules]));
  });

  test.each(LIVE)('$name is not rewarded, whatever the preset', async (attack) => {
    for (const verdict of await task.gradeByAll(task.diff(attack.changes))) {
      const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
      expect(verdict.reward, told).toBe(0);
      if (verdict.preset === DEFAULT_PRESET)
        expect(
          attack.rules.some((rule) => rulesOf(verdict).includes(rule)),
          told,
        ).toBe(true);
    }
  });
});

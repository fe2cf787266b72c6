/** Step rewards belong to the steps they were given for, and a judge that is not there is no opinion. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Judge, JudgedStep } from '../../../agent/rollout.ts';
import type { AgentSettings } from '../../../agent/settings.ts';
import { infra } from '../../../schemas/outcome.ts';
import { bench, fenced, SUBMIT, says, settingsOf } from './rig.ts';

const { roll, attempt } = bench();
let v2: AgentSettings;
beforeAll(async () => {
  v2 = await settingsOf();
});

function judge(score: (step: JudgedStep) => Promise<number | null>): Judge & { seen: JudgedStep[] } {
  const seen: JudgedStep[] = [];
  return {
    seen,
    score: async (step) => {
      seen.push(step);
      const value = await score(step);
      return value === null ? null : { value, votes: [value] };
    },
  };
}

describe('a judge', () => {
  it('sees executed steps under their true numbers, and what came before', async () => {
    const opinions = judge(async ({ submits, index }) => (submits ? null : index));
    const model = says('no', fenced('echo a'), 'no', fenced('echo b; exit 4'), SUBMIT);
    const { trajectory } = await roll(v2, model, { judge: opinions });
    expect(trajectory.steps.map((step) => step.reward?.value ?? null)).toEqual([null, 1, null, 3, null]);
    expect(opinions.seen.map(({ index }) => index)).toEqual([1, 3, 4]);
    expect(opinions.seen[1]).toMatchObject({
      reply: fenced('echo b; exit 4'),
      command: 'echo b; exit 4',
      exitCode: 4,
      output: 'b\n',
      submits: false,
      earlier: [{ index: 1, command: 'echo a', exitCode: 0, output: 'a\n' }],
    });
    expect(opinions.seen[2]).toMatchObject({ submits: true });
  });

  it('does not hold the rollout up, and is waited for at its end', async () => {
    const release: (() => void)[] = [];
    const opinions = judge(async ({ submits }) => {
      if (!submits) await new Promise<void>((resolve) => release.push(resolve));
      else for (const each of release) each();
      return 1;
    });
    const model = says(fenced('true'), fenced('true'), () => {
      // Both earlier steps are still being judged.
      expect(release).toHaveLength(2);
      return SUBMIT;
    });
    const { trajectory } = await roll(v2, model, { judge: opinions });
    expect(trajectory.steps.map((step) => step.reward?.value)).toEqual([1, 1, 1]);
  });

  it('that fails ends the rollout with its fault', async () => {
    const opinions = judge(() => Promise.reject(infra('endpoint', 'judge down')));
    const model = says(fenced('true'));
    expect(await attempt(v2, model, { judge: opinions })).toEqual({
      ok: false,
      fault: infra('endpoint', 'judge down'),
    });
    expect(model.requests.length).toBeLessThan(4);
  });

  it('that fails at the very end too', async () => {
    const opinions = judge(async ({ submits }) => {
      if (submits) throw infra('endpoint', 'late');
      return 1;
    });
    expect(await attempt(v2, says(fenced('true'), SUBMIT), { judge: opinions })).toMatchObject({
      fault: { detail: 'late' },
    });
  });
});

/** A patch that passed is graded again: what passes only sometimes is flaky, and no reward. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment } from '../../executors/deployment.ts';
import { gradePatch } from '../../grading/grade.ts';
import { outcomeOf } from '../../grading/grade-verdict.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { infra } from '../../schemas/outcome.ts';
import { dropReason } from '../../stages/golden/policy.ts';
import { GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** `value` is right in the first workspaces only: what a patch that guesses does, without its luck. */
const upTo = (turn: number, then: string) =>
  `def value():\n    turn = int(open('/tmp/turn').read())\n    if turn <= ${turn}:\n        return 1\n    ${then}\n\n\ndef other():\n    return 2\n`;

describe.skipIf(box === null)('a patch that passed', () => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(box!.deployment, environment!, { timeout: 20 });
    await task.validate();
  });

  async function grade(code: string, repeats: number, lost = Number.POSITIVE_INFINITY) {
    let turn = 0;
    const open: Deployment['open'] = async (...args) => {
      turn += 1;
      if (turn === lost) return { ok: false, fault: infra('workspace-lost', 'the host is gone') };
      const opened = await box!.deployment.open(...args);
      if (opened.ok) await opened.value.write('/tmp/turn', `${turn}`);
      return opened;
    };
    const deployment = { ...box!.deployment, open };
    const request = {
      diff: task.diff({ 'pkg/core.py': code }),
      preset: findPreset(DEFAULT_PRESET)!,
      max_patch: 1 << 20,
      repeats,
      suspicion: 'off' as const,
      baseline: task.baseline,
    };
    const graded = await gradePatch(request, { ...task.setup, deployment });
    return { turns: turn, verdict: graded.ok ? graded.value.verdict : null, graded };
  }

  test('is graded as many times more as the project says, and the verdict says how many', async () => {
    const code = SOLUTION['pkg/core.py'] as string;
    expect(await grade(code, 2)).toMatchObject({ turns: 3, verdict: { reward: 1, repeats: 2 } });
    expect(await grade(code, 0)).toMatchObject({ turns: 1, verdict: { reward: 1, repeats: 0 } });
  });

  test('and did not again is flaky: neither a reward nor a failure', async () => {
    const { turns, verdict } = await grade(upTo(1, 'return -1'), 3);
    expect(turns).toBe(2);
    expect(verdict).toMatchObject({
      reward: null,
      resolved: false,
      partial: false,
      reason: 'repeats-disagree',
    });
    expect(verdict!.detail).toMatch(/passed once, and then did not \(not-resolved: .*test_value/);
    expect(outcomeOf(verdict!)).toMatchObject({ status: 'flaky', reason: 'repeats-disagree' });
    expect(await grade(upTo(1, 'return -1'), 0)).toMatchObject({ verdict: { reward: 1 } });
    expect(await grade(upTo(2, 'return -1'), 2)).toMatchObject({ turns: 3, verdict: { reward: null } });
  });

  test('and then ran out of time, or ended its workspace, is flaky', async () => {
    const slow = await grade(upTo(1, 'import time; time.sleep(99)'), 1);
    expect(slow.verdict).toMatchObject({ reward: null, reason: 'repeats-disagree' });
    expect(slow.verdict!.detail).toContain('time-limit');
    const killing = await grade(upTo(1, 'import os; os.kill(-1, 9)'), 1);
    expect(killing.verdict).toMatchObject({ reward: null, reason: 'repeats-disagree' });
  });

  test('and then cheated has cheated', async () => {
    const modified = 'import _pytest.runner; _pytest.runner.show_test_item = print; return 1';
    expect((await grade(upTo(1, modified), 1)).verdict).toMatchObject({
      reward: 0,
      reason: 'tampering',
      repeats: 1,
    });
  });

  test('has no verdict when a repeat has a fault', async () => {
    const { graded } = await grade(SOLUTION['pkg/core.py'] as string, 1, 2);
    expect(graded).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'workspace-lost' } });
  });

  test('is not repeated when it did not pass', async () => {
    expect(await grade(upTo(0, 'return -1'), 3)).toMatchObject({
      turns: 1,
      verdict: { reward: 0, repeats: 0 },
    });
  });
});

test('a flaky patch is never golden, whatever reward the policy asks for', () => {
  const summary = { exit_status: 'submitted', steps: 1 } as Parameters<typeof dropReason>[0]['summary'];
  const judged = { summary, reward: 0, verdict: 'repeats-disagree: it passed once', findings: [] };
  const policy = { exit: ['submitted'], reward: 0, leaks: 'drop' } as Parameters<typeof dropReason>[1];
  expect(dropReason({ ...judged, isFlaky: true }, policy)).toMatchObject({ why: 'flaky' });
  expect(dropReason({ ...judged, isFlaky: false }, policy)).toBeNull();
  // Nor is one without a reward.
  expect(dropReason({ ...judged, reward: null, isFlaky: false }, policy)).toMatchObject({ why: 'reward' });
});

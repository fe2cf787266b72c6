/** What `/steps/STEP` of a server says that outlives a training. */
import { expect, test } from 'vitest';
import { MetricsByStep } from '../../../servers/agent/metrics-by-step.ts';

test('a training that begins again has its steps, after one of many steps', () => {
  const steps = new MetricsByStep();
  for (let step = 0; step < 100; step += 1) steps.note(step, `first-${step}`, { turns: 2 });
  for (let step = 0; step < 3; step += 1) steps.note(step, `second-${step}`, { turns: 5 });
  for (const step of [0, 1, 2])
    expect(steps.metrics(step)).toEqual({
      rollouts: 1,
      metrics: { 'agent/turns_mean': 5, 'agent/turns_sum': 5 },
    });
  expect(steps.metrics(99).rollouts).toBe(1);
  expect(steps.metrics(30).rollouts).toBe(0);
});

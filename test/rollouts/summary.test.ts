/** What a summary counts of calls: those that were answered. */
import { expect, test } from 'vitest';
import type { ModelCall } from '../../schemas/trajectory.ts';
import { summaryOf } from '../../stages/rollouts/summary.ts';
import { bench, fenced, says, settingsOf } from '../agent/loop/rig.ts';

const { roll } = bench();
const COUNTED = { prompt_tokens: 100, completion_tokens: 20, cost: 0.5 };

test('a prompt that did not fit leaves the tokens of the calls before it known', async () => {
  const model = says(fenced('true'), { status: 'context-exceeded', detail: '9000 of 8192 tokens' });
  const { trajectory } = await roll(await settingsOf(), model);
  const counted = (calls: ModelCall[]) => summaryOf({ ...trajectory, calls });
  const [answered, refused] = trajectory.calls as [ModelCall, ModelCall];
  expect(counted([{ ...answered, ...COUNTED }, refused])).toMatchObject({ calls: 2, ...COUNTED });
  // A reply that the endpoint did not count is not one of 0 tokens.
  const unknown = { prompt_tokens: null, completion_tokens: null, cost: null };
  const both = [
    { ...answered, ...COUNTED },
    { ...answered, ...unknown },
  ];
  expect(counted(both)).toMatchObject(unknown);
});

test('prompts that were sent as ids are counted, and those that fell back, only where there are any', async () => {
  const { trajectory } = await roll(await settingsOf(), says(fenced('true')));
  const [call] = trajectory.calls as [ModelCall];
  expect(summaryOf(trajectory)).not.toHaveProperty('token_in');
  const calls = [call, { ...call, token_in: true as const }, { ...call, fell_back: 'why' }];
  expect(summaryOf({ ...trajectory, calls })).toMatchObject({ calls: 3, token_in: 1, fell_back: 1 });
});

/** Training samples as files: what the endpoint sampled, who wrote it, and what it earned. */
import { expect, test } from 'vitest';
import type { ExportedRollout } from '../../../agent/exports/rollout.ts';
import { type SampleSettings, tokenFiles } from '../../../agent/exports/tokens.ts';
import type { ModelCall, Trajectory } from '../../../schemas/trajectory.ts';

const PLACE = { name: 'a#0', group: 0, index: 0 };
const SETTINGS: SampleSettings = { unit: 'trajectory', train: 'main', tokenizer: null, coefficient: 0.5 };

const call = (reply: number, shared: number, prompt: number[], ids: number[]): ModelCall => ({
  prompt: [0, 1],
  reply,
  finish_reason: 'stop',
  truncated: false,
  max_tokens: null,
  prompt_tokens: null,
  completion_tokens: null,
  cost: null,
  tokens: { source: 'endpoint', shared, prompt_ids: prompt, ids, logprobs: ids.map(() => -0.5) },
});

const TRAJECTORY: Trajectory = {
  format: 'swemake-trajectory-1',
  instance_id: 'a',
  sample: '0',
  seed: 1,
  agent: { type: 'bash', dialect: 'v2', actions: 'fence' },
  model: { name: 'm', identity: 'm@1' },
  request: {},
  exit_status: 'submitted',
  exit_detail: '',
  messages: [
    { role: 'system', kind: 'system', content: 's' },
    { role: 'user', kind: 'task', content: 't' },
    { role: 'assistant', kind: 'reply', content: 'one' },
    { role: 'user', kind: 'observation', content: 'o' },
    { role: 'assistant', kind: 'reply', content: 'two' },
  ],
  // The second prompt is the first, its reply, and three ids more.
  calls: [call(2, 0, [1, 2, 3], [10, 11]), call(4, 5, [4, 5, 6], [12])],
  steps: [
    { call: 0, actions: [], observations: [], reward: { value: 1, votes: [1] } },
    { call: 1, actions: [], observations: [], reward: null },
  ],
  submission: null,
  patch: '',
  patch_source: 'none',
  token_counter: 'none',
  dropped_parameters: [],
};

const rollout = (verdict: ExportedRollout['verdict']): ExportedRollout => ({
  instance_id: 'a',
  sample: '0',
  trajectory: TRAJECTORY,
  patch: '',
  verdict,
  report: null,
  timings: null,
  startedAt: null,
});

const linesOf = (verdict: ExportedRollout['verdict'], settings = SETTINGS) =>
  tokenFiles(rollout(verdict), PLACE, settings).map(({ path, text }) => ({
    path,
    lines: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  }));

test('one sample per trajectory: only what the model wrote is trained', () => {
  const [file] = linesOf({ reward: 1, resolved: true, detail: '' });
  expect(file).toMatchObject({
    path: 'a#0.jsonl',
    lines: [
      {
        ids: [1, 2, 3, 10, 11, 4, 5, 6, 12],
        loss_mask: [0, 0, 0, 1, 1, 0, 0, 0, 1],
        logprobs: [0, 0, 0, -0.5, -0.5, 0, 0, 0, -0.5],
        source: 'endpoint',
        outcome: 1,
        step_values: [1, null],
        reward: 1.5,
      },
    ],
  });
});

test('one per step: each with the prompt that the model saw', () => {
  const [file] = linesOf({ reward: 0, resolved: false, detail: '' }, { ...SETTINGS, unit: 'step' });
  expect(file!.lines).toMatchObject([
    { part: 0, ids: [1, 2, 3, 10, 11], reward: -0.5 },
    { part: 1, ids: [1, 2, 3, 10, 11, 4, 5, 6, 12], loss_mask: [0, 0, 0, 0, 0, 0, 0, 0, 1], reward: -0.5 },
  ]);
});

test('without a verdict there is no reward', () => {
  expect(linesOf(null)[0]!.lines[0]).toMatchObject({ outcome: null, reward: null });
});

test('ids that nobody knows give no file', () => {
  const calls = TRAJECTORY.calls.map((one) => ({ ...one, tokens: null }));
  const bare = { ...rollout(null), trajectory: { ...TRAJECTORY, calls } };
  expect(tokenFiles(bare, PLACE, SETTINGS)).toEqual([]);
});

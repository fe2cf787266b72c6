import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { EXPORT_FORMATS } from '../../../agent/exports/formats.ts';
import { lineOf } from '../../../agent/exports/overview.ts';
import type { ExportedRollout, ExportName } from '../../../agent/exports/rollout.ts';
import { example, PATCH } from './example.ts';

/** The example's start, in seconds. */
const START = Date.UTC(2026, 0, 1) / 1000;

const samples = { unit: 'trajectory', train: 'main', tokenizer: null, coefficient: 1 } as const;
const place: ExportName = { name: 'a__b-1', group: 0, index: 0 };

/** All files of a format for these rollouts, by path; JSON and YAML are parsed. */
function written(format: string, rollouts: [ExportedRollout, ExportName][] = [[example(), place]]) {
  const { files, overview } = EXPORT_FORMATS[format]!;
  const lines = rollouts.map(([rollout, at]) => lineOf(rollout, at));
  const all = [
    ...rollouts.flatMap(([rollout, at]) => files(rollout, at, samples)),
    ...overview(lines, { data: 'rows.jsonl' }),
  ];
  return Object.fromEntries(
    all.map(({ path, text }): [string, unknown] => {
      if (/\.jsonl$/.test(path))
        return [
          path,
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
        ];
      if (/\.yaml$/.test(path)) return [path, parse(text)];
      return [path, /\.(diff)$/.test(path) ? text : JSON.parse(text)];
    }),
  ) as Record<string, never>;
}

const foreign: ExportedRollout = {
  instance_id: 'a__b-1',
  sample: 'their-model',
  trajectory: null,
  patch: PATCH,
  verdict: null,
  report: null,
  timings: null,
  startedAt: null,
};

describe('mini', () => {
  it('writes a trajectory of version 1.1', () => {
    const files = written('mini');
    expect(Object.keys(files)).toEqual(['a__b-1/a__b-1.traj.json', 'preds.json', 'exit_statuses.yaml']);
    const { info, messages, ...rest } = files['a__b-1/a__b-1.traj.json']! as Record<string, never>;
    expect(rest).toEqual({ trajectory_format: 'mini-swe-agent-1.1', instance_id: 'a__b-1' });
    expect(info).toMatchObject({
      model_stats: { instance_cost: 1, api_calls: 4 },
      config: { model: { model_name: 'org/model@rev', model_kwargs: { temperature: 0.8 } } },
      exit_status: 'Submitted',
      submission: PATCH,
    });
    expect(messages).toEqual([
      { role: 'system', content: 'You fix bugs.' },
      { role: 'user', content: 'It breaks.' },
      {
        role: 'assistant',
        content: 'I look.\n\n```mswea_bash_command\nls\n```',
        extra: { actions: [{ command: 'ls' }], cost: 0.25, timestamp: START + 1.5 },
      },
      {
        role: 'user',
        content: '<returncode>0</returncode>\na.py',
        extra: { raw_output: 'a.py', returncode: 0, exception_info: '', timestamp: START + 3 },
      },
      {
        role: 'user',
        content: 'One action, please.',
        extra: {
          interrupt_type: 'FormatError',
          model_response: 'What now?',
          cost: 0.5,
          timestamp: START + 5.5,
        },
      },
      {
        role: 'assistant',
        content: 'I view it.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'str_replace_editor', arguments: '{"command":"view","path":"/testbed/a.py"}' },
          },
        ],
        extra: {
          actions: [{ command: '{"command":"view","path":"/testbed/a.py"}', tool_call_id: 'call_1' }],
          cost: 0.25,
          timestamp: START + 9,
        },
      },
      {
        role: 'tool',
        content: '1',
        tool_call_id: 'call_1',
        extra: { raw_output: '1', returncode: 0, exception_info: '', timestamp: START + 9.02 },
      },
      {
        role: 'assistant',
        content: 'Done.\n```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```',
        extra: {
          actions: [{ command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT' }],
          cost: 0,
          timestamp: START + 13.52,
        },
      },
      { role: 'exit', content: PATCH, extra: { exit_status: 'Submitted', submission: PATCH } },
    ]);
    expect(files['exit_statuses.yaml']).toEqual({
      instances_by_exit_status: { Submitted: ['a__b-1'] },
      total_cost: 1,
    });
  });

  it('ends with the reason when nothing was handed in', () => {
    const limited = example({ exit_status: 'limits_exceeded', exit_detail: '100 steps' });
    const file = written('mini', [[limited, place]])['a__b-1/a__b-1.traj.json']! as { messages: object[] };
    expect(file.messages.at(-1)).toEqual({
      role: 'exit',
      content: '100 steps',
      extra: { exit_status: 'LimitsExceeded', submission: PATCH },
    });
  });
});

describe('swe-agent', () => {
  it('writes .traj and .pred, predictions and exit statuses', () => {
    const files = written('swe-agent');
    expect(Object.keys(files)).toEqual([
      'a__b-1/a__b-1.traj',
      'a__b-1/a__b-1.pred',
      'preds.json',
      'run_batch_exit_statuses.yaml',
    ]);
    expect(files['a__b-1/a__b-1.pred']).toEqual({
      model_name_or_path: 'org/model@rev',
      instance_id: 'a__b-1',
      model_patch: PATCH,
      reward: 1,
    });
    const traj = files['a__b-1/a__b-1.traj']! as Record<string, Record<string, unknown>[]>;
    expect(
      traj.trajectory!.map(({ action, thought, observation }) => [action, thought, observation]),
    ).toEqual([
      ['ls', 'I look.', 'a.py'],
      ['', 'What now?', 'One action, please.'],
      ['str_replace_editor view /testbed/a.py', 'I view it.', '1'],
      ['echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT', 'Done.', 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT'],
    ]);
    expect(traj.trajectory![0]).toMatchObject({ execution_time: 1.5 });
    expect(traj.trajectory![1]!.query).toHaveLength(4);
    expect(traj.history!.map((entry) => entry.message_type)).toEqual([
      'system_prompt',
      'observation',
      'action',
      'observation',
      'observation',
      'action',
      'observation',
      'action',
    ]);
    expect(traj.info).toMatchObject({
      exit_status: 'submitted',
      submission: PATCH,
      model_stats: { instance_cost: 1, tokens_sent: 60, tokens_received: 15, api_calls: 4 },
    });
    const config = JSON.parse(traj.replay_config as unknown as string) as {
      agent: { model: { name: string } };
    };
    expect(config.agent.model.name).toBe('org/model@rev');
    expect(files['run_batch_exit_statuses.yaml']).toEqual({
      instances_by_exit_status: { submitted: ['a__b-1'] },
      total_cost: 1,
    });
  });

  it.each([
    ['submitted', PATCH, 'submitted'],
    ['limits_exceeded', PATCH, 'submitted (exit_cost)'],
    ['limits_exceeded', '', 'exit_cost'],
    ['context_exceeded', PATCH, 'submitted (exit_context)'],
    ['repeated_format_error', '', 'exit_format'],
    ['time_exceeded', '', 'exit_total_execution_time'],
  ] as const)('says of %s with patch %j: %s', (exit_status, patch, expected) => {
    const files = written('swe-agent', [[example({ exit_status }, { patch }), place]]);
    expect(files['run_batch_exit_statuses.yaml']).toMatchObject({
      instances_by_exit_status: { [expected]: ['a__b-1'] },
    });
  });

  it('writes calls of an editor as command lines', () => {
    const command = JSON.stringify({
      command: 'str_replace',
      path: '/testbed/a.py',
      old_str: "it's",
      new_str: 'two\nlines',
    });
    const view = JSON.stringify({ command: 'view', path: '/testbed/a.py', view_range: [1, 20] });
    const steps = [command, view].map((text) => ({
      call: 0,
      actions: [{ tool: 'str_replace_editor', command: text }],
      observations: [],
      reward: null,
    }));
    const submit = { call: 0, actions: [{ tool: 'submit', command: '{}' }], observations: [], reward: null };
    const traj = written('swe-agent', [[example({ steps: [...steps, submit] }), place]])[
      'a__b-1/a__b-1.traj'
    ]!;
    expect((traj as { trajectory: { action: string }[] }).trajectory.map((step) => step.action)).toEqual([
      `str_replace_editor str_replace /testbed/a.py --old_str 'it'"'"'s' --new_str 'two\nlines'`,
      'str_replace_editor view /testbed/a.py --view_range 1 20',
      'submit',
    ]);
  });

  it('writes calls of tools of agents from outside, also those whose arguments are no JSON', () => {
    const given = ['{"file_path": "/testbed/a.py"}', '{"file_path": "/testbed/a', 'null'];
    const actions = given.map((command) => ({ tool: 'Read', command }));
    const step = { call: 0, actions, observations: [], reward: null };
    const traj = written('swe-agent', [[example({ steps: [step] }), place]])['a__b-1/a__b-1.traj']!;
    expect((traj as { trajectory: { action: string }[] }).trajectory[0]!.action.split('\n')).toEqual([
      "Read --file_path '/testbed/a.py'",
      'Read {"file_path": "/testbed/a',
      'Read null',
    ]);
  });
});

describe('swe-smith', () => {
  it('adds a report per graded trajectory, without its outer level', () => {
    const named = { ...place, name: 'a__b-1_0' };
    const files = written('swe-smith', [[example(), named]]);
    expect(Object.keys(files)).toEqual([
      'trajectories/a__b-1_0/a__b-1_0.traj',
      'trajectories/a__b-1_0/a__b-1_0.pred',
      'run_evaluation/a__b-1_0/report.json',
      'run_evaluation/a__b-1_0/patch.diff',
      'trajectories/preds.json',
      'trajectories/run_batch_exit_statuses.yaml',
    ]);
    expect(files['run_evaluation/a__b-1_0/report.json']).toEqual({
      patch_exists: true,
      resolved: true,
      model_name_or_path: 'org/model@rev',
      tests_status: {},
    });
    const ungraded = written('swe-smith', [[example({}, { verdict: null }), named]]);
    expect(Object.keys(ungraded)).not.toContain('run_evaluation/a__b-1_0/report.json');
  });
});

describe('swe-rl', () => {
  it('writes its three files, by true step numbers', () => {
    const files = written('swe-rl');
    const folder = 'a__b-1__g0__i0';
    expect(Object.keys(files)).toEqual([
      `${folder}/traj.json`,
      `${folder}/patch.diff`,
      `${folder}/meta.json`,
      'results.jsonl',
      'summary.json',
    ]);
    const traj = files[`${folder}/traj.json`]! as Record<string, unknown>;
    const { messages, step_debug, info, trajectory_format } = traj as Record<string, object[]>;
    expect(trajectory_format).toBe('slime-mini-swe-remote-1');
    expect(messages).toHaveLength(8);
    expect(messages![4]).toEqual({ role: 'user', content: 'One action, please.' });
    expect((step_debug as { step_idx: number }[]).map((step) => step.step_idx)).toEqual([0, 2, 3]);
    expect(step_debug![0]).toEqual({
      step_idx: 0,
      action: 'ls',
      returncode: 0,
      output_len: 4,
      output_head: 'a.py',
      output_tail: 'a.py',
      start_ts: START + 1.5,
      end_ts: START + 3,
      ok: true,
      step_reward: 1,
    });
    expect(info).toMatchObject({
      instance_id: 'a__b-1',
      exit_status: 'submitted',
      error: null,
      steps: 4,
      patch_source: 'git_diff_fallback',
      reward: 1,
      group_index: 0,
      index: 0,
    });
    expect(files[`${folder}/patch.diff`]).toBe(PATCH);
    expect(files[`${folder}/meta.json`]).toEqual({
      instance_id: 'a__b-1',
      model: 'org/model@rev',
      sampling_params: { temperature: 0.8, seed: 7 },
      sample_metadata: { instance: { instance_id: 'a__b-1' } },
      sample_prompt: 'It breaks.',
      group_index: 0,
      index: 0,
    });
  });

  it('sums up', () => {
    const second = example(
      { exit_status: 'workspace_killed', exit_detail: 'out of memory' },
      { patch: '', verdict: { reward: 0, resolved: false, detail: '' }, timings: null },
    );
    const files = written('swe-rl', [
      [example(), place],
      [second, { name: 'a__b-2', group: 1, index: 1 }],
    ]);
    expect(files['results.jsonl']).toEqual([
      {
        instance_id: 'a__b-1',
        resolved: true,
        exit_status: 'submitted',
        patch_source: 'git_diff_fallback',
        n_steps: 4,
        error: null,
        elapsed: 61.3,
        run_dir: 'a__b-1__g0__i0',
      },
      {
        instance_id: 'a__b-1',
        resolved: false,
        exit_status: 'error',
        patch_source: 'git_diff_fallback',
        n_steps: 4,
        error: 'workspace_killed: out of memory',
        elapsed: 0,
        run_dir: 'a__b-1__g1__i1',
      },
    ]);
    expect(files['summary.json']).toEqual({
      model: 'org/model@rev',
      data: 'rows.jsonl',
      total: 2,
      resolved: 1,
      resolve_rate: 0.5,
      errors: 1,
      no_patch: 1,
      avg_steps: 4,
      avg_elapsed_s: 30.7,
      timestamp: '2026-01-01T00:01:01.250Z',
      args: {},
    });
  });

  it('gives a rate for each agent', () => {
    const verdict = { reward: 0, resolved: false, detail: '' };
    const [own, noop] = [example(), { ...example({}, { verdict }), sample: 'noop' }];
    const files = written('swe-rl', [
      [own, place],
      [noop, { name: 'a__b-1_noop', group: 0, index: 1 }],
    ]);
    expect(files['summary.json']).toMatchObject({ total: 1, resolved: 1 });
    expect(files['noop/summary.json']).toMatchObject({ total: 1, resolved: 0 });
    expect(files['noop/results.jsonl']).toHaveLength(1);
  });

  it('gives each exit status a name that swe-rl knows, and keeps odd characters out of folders', () => {
    const odd = example({ exit_status: 'context_exceeded', exit_detail: 'too long' });
    const files = written('swe-rl', [[{ ...odd, instance_id: 'a/b:c' }, place]]);
    expect(Object.keys(files)[0]).toBe('a_b_c__g0__i0/traj.json');
    expect(files['results.jsonl']).toMatchObject([{ exit_status: 'context_overflow', error: null }]);
  });
});

test('atif has the ids that the endpoint gave: whole prompts, or of replies alone', () => {
  const tokens = [
    { source: 'endpoint' as const, shared: 0, prompt_ids: [1, 2], ids: [3], logprobs: null },
    { source: 'endpoint' as const, shared: 3, prompt_ids: [4], ids: [5], logprobs: [-1] },
    // As llama.cpp gives them.
    { source: 'endpoint' as const, shared: 0, prompt_ids: [], ids: [6], logprobs: null },
    null,
  ];
  const calls = example().trajectory.calls.map((call, at) => ({ ...call, tokens: tokens[at]! }));
  const file = written('atif', [[example({ calls }), place]])['a__b-1/agent/trajectory.json']!;
  const { steps } = file as { steps: { metrics?: Record<string, unknown> }[] };
  const shown = steps.flatMap(({ metrics }) => (metrics === undefined ? [] : [metrics]));
  expect(shown.map((one) => [one.prompt_token_ids, one.completion_token_ids])).toEqual([
    [[1, 2], [3]],
    [[1, 2, 3, 4], [5]],
    [undefined, [6]],
    [undefined, undefined],
  ]);
});

test('many rollouts are summed up as fast as they are many', { timeout: 30_000 }, () => {
  const line = lineOf(example(), place);
  const many = Array.from({ length: 150_000 }, (_, index) => ({ ...line, name: `${index}` }));
  const texts = ['swe-rl', 'mini'].flatMap((format) =>
    EXPORT_FORMATS[format]!.overview(many, { data: 'rows.jsonl' }).map(({ text }) => text),
  );
  expect(texts[1]).toContain('"total": 150000');
  expect(texts.at(-1)).toContain('- "149999"');
});

describe('predictions', () => {
  it('are keyed by instance and name who made them', () => {
    expect(written('preds', [[foreign, place]])).toEqual({
      'preds.json': {
        'a__b-1': { model_name_or_path: 'their-model', instance_id: 'a__b-1', model_patch: PATCH },
      },
    });
  });

  it('of others have no trajectory in any format', () => {
    for (const format of ['mini', 'swe-agent', 'swe-smith', 'swe-rl', 'swemake'])
      expect(
        Object.keys(written(format, [[foreign, place]])).filter((path) =>
          /traj(ectory)?(\.json)?$/.test(path),
        ),
      ).toEqual([]);
  });
});

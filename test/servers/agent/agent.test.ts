/**
 * The agent server as a trainer uses it: the real command over a real project, with a scripted model behind a real endpoint.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHATML, tinyFiles } from '../../agent/tokens/tiny.ts';
import { type AgentServer, askAgent, endAgentServer, startAgentServer } from '../../rig/agent-server.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { SUBMIT } from '../../rig/solver.ts';
import { tinyProject } from '../../rig/tiny-project.ts';

const fence = (command: string) => `THOUGHT: go on\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``;
const FIX = "sed -i 's/= -1/= 0/; s/VALUE = .*/VALUE = 0/' m0.py";

let project: Project;
let model: ModelServer;
let server: AgentServer;

beforeAll(async () => {
  project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  limits: { steps: 4 }\n  model: { base_url: "http://127.0.0.1:9/v1", name: m, identity: "m@1", retry: 5s }\n`,
  );
  model = await startModelServer(fixing);
  server = await startAgentServer(project, '--max-concurrent', '2');
}, 300_000);

afterAll(async () => {
  await endAgentServer(server, 'SIGTERM');
  await model.stop();
});

/** Mends m0, then hands in; ids as vLLM gives them. */
function fixing({ body }: ServedRequest) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  const prompt = Array.from({ length: 3 + turn * 5 }, (_, index) => index + 1);
  const ids = [prompt.length + 1, prompt.length + 2];
  return {
    text: fence(turn === 0 ? FIX : SUBMIT),
    tokens: { prompt, ids, logprobs: [-0.1, -0.2], server: 'vllm' as const },
  };
}

const post = (path: string, body: object, signal?: AbortSignal) => askAgent(server, path, body, signal);

const run = (body: object) => post('/run', { base_url: model.url, model: 'openai/m', ...body });

describe('a rollout for a trainer', () => {
  test('is made on an environment that is built when it is asked for, and graded', async () => {
    model.play(fixing);
    const answer = await run({
      instance_id: 'tiny.0',
      id: 'first',
      step: 3,
      sampling_params: { temperature: 0.5 },
    });
    expect(answer).toMatchObject({
      ok: true,
      status: 'ok',
      exit_status: 'Submitted',
      reward: 1,
      instance_id: 'tiny.0',
      error: null,
      eval_report: { 'tiny.0': { resolved: true } },
      agent_metrics: { turns: 2, tool_calls: 2 },
    });
    expect(answer.patch).toContain('VALUE = 0');
    expect(model.requests.at(-1)!.body).toMatchObject({ temperature: 0.5, model: 'm' });
    const [sequence] = answer.sequences as Record<string, number[]>[];
    expect(sequence).toMatchObject({
      token_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      loss_mask: [0, 0, 0, 1, 1, 0, 0, 0, 1, 1],
      logprobs: [0, 0, 0, -0.1, -0.2, 0, 0, 0, -0.1, -0.2],
      policy_versions: null,
    });
  }, 240_000);

  test('is the same one for the same id, and its step’s metrics count it once', async () => {
    const before = model.requests.length;
    expect(
      await run({ instance_id: 'tiny.0', id: 'first', step: 3, sampling_params: { temperature: 0.5 } }),
    ).toMatchObject({ reward: 1 });
    expect(model.requests).toHaveLength(before);
    const metrics = await askAgent(server, '/steps/3');
    expect(metrics).toMatchObject({ rollouts: 1, metrics: { 'agent/turns_mean': 2, 'agent/turns_sum': 2 } });
  });

  test('is another one when the same id asks for something else', async () => {
    model.play([{ text: fence(SUBMIT) }]);
    const other = await run({ instance_id: 'tiny.1', id: 'first', step: 3 });
    expect(other).toMatchObject({ instance_id: 'tiny.1', reward: 0 });
    model.play(fixing);
    expect(await run({ instance_id: 'tiny.0', id: 'first', step: 3 })).toMatchObject({ reward: 1 });
  });

  test('that solves nothing has reward 0, one that reached a limit says so, and the baselines are 1 and 0', async () => {
    model.play([{ text: fence(SUBMIT) }]);
    expect(await run({ instance_id: 'tiny.1' })).toMatchObject({ status: 'ok', reward: 0 });
    model.play([{ text: fence('true') }]);
    expect(await run({ instance_id: 'tiny.1' })).toMatchObject({
      status: 'truncated',
      exit_status: 'LimitsExceeded',
      reward: 0,
    });
    const [oracle, noop] = await Promise.all([
      run({ instance_id: 'tiny.1', run_golden: true }),
      run({ instance_id: 'tiny.1', agent: 'noop' }),
    ]);
    expect([oracle!.reward, noop!.reward]).toEqual([1, 0]);
  });

  test('is scored step by step by the judge that the trainer serves, with its votes', async () => {
    model.play(fixing);
    const judge = await startModelServer(({ number }) => ({ text: `\\boxed{${number % 3 === 2 ? -1 : 1}}` }));
    const asked = {
      base_url: judge.url,
      model: 'prm',
      votes: 3,
      coefficient: 0.5,
      temperature: 0.25,
      max_tokens: 99,
    };
    const about = { instance_id: 'tiny.0', id: 'judged', dynamic_history: true };
    const answer = await run({ ...about, judge: asked });
    expect(answer).toMatchObject({ reward: 1, step_coefficient: 0.5, step_rewards: [1 / 3, null] });
    expect((answer.step_votes as number[][])[0]!.toSorted()).toEqual([-1, 1, 1]);
    expect(answer.sequences).toMatchObject([
      { calls: [0, 0], step_reward: 1 / 3 },
      { calls: [1, 1], step_reward: null },
    ]);
    // The step that submits is not judged.
    expect(judge.requests).toHaveLength(3);
    for (const { body, headers } of judge.requests) {
      expect(body).toMatchObject({ model: 'prm', temperature: 0.25, max_tokens: 99 });
      expect(headers.authorization).toBeUndefined();
    }
    // The same id with another judge is another rollout.
    expect(await run({ ...about, judge: { ...asked, votes: 1 } })).toMatchObject({ step_rewards: [1, null] });
    expect(judge.requests).toHaveLength(4);
    await judge.stop();
    expect(await run({ instance_id: 'tiny.0' })).toMatchObject({
      step_rewards: [null, null],
      step_coefficient: null,
    });
  });

  test('trains a reply that was refused, like each other one, once', async () => {
    let turn = 0;
    model.play((request) => {
      const answer = fixing(request);
      turn += 1;
      return turn === 1
        ? { ...answer, text: 'I would rather talk.' }
        : { ...answer, text: fence(turn === 2 ? FIX : SUBMIT) };
    });
    const { sequences } = await run({ instance_id: 'tiny.0', id: 'refused' });
    // The next prompt is without it.
    expect(sequences).toMatchObject([
      { calls: [0, 0], loss_mask: [0, 0, 0, 1, 1] },
      { calls: [1, 2], loss_mask: [0, 0, 0, 1, 1, 0, 0, 0, 1, 1] },
    ]);
  });

  test('says how many replies are in no sequence, since their ids are not known', async () => {
    model.play((request) => {
      const { tokens, ...answer } = fixing(request);
      return request.body.messages.some(({ role }) => role === 'assistant') ? answer : { ...answer, tokens };
    });
    const answer = await run({ instance_id: 'tiny.0', id: 'partly' });
    expect(answer).toMatchObject({ reward: 1, replies_without_ids: 1, sequences: [{ calls: [0, 0] }] });
    model.play(fixing);
    expect(await run({ instance_id: 'tiny.0', id: 'wholly' })).toMatchObject({ replies_without_ids: 0 });
  });

  test('that a content filter stops has no reward, and its trajectory is given', async () => {
    model.play([{ text: fence(FIX) }, { text: '', finish: 'content_filter' }]);
    expect(await run({ instance_id: 'tiny.1', id: 'filtered' })).toMatchObject({
      ...{ status: 'error', exit_status: 'ContentFiltered', reward: null, reason: 'content-filtered' },
      ...{ retryable: false, agent_metrics: { turns: 1 } },
    });
    model.play(fixing);
  });

  test('goes on when the weights change on purpose', async () => {
    let version = 0;
    model.play((request) => {
      const { text } = fixing(request);
      const choices = [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
      version += 1;
      return {
        status: 200,
        body: { model: `step-${version}`, metadata: { weight_version: version }, choices },
      };
    });
    expect(await run({ instance_id: 'tiny.0', id: 'trained' })).toMatchObject({ status: 'ok', reward: 1 });
    expect(version).toBe(2);
    model.play(fixing);
  });

  test('whose model cannot be reached or whose task is none has no reward', async () => {
    const lost = await post('/run', { instance_id: 'tiny.0', base_url: 'http://127.0.0.1:9/v1', model: 'm' });
    expect(lost).toMatchObject({ ok: false, status: 'error', reward: null, retryable: true, sequences: [] });
    const unknown = await run({ instance_id: 'tiny.7' });
    expect(unknown).toMatchObject({
      status: 'error',
      exit_status: 'TaskNotFound',
      reward: null,
      retryable: false,
    });
    expect(unknown.error).toMatch(/no instance tiny\.7.*did you mean/);
  });

  test('notes the weights of its calls, and sends none while they change', async () => {
    await post('/weights/resume', { version: 4 });
    const paused = new Promise<void>((resolve) => {
      model.play(async (request) => {
        const answer = fixing(request);
        const isFirst = request.body.messages.every(({ role }) => role !== 'assistant');
        if (isFirst) await post('/weights/pause', {});
        if (isFirst) resolve();
        return answer;
      });
    });
    const answering = run({ instance_id: 'tiny.0' });
    await paused;
    const asked = model.requests.length;
    await sleep(500);
    expect(model.requests).toHaveLength(asked);
    await post('/weights/resume', { version: 5 });
    const answer = await answering;
    expect(answer).toMatchObject({ reward: 1, sequences: [{ policy_versions: [4, 5] }] });
  });

  test('ends when it is cancelled, and when nobody waits for it any more', async () => {
    model.play([{ stall: 'headers' }]);
    const cancelled = run({ instance_id: 'tiny.0', id: 'stuck' });
    const gone = new AbortController();
    const left = post('/run', { base_url: model.url, model: 'm', instance_id: 'tiny.1' }, gone.signal).catch(
      () => 'gone',
    );
    await until(async () => (await status()).places.taken === 2 && model.requests.length > 0);
    const waiting = run({ instance_id: 'tiny.1', id: 'in line' });
    await until(async () => (await status()).places.waiting === 1);
    expect(await post('/cancel', { id: 'in line' })).toMatchObject({ cancelled: 1 });
    expect(await waiting).toMatchObject({ status: 'aborted', reward: null });
    expect(await post('/cancel', { id: 'stuck' })).toMatchObject({ cancelled: 1 });
    expect(await cancelled).toMatchObject({ status: 'aborted', exit_status: 'Aborted', reward: null });
    gone.abort();
    expect(await left).toBe('gone');
    await until(async () => (await status()).places.taken === 0);
  });
});

test('a rollout shows no longer history than the trainer takes, counted by the tokenizer that the project names', async () => {
  const files = tinyFiles(CHATML);
  mkdirSync(project.path('tokens'));
  writeFileSync(project.path('tokens/tokenizer.json'), JSON.stringify(files.tokenizer));
  writeFileSync(project.path('tokens/tokenizer_config.json'), JSON.stringify(files.config));
  const lines = ['strategy=head-tail', 'max_tokens=20000', 'max_response_tokens=100'];
  const sets = lines.flatMap((line) => ['--set', `agent.context.${line}`]);
  // An endpoint that counts next to nothing, and would cut nothing.
  const counts = await startModelServer(() => ({ text: fence("head -c 6000 /dev/zero | tr '\\0' x") }), {
    routes: { '/tokenize': () => ({ body: { count: 1 } }) },
  });
  const longest = async (server: AgentServer, more: object) => {
    const since = counts.requests.length;
    const body = { base_url: counts.url, model: 'm', instance_id: 'tiny.1', ...more };
    expect(await askAgent(server, '/run', body)).toMatchObject({ reward: 0 });
    const sizes = counts.requests
      .slice(since)
      .map(({ body: { messages } }) => JSON.stringify(messages).length);
    return Math.max(...sizes);
  };
  const byEndpoint = await startAgentServer(project, ...sets);
  expect(await longest(byEndpoint, { max_seq_len: 12_000 })).toBeGreaterThan(18_000);
  await endAgentServer(byEndpoint, 'SIGTERM');
  const byTokenizer = await startAgentServer(project, ...sets, '--set', 'agent.model.tokenizer=tokens');
  const [whole, cut] = [await longest(byTokenizer, {}), await longest(byTokenizer, { max_seq_len: 12_000 })];
  await endAgentServer(byTokenizer, 'SIGTERM');
  // An agent that shows its whole history ends while a reply has room.
  const limits = ['model.tokenizer=tokens', 'model.max_tokens=1000'].flatMap((one) => [
    '--set',
    `agent.${one}`,
  ]);
  const full = await startAgentServer(project, ...limits);
  const ended = await longest(full, { max_seq_len: 12_000 });
  await endAgentServer(full, 'SIGTERM');
  await counts.stop();
  // A token is a byte.
  expect(whole).toBeGreaterThan(13_500);
  expect(whole).toBeLessThan(21_000);
  expect(cut).toBeLessThan(13_000);
  expect(ended).toBeGreaterThan(6_000);
  expect(ended).toBeLessThan(12_500);
}, 120_000);

describe('an environment with reset and step', () => {
  test('shows what the agent is shown, and grades what it hands in', async () => {
    const opened = await post('/reset', { instance_id: 'tiny.0' });
    expect(opened).toMatchObject({ done: false, reward: null });
    expect(JSON.stringify(opened.observation)).toContain('m0 is wrong');
    const { session_id } = opened;
    const looked = await post('/step', { session_id, command: 'cat m0.py' });
    expect(JSON.stringify(looked.observation)).toMatch(/VALUE = /);
    expect(await post('/step', { session_id, command: FIX })).toMatchObject({ done: false });
    expect(
      await post('/step', { session_id, content: fence(SUBMIT), token_ids: [7, 8], prompt_ids: [1] }),
    ).toMatchObject({
      done: true,
      reward: 1,
      sequences: [{ token_ids: [1, 7, 8], loss_mask: [0, 1, 1], logprobs: null }],
    });
    expect(await post('/step', { session_id, command: 'true' })).toMatchObject({ ok: false });
  });

  test('that is closed frees its place', async () => {
    const { session_id } = await post('/reset', { instance_id: 'tiny.1' });
    expect(await post('/close', { session_id })).toMatchObject({ ok: true });
    await until(async () => (await status()).places.taken === 0);
  });
});

test('a server that was killed has what it had finished, and makes the rest again', async () => {
  model.play([{ stall: 'headers' }]);
  const lost = run({ instance_id: 'tiny.0', id: 'second' }).catch(() => 'lost');
  await until(async () => (await status()).places.taken === 1);
  await endAgentServer(server, 'SIGKILL');
  expect(await lost).toBe('lost');
  server = await startAgentServer(project, '--max-concurrent', '2');
  model.play(fixing);
  const before = model.requests.length;
  expect(await run({ instance_id: 'tiny.0', id: 'first', step: 3 })).toMatchObject({ reward: 1 });
  expect(model.requests).toHaveLength(before);
  expect(await run({ instance_id: 'tiny.0', id: 'second' })).toMatchObject({ reward: 1 });
  expect(readdirSync(project.path('out/tiny/episodes')).sort()).toEqual(['no-step', 'step-3']);
  // They are exported and reported by the trainer's steps.
  const exported = await project.run(
    ...[
      'export',
      'training.step-*',
      '--project',
      'p.yaml',
      '--format',
      'swe-agent',
      '--to',
      'episodes',
      '--json',
    ],
  );
  expect(JSON.parse(exported.stdout)).toMatchObject({ rollouts: 1, missing: 0 });
  expect(readdirSync(project.path('episodes'), { recursive: true }).join('\n')).toContain('tiny.0.traj');
  const all = await project.run(
    'export',
    'training',
    '--project',
    'p.yaml',
    '--format',
    'preds',
    '--to',
    'all',
    '--json',
  );
  expect(JSON.parse(all.stdout).rollouts).toBeGreaterThan(1);
  expect(readdirSync(project.path('all')).sort()).toEqual(
    expect.arrayContaining(['training.no-step', 'training.step-3']),
  );
  await project.run('report', 'p.yaml', '--html', 'report.html');
  const page = readFileSync(project.path('report.html'), 'utf8');
  expect(page).toContain('<td>step-3</td><td>1</td><td>1</td><td>1.00</td>');
});

test('a kept rollout is made anew once its row says something else', async () => {
  await endAgentServer(server, 'SIGTERM');
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
  const edited = rows.replace('"problem_statement":"', '"problem_statement":"Now: ');
  expect(edited).not.toBe(rows);
  writeFileSync(project.path('rows.jsonl'), edited);
  server = await startAgentServer(project, '--max-concurrent', '2');
  model.play(fixing);
  const before = model.requests.length;
  expect(await run({ instance_id: 'tiny.0', id: 'second' })).toMatchObject({ reward: 1 });
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain('Now: ');
  const made = model.requests.length;
  expect(made).toBeGreaterThan(before);
  expect(await run({ instance_id: 'tiny.0', id: 'second' })).toMatchObject({ reward: 1 });
  expect(model.requests).toHaveLength(made);
});

async function status() {
  return (await askAgent(server, '/status')) as unknown as { places: { taken: number; waiting: number } };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

/** `serve model` as a user runs it: the real command over a project, killed and started again, and what exports make of it. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Engine, seeded } from '../../agent/tree/engine.ts';
import { askAgent, endAgentServer, readStart } from '../../rig/agent-server.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { tinyProject } from '../../rig/tiny-project.ts';
import { isExact } from './rig.ts';

const engine = new Engine(seeded(3), false, 0.5);
let project: Project;
let model: ModelServer;
let judge: ModelServer;

/** As vLLM answers, with the ids of the engine. */
function written({ body, number }: ServedRequest) {
  const messages = body.messages.map(({ role, content }) => ({
    role: role as 'user',
    content: content ?? '',
  }));
  const { content, tokens } = engine.reply(messages, [], {
    content: `Reply ${number}.`,
    reasoning: null,
    toolCalls: [],
  });
  const { promptIds, ids, logprobs } = tokens!;
  return { text: content, tokens: { prompt: promptIds!, ids, logprobs: logprobs!, server: 'vllm' as const } };
}

beforeAll(async () => {
  model = await startModelServer(written, { apiKey: 'hidden-key' });
  judge = await startModelServer(() => ({ text: 'It helps. \\boxed{1}' }));
  project = tinyProject({
    instances: 1,
    type: 'local',
    env: { MODEL_KEY: 'hidden-key', ACCOUNT: 'hidden-account' },
  });
  appendFileSync(
    project.path('p.yaml'),
    `agent:
  type: bash
  model: { base_url: "${model.url}", name: m, identity: "m@1", api_key: "\${secret:MODEL_KEY}", temperature: 0.5, extra: { account: "\${secret:ACCOUNT}" } }
  step_rewards: { votes: 2, model: { base_url: "${judge.url}", name: prm, identity: "prm@1" } }
`,
  );
}, 120_000);

afterAll(async () => {
  await model.stop();
  await judge.stop();
});

async function serve() {
  const child = project.start(['serve', 'model', 'p.yaml', '--listen', '127.0.0.1:0', '--samples', 'step']);
  let log = '';
  child.stderr!.on('data', (text: string) => {
    log += text;
  });
  return { process: child, ...(await readStart(child, 'model')), log: () => log };
}

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });

test('a server that is killed loses no reply, doubles no sample, and its sessions are exported', async () => {
  const first = await serve();
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${first.token}`,
    'x-session-id': 'tiny.0',
    'x-turn-type': 'main',
  };
  const ask = async (url: string, token: string | null, messages: object[], signal?: AbortSignal) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: JSON.stringify({ messages, temperature: 9 }),
      ...(signal === undefined ? {} : { signal }),
    });
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    return body.choices[0]!.message.content;
  };
  expect(await ask(first.url, first.token, [user('Task.')])).toBe('Reply 0.');
  const history = [user('Task.'), said('Reply 0.'), user('Thanks.')];
  expect(await ask(first.url, first.token, history)).toBe('Reply 1.');
  const sampled = await askAgent(first, '/samples', { wait: 30 });
  expect(sampled).toMatchObject({ samples: [{ trained_calls: [0], step_reward: 1 }] });
  expect(model.requests[0]!.body).toMatchObject({ temperature: 0.5, model: 'm' });
  // Its connection is gone before the reply is there, which is kept all the same.
  const third = [...history, said('Reply 1.'), user('Go on.')];
  const gone = new AbortController();
  model.play((request) => ({ slow: 200, answer: written(request) }));
  const lost = ask(first.url, first.token, third, gone.signal).catch(() => 'lost');
  await expect.poll(() => model.requests.length).toBe(3);
  gone.abort();
  expect(await lost).toBe('lost');
  await expect.poll(() => readOpen(project)).toContain('"answered":2');
  await endAgentServer(first, 'SIGKILL');
  expect(first.log()).not.toContain('hidden-key');

  const second = await serve();
  const state = await askAgent(second, '/sessions/tiny.0');
  expect(state).toMatchObject({ status: 'open', answered: 3 });
  expect(await ask(second.url, second.token, third)).toBe('Reply 2.');
  expect(model.requests).toHaveLength(3);
  const ended = await askAgent(second, '/sessions/tiny.0/end', { reward: 1 });
  expect(ended).toMatchObject({ ok: true, status: 'ended', replies_without_ids: 0 });
  const { samples } = (await askAgent(second, '/samples', {})) as { samples: never[] };
  for (const sample of samples) expect(isExact(sample, engine.seen)).toBe(true);
  expect(samples.flatMap(({ trained_calls }) => trained_calls as number[])).toEqual([0, 1, 2]);
  await endAgentServer(second, 'SIGTERM');

  const exported = await project.run(
    'export',
    'sessions',
    '--format',
    'tokens',
    '--to',
    'tokens',
    '--project',
    'p.yaml',
    '--json',
  );
  expect(JSON.parse(exported.stdout)).toMatchObject({ rollouts: 1 });
  const lines = readFileSync(project.path('tokens/tiny.0.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ outcome: 1, step_values: [1, 1, null] });
  const own = await project.run(
    'export',
    'sessions',
    '--format',
    'swemake',
    '--to',
    'own',
    '--project',
    'p.yaml',
  );
  expect(own.code).toBe(0);
  const trajectory = JSON.parse(readFileSync(project.path('own/tiny.0/trajectory.json'), 'utf8')) as object;
  expect(trajectory).toMatchObject({ format: 'swemake-trajectory-2', model: { identity: 'm@1' } });
  // The endpoint gets secrets, and nothing that is kept does.
  expect(model.requests[0]!.body.account).toBe('hidden-account');
  expect(trajectory).toMatchObject({ request: { account: '${secret:ACCOUNT}' } });
  expect(
    spawnSync('grep', ['-rlaE', 'hidden-(key|account)', '.'], { cwd: project.folder }).stdout.toString(),
  ).toBe('');
}, 240_000);

test('a project without a model, and options that are wrong, are refused', async () => {
  const wrong = await project.run('serve', 'model', 'p.yaml', '--samples', 'both');
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('one of step, turns');
  const none = spawnSync('sh', ['-c', "sed '/^agent:/,$d' p.yaml > q.yaml"], { cwd: project.folder });
  expect(none.status).toBe(0);
  const without = await project.run('serve', 'model', 'q.yaml', '--listen', '127.0.0.1:0');
  expect(without).toMatchObject({ code: 3 });
  expect(without.stderr).toContain('the project has no agent.model');
}, 120_000);

/** The journals of open sessions. */
function readOpen(of: Project): string {
  const folder = of.path('out/tiny/model-door/open');
  return readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('');
}

/** Keys of a project go to the origin that they were written beside, whatever a caller of the agent server names. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentServer, askAgent, endAgentServer, startAgentServer } from '../../rig/agent-server.ts';
import { type ModelServer, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { SUBMIT } from '../../rig/solver.ts';
import { tinyProject } from '../../rig/tiny-project.ts';

const KEY = 'sk-of-the-project-4711';
const ACCOUNT = 'account-of-the-project-0815';

let own: ModelServer;
let foreign: ModelServer;
let server: AgentServer;
let project: Project;
const log: string[] = [];

beforeAll(async () => {
  const submit = { text: `THOUGHT: done\n\n\`\`\`mswea_bash_command\n${SUBMIT}\n\`\`\`` };
  [own, foreign] = await Promise.all([startModelServer([submit]), startModelServer([submit])]);
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', MODEL_KEY: KEY, ACCOUNT };
  project = tinyProject({ instances: 1, env });
  const model = [
    `base_url: "${own.url}"`,
    'name: m, identity: "m@1", retry: 1s, api_key: "${secret:MODEL_KEY}"',
    'extra: { plain: yes, account: { id: "${secret:ACCOUNT}", kind: "k" } }',
  ];
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  limits: { steps: 2 }\n  model: { ${model.join(', ')} }\n`,
  );
  server = await startAgentServer(project);
  for (const stream of [server.process.stdout!, server.process.stderr!])
    stream.on('data', (text: string) => log.push(text));
}, 300_000);

afterAll(async () => {
  await endAgentServer(server, 'SIGTERM');
  await Promise.all([own.stop(), foreign.stop()]);
});

/** What a model server got: headers and bodies as text. */
const gotBy = ({ requests }: ModelServer) =>
  JSON.stringify(requests.map(({ headers, body }) => ({ headers, body })));

test('the endpoint of the project gets its key, and what was written beside it', async () => {
  const answer = await askAgent(server, '/run', { instance_id: 'tiny.0', id: 'own' });
  expect(answer).toMatchObject({ status: 'ok', reward: 0 });
  expect(own.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(own.requests[0]!.body).toMatchObject({ plain: 'yes', account: { id: ACCOUNT, kind: 'k' } });
});

test.each([
  ['another port', () => foreign.url],
  ['another name of this host', () => own.url.replace('127.0.0.1', 'localhost')],
])('an endpoint that the caller names gets neither: %s', async (name, url) => {
  const before = own.requests.length;
  const answer = await askAgent(server, '/run', { instance_id: 'tiny.0', id: name, base_url: url() });
  expect(answer).toMatchObject({ status: 'ok', reward: 0 });
  const got = [...own.requests.slice(before), ...foreign.requests];
  expect(got.length).toBeGreaterThan(0);
  for (const { headers, body } of got) {
    expect(headers.authorization).toBeUndefined();
    expect(body).toMatchObject({ plain: 'yes', account: { kind: 'k' } });
    expect(JSON.stringify([headers, body])).not.toMatch(/4711|0815|secret/);
  }
});

test('a caller brings the key of another endpoint with the request', async () => {
  const before = foreign.requests.length;
  const body = { instance_id: 'tiny.0', id: 'brought', base_url: foreign.url, api_key: 'sk-of-the-caller' };
  expect(await askAgent(server, '/run', body)).toMatchObject({ reward: 0 });
  for (const { headers } of foreign.requests.slice(before))
    expect(headers.authorization).toBe('Bearer sk-of-the-caller');
});

test('a caller cannot name a secret of the project as its own key', async () => {
  for (const api_key of ['${secret:MODEL_KEY}', 'x${secret:ACCOUNT}'])
    expect(
      await askAgent(server, '/run', { instance_id: 'tiny.0', id: api_key, base_url: foreign.url, api_key }),
    ).toMatchObject({ ok: false, error_code: 'bad_request' });
  expect(gotBy(foreign)).not.toMatch(/4711|0815/);
});

test('a redirect to another origin is not followed, with a key or without', async () => {
  let asked = 0;
  const redirecting = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(307, { location: `${foreign.url}/chat/completions` }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  const before = foreign.requests.length;
  const base_url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`;
  const body = { instance_id: 'tiny.0', id: 'redirected', base_url, api_key: 'sk-of-the-caller' };
  expect(await askAgent(server, '/run', body)).toMatchObject({ reward: null });
  expect(asked).toBeGreaterThan(0);
  expect(foreign.requests).toHaveLength(before);
  redirecting.closeAllConnections();
  redirecting.close();
});

test('neither keys nor the token of the server are in what it printed', () => {
  expect(log.join('')).not.toMatch(/4711|0815/);
  if (server.token !== null) expect(log.join('')).not.toContain(server.token);
});

test('a server with --no-token uses no secret of the project, and asks nobody in its name', async () => {
  const open = await startAgentServer(project, '--no-token', '--folder', 'open');
  const before = [own, foreign].map(({ requests }) => requests.length);
  expect(open.token).toBeNull();
  const body = { instance_id: 'tiny.0', id: 'with-a-secret' };
  expect(await askAgent(open, '/run', body)).toMatchObject({
    reward: null,
    error: expect.stringContaining('a server with --no-token uses no secret of the project (MODEL_KEY)'),
  });
  expect([own, foreign].map(({ requests }) => requests.length)).toEqual(before);
  const brought = { ...body, id: 'brought-along', base_url: foreign.url, api_key: 'sk-of-the-caller' };
  expect(await askAgent(open, '/run', brought)).toMatchObject({ reward: 0 });
  expect(gotBy(foreign)).not.toMatch(/4711|0815/);
  await endAgentServer(open, 'SIGTERM');
});

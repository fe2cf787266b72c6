/**
 * An agent server whose environments break under it: files of a layer that are lost, a cache that somebody empties. What was
 * broken is built again, and nothing that was measured in it is a reward.
 */
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  model = await startModelServer(fixing);
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  limits: { steps: 4 }\n  model: { base_url: "${model.url}", name: m, identity: "m@1", retry: 5s }\n`,
  );
  server = await startAgentServer(project);
}, 300_000);

afterAll(async () => {
  await endAgentServer(server, 'SIGTERM');
  await model.stop();
});

/** Mends m0, then hands in; what `meanwhile` does happens before the first reply. */
let meanwhile: () => void = () => undefined;
function fixing({ body }: ServedRequest) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  if (turn === 0) meanwhile();
  meanwhile = () => undefined;
  const prompt = Array.from({ length: 3 + turn * 5 }, (_, index) => index + 1);
  const tokens = { prompt, ids: [1, 2], logprobs: [-0.1, -0.2], server: 'vllm' as const };
  return { text: fence(turn === 0 ? FIX : SUBMIT), tokens };
}

const run = () => askAgent(server, '/run', { instance_id: 'tiny.0' });

const cache = (...names: string[]) => project.path(join('.swemake', ...names));

/** A file that the environment's Python does not start without, in each layer that has it. */
function startFiles(): string[] {
  return readdirSync(cache('layers/trees'))
    .map((name) => cache('layers/trees', name, 'opt/env/pyvenv.cfg'))
    .filter((path) => existsSync(path));
}

test('a layer that loses a file is built again', async () => {
  expect(await run()).toMatchObject({ reward: 1 });
  const files = startFiles();
  expect(files).not.toEqual([]);
  for (const file of files) rmSync(file);
  expect(await run()).toMatchObject({ reward: 1 });
  expect(startFiles()).toEqual(files);
}, 240_000);

test('a rollout in the middle of which a layer loses files is none, and is made anew', async () => {
  const [asked, files] = [model.requests.length, startFiles()];
  meanwhile = () => {
    for (const file of files) rmSync(dirname(file), { recursive: true });
  };
  expect(await run()).toMatchObject({ reward: 1 });
  expect(model.requests).toHaveLength(asked + 4);
  expect(startFiles()).toEqual(files);
}, 240_000);

test('layers that are gone are built again', async () => {
  for (const name of readdirSync(cache('layers/trees')))
    rmSync(cache('layers/trees', name), { recursive: true });
  for (const file of readdirSync(cache('layers/pool'), { recursive: true, withFileTypes: true }))
    if (file.isFile()) rmSync(join(file.parentPath, file.name));
  expect(await run()).toMatchObject({ reward: 1 });
}, 240_000);

test('under a cache that was emptied there are faults alone, and a server that is started again builds all', async () => {
  for (const name of readdirSync(cache())) rmSync(cache(name), { recursive: true });
  expect(await run()).toMatchObject({ status: 'error', reward: null, retryable: true });
  await endAgentServer(server, 'SIGTERM');
  server = await startAgentServer(project);
  expect(await run()).toMatchObject({ reward: 1 });
}, 240_000);

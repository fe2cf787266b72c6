/**
 * How much a server takes decides how replies are cut: it is in the key, or it decides nothing. So is how a server is started
 * that the project's own words are known by.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openSession } from '../../app/session.ts';
import { loadProject } from '../../compiler/load.ts';
import { resolveSolver, SOLVER } from '../../stages/rollouts/resolve-solver.ts';
import { agentBehind } from '../../stages/rollouts/solver.ts';
import { startModelServer } from '../rig/model-server.ts';
import { Project } from '../rig/project.ts';

const AGENT = { of: 'rollouts', who: 'agent' } as const;

/** What the key holds of an agent whose server takes so much, and what its model is asked with. */
async function solverAt(window: number, written: string) {
  const models = [{ id: 'm', root: 'org/weights', revision: 'abcdef1', max_model_len: window }];
  const server = await startModelServer([], { models });
  const found = await solverOf(`base_url: "${server.url}", name: m${written}`);
  await server.stop();
  return found;
}

const project = new Project();

async function solverOf(model: string) {
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: asks
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: local } }
validation: { deployment: box }
agent: { model: { ${model} } }
`,
  );
  const loaded = await loadProject(project.path('p.yaml'), { env: process.env, cwd: project.folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { stdout, stderr, env } = process;
  const io = { stdout, stderr, env, cwd: project.folder, isTTY: false };
  const { signal } = new AbortController();
  const session = await openSession(loaded.value, io, signal);
  const part = await SOLVER.answer(AGENT, session.services);
  const { config } = loaded.value;
  const plan = await resolveSolver(agentBehind(AGENT, config)!, session.services);
  const later = await SOLVER.answer(AGENT, { ...session.services, shared: {}, onlyReads: true });
  await session.close();
  if (!part.ok || !plan.ok || !later.ok) throw new Error('no plan');
  expect(later.value).toEqual(part.value);
  return { model: (part.value as { model: unknown }).model, asked: plan.value.model!.config.context };
}

test('what the server says that also says which weights it has is in the key', async () => {
  const wide = await solverAt(32768, '');
  expect(wide).toMatchObject({ model: { identity: 'org/weights@abcdef1', context: 32768 }, asked: 32768 });
  expect((await solverAt(4096, '')).model).not.toEqual(wide.model);
  expect((await solverAt(4096, ', context: 32768')).model).toEqual(wide.model);
});

test('where the project says which weights they are, the server decides nothing', async () => {
  const wide = await solverAt(32768, ', identity: "org/weights@abcdef1"');
  expect(wide.asked).toBeUndefined();
  expect(await solverAt(4096, ', identity: "org/weights@abcdef1"')).toEqual(wide);
});

test('how the project starts a server is in the key, where its weights say who answers', async () => {
  writeFileSync(project.path('m-00001-of-00002.gguf'), 'one');
  writeFileSync(project.path('m-00002-of-00002.gguf'), 'two');
  const modelWith = async (serve: string, more = '') =>
    (await solverOf(`name: m, serve: { ${serve} }${more}`)).model;
  const weights = 'weights: { path: m-00001-of-00002.gguf }';
  const first = await modelWith(`engine: llama.cpp, ${weights}, gpus: 1, timeout: 5m`);
  expect(await modelWith(`engine: llama.cpp, ${weights}, gpus: 2, timeout: 9m, replicas: 2`)).toEqual(first);
  for (const other of [
    `engine: llama.cpp, ${weights}, args: ["--ctx-size", "4096"]`,
    `engine: llama.cpp, ${weights}, env: { LLAMA_ARG_CTX_SIZE: "4096" }`,
    `engine: vllm, ${weights}`,
    `command: "serve {model} {port}", ${weights}`,
  ])
    expect(await modelWith(other)).not.toEqual(first);
  // Another file of the same model.
  writeFileSync(project.path('m-00002-of-00002.gguf'), 'TWO');
  expect(await modelWith(`engine: llama.cpp, ${weights}, gpus: 1, timeout: 5m`)).not.toEqual(first);
  // What the project names says all of it.
  const named = await modelWith(`engine: llama.cpp, ${weights}`, ', identity: mine');
  expect(await modelWith(`engine: vllm, ${weights}, args: ["--x"]`, ', identity: mine')).toEqual(named);
});

test('a branch of the hub that is served is the commit that it means', async () => {
  const commit = 'c'.repeat(40);
  const hub = createServer((_, response) => response.end(JSON.stringify({ sha: commit, siblings: [] })));
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`);
  const { model } = await solverOf('name: m, serve: { engine: vllm, weights: { id: acme/lm } }');
  expect(model).toMatchObject({ identity: `acme/lm@${commit}` });
  vi.unstubAllEnvs();
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
});

/** What trains is in the lock: models of the hub by their commit, frameworks by their version, images by their digest. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lock } from '../../compiler/lock.ts';
import { command } from '../rig/command.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { openRegistry, type Shelf } from '../tasks/images/registry-server.ts';

const [FIRST, LATER] = ['a', 'b'].map((digit) => digit.repeat(40)) as [string, string];
const [OLD, NEW] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];

let hub: Server;
let branches: Record<string, string> = { 'acme/base': FIRST, 'acme/served': FIRST };
const asked: string[] = [];
let shelf: Shelf;
let project: Project;
const before = process.env.HF_ENDPOINT;
beforeAll(async () => {
  hub = createServer((request, response) => {
    asked.push(request.url!);
    const id = /^\/api\/models\/(.+)\/revision\/main/.exec(request.url!)?.[1] ?? '';
    const sha = branches[id];
    if (sha === undefined) return void response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end();
    response.end(JSON.stringify({ id, sha, siblings: [] }));
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  process.env.HF_ENDPOINT = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  shelf = await openRegistry();
  shelf.tags = { 'acme/trainer:1': OLD };
  project = tinyProject({ instances: 1 });
  mkdirSync(project.path('framework'));
  writeFileSync(project.path('framework/VERSION'), '1\n');
  // The folder of the framework is a repository, known by its commit.
  const git = (...args: string[]) => execFileSync('git', ['-C', project.path('framework'), ...args]);
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'one');
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  const gpu = 'deployments:\n  gpu: { type: process, resources: { gpu: 1 } }\n';
  writeFileSync(
    project.path('p.yaml'),
    `${text.replace('deployments:\n', gpu)}agent: { type: bash, model: { name: m, serve: { engine: vllm, weights: { id: acme/served } } } }
trainer:
  sft: { type: command, command: "true", model: { id: acme/base }, folder: framework, image: { name: "${shelf.host}/acme/trainer:1" } }
`,
  );
});
afterAll(async () => {
  if (before === undefined) delete process.env.HF_ENDPOINT;
  else process.env.HF_ENDPOINT = before;
  await shelf.close();
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
});

const lock = () => JSON.parse(readFileSync(project.path('p.yaml.lock'), 'utf8')) as Lock;

test('models, frameworks and images of trainers are pinned, stay pinned, and what moved is told', async () => {
  const locked = await command(project, 'lock', 'p.yaml');
  expect([locked.code, locked.stderr]).toEqual([0, expect.not.stringContaining('E004')]);
  expect(locked.stdout).toContain('2 models, 1 images');
  const image = `${shelf.host}/acme/trainer:1`;
  const first = lock();
  expect(first.models).toEqual({ 'acme/base@main': FIRST, 'acme/served@main': FIRST });
  expect(first.images).toEqual({ [image]: OLD });
  expect(first.trainers).toEqual({
    sft: { type: 'command', framework: { folder: expect.stringMatching(/^[0-9a-f]{40}$/) } },
  });
  expect((await command(project, 'plan', 'p.yaml', '--frozen')).code).toBe(0);

  branches = { 'acme/base': LATER, 'acme/served': FIRST };
  shelf.tags = { 'acme/trainer:1': NEW };
  appendFileSync(project.path('framework/VERSION'), '2\n');
  const frozen = await command(project, 'plan', 'p.yaml', '--frozen');
  expect(frozen.code).toBe(2);
  expect(frozen.stderr).toContain(`models.acme/base@main\n        - ${FIRST}\n        + ${LATER}\n`);
  expect(frozen.stderr).toContain(`images.${image}\n        - ${OLD}\n        + ${NEW}\n`);
  expect(frozen.stderr).toMatch(
    /trainers\.sft\.framework\.folder\n {8}- [0-9a-f]{40}\n {8}\+ [0-9a-f]{40}-dirty-[0-9a-f]+\n/,
  );

  // What is locked is obeyed by builds, and by the locks that follow.
  asked.length = 0;
  await command(project, 'lock', 'p.yaml');
  expect([lock().models, lock().images, asked]).toEqual([first.models, first.images, []]);
  const shown = await command(project, 'why', 'sft-train.train', '--project', 'p.yaml');
  expect(`${shown.stdout}${shown.stderr}`).not.toContain('acme/base@main');
  await command(project, 'lock', 'p.yaml', '--update');
  expect(lock().models!['acme/base@main']).toBe(LATER);
  expect(lock().images).toEqual({ [image]: NEW });

  branches = {};
  const gone = await command(project, 'plan', 'p.yaml', '--frozen');
  expect(gone.stderr).toContain(`models.acme/base@main\n        - ${LATER}\n        + (not there now)\n`);
}, 240_000);

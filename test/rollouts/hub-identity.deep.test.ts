/** A branch of the hub in `model.identity` is the commit that it means: as locked, else as the hub says in the build that asks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Lock } from '../../compiler/lock.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

const [FIRST, LATER] = ['a', 'b'].map((digit) => digit.repeat(40)) as [string, string];
const WRITTEN = 'identity: "scripted@1"';
const MOVING = 'identity: "acme/lm@main"';

let hub: Server;
let model: ModelServer;
let env: Record<string, string>;
let commit = FIRST;
const asked: string[] = [];

beforeAll(async () => {
  hub = createServer((request, response) => {
    asked.push(request.url!);
    if (!request.url!.startsWith('/api/models/acme/lm/revision/main'))
      return void response.writeHead(404, { 'x-error-code': 'RepoNotFound' }).end();
    response.end(JSON.stringify({ sha: commit, siblings: [] }));
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  env = {
    HF_ENDPOINT: `http://127.0.0.1:${(hub.address() as AddressInfo).port}`,
    PATH: '/usr/local/bin:/usr/bin:/bin',
  };
  model = await startModelServer(solve);
});
afterAll(async () => {
  await model.stop();
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
});
beforeEach(() => {
  commit = FIRST;
  asked.length = 0;
  model.requests.length = 0;
});

vi.setConfig({ testTimeout: 240_000 });

function write(project: Project, from: string, to: string): void {
  const path = project.path('p.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

test('is asked once in a build without a lock, and another commit is another model', async () => {
  const project = rolloutProject({ url: model.url, instances: 2, env });
  write(project, WRITTEN, MOVING);
  expect((await project.run('plan', 'p.yaml')).code).toBe(0);
  expect(asked).toEqual([]);
  expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(asked).toHaveLength(1);
  const first = model.requests.length;
  expect(first).toBe(6);

  // The same commit by its name is the same model.
  write(project, MOVING, `identity: "acme/lm@${FIRST}"`);
  await project.build('p.yaml', 'rollouts');
  write(project, `identity: "acme/lm@${FIRST}"`, MOVING);
  expect((await project.build('p.yaml', 'rollouts')).executed).toBe(0);
  commit = LATER;
  await project.build('p.yaml', 'rollouts');
  expect(model.requests.length).toBe(2 * first);

  await project.build('p.yaml', 'report');
  const report = readFileSync(project.path('out/tiny/report.train/metrics.json'), 'utf8');
  expect(JSON.parse(report)).toMatchObject({ models: [`acme/lm@${LATER}`] });
});

test('is what the lock says, also where the hub moved or is gone, and --frozen is exact', async () => {
  const project = rolloutProject({ url: model.url, instances: 1, env });
  write(project, WRITTEN, MOVING);
  // A lock that was written before the model was named does not know its commit.
  write(project, MOVING, WRITTEN);
  expect((await project.run('lock', 'p.yaml')).code).toBe(0);
  write(project, WRITTEN, MOVING);
  const without = await project.run('plan', 'p.yaml', '--frozen');
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('models.acme/lm@main');

  expect((await project.run('lock', 'p.yaml')).stdout).toContain('1 models');
  const lock = JSON.parse(readFileSync(project.path('p.yaml.lock'), 'utf8')) as Lock;
  expect(lock.models).toEqual({ 'acme/lm@main': FIRST });
  commit = LATER;
  asked.length = 0;
  expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ code: 0 });
  expect(asked).toEqual([]);
  const moved = await project.run('plan', 'p.yaml', '--frozen');
  expect(moved.code).toBe(2);
  expect(moved.stderr).toContain(`models.acme/lm@main\n        - ${FIRST}\n        + ${LATER}\n`);
});

test('without a lock and without the hub, or unknown to it, it is a fault that says what to write', async () => {
  const offline = rolloutProject({
    ...{ url: model.url, instances: 1 },
    env: { ...env, HF_HUB_OFFLINE: '1' },
  });
  write(offline, WRITTEN, MOVING);
  const faulty = await offline.run('build', 'p.yaml', 'rollouts');
  expect(faulty.code).toBe(3);
  expect(faulty.stdout + faulty.stderr).toContain('write its commit (acme/lm@COMMIT) into model.identity');

  const unknown = rolloutProject({ url: model.url, instances: 1, env });
  write(unknown, WRITTEN, 'identity: "acme/other@v1"');
  const refused = await unknown.run('build', 'p.yaml', 'rollouts');
  expect(refused.code).toBe(2);
  expect(refused.stdout + refused.stderr).toContain('has a name without OWNER/, such as other@v1');
  expect(model.requests).toHaveLength(0);
});

test('without a revision is no identity, and nobody is asked about names of one’s own', async () => {
  const project = rolloutProject({ url: model.url, instances: 1, env });
  write(project, WRITTEN, 'identity: acme/lm');
  const checked = await project.run('check', 'p.yaml');
  expect(checked.code).toBe(2);
  expect(checked.stdout + checked.stderr).toMatch(/E136 .*p\.yaml:\d+:\d+|p\.yaml:\d+:\d+.* E136/);
  expect(checked.stdout + checked.stderr).toContain('write acme/lm@COMMIT, or acme/lm@main');
  for (const own of [
    'lm',
    'lm@1',
    'policy:acme/lm',
    './models/lm',
    'sha256:0123',
    'a/b/c',
    'acme/lm@abcdef1',
  ]) {
    write(
      project,
      /identity: .*/.exec(readFileSync(project.path('p.yaml'), 'utf8'))![0],
      `identity: "${own}" }`,
    );
    expect([own, (await project.run('check', 'p.yaml')).code]).toEqual([own, 0]);
  }
  expect(asked).toEqual([]);
});

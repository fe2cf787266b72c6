/**
 * A build with a lock trains from the commit that the lock names, although the branch has moved since: the hub is a server of
 * this test, and its client a module that asks for one file as the real one does.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const [FIRST, LATER] = ['a', 'b'].map((digit) => digit.repeat(40)) as [string, string];
const CLIENT = `
import os, urllib.request
def snapshot_download(repo_id, revision=None):
    folder = os.path.join(os.environ["HUB_FOLDER"], revision)
    os.makedirs(folder, exist_ok=True)
    url = f"{os.environ['HF_ENDPOINT']}/{repo_id}/resolve/{revision}/config.json"
    open(os.path.join(folder, "config.json"), "wb").write(urllib.request.urlopen(url).read())
    return folder
`;

let hub: Server;
let head = FIRST;
let project: Project;

beforeAll(async () => {
  hub = createServer((request, response) => {
    const [, revision] = /^\/api\/models\/acme\/base\/revision\/(\w+)/.exec(request.url!) ?? [];
    const [, file] = /^\/acme\/base\/resolve\/(\w+)\/config\.json$/.exec(request.url!) ?? [];
    if (file !== undefined) return void response.end(file);
    if (revision === undefined) return void response.writeHead(404).end();
    response.end(
      JSON.stringify({ id: 'acme/base', sha: revision === 'main' ? head : revision, siblings: [] }),
    );
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  const env = { HF_ENDPOINT: `http://127.0.0.1:${(hub.address() as AddressInfo).port}` };
  project = tinyProject({ instances: 1, env });
  mkdirSync(project.path('client'));
  writeFileSync(project.path('client/huggingface_hub.py'), CLIENT);
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ];
  writeFileSync(project.path('talk.jsonl'), `${JSON.stringify({ messages })}\n`);
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  const host = `{ type: process, activate: 'export PYTHONPATH=${project.path('client')} HUB_FOLDER=${project.path('hub')} HF_ENDPOINT=${env.HF_ENDPOINT}' }`;
  writeFileSync(project.path('p.yaml'), yaml.replace('deployments:\n', `deployments:\n  cpu: ${host}\n`));
  appendFileSync(
    project.path('p.yaml'),
    `trainer:
  sft: { type: command, deployment: cpu, command: 'cp "$HF_CKPT/config.json" "$OUTPUT_DIR/model"; cp "$HF_CKPT/config.json" ${project.path('trained')}', model: { id: acme/base }, data: { source: talk.jsonl } }
`,
  );
});
afterAll(async () => {
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
});

test('trains from the commit of the lock, and from another one once the lock is renewed', async () => {
  const locked = await project.run('lock', 'p.yaml');
  expect([locked.code, locked.stderr, locked.stdout]).toEqual([0, expect.anything(), expect.anything()]);
  head = LATER;
  const first = await project.run('build', 'p.yaml', 'sft-train');
  expect([first.code, first.stderr]).toEqual([0, expect.anything()]);
  expect(readFileSync(project.path('trained'), 'utf8')).toBe(FIRST);
  expect(existsSync(project.path(`hub/${LATER}`))).toBe(false);
  expect((await project.build('p.yaml', 'sft-train')).executed).toBe(0);
  expect((await project.run('lock', 'p.yaml', '--update')).code).toBe(0);
  // Trainings need no GPU here.
  const { stdout } = await project.run('plan', 'p.yaml', 'sft-train');
  expect(stdout).toMatch(/would run 1 action now, about \d+ s \(from earlier runs\)/);
  expect((await project.build('p.yaml', 'sft-train')).executed).toBe(1);
  expect(readFileSync(project.path('trained'), 'utf8')).toBe(LATER);
}, 240_000);

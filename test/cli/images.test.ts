/** `images`: the files of a benchmark, and images that a node gets from a registry on loopback, through a mirror. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PullEnd } from '../../app/pull-images.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { isThere } from '../../tasks/base/debian.ts';
import { command, commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';
import { ask, makeImage, startTestNode } from '../servers/rig.ts';

const folder = temporaryFolder();
const MISSING = ['skopeo', 'docker-registry'].filter((name) => !isThere(name, process.env));
if (MISSING.length > 0) console.log(`skipped: pulls of images: there is no ${MISSING.join(', no ')}`);

let registry: ChildProcess | null = null;
let node: Listening | null = null;
afterAll(async () => {
  registry?.kill();
  await node?.close();
});

const row = (id: string, data_source: string, more = {}) =>
  JSON.stringify({ text: `mend ${id}`, metadata: { instance: { instance_id: id, ...more }, data_source } });
const ROWS = [
  row('Astropy__astropy-1', 'princeton-nlp/SWE-bench_Verified'),
  row('dask__dask-2', 'SumanthRH/SWE-Gym-Subset', { eval_script: 'true' }),
  row('own__own-3', 'SWE-Gym', { image_name: 'ghcr.io/own/image:7' }),
];
const NAMES = [
  'docker.io/swebench/sweb.eval.x86_64.astropy_1776_astropy-1:latest',
  'docker.io/xingyaoww/sweb.eval.x86_64.dask_s_dask-2:latest',
  'ghcr.io/own/image:7',
];

test('names the images of rows and writes the files of a benchmark', async () => {
  const project = new Project();
  writeFileSync(project.path('rows.jsonl'), `${ROWS.join('\n')}\n\n`);
  const all = await command(project, 'images', '--rows', 'rows.jsonl');
  expect([all.code, all.stdout]).toEqual([0, `${NAMES.join('\n')}\n`]);
  expect(await command(project, 'images', '--rows', 'rows.jsonl', '--first', '0')).toEqual(all);
  const none = await command(project, 'images', '--rows', 'rows.jsonl', '--first', 'none');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('for example: 1\n')]);
  await command(project, 'images', '--rows', 'rows.jsonl', '--first', '2', '--to', 'assets');
  expect(readdirSync(project.path('assets')).sort()).toEqual([
    'docker_images.txt',
    'instance_ids.txt',
    'verified_eval.jsonl',
  ]);
  const text = (name: string) => readFileSync(project.path(`assets/${name}`), 'utf8');
  expect(text('instance_ids.txt')).toBe('Astropy__astropy-1\ndask__dask-2\n');
  expect(text('docker_images.txt')).toBe(`${NAMES.slice(0, 2).join('\n')}\n`);
  expect(text('verified_eval.jsonl')).toBe(`${ROWS.slice(0, 2).join('\n')}\n`);
  const again = await command(project, 'images', '--list', 'assets/docker_images.txt');
  expect(again.stdout).toBe(text('docker_images.txt'));
  writeFileSync(project.path('bad.jsonl'), `${ROWS[0]}\n{"text": "no instance"}\n`);
  const bad = await command(project, 'images', '--rows', 'bad.jsonl');
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('line 2 is not a row')]);
  expect((await command(project, 'images')).code).toBe(2);
  const bare = await command(project, 'images', '--list', 'assets/docker_images.txt', '--to', 'x');
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('a list has none')]);
});

test.skipIf(MISSING.length > 0)(
  'gets images through a mirror, under their own names, and tries again',
  async () => {
    const layout = makeImage(folder);
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    node = await startTestNode(join(folder, 'node'), layout);
    const project = new Project();
    const last = NAMES[0]!.split('/').at(-1)!;
    const gone = 'docker.io/swebench/sweb.eval.x86_64.gone_1776_gone-9:latest';
    writeFileSync(project.path('list.txt'), `# what is needed\n${NAMES[0]}\n${gone}\n`);
    const args = ['images', '--list', 'list.txt', '--pull', '--node', node.url];
    const mirror = ['--proxy-prefix', `${address}/mirror`, '--pause', '200ms'];
    // The registry comes up while it is tried.
    const pulling = command(project, ...args, ...mirror, '--tries', '200', '--first', '1');
    await startRegistry(port);
    execFileSync('skopeo', [
      '--insecure-policy',
      'copy',
      '--dest-tls-verify=false',
      `oci:${layout}`,
      `docker://${address}/mirror/${last}`,
    ]);
    const pulled = await pulling;
    expect(pulled.stderr).toContain(`[1/1] pulled ${NAMES[0]}`);
    expect([pulled.code, pulled.stdout]).toEqual([0, '1 of 1 image is there\n']);
    expect((await ask(node.url, '/images')).body.images).toContain(NAMES[0]!.replace('docker.io/', ''));
    const made = await ask(node.url, '/container/create', { image: NAMES[0] });
    expect(made.body.ok).toBe(true);
    const container_id = made.body.container_id as string;
    expect(
      (await ask(node.url, '/container/exec', { container_id, command: 'cat code.txt' })).body.output,
    ).toBe('broken\n');
    await ask(node.url, '/container/destroy', { container_id });
    const { images } = await commandJson<{ images: PullEnd[] }>(project, ...args, ...mirror, '--tries', '2');
    expect(images.map(({ status }) => status)).toEqual(['there', 'failed']);
  },
  120_000,
);

async function startRegistry(port: number): Promise<void> {
  const config = join(folder, 'registry.yml');
  mkdirSync(join(folder, 'registry'));
  writeFileSync(
    config,
    `version: 0.1\nstorage: { filesystem: { rootdirectory: ${folder}/registry } }\nhttp: { addr: "127.0.0.1:${port}" }\n`,
  );
  registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  for (;;) {
    const answers = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** `lock --images`: tags are written down with what they mean, and --frozen names one that means something else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockedImages } from '../../app/lock-images.ts';
import type { Session } from '../../app/session.ts';
import type { Lock } from '../../compiler/lock.ts';
import type { RunEnd } from '../../engine/run.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { openRegistry, type Shelf } from '../tasks/images/registry-server.ts';

const [OLD, NEW] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
let shelf: Shelf;
let project: Project;
beforeAll(async () => {
  shelf = await openRegistry();
  shelf.tags = { 'acme/tiny:1': OLD };
  project = tinyProject({ instances: 2 });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const named = rows.map((row) => ({ ...JSON.parse(row), image_name: `${shelf.host}/acme/tiny:1` }));
  writeFileSync(project.path('rows.jsonl'), named.map((row) => `${JSON.stringify(row)}\n`).join(''));
});
afterAll(() => shelf.close());

const images = () => (JSON.parse(readFileSync(project.path('p.yaml.lock'), 'utf8')) as Lock).images;

test('the image that a deployment stands on is one of them', async () => {
  shelf.tags = { 'acme/base:1': NEW };
  const folder = temporaryFolder();
  const put = () => Promise.resolve();
  const services = {
    shared: {},
    env: { PATH: process.env.PATH },
    projectFolder: folder,
    cache: { folder: { sources: folder }, layers: {}, database: { memos: { get: () => undefined, put } } },
  };
  const bases = ['host', 'image', 'debian:bookworm', 'image:./here', `image:${shelf.host}/acme/base:1`];
  const deployments = Object.fromEntries(bases.map((base, index) => [`d${index}`, { base }]));
  const session = { project: { config: { dataset: {}, deployments } }, services } as unknown as Session;
  const end = { nodes: new Map() } as unknown as RunEnd;
  const name = `${shelf.host}/acme/base:1`;
  expect(await lockedImages(session, end, {})).toEqual({ ok: true, value: { [name]: NEW } });
  expect(await lockedImages(session, end, { [name]: OLD })).toEqual({ ok: true, value: { [name]: OLD } });
  shelf.tags = { 'acme/tiny:1': OLD };
  shelf.requests.length = 0;
});

test('images are pinned when asked for, stay pinned, and drift is named', async () => {
  await command(project, 'lock', 'p.yaml');
  expect(images()).toBeUndefined();
  expect(shelf.requests).toEqual([]);
  const locked = await command(project, 'lock', 'p.yaml', '--images');
  expect([locked.code, locked.stdout]).toEqual([
    0,
    'wrote p.yaml.lock: 1 datasets, 0 sources, 1 environments, 1 images\n',
  ]);
  const name = `${shelf.host}/acme/tiny:1`;
  expect(images()).toEqual({ [name]: OLD });
  expect(shelf.requests).toHaveLength(1);
  expect((await command(project, 'build', 'p.yaml', '--frozen')).code).toBe(0);

  shelf.tags = { 'acme/tiny:1': NEW };
  const frozen = await command(project, 'build', 'p.yaml', '--frozen');
  expect([frozen.code, frozen.stdout]).toEqual([2, '']);
  expect(frozen.stderr).toContain(`      images.${name}\n        - ${OLD}\n        + ${NEW}\n`);
  // A lock is obeyed by those that follow, unless everything is looked up again.
  await command(project, 'lock', 'p.yaml');
  expect(images()).toEqual({ [name]: OLD });
  await command(project, 'lock', 'p.yaml', '--update');
  expect(images()).toEqual({ [name]: NEW });

  shelf.tags = {};
  const gone = await command(project, 'build', 'p.yaml', '--frozen');
  expect([gone.code, gone.stderr]).toEqual([
    2,
    expect.stringContaining(`- ${NEW}\n        + (not there now)`),
  ]);
  const nothing = await command(project, 'lock', 'p.yaml', '--update');
  expect([nothing.code, nothing.stderr]).toEqual([
    3,
    expect.stringContaining(`E004  nothing was locked: there is no image ${name}`),
  ]);
  await shelf.close();
  const alone = await command(project, 'build', 'p.yaml', '--frozen');
  expect(alone.stderr).toContain('warning: 1 image tags could not be checked: ');
  expect(alone.code).toBe(0);
}, 240_000);

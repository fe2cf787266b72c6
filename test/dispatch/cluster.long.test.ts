/**
 * A build on a cluster whose HTTP edge is ours and whose jobs are real: the same answers as on one machine, whatever is lost
 * on the way, and nothing that finished runs again.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { pause, treeOf } from '../rig/pausing.ts';
import type { Project } from '../rig/project.ts';
import { type RayServer, rayServer } from '../rig/ray-server.ts';
import { tinyProject } from '../rig/tiny-project.ts';

let project: Project;
let ray: RayServer;
let local: Map<string, string>;

/** Profiles with caches of their own, so that nothing is there. */
const profile = (name: string, url: string) => `  ${name}:
    deployments:
      box:
        type: ray
        address: ${url}
        program: ${join(packageRoot(), 'bin/swemake.js')}
        folder: ${project.path(`${name}-worker`)}
        items: 2
        at_once: 1
        lease: 10s
        wait: 60s
    cache: { folder: .${name}, remote: { path: ${name}-shared } }
`;

const PROFILES = ['plain', 'lost', 'broken', 'spread', 'paused'];

beforeAll(async () => {
  project = tinyProject({ instances: 3 });
  ray = await rayServer({ ...process.env, SWEMAKE_PARANOID: '1' });
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(
    project.path('p.yaml'),
    `${text}profiles:\n${PROFILES.map((name) => profile(name, ray.url)).join('')}`,
  );
  for (const name of PROFILES) mkdirSync(project.path(`${name}-shared`));
  await project.build('p.yaml');
  local = answers('.swemake');
}, 300_000);

/** Key, digest and outcome of every item that ran, from the journals. */
function answers(cache: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const event of project.events(cache)) {
    const { type, stage, item, key, record, outcome } = event as Record<string, never>;
    if (type === 'item-finished' && record !== undefined)
      found.set(`${stage}@${item}`, JSON.stringify([key, (record as { digest: string }).digest, outcome]));
  }
  return found;
}

const jobsOf = (shared: string) =>
  [...ray.jobs.values()].filter(({ command }) => command.includes(`${shared}-shared`));

// Each builds a whole project, which may take long on a machine that is busy.
describe('a build on a cluster', { timeout: 300_000 }, () => {
  test('has the answers of one on this machine, and another build takes them', async () => {
    const built = await project.build('p.yaml', '--profile', 'plain');
    expect(built).toMatchObject({ code: 0, outcomes: { ok: 6 } });
    expect(answers('.plain')).toEqual(local);
    expect(jobsOf('plain')).toHaveLength(3);
    for (const { body } of jobsOf('plain'))
      expect(body).toMatchObject({
        entrypoint_num_cpus: 1,
        entrypoint_resources: { sandbox: 1, tar_io: 1, 'node:10.0.0.1': 0.0001 },
      });
    const again = await project.build('p.yaml', '--profile', 'plain');
    expect(again).toMatchObject({ code: 0, executed: 0 });
    const elsewhere = await project.build(
      'p.yaml',
      '--set',
      'cache.folder=.x',
      '--set',
      'cache.remote.path=plain-shared',
    );
    expect(elsewhere).toMatchObject({ code: 0, executed: 0 });
  });

  test('goes on when a job is lost whose process lives on, which then writes nothing', async () => {
    const building = project.build('p.yaml', '--profile', 'lost');
    const first = await until(() => jobsOf('lost').find(({ command }) => command.includes('-2-1 ')));
    first.status = 'FAILED';
    const end = await building;
    expect(end).toMatchObject({ code: 0, outcomes: { ok: 6 } });
    expect(answers('.lost')).toEqual(local);
    await until(() => first.process.exitCode ?? undefined);
    // Its place was taken by another job of the same items, under another name.
    expect(ray.submissions.filter((id) => id.endsWith('-2-2'))).toHaveLength(1);
  });

  test('gives the same answers when a job stands still for longer than its lease', async () => {
    const building = project.build('p.yaml', '--profile', 'paused');
    const first = await until(() => jobsOf('paused').find(({ command }) => command.includes('-2-1 ')));
    await pause(treeOf(first.process.pid!), 30_000);
    expect(await building).toMatchObject({ code: 0, outcomes: { ok: 6, failed: 0, timeout: 0 } });
    expect(answers('.paused')).toEqual(local);
  });

  test('uses all machines, and waits where it is not said which there are', async () => {
    const resources = { CPU: 2, sandbox: 128, tar_io: 40 };
    ray.hidesMachines = true;
    ray.machines = ['10.0.0.1', '10.0.0.2'].map((ip) => ({ ip, resources }));
    const waiting = project.start(['build', 'p.yaml', '--profile', 'spread']);
    let said = '';
    for (const stream of [waiting.stdout!, waiting.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const ended = new Promise((resolve) => waiting.once('close', resolve));
    await until(() => (said.includes('does not say which machines it has') ? true : undefined));
    expect(jobsOf('spread')).toEqual([]);
    ray.hidesMachines = false;
    expect(await ended, said).toBe(0);
    expect(answers('.spread')).toEqual(local);
    const used = jobsOf('spread').flatMap(({ body }) =>
      Object.keys(body.entrypoint_resources as object).filter((name) => name.startsWith('node:')),
    );
    expect(new Set(used)).toEqual(new Set(['node:10.0.0.1', 'node:10.0.0.2']));
  });

  test('starts one job where the answer to its submission is lost, and waits for a cluster that is down', async () => {
    ray.breaksSubmissions = true;
    const building = project.build('p.yaml', '--profile', 'broken');
    await until(() => (jobsOf('broken').length > 0 ? true : undefined));
    ray.isDown = true;
    ray.breaksSubmissions = false;
    await sleep(3000);
    ray.isDown = false;
    expect(await building).toMatchObject({ code: 0, outcomes: { ok: 6 } });
    expect(answers('.broken')).toEqual(local);
  });
});

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(50);
  }
}

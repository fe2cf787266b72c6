/** Caches on other file systems and beside other clocks, and commands that change a cache while it is built in. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { remoteServer } from '../rig/remote-server.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { buildWorker, runWorker } from './program.ts';

let worker: string;
beforeAll(() => {
  worker = buildWorker();
});

const mounted: string[] = [];
afterAll(() => {
  rmSync(worker, { force: true });
  for (const folder of mounted.reverse()) execFileSync('umount', ['-l', folder]);
});

/** @returns why it cannot be mounted, or null. */
function mount(type: string, options: string, folder: string): string | null {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync('mount', ['-t', type, '-o', options, type, folder], {
    encoding: 'utf8',
  });
  if (status !== 0) return stderr.trim() || 'mount cannot be run';
  mounted.push(folder);
  return null;
}

test('a cache on overlayfs, and one whose files lie in a lower layer, as in a snapshot', (context) => {
  const disk = temporaryFolder();
  const noDisk = mount('tmpfs', 'size=256m', disk);
  if (noDisk !== null) return context.skip(`no file system can be mounted: ${noDisk}`);
  const overlay = (lower: string, upper: string, folder: string): string => {
    for (const name of [lower, upper, `${upper}-work`, folder])
      mkdirSync(join(disk, name), { recursive: true });
    const options = [
      `lowerdir=${disk}/${lower}`,
      `upperdir=${disk}/${upper}`,
      `workdir=${disk}/${upper}-work`,
    ];
    expect(mount('overlay', options.join(), join(disk, folder))).toBeNull();
    return join(disk, folder);
  };
  const first = overlay('empty', 'one', 'first');
  const made = runWorker(worker, first);
  expect(made.counts).toMatchObject({ ok: 4, infra: 0 });
  expect(runWorker(worker, first).ran).toEqual([]);
  const second = overlay('one', 'two', 'second');
  expect(runWorker(worker, second)).toMatchObject({ ran: [], digests: made.digests });
  rmSync(join(second, 'cache/blobs'), { recursive: true });
  expect(runWorker(worker, second)).toMatchObject({ digests: made.digests, counts: { infra: 0 } });
});

test('a disk without inodes is a full disk, and the next build goes on', (context) => {
  const folder = temporaryFolder();
  const cache = join(folder, 'cache');
  const refused = mount('tmpfs', 'size=64m,nr_inodes=1200', cache);
  if (refused !== null) return context.skip(`no file system can be mounted: ${refused}`);
  mkdirSync(join(cache, 'filler'));
  try {
    for (let index = 0; ; index += 1) writeFileSync(join(cache, 'filler', `${index}`), '');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  const full = runWorker(worker, folder);
  expect(full.counts.failed ?? 0).toBe(0);
  expect(full.stderr + JSON.stringify(full.counts)).toMatch(/ENOSPC|is full|"infra":[1-9]/);
  rmSync(join(cache, 'filler'), { recursive: true });
  expect(runWorker(worker, folder).counts).toMatchObject({ ok: 4, infra: 0 });
  expect(runWorker(worker, folder).ran).toEqual([]);
});

describe('a clock that is', () => {
  const hasFaketime = spawnSync('faketime', ['--version']).status === 0;
  const under = (offset: string) => ({
    LD_PRELOAD: spawnSync('faketime', ['-f', offset, 'sh', '-c', 'echo $LD_PRELOAD'], {
      encoding: 'utf8',
    }).stdout.trim(),
    FAKETIME: offset,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });

  test.for([
    ['set back by ten days', '-10d'],
    ['ten days ahead', '+10d'],
  ])('%s between two builds makes nothing again, and nothing is lost', ([, offset], context) => {
    if (!hasFaketime) return context.skip('faketime is not installed');
    const folder = temporaryFolder();
    const made = runWorker(worker, folder);
    expect(runWorker(worker, folder, under(offset!))).toMatchObject({ ran: [], digests: made.digests });
    const killed = temporaryFolder();
    runWorker(worker, killed, { SWEMAKE_FAULT: 'lock-taken:3' });
    expect(runWorker(worker, killed, under(offset!))).toMatchObject({
      digests: made.digests,
      counts: { ok: 4, infra: 0 },
    });
    expect(readdirSync(join(killed, 'cache/locks'))).toEqual([]);
    expect(runWorker(worker, killed).ran).toEqual([]);
  });
});

test('retry, accept, verify --repair and gc beside a build change none of its answers', async () => {
  const project = tinyProject({ instances: 6, seconds: 1 });
  const answers = async () => {
    const { items } = JSON.parse(
      (await project.run('why', 'validate', '--project', 'p.yaml', '--json')).stdout,
    );
    return (items as { item: string; last: { outcome: { status: string } } }[]).map(({ item, last }) => [
      item,
      last.outcome.status,
    ]);
  };
  const building = project.start(['build', 'p.yaml', '--json']);
  const built = new Promise((resolve) => building.once('close', resolve));
  let isBuilding = true;
  void built.then(() => {
    isBuilding = false;
  });
  const beside = [
    ['gc', 'p.yaml'],
    ['verify', 'p.yaml', '--repair'],
    ['retry', 'p.yaml', 'validate.train@tiny.1'],
    ['accept', 'validate.train@tiny.2', '--project', 'p.yaml'],
    ['verify', 'p.yaml', '--rehash'],
  ];
  const ends: (number | null)[] = [];
  for (const args of beside) if (isBuilding) ends.push((await project.run(...args)).code);
  expect(await built).toBe(0);
  expect(ends.length).toBeGreaterThan(0);
  // 2: there is nothing to retry, or to accept, yet.
  for (const code of ends) expect([0, 1, 2]).toContain(code);
  const again = await project.build('p.yaml');
  expect(again).toMatchObject({ code: 0, outcomes: { failed: 0, flaky: 0, timeout: 0, infra: 0 } });
  expect((await project.build('p.yaml')).executed).toBe(0);
  expect((await answers()).map(([, outcome]) => outcome)).toEqual(Array(6).fill('ok'));
  expect((await project.run('verify', 'p.yaml', '--rehash')).code).toBe(0);
});

test('two writers of one remote cache, of which one is cut off in the middle of each upload', async () => {
  const server = await remoteServer();
  let cut = 0;
  server.misbehave = (request, response) => {
    // Every third upload is lost after it came: its writer knows nothing of it.
    if (request.method !== 'PUT' || ++cut % 3 !== 0) return false;
    response.destroy();
    return true;
  };
  const remote = ['--set', `cache.remote.url=${server.url}`];
  const [one, two, three] = [0, 1, 2].map(() => tinyProject({ instances: 2 }));
  const [first, second] = await Promise.all([
    one!.build('p.yaml', ...remote),
    two!.build('p.yaml', ...remote),
  ]);
  for (const end of [first, second])
    expect(end).toMatchObject({ code: 0, outcomes: { failed: 0, infra: 0 } });
  server.misbehave = null;
  // Half of the contents are not whole, as after a crash of the server.
  for (const [path, bytes] of [...server.held].filter((_, index) => index % 2 === 0))
    server.held.set(path, bytes.subarray(0, bytes.length >> 1));
  const third = await three!.build('p.yaml', ...remote);
  expect(third).toMatchObject({ code: 0, outcomes: { failed: 0, infra: 0 } });
  expect((await three!.run('verify', 'p.yaml', '--rehash')).code).toBe(0);
});

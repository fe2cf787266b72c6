/** The real command where something around it is not as usual: all hits, or a clear word. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 600_000;
const isRoot = process.getuid?.() === 0;
let project: Project;

beforeAll(async () => {
  // Programs that every user of the host can reach.
  project = tinyProject({ instances: 2, type: 'local', env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  expect(await project.build('p.yaml')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
}, LONG);

describe('T05 the same project', () => {
  test('from another folder, home, locale, time zone and temporary folder: all hits', async () => {
    const moved = new Project(join(temporaryFolder(), 'å moved'), {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: temporaryFolder(),
      TMPDIR: temporaryFolder(),
      LC_ALL: 'sv_SE.UTF-8',
      LANG: 'tr_TR.UTF-8',
      TZ: 'Pacific/Kiritimati',
    });
    renameSync(project.folder, moved.folder);
    try {
      expect(await moved.build('p.yaml')).toMatchObject({ executed: 0, code: 0 });
    } finally {
      renameSync(moved.folder, project.folder);
    }
  });

  test.skipIf(!isRoot)(
    'in sandboxes, taken over by another user: all hits, and that user can go on',
    async () => {
      const given = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
      expect(await given.build('p.yaml')).toMatchObject({ code: 0, isolation: 'sandbox' });
      execFileSync('chown', ['-R', '65534:65534', given.folder]);
      const hits = asNobody(given, ['build', 'p.yaml', '--json']);
      expect(hits).toMatchObject({ code: 0, text: expect.stringMatching(/"executed":0/) });
      expect(hits.text).toContain('"isolation":"sandbox"');
      const more = asNobody(given, ['build', 'p.yaml', '--json', '--set', 'validation.timeout=61s']);
      expect(more).toMatchObject({ code: 0, text: expect.stringMatching(/"executed":1\b/) });
      expect(asNobody(given, ['verify', 'p.yaml', '--rehash'])).toMatchObject({ code: 0 });
    },
    LONG,
  );

  test.skipIf(!isRoot)(
    'T31 by a user who may only read: all hits, and what would write says why not',
    async () => {
      execFileSync('chmod', ['-R', 'a+rX', project.folder]);
      const command = (...args: string[]) => asNobody(project, args);
      expect(command('build', 'p.yaml', '--json')).toMatchObject({
        code: 0,
        text: expect.stringMatching(/"executed":0/),
      });
      expect(command('verify', 'p.yaml')).toMatchObject({ code: 0, text: expect.stringMatching(/sound/) });
      expect(command('plan', 'p.yaml').code).toBe(0);
      expect(command('gc', 'p.yaml')).toMatchObject({ code: 3, text: expect.stringMatching(/read-only/) });
      expect(command('verify', 'p.yaml', '--repair')).toMatchObject({
        code: 3,
        text: expect.stringMatching(/read-only/),
      });
      const more = command('build', 'p.yaml', '--set', 'validation.gold_runs=3');
      expect(more).toMatchObject({
        code: 3,
        text: expect.stringMatching(/read-only and lacks answers of validate\.train/),
      });
    },
  );
});

test('T10 another time limit is another key', async () => {
  const plan = await project.run('plan', 'p.yaml', '--set', 'validation.timeout=61s');
  expect(plan.stdout).toMatch(/validate\.train +2 +2 +changed: checks/);
});

describe.skipIf(!isRoot)('T31 a read-only disk', () => {
  const folder = temporaryFolder();
  let mounted = false;
  afterAll(() => {
    if (mounted) execFileSync('umount', ['-l', folder]);
  });

  test('builds what is all there, reads, and says what it cannot do', async (context) => {
    try {
      execFileSync('mount', ['--bind', project.path('.swemake'), folder], { stdio: 'ignore' });
      mounted = true;
      execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' });
    } catch {
      context.skip('needs the right to mount');
    }
    const set = ['--set', `cache.folder=${folder}`];
    expect(await project.build('p.yaml', ...set)).toMatchObject({ executed: 0, code: 0 });
    expect(await project.run('status', 'p.yaml', ...set)).toMatchObject({ code: 0 });
    expect(await project.run('verify', 'p.yaml', '--rehash', ...set)).toMatchObject({ code: 0 });
    const more = await project.run('build', 'p.yaml', ...set, '--set', 'validation.gold_runs=3');
    expect(more.code).toBe(3);
    expect(more.stderr).toMatch(/E003 {2}the cache .* is read-only and lacks answers/);
    const lock = project.path('p.yaml.lock');
    const other = ['--set', 'environments.recipes=[{ match: {}, env: { OTHER: "1" } }]'];
    expect(await project.run('lock', 'p.yaml', ...set, ...other)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/is read-only and lacks answers of environments\.train/),
    });
    expect(existsSync(lock)).toBe(false);
    expect(await project.run('lock', 'p.yaml', ...set)).toMatchObject({ code: 0 });
    rmSync(lock);
  });
});

describe('T40 T41 two builds at once', () => {
  test(
    'in two processes share the work',
    async () => {
      const twin = tinyProject({ instances: 3, type: 'local' });
      const ends = await Promise.all([
        twin.build('p.yaml'),
        twin.build('p.yaml'),
        twin.run('status', 'p.yaml'),
      ]);
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(ends[0].executed + ends[1].executed).toBe(6);
      expect((await twin.build('p.yaml')).executed).toBe(0);
      const verified = await twin.run('verify', '--rehash');
      expect(verified).toMatchObject({ code: 0 });
    },
    LONG,
  );
});

describe('T50 every blob is damaged, with its size', () => {
  test(
    'the build makes again what it reads, by itself; a repair finds all',
    async () => {
      damageBlobs(project);
      const sound = { code: 0, outcomes: { infra: 0, failed: 0 } };
      expect(await project.build('p.yaml', '--force', 'validate.train@tiny.0')).toMatchObject(sound);
      damageBlobs(project);
      expect((await project.run('verify', '--rehash', '--repair')).code).toBe(1);
      expect(await project.build('p.yaml')).toMatchObject(sound);
      expect((await project.run('verify', '--rehash')).code).toBe(0);
      expect((await project.build('p.yaml')).executed).toBe(0);
    },
    LONG,
  );
});

function damageBlobs(one: Project): void {
  for (const path of blobsOf(one)) {
    chmodSync(path, 0o644);
    writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'));
  }
}

function blobsOf(one: Project): string[] {
  const blobs = one.path('.swemake/blobs');
  return readdirSync(blobs).flatMap((shard) =>
    readdirSync(join(blobs, shard)).map((name) => join(blobs, shard, name)),
  );
}

function asNobody(one: Project, args: string[]): { code: number; text: string } {
  const home = temporaryFolder();
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o777);
  const command = [process.execPath, join(process.cwd(), 'bin/swemake.js'), ...args];
  try {
    const text = execFileSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...command], {
      cwd: one.folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home },
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return { code: 0, text };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, text: stdout + stderr };
  }
}

/** Two hosts, each a folder with a cache of its own, and the folder that they share. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

type Remote = { remote: { taken: number; given: number; left: number; up: number; down: number } };

let first: Project;
let second: Project;
let shared: string;
let made: { executed: number; digests: string };

/** Keys and digests of all answers, as the stages' lists have them. */
async function digests(project: Project): Promise<string> {
  const out = join(project.folder, 'out');
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  return files
    .sort()
    .map((name) => `${name}\n${readFileSync(join(out, name), 'utf8')}`)
    .join('\n');
}

beforeAll(async () => {
  shared = temporaryFolder();
  first = tinyProject({ instances: 2, isCold: true });
  const file = first.path('p.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\ncache: { remote: { path: ${shared} } }\n`);
  const other = temporaryFolder();
  mkdirSync(join(other, 'files'));
  cpSync(first.folder, other, { recursive: true });
  second = new Project(other);
  const build = (await first.build('p.yaml')) as Awaited<ReturnType<Project['build']>> & Remote;
  expect(build).toMatchObject({ code: 0, remote: { taken: 0, left: 0 } });
  expect(build.remote.given).toBeGreaterThanOrEqual(build.executed);
  made = { executed: build.executed, digests: await digests(first) };
});

test('the second host runs nothing, has the same files and says where its answers are from', async () => {
  const build = (await second.build('p.yaml')) as Awaited<ReturnType<Project['build']>> & Remote;
  expect(build).toMatchObject({ code: 0, executed: 0 });
  expect(build.remote.taken).toBe(made.executed);
  expect(await digests(second)).toBe(made.digests);
  const why = await second.run('why', 'environments', '--project', 'p.yaml', '--json');
  expect(JSON.parse(why.stdout).items[0].last.remote).toBe(true);
  expect((await second.run('why', 'environments', '--project', 'p.yaml')).stdout).toContain(
    'from the remote cache',
  );
  expect((await second.run('verify', 'p.yaml', '--rehash')).code).toBe(0);
  const again = await second.run('build', 'p.yaml');
  expect(again.stdout).toContain('nothing to do');
  expect(again.stdout).not.toContain('remote cache');
});

test('doctor tries it, and verify reads it', async () => {
  const doctor = await second.run('doctor', 'p.yaml');
  expect(doctor.stdout).toContain(`ok    remote cache: ${shared} can be read and written`);
  const sound = await second.run('verify', 'p.yaml', '--remote');
  expect(sound).toMatchObject({ code: 0 });
  expect(sound.stdout).toMatch(/\d+ answers read .*, sound/);
  const answers = join(shared, 'ac');
  const [shard] = readdirSync(answers);
  rmSync(join(answers, shard!), { recursive: true });
  const contents = readdirSync(join(shared, 'cas'), { recursive: true, encoding: 'utf8' });
  for (const name of contents.filter((one) => /\/[0-9a-f]{64}$/.test(one))) {
    rmSync(join(shared, 'cas', name));
    writeFileSync(join(shared, 'cas', name), '');
  }
  const broken = await first.run('verify', 'p.yaml', '--remote', '--json');
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout).problems.length).toBeGreaterThan(0);
});

test('a host that finds it broken runs everything, to the same files', async () => {
  const third = new Project(temporaryFolder());
  cpSync(first.folder, third.folder, {
    recursive: true,
    filter: (path) => !path.includes('.swemake') && !path.includes('/out'),
  });
  const build = (await third.build('p.yaml')) as Awaited<ReturnType<Project['build']>> & Remote;
  expect(build).toMatchObject({ code: 0 });
  expect(build.executed).toBeGreaterThan(0);
  expect(await digests(third)).toBe(made.digests);
});

/** `cache export` and `cache import`: a host takes the answers of another from one file, and none that no trusted key has signed. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { beforeAll, describe, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

interface Told {
  answers: number;
  signed: string | null;
  missing: number;
  taken: number;
  known: number;
  refused: string[];
}

let project: Project;
let key = '';
const archive = () => project.path('cache.tar.gz');

beforeAll(async () => {
  project = tinyProject({ instances: 2, type: 'auto' });
  expect((await command(project, 'build', 'p.yaml', 'filter')).code).toBe(0);
  key = (await command(project, 'keygen', 'key.pem')).stdout.trim();
}, 300_000);

/** Another machine: the same project with an empty cache. */
function host(): Project {
  const other = new Project();
  for (const name of ['p.yaml', 'rows.jsonl', 'repo'])
    cpSync(project.path(name), other.path(name), { recursive: true });
  return other;
}

const take = (on: Project, file: string, ...args: string[]) =>
  commandJson<Told>(on, 'cache', 'import', file, '--project', 'p.yaml', ...args);

/** The archive with its files changed by `change`, which gets their folder. */
async function changed(name: string, change: (folder: string) => void): Promise<string> {
  const folder = project.path(`changed-${name}`);
  mkdirSync(folder);
  await extract({ file: archive(), cwd: folder });
  change(folder);
  const file = project.path(`${name}.tar.gz`);
  await create({ file, cwd: folder, gzip: true }, readdirSync(folder));
  return file;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('everything that is answered goes into one file, which another host takes and then runs nothing', async () => {
  const told = await commandJson<Told>(
    project,
    ...['cache', 'export', 'p.yaml', '--to', 'cache.tar.gz', '--sign', 'key.pem'],
  );
  // Of the stages after filter there is nothing yet; rows, an environment, two verdicts and the set that passed.
  expect(told).toMatchObject({ answers: 5, signed: key });
  const other = host();
  expect(await take(other, archive(), '--trust', key)).toMatchObject({ taken: 5, known: 0, refused: [] });
  expect(await take(other, archive(), '--trust', key)).toMatchObject({ taken: 0, known: 5 });
  // Before any build, what changed since is told by these answers.
  const why = ['why', 'validate.train@tiny.0', '--set', 'validation.timeout=77s'];
  expect((await command(other, ...why)).stdout).toMatch(/stale: .*\n.*timeout +- 60/);
  const built = await command(other, 'build', 'p.yaml', 'filter');
  expect([built.code, built.stdout]).toEqual([0, expect.not.stringMatching(/\b[1-9]\d* run\b/)]);
  expect(
    readdirSync(other.path('.swemake'), { encoding: 'utf8' }).filter((one) => one.includes('making')),
  ).toEqual([]);
  expect((await command(other, 'verify', 'p.yaml', '--rehash')).code).toBe(0);
  expect((await command(other, 'why', 'validate.train@tiny.0')).stdout).toContain('from the remote cache');
});

const MEMORY = '/dev/shm';
const hasMemory = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev;

test.skipIf(!hasMemory)(
  'a file on another file system is written as a whole, and nothing beside it',
  async () => {
    const folder = mkdtempSync(join(MEMORY, 'swemake-'));
    try {
      const file = join(folder, 'deep/cache.tar.gz');
      const told = await commandJson<Told>(project, 'cache', 'export', 'p.yaml', '--to', file);
      expect(told).toMatchObject({ answers: 5 });
      expect(readdirSync(join(folder, 'deep'))).toEqual(['cache.tar.gz']);
      expect(await take(host(), file, '--unsigned')).toMatchObject({ taken: 5, refused: [] });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('stages may be named', async () => {
  const told = await commandJson<Told>(
    project,
    ...['cache', 'export', 'p.yaml', 'environments', '--to', 'environments.tar.gz'],
  );
  expect(told).toMatchObject({ answers: 1, signed: null, missing: 0 });
  const wrong = await command(project, 'cache', 'export', 'p.yaml', 'nothing', '--to', 'x');
  expect([wrong.code, existsSync(project.path('x'))]).toEqual([2, false]);
});

describe('what is not trusted is not taken', () => {
  const words = async (on: Project, ...args: string[]) => {
    const end = await command(on, 'cache', 'import', ...args, '--project', 'p.yaml');
    return [end.code, end.stderr.split('\n')[0]];
  };

  test('without a key that is trusted, and of another writer', async () => {
    const other = host();
    expect(await words(other, archive())).toEqual([2, 'E001  no key is trusted']);
    const their = (await command(other, 'keygen', 'other.pem')).stdout.trim();
    expect(await take(other, archive(), '--trust', their)).toMatchObject({
      taken: 0,
      refused: { length: 5 },
    });
    expect(await words(other, archive(), '--trust', 'x')).toEqual([2, 'E001  "x" is no public key']);
    expect(await take(other, project.path('environments.tar.gz'), '--trust', key)).toMatchObject({
      taken: 0,
      refused: [expect.stringMatching(/^environments\.train@/)],
    });
    expect(await take(other, project.path('environments.tar.gz'), '--unsigned')).toMatchObject({ taken: 1 });
  });

  test('an answer that somebody changed, also where everybody is trusted', async () => {
    const file = await changed('forged', (folder) => {
      for (const path of filesIn(join(folder, 'ac'))) {
        const text = readFileSync(path, 'utf8');
        rmSync(path);
        writeFileSync(path, text.replace('"status":"ok"', '"status":"timeout"'));
      }
    });
    const told = await take(host(), file, '--unsigned');
    expect([told.taken, told.refused.length]).toEqual([0, 5]);
  });

  test('content that is another, and names that lead outside', async () => {
    const file = await changed('content', (folder) => {
      for (const path of filesIn(join(folder, 'cas'))) {
        rmSync(path);
        writeFileSync(path, 'other');
      }
      mkdirSync(join(folder, 'outside'));
      writeFileSync(join(folder, 'outside/escaped'), 'x');
    });
    const other = host();
    const told = await take(other, file, '--trust', key);
    expect(told.refused.length).toBeGreaterThan(0);
    expect(told.refused).toContainEqual(expect.stringMatching(/^environments\.train@/));
    expect(filesIn(other.folder).filter((path) => path.endsWith('escaped'))).toEqual([]);
  });

  test('a file that is no archive', async () => {
    writeFileSync(project.path('text'), 'text');
    expect(await words(host(), project.path('text'), '--unsigned')).toEqual([
      2,
      expect.stringMatching(/^E001 {2}text (?:cannot be unpacked|is no archive)/),
    ]);
  });
});

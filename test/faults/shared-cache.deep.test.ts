/**
 * Two users of the host with one cache folder: of one group they take each other's answers, whatever their file mode masks;
 * otherwise the second one gets a clear error. It needs root, who becomes these users; else it is skipped, with the reason.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const GROUP = 1600;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('skipped: a cache of two users: only root can become other users');

interface User {
  uid: number;
  gid: number;
  groups: number[];
  umask: string;
  folder: string;
}

let base: string;
beforeAll(() => {
  base = isRoot ? tinyProject({ instances: 1, isCold: true }).folder : '';
});

/** A user with a copy of the project; the cache is that of all. */
function userOf(uid: number, more: Pick<User, 'gid' | 'groups' | 'umask'>, cache: string): User {
  const folder = temporaryFolder();
  cpSync(base, folder, { recursive: true });
  const yaml = readFileSync(join(folder, 'p.yaml'), 'utf8');
  writeFileSync(join(folder, 'p.yaml'), `${yaml}cache: { folder: ${cache} }\n`);
  execFileSync('chown', ['-R', `${uid}:${more.gid}`, folder]);
  return { uid, ...more, folder };
}

function run({ uid, gid, groups, umask, folder }: User, ...args: string[]) {
  const as = ['--reuid', String(uid), '--regid', String(gid)];
  const others = groups.length === 0 ? ['--clear-groups'] : ['--groups', groups.join(',')];
  const command = ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath];
  const argv = [...as, ...others, ...command, join(packageRoot(), 'bin/swemake.js'), ...args];
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'home-cache'),
    SWEMAKE_PARANOID: '1',
  };
  const end = spawnSync('setpriv', argv, { cwd: folder, env, encoding: 'utf8' });
  return { code: end.status, out: end.stdout, err: end.stderr };
}

interface Built {
  executed: number;
  isolation: string;
  stages: { stage: string; outcomes: Record<string, number> }[];
}

function build(user: User, ...args: string[]): Built {
  const { code, out, err } = run(user, 'build', 'p.yaml', '--json', ...args);
  if (code !== 0) throw new Error(`${code}\n${out}\n${err}`);
  return JSON.parse(out) as Built;
}

const verdicts = ({ stages }: Built) => stages.find(({ stage }) => stage === 'validate.train')!.outcomes;

/** A folder that all may enter, and in it the path of a cache. */
function placeOfCache(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  return join(folder, 'cache');
}

describe.skipIf(!isRoot)('two users', () => {
  test.each([
    ['022', 'the first user'],
    ['077', 'the first user'],
    ['077', 'an administrator'],
  ])(
    'with mask %s take answers of each other from a cache that %s shares',
    { timeout: 240_000 },
    (umask, who) => {
      const cache = placeOfCache();
      if (who === 'an administrator') {
        mkdirSync(cache);
        execFileSync('chown', [`0:${GROUP}`, cache]);
        chmodSync(cache, 0o2770);
      }
      const first = userOf(1501, { gid: GROUP, groups: [], umask }, cache);
      const second = userOf(1502, { gid: 1502, groups: [GROUP], umask }, cache);
      const stranger = userOf(1503, { gid: 1503, groups: [], umask }, cache);
      const share = who === 'an administrator' ? [] : ['--set', 'cache.share=group'];
      const made = build(first, ...share);
      expect(verdicts(made)).toMatchObject({ ok: 1, infra: 0 });
      expect((statSync(cache).mode & 0o7777).toString(8)).toBe('2770');
      // The mode of the folder says that it is shared.
      expect(build(second)).toMatchObject({ executed: 0 });
      const more = build(second, '--set', 'validation.timeout=61s');
      expect(more.executed).toBe(1);
      expect([verdicts(more), more.isolation]).toEqual([verdicts(made), made.isolation]);
      expect(build(first, '--set', 'validation.timeout=61s')).toMatchObject({ executed: 0 });
      for (const user of [first, second]) {
        expect(run(user, 'verify', 'p.yaml', '--rehash')).toMatchObject({ code: 0, err: '' });
        expect(run(user, 'gc', 'p.yaml')).toMatchObject({ code: 0 });
        expect(build(user)).toMatchObject({ executed: 0 });
      }
      const refused = run(stranger, 'build', 'p.yaml');
      expect(refused).toMatchObject({
        code: 3,
        err: `E003  the cache ${cache} is shared with the group ${GROUP}, to which this user does not belong\n      set cache.folder to a folder of your own\n`,
      });
    },
  );

  test('whose cache is not shared: the other one is told', { timeout: 120_000 }, () => {
    const cache = placeOfCache();
    const first = userOf(1501, { gid: GROUP, groups: [], umask: '022' }, cache);
    const second = userOf(1502, { gid: 1502, groups: [GROUP], umask: '022' }, cache);
    const made = build(first);
    const remedy = '      set cache.folder to a folder of your own\n';
    for (const share of ['none', 'group'])
      expect(run(second, 'build', 'p.yaml', '--set', `cache.share=${share}`)).toMatchObject({
        code: 3,
        err: `E003  the cache ${cache} belongs to the user 1501 alone (mode 0700)\n${remedy}`,
      });
    // It is shared later, with all that is in it.
    expect(build(first, '--set', 'cache.share=group')).toMatchObject({ executed: 0 });
    expect(build(second)).toMatchObject({ executed: 0 });
    expect(verdicts(build(second, '--set', 'validation.timeout=61s'))).toEqual(verdicts(made));
  });
});

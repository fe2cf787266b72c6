import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { diskFault } from '../../../tasks/source/fault.ts';
import { fetchSource } from '../../../tasks/source/fetch.ts';
import { pinSource } from '../../../tasks/source/pin.ts';
import { unpackArchive } from '../../../tasks/source/unpack.ts';
import { unpackTar } from '../../../tasks/source/unpack-tar.ts';
import { UnpackTarget } from '../../../tasks/source/unpack-target.ts';
import { writeTree } from '../../rig/folder.ts';
import { git, makeDeps, QUIET_ENV, temporaryFolder } from './helpers.ts';

let root: string;
let deps: SourceDeps;

beforeEach(() => {
  root = temporaryFolder();
  deps = makeDeps(root);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function obtain(spec: string, using: SourceDeps = deps) {
  const pinned = await pinSource(spec, using);
  return pinned.ok ? fetchSource(pinned.value, using) : pinned;
}

async function fetched(spec: string, using: SourceDeps = deps) {
  const tree = await obtain(spec, using);
  if (!tree.ok) throw new Error(tree.fault.detail);
  return { ...tree.value, path: join((await using.layers.open(tree.value.layer))!, 'testbed') };
}

const hasProgram = (name: string) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

test.for<[ending: string, program: string, command: [string, string]]>([
  ['tar', 'none', ['tar', '-cf']],
  ['tar.gz', 'gzip', ['tar', '-czf']],
  ['tar.xz', 'xz', ['tar', '-cJf']],
  ['tar.bz2', 'bzip2', ['tar', '-cjf']],
  ['zip', 'zip', ['zip', '-qry']],
])(
  'unpacks %s, whatever it is called, without its top folder',
  async ([ending, program, [command, option]], { skip }) => {
    if (program !== 'none' && !hasProgram(program)) skip(`there is no ${program} here`);
    writeTree(join(root, 'foo-1.0'), { 'setup.py': 'setup()\n', 'foo/__init__.py': '', 'run.sh': 'true\n' });
    execFileSync('chmod', ['4755', join(root, 'foo-1.0/run.sh')]);
    symlinkSync('setup.py', join(root, 'foo-1.0/link.py'));
    execFileSync(command!, [option!, `foo.${ending}`, 'foo-1.0'], { cwd: root });
    execFileSync('mv', [join(root, `foo.${ending}`), join(root, 'foo.bin')]);
    const { path } = await fetched('archive:foo.bin');
    expect(readFileSync(join(path, 'link.py'), 'utf8')).toBe('setup()\n');
    expect(statSync(join(path, 'run.sh')).mode & 0o7777).toBe(0o755);
    expect(git(path, 'ls-files').split('\n').sort()).toEqual([
      'foo/__init__.py',
      'link.py',
      'run.sh',
      'setup.py',
    ]);
    expect(git(path, 'status', '--porcelain')).toBe('');
  },
);

test('all kinds of archive of the same files give the same layer', async () => {
  writeTree(join(root, 'foo-1.0'), { a: 'a', 'b/c': 'c' });
  mkdirSync(join(root, 'foo-1.0', 'empty'));
  execFileSync('tar', ['-cf', 'one.tar', 'foo-1.0'], { cwd: root });
  execFileSync('tar', ['-czf', 'two.tgz', '-C', 'foo-1.0', 'b', 'a'], { cwd: root });
  const [one, two] = [await fetched('archive:one.tar'), await fetched('archive:two.tgz')];
  expect(readdirSync(join(one.path, '..'))).toEqual(['testbed']);
  expect(one.layer).toBe(two.layer);
});

/** A tar made by hand, since no tool makes a hostile one. */
function tarOf(
  ...entries: { path: string; type?: string; linkpath?: string; body?: string; mode?: number }[]
): Buffer {
  const blocks = entries.flatMap(({ body = '', type = 'File', ...entry }) => {
    const header = Buffer.alloc(512);
    new Header({ ...entry, type: type as 'File', size: body.length, mode: entry.mode ?? 0o644 }).encode(
      header,
      0,
    );
    return [header, Buffer.concat([Buffer.from(body), Buffer.alloc((512 - (body.length % 512)) % 512)])];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test.each([
  ['a parent path', [{ path: '../evil', body: 'x' }]],
  ['an absolute path', [{ path: '/tmp/swemake-evil', body: 'x' }]],
  ['a hard link out of it', [{ path: 'x', type: 'Link', linkpath: '../../etc/passwd' }]],
  [
    'a file that is a folder too',
    [
      { path: 'x', body: '1' },
      { path: 'x/y', body: '2' },
    ],
  ],
])('refuses an archive with %s', async (_what, entries) => {
  writeFileSync(join(root, 'evil.tar'), tarOf(...entries));
  expect(await obtain('archive:evil.tar')).toMatchObject({ ok: false, fault: { reason: 'invalid-row' } });
});

test('writes nothing through a link, and leaves out devices and links out of the tree', async () => {
  mkdirSync(join(root, 'outside'));
  writeFileSync(
    join(root, 'evil.tar.gz'),
    gzipSync(
      tarOf(
        { path: 'top/good', body: 'good' },
        { path: 'top/door', type: 'SymbolicLink', linkpath: join(root, 'outside') },
        { path: 'top/door/file', body: 'planted' },
        { path: 'top/deep/up', type: 'SymbolicLink', linkpath: '../..' },
        { path: 'top/sly', type: 'SymbolicLink', linkpath: 'deep/../..' },
        { path: 'top/null', type: 'CharacterDevice' },
        { path: 'top/.git/config', body: '[core]\n\tfsmonitor = touch /tmp/x\n' },
        { path: 'top/twin', type: 'Link', linkpath: 'top/good' },
      ),
    ),
  );
  const { path, warnings } = await fetched('archive:evil.tar.gz');
  expect(git(path, 'ls-files').split('\n').sort()).toEqual(['door/file', 'good', 'twin']);
  expect(execFileSync('ls', [join(root, 'outside')], { encoding: 'utf8' })).toBe('');
  expect(warnings.map((line) => line.split(':')[0]!.replace('left out ', ''))).toEqual([
    'top/null',
    '.git',
    'sly',
    'deep/up',
  ]);
  expect(git(path, 'config', '--list', '--local')).not.toContain('fsmonitor');
});

test('a damaged archive is the row’s fault, one that is not there yet is not', async () => {
  writeTree(join(root, 'foo'), { a: 'a'.repeat(100_000) });
  execFileSync('tar', ['-czf', 'foo.tar.gz', 'foo'], { cwd: root });
  const whole = readFileSync(join(root, 'foo.tar.gz'));
  writeFileSync(join(root, 'cut.tar.gz'), whole.subarray(0, whole.length - 20));
  writeFileSync(join(root, 'text.zip'), 'PK but not a zip');
  writeFileSync(join(root, 'page.tar.gz'), '<html>not found</html>');
  for (const name of ['cut.tar.gz', 'text.zip', 'page.tar.gz']) {
    expect(await obtain(`archive:${name}`)).toMatchObject({ ok: false, fault: { reason: 'invalid-row' } });
  }
  const gone = { status: 'infra', reason: 'source-fetch' };
  expect(await obtain('archive:gone.tar.gz')).toMatchObject({ ok: false, fault: gone });
  expect(await obtain('git+./gone@main')).toMatchObject({ ok: false, fault: gone });
});

test('archives that break off within a file leave none open', async () => {
  const whole = tarOf({ path: 'a', body: 'a'.repeat(1_000_000) });
  writeFileSync(join(root, 'cut.tar'), whole.subarray(0, 600_000));
  writeFileSync(join(root, 'cut.tar.gz'), gzipSync(whole, { level: 0 }).subarray(0, 600_000));
  const left = () =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(join(root, 'files'));
      } catch {
        return false;
      }
    });
  for (const name of ['cut.tar', 'cut.tar.gz'])
    expect(await unpackArchive(join(root, name), join(root, 'files', name), name)).toMatchObject({
      ok: false,
      fault: { reason: 'invalid-row' },
    });
  expect(left()).toEqual([]);
});

test('an archive that changed after it was pinned is not used', async () => {
  writeFileSync(join(root, 'a.tar'), tarOf({ path: 'x', body: '1' }));
  const pinned = await pinSource('archive:a.tar', deps);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  writeFileSync(join(root, 'a.tar'), tarOf({ path: 'x', body: '2' }));
  expect(await fetchSource(pinned.value, deps)).toMatchObject({
    ok: false,
    fault: { reason: 'source-fetch' },
  });
});

test('an sdist comes from the index, is pinned by its sha256 and kept', async () => {
  mkdirSync(join(root, 'simple', 'my-pkg'), { recursive: true });
  writeTree(join(root, 'My_Pkg-1.0'), { 'pkg.py': 'x = 1\n' });
  execFileSync('tar', ['-czf', join(root, 'simple/my-pkg/My_Pkg-1.0.tar.gz'), 'My_Pkg-1.0'], { cwd: root });
  writeFileSync(join(root, 'simple/my-pkg/my_pkg-1.0-py3-none-any.whl'), 'a wheel is no source');
  const env = { ...QUIET_ENV, PIP_NO_INDEX: '', PIP_INDEX_URL: `file://${root}/simple` };
  const using = makeDeps(root, env);
  const pinned = await pinSource('pypi:my.pkg==1.0.0', using);
  const bytes = readFileSync(join(root, 'simple/my-pkg/My_Pkg-1.0.tar.gz'));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(pinned).toEqual({ ok: true, value: { spec: 'pypi:my.pkg==1.0.0', digest: `sha256:${sha256}` } });
  rmSync(join(root, 'simple'), { recursive: true });
  const { path } = await fetched('pypi:my.pkg==1.0.0', using);
  expect(readFileSync(join(path, 'pkg.py'), 'utf8')).toBe('x = 1\n');
  expect(await pinSource('pypi:my-pkg==9', using)).toMatchObject({
    ok: false,
    fault: { reason: 'invalid-row' },
  });
});

test('a local archive that is gone by the time it is unpacked is a fault of the machine', async () => {
  writeTree(join(root, 'foo-1.0'), { 'setup.py': 'setup()\n' });
  execFileSync('tar', ['-cf', 'foo.tar', 'foo-1.0'], { cwd: root });
  const pinned = await pinSource('archive:foo.tar', deps);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  rmSync(join(root, 'foo.tar'));
  expect(await fetchSource(pinned.value, deps)).toMatchObject({
    ok: false,
    fault: { status: 'infra', reason: 'source-fetch' },
  });
});

test('copies by hard links count, so that no small archive fills the disk', () => {
  const target = new UnpackTarget(join(root, 'into'), 1000);
  const file = target.file('a', 0o644);
  file.write(Buffer.alloc(300));
  file.close();
  target.hardLink('b', 'a');
  target.hardLink('c', 'a');
  expect(() => target.hardLink('d', 'a')).toThrow('it unpacks to more than 1000 bytes');
});

test.each(['gzip', 'none'] as const)(
  'an archive (%s) that cannot be read is not called damaged',
  async (kind) => {
    const into = new UnpackTarget(join(root, 'into'));
    await expect(unpackTar(join(root, 'gone'), kind, into)).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

/** Unpacks an archive that is taken to be one of xz, with a program of this text in the place of xz. */
async function withXz(script: string) {
  writeTree(join(root, 'bin'), { xz: `#!/bin/sh\n${script}\n` });
  chmodSync(join(root, 'bin/xz'), 0o755);
  vi.stubEnv('PATH', `${join(root, 'bin')}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(join(root, 'a.xz'), Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 0]));
  return unpackArchive(join(root, 'a.xz'), join(root, 'files'), 'a.xz');
}

test.each([
  ['xz: a.xz: Unexpected end of input', 'invalid-row'],
  ['bzip2: Data integrity error when decompressing.', 'invalid-row'],
  ['xz: a.xz: Cannot allocate memory', 'helper'],
  ['xz: a.xz: Read error: Input/output error', 'helper'],
  ['bzip2: I/O or other error, bailing out.  Possible reason follows.', 'helper'],
])('a program that cannot unpack says why: %s', async (text, reason) => {
  expect(await withXz(`echo '${text}' >&2; exit 1`)).toMatchObject({ fault: { reason } });
});

test('an archive that a program unpacks is not opened, too', async ({ skip }) => {
  skip(process.platform !== 'linux', 'open files are listed on Linux');
  writeFileSync(join(root, 'a.tar'), tarOf({ path: 'x', body: '1' }, { path: 'y', body: '2' }));
  expect(await withXz(`cat '${join(root, 'a.tar')}'`)).toMatchObject({ ok: true });
  const open = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  expect(open).not.toContain(join(root, 'a.xz'));
});

test.each(['EIO', 'ESTALE', 'EMFILE', 'ENFILE'])('%s is a fault of the machine, and no bug', (code) => {
  const error = Object.assign(new Error(`${code}: read`), { code });
  expect(diskFault(error)).toMatchObject({ status: 'infra', reason: 'machine' });
});

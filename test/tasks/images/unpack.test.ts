/** Layers of images become folders as overlayfs mounts them, and nothing of a layer is written outside of its own. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { unpack } from '../../../tasks/images/unpack.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { type TarEntry, tarGzOf, tarOf } from '../../rig/tar.ts';

const root = temporaryFolder();
const isRoot = process.getuid?.() === 0;
const hasZstd = (() => {
  try {
    execFileSync('zstd', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
let count = 0;

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Options {
  bytes?: Buffer;
  digest?: string | null;
  diffId?: string | null;
  path?: string;
}

/** Unpacks an archive of the entries; `outside` lies beside the folder that the layer gets. */
async function unpacked(entries: readonly TarEntry[], options: Options = {}) {
  count += 1;
  const outside = join(root, `${count}`);
  const into = join(outside, 'into');
  mkdirSync(into, { recursive: true });
  const blob = join(outside, 'blob');
  const bytes = options.bytes ?? tarOf(entries);
  writeFileSync(blob, bytes);
  const request = {
    blob: { path: blob, offset: 0, size: bytes.length },
    digest: options.digest ?? null,
    diffId: options.diffId === undefined ? null : options.diffId,
    into,
  };
  const made = await unpack(
    request,
    { ...process.env, ...(options.path === undefined ? {} : { PATH: options.path }) },
    new AbortController().signal,
  );
  const tree = join(into, 'tree');
  return { made, outside, into, at: (path: string) => join(tree, path) };
}

async function facts(entries: readonly TarEntry[], options: Options = {}) {
  const found = await unpacked(entries, options);
  if (!found.made.ok) throw new Error(found.made.fault.detail);
  return { ...found, facts: found.made.value };
}

async function refusal(entries: readonly TarEntry[], options: Options = {}) {
  const { made, outside, into } = await unpacked(entries, options);
  expect(made.ok).toBe(false);
  // Nothing lies beside the layer's own folder, nor in a tree of it.
  expect(readdirSync(outside).sort()).toEqual(['blob', 'into']);
  expect(existsSync(join(into, 'tree'))).toBe(false);
  return made.ok ? '' : made.fault.detail;
}

const xattr = (path: string) =>
  execFileSync('python3', [
    '-c',
    'import os,sys\ntry: print(os.getxattr(sys.argv[1], "user.overlay.opaque").decode())\nexcept OSError: print("-")',
    path,
  ])
    .toString()
    .trim();

describe('what a layer holds', () => {
  test('files with their modes and times, folders, links', async () => {
    const { at, facts: said } = await facts([
      { name: './', type: '5', mode: 0o755 },
      { name: 'bin/', type: '5', mode: 0o750 },
      { name: 'bin/tool', content: 'x', mode: 0o755, mtime: 1_234_567_890 },
      { name: 'bin/su', content: 's', mode: 0o4755 },
      { name: 'tmp', type: '5', mode: 0o1777 },
      { name: 'lib', type: '2', link: 'usr/lib' },
      { name: '/etc/hosts', content: 'h' },
      { name: 'deep/without/parents', content: 'd' },
    ]);
    expect(lstatSync(at('bin/tool')).mtimeMs).toBe(1_234_567_890_000);
    expect(lstatSync(at('bin/su')).mode & 0o7777).toBe(0o4755);
    expect(lstatSync(at('tmp')).mode & 0o7777).toBe(0o1777);
    expect(readlinkSync(at('lib'))).toBe('usr/lib');
    expect(readFileSync(at('etc/hosts'), 'utf8')).toBe('h');
    expect(readFileSync(at('deep/without/parents'), 'utf8')).toBe('d');
    expect(said).toMatchObject({ devices: 0, foreign: 0, bytes: 4 });
  });

  test('hard links, which are one file', async () => {
    const { at } = await facts([
      { name: 'a', content: 'one' },
      { name: 'b', type: '1', link: './a' },
      { name: 'soft', type: '2', link: 'a' },
      { name: 'again', type: '1', link: 'soft' },
    ]);
    expect(lstatSync(at('a')).ino).toBe(lstatSync(at('b')).ino);
    expect(readlinkSync(at('again'))).toBe('a');
  });

  test('long names, and what pax headers say', async () => {
    const long = `${'folder/'.repeat(40)}ünïcode ${'n'.repeat(120)}`;
    const { at } = await facts([
      { name: 'short', content: 'long', pax: { path: long } },
      { name: 'link', type: '2', pax: { linkpath: `/${long}` } },
    ]);
    expect(readFileSync(at(long), 'utf8')).toBe('long');
    expect(readlinkSync(at('link'))).toBe(`/${long}`);
  });

  test('marks of what it hides', async () => {
    const { at } = await facts([
      { name: 'etc/.wh.gone', content: '' },
      { name: 'var/', type: '5' },
      { name: 'var/.wh..wh..opq', content: '' },
      { name: 'var/new', content: 'n' },
      // Removed, and made again as a folder: nothing of the old one shows through.
      { name: '.wh.opt', content: '' },
      { name: 'opt/', type: '5' },
      // Removed, and made again as a file.
      { name: 'etc/.wh.file', content: '' },
      { name: 'etc/file', content: 'f' },
      // Names that aufs keeps for itself.
      { name: '.wh..wh.plnk', type: '5' },
    ]);
    const gone = lstatSync(at('etc/gone'));
    expect([gone.isCharacterDevice(), gone.rdev]).toEqual([true, 0]);
    expect(xattr(at('var'))).toBe('y');
    expect(xattr(at('opt'))).toBe('y');
    expect(xattr(at('etc'))).toBe('-');
    expect(readFileSync(at('etc/file'), 'utf8')).toBe('f');
    expect(readdirSync(at('')).filter((name) => name.startsWith('.wh'))).toEqual([]);
  });

  test('files of impossible times', async () => {
    const { at } = await facts([
      { name: 'late', pax: { mtime: '99999999999999999999' } },
      { name: 'early', pax: { mtime: '-5.5' } },
    ]);
    expect(lstatSync(at('late')).mtimeMs).toBeGreaterThan(4e12);
    expect(lstatSync(at('early')).mtimeMs).toBe(0);
    const endless = await unpacked([{ name: 'endless', pax: { mtime: 'inf' } }]);
    expect(endless.made).toMatchObject({ ok: false, fault: { reason: 'source-fetch' } });
  });

  test('no devices and pipes, which are counted', async () => {
    const { at, facts: said } = await facts([
      { name: 'dev/sda', type: '4' },
      { name: 'dev/null', type: '3' },
      { name: 'pipe', type: '6' },
      { name: 'file', content: 'f' },
    ]);
    expect(said.devices).toBe(3);
    expect(existsSync(at('dev/null'))).toBe(false);
    expect(existsSync(at('file'))).toBe(true);
  });

  test.skipIf(!isRoot)('owners, as far as a workspace has them', async () => {
    const { at, facts: said } = await facts([
      { name: 'mail', content: 'm', uid: 8, gid: 12, mode: 0o2755 },
      { name: 'high', content: 'h', uid: 70_000, gid: 1 },
      { name: 'link', type: '2', link: 'mail', uid: 8, gid: 12 },
    ]);
    expect([lstatSync(at('mail')).uid, lstatSync(at('mail')).gid]).toEqual([8, 12]);
    expect(lstatSync(at('mail')).mode & 0o7777).toBe(0o2755);
    expect(lstatSync(at('link')).uid).toBe(8);
    expect(lstatSync(at('high')).uid).toBe(65_534);
    expect(said.foreign).toBe(1);
  });

  test('the last of what it says about a path', async () => {
    const { at } = await facts([
      { name: 'a/file', content: '1' },
      { name: 'a', content: 'now a file' },
      { name: 'b', content: '1' },
      { name: 'b', content: '2' },
    ]);
    expect(readFileSync(at('a'), 'utf8')).toBe('now a file');
    expect(readFileSync(at('b'), 'utf8')).toBe('2');
  });
});

describe('a hostile layer', () => {
  const cases: [string, TarEntry[], RegExp][] = [
    ['a name with ..', [{ name: '../evil', content: 'e' }], /leads out/],
    ['.. in the midst', [{ name: 'a/../../evil', content: 'e' }], /leads out/],
    ['.. by a pax header', [{ name: 'x', content: 'e', pax: { path: 'a/../../evil' } }], /leads out/],
    ['a hard link to outside', [{ name: 'x', type: '1', link: '../blob' }], /leads out/],
    [
      'a hard link to an absolute path',
      [{ name: 'x', type: '1', link: '/etc/passwd' }],
      /no file of the layer/,
    ],
    [
      'a file through a link',
      [
        { name: 'out', type: '2', link: '..' },
        { name: 'out/evil', content: 'e' },
      ],
      /no folder/,
    ],
    [
      'a file through an absolute link',
      [
        { name: 'out', type: '2', link: '/tmp' },
        { name: 'out/evil', content: 'e' },
      ],
      /no folder/,
    ],
    [
      'a hard link through a link',
      [
        { name: 'out', type: '2', link: '..' },
        { name: 'x', type: '1', link: 'out/blob' },
      ],
      /no file of the layer/,
    ],
    [
      'a mark through a link',
      [
        { name: 'out', type: '2', link: '..' },
        { name: 'out/.wh.blob', content: '' },
      ],
      /no folder/,
    ],
    ['a mark of ..', [{ name: 'a/.wh...', content: '' }], /hides nothing/],
  ];
  test.each(cases)('is refused for %s', async (_, entries, why) => {
    expect(await refusal(entries)).toMatch(why);
  });

  test('may hold links to anywhere, which are never followed', async () => {
    const { at, outside } = await facts([
      { name: 'passwd', type: '2', link: '/etc/passwd' },
      { name: 'up', type: '2', link: '../../blob' },
      // What replaces a link takes its place and is not written through it.
      { name: 'swap', type: '2', link: '../../blob' },
      { name: 'swap', content: 'mine' },
    ]);
    expect(readFileSync(at('swap'), 'utf8')).toBe('mine');
    expect(lstatSync(at('swap')).isFile()).toBe(true);
    expect(readFileSync(join(outside, 'blob'), 'latin1')).toContain('ustar');
  });
});

describe('digests', () => {
  const entries = [{ name: 'a', content: 'a' }];
  const tar = tarOf(entries);
  const packed = gzipSync(tar);

  test('are held against the blob and its content', async () => {
    await facts([], { bytes: packed, digest: sha256(packed), diffId: sha256(tar) });
    expect(await refusal([], { bytes: packed, digest: sha256(tar), diffId: sha256(tar) })).toMatch(
      /the blob is/,
    );
    expect(await refusal([], { bytes: packed, digest: null, diffId: sha256(packed) })).toMatch(
      /its content is/,
    );
  });

  test('count what comes after the end of the archive, too', async () => {
    const longer = Buffer.concat([tar, Buffer.from('more')]);
    expect(await refusal([], { bytes: longer, diffId: sha256(tar) })).toMatch(/its content is/);
  });

  test.each([
    ['cut off', packed.subarray(0, packed.length - 12)],
    ['damaged', Buffer.concat([packed.subarray(0, 20), Buffer.from('?'), packed.subarray(21)])],
    ['no archive', Buffer.from('this is no archive at all')],
    ['empty', Buffer.alloc(0)],
  ])('an archive that is %s is refused', async (_, bytes) => {
    expect(await refusal([], { bytes, diffId: sha256(tar) })).not.toBe('');
  });
});

describe('compression', () => {
  test('by gzip in several members', async () => {
    const tar = tarOf([{ name: 'a', content: 'x'.repeat(5000) }]);
    const bytes = Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
    const { at } = await facts([], { bytes, diffId: sha256(tar) });
    expect(lstatSync(at('a')).size).toBe(5000);
  });

  test.each(['xz', 'bz2'])('by %s', async (module) => {
    const tar = tarOf([{ name: 'a', content: 'x'.repeat(500_000) }]);
    const program = `import bz2, lzma as xz, sys; sys.stdout.buffer.write(${module}.compress(sys.stdin.buffer.read()))`;
    const bytes = execFileSync('python3', ['-c', program], { input: tar });
    const { at } = await facts([], { bytes, digest: sha256(bytes), diffId: sha256(tar) });
    expect(lstatSync(at('a')).size).toBe(500_000);
    const damaged = Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(20, 1)]);
    const { made } = await unpacked([], { bytes: damaged, diffId: sha256(tar) });
    expect(made).toMatchObject({ ok: false, fault: { reason: 'source-fetch' } });
  });

  test('by zstd, through the program', async ({ skip }) => {
    if (!hasZstd) skip('there is no program zstd');
    const tar = tarOf([{ name: 'a', content: 'x'.repeat(500_000) }]);
    const bytes = execFileSync('zstd', ['-qc'], { input: tar });
    const { at } = await facts([], { bytes, digest: sha256(bytes), diffId: sha256(tar) });
    expect(lstatSync(at('a')).size).toBe(500_000);
  });

  test('by zstd without the program says what to install', async () => {
    const folder = join(root, 'only-python');
    mkdirSync(folder);
    const python = execFileSync('sh', ['-c', 'command -v python3']).toString().trim();
    execFileSync('ln', ['-s', python, join(folder, 'python3')]);
    const bytes = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.alloc(20)]);
    const { made } = await unpacked([], { bytes, path: folder });
    expect(made).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'tool-missing' } });
    expect(made.ok ? '' : made.fault.detail).toContain('apt-get install zstd');
  });
});

test('what is in a layer is listed, with what it hides', async () => {
  const { into } = await facts([], {
    bytes: tarGzOf([
      { name: 'a', content: 'a', mode: 0o755 },
      { name: '.wh.b', content: '' },
      { name: 'c/.wh..wh..opq', content: '' },
    ]),
  });
  const lines = readFileSync(join(into, 'tree.manifest'), 'utf8').trim().split('\n');
  const digest = createHash('sha256').update('a').digest('hex');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    ['f', 'a', digest, 'x', 1],
    ['w', 'b'],
    ['d', 'c'],
    ['o', 'c'],
  ]);
});

test('a layer that is far larger than its bytes is refused before it is written', async () => {
  const holes = { 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.realsize': String(2 ** 43) };
  const entries = [
    { name: 'small', content: 'a' },
    { name: 'holes', content: '0\n', pax: holes },
  ];
  expect(await refusal(entries)).toContain('it unpacks to more than 4294967296 bytes');
});

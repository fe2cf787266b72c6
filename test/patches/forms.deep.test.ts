/**
 * Diffs of random edits to random trees, in the styles that git and GNU diff write: what is read of them and written
 * anew makes exactly the edited tree.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unsafeName } from '../../patches/names.ts';
import type { FilePatch } from '../../patches/patch.ts';
import { bothNames } from '../../patches/patch.ts';
import { type PatchTree, placeSections, possibleNames } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { applyAttempts, hasBareHunks } from '../../patches/ways.ts';
import { invertPatch, writePatch } from '../../patches/write.ts';
import { randomNumbers } from '../rig/random.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'swemake-forms-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'core.autocrlf=false', ...args], {
    cwd,
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

const NAMES = [
  'a.py',
  'b/a.py',
  'a/x.py',
  'b/b/c d.txt',
  'new/old.py',
  'old/new.py',
  'ü ñ.py',
  'quo"te.py',
  'tab\tname',
  'back\\slash',
  'src/deep/er/m.py',
  '-dash',
  'i/w/c.py',
  'x',
];
const LINES = [
  '',
  ' ',
  'x',
  '-- a/x.py',
  '++ b/x.py',
  '- y',
  '+ y',
  '@@ -1,2 +1,2 @@',
  'diff --git a/x b/x',
  '\\ z',
  '\tindent',
  'é',
  '-',
  '+',
];

class Scene {
  readonly pick = <T>(list: readonly T[]): T => list[Math.floor(this.next() * list.length)]!;
  readonly next: () => number;
  readonly folder: string;

  constructor(seed: number) {
    this.next = randomNumbers(seed);
    this.folder = mkdtempSync(join(root, `${seed}-`));
  }

  text(): Buffer {
    const kind = this.next();
    if (kind < 0.08) return Buffer.alloc(0);
    if (kind < 0.16)
      return Buffer.from([0, 1, 2, 255, ...Array.from({ length: 40 }, () => Math.floor(this.next() * 256))]);
    const end = kind < 0.3 ? '\r\n' : '\n';
    const lines = Array.from(
      { length: 3 + Math.floor(this.next() * 40) },
      () => this.pick(LINES) + (this.next() < 0.6 ? Math.floor(this.next() * 99) : ''),
    );
    return Buffer.from(lines.join(end) + (this.next() < 0.8 ? end : ''));
  }

  write(name: string, content: Buffer): void {
    const path = join(this.folder, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path) || lstatSync(path).isFile()) writeFileSync(path, content);
    } catch {
      // A file stands where a folder would have to.
    }
  }

  edit(name: string): void {
    const path = join(this.folder, name);
    if (!existsSync(path) || !lstatSync(path).isFile()) return;
    const lines = readFileSync(path, 'utf8').split('\n');
    for (let change = 0; change < 1 + this.next() * 3; change++)
      lines.splice(
        Math.floor(this.next() * lines.length),
        this.pick([0, 1, 2]),
        ...(this.next() < 0.7 ? [this.pick(LINES)] : []),
      );
    writeFileSync(path, lines.join('\n'));
  }

  change(plain: boolean): void {
    for (const name of NAMES) {
      const path = join(this.folder, name);
      const what = this.next();
      if (what < 0.35) this.edit(name);
      else if (what < 0.45) rmSync(path, { force: true, recursive: true });
      else if (what < 0.6) this.write(name, this.text());
      else if (plain) continue;
      else if (what < 0.68 && existsSync(path)) chmodSync(path, 0o755);
      else if (what < 0.74 && existsSync(path)) {
        renameSync(path, `${path}.moved`);
        if (this.next() < 0.5) this.edit(`${name}.moved`);
      } else if (what < 0.8 && !existsSync(path)) {
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync('some/where', path);
      }
    }
  }
}

/** Everything below a folder: path, kind, mode and content. */
function listing(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry);
    const stat = lstatSync(path);
    if (entry === '.git' || entry.startsWith('.git/') || stat.isDirectory()) continue;
    found[entry] = stat.isSymbolicLink()
      ? `link ${readlinkSync(path)}`
      : `${stat.mode & 0o100 ? 'x' : '-'} ${readFileSync(path).toString('latin1')}`;
  }
  return found;
}

function treeOf(folder: string): PatchTree {
  return {
    entry(path) {
      const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (stat === undefined) return null;
      return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file';
    },
    isCrlf(path) {
      const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
      const text = stat?.isFile() ? readFileSync(join(folder, path), 'latin1') : '';
      return (
        text !== '' &&
        text
          .split('\n')
          .slice(0, text.endsWith('\n') ? -1 : undefined)
          .every((line) => line.endsWith('\r'))
      );
    },
  };
}

function read(diff: string, folder: string): FilePatch[] {
  const { sections, strange } = readPatch(diff);
  const { files, unclear } = placeSections(sections, treeOf(folder));
  const lines = diff.split('\n');
  expect(
    [...strange, ...unclear]
      .map(({ line, why }) => `${why}: ${lines.slice(line - 2, line + 2).join('|')}`)
      .join(),
  ).toBe('');
  return files;
}

function apply(files: readonly FilePatch[], folder: string): string {
  const place = join(root, 'patch');
  writeFileSync(place, writePatch(files));
  let said = '';
  const { exact, lenient } = applyAttempts(place, { bare: hasBareHunks(files) });
  for (const attempt of [...exact, ...lenient]) {
    const ran = spawnSync('bash', ['-c', attempt], { cwd: folder, encoding: 'utf8' });
    if (ran.status === 0) return '';
    said += ran.stderr + ran.stdout;
  }
  throw new Error(
    said
      .split('\n')
      .filter((line) => !line.startsWith('Checking'))
      .slice(0, 12)
      .join('\n'),
  );
}

/** Where two lists differ first; both sorted, empty when they do not. */
function firstChange(ours: readonly unknown[], theirs: readonly unknown[]): string {
  const [left, right] = [ours, theirs].map((list) => list.map((each) => JSON.stringify(each)));
  const sides = [
    left!.filter((each) => !right!.includes(each)),
    right!.filter((each) => !left!.includes(each)),
  ];
  if (sides.some((side) => side.length > 0))
    throw new Error(sides.map((side) => side[0] ?? 'nothing').join(' instead of '));
  return '';
}

const STYLES: string[][] = [
  [],
  ['--no-prefix'],
  ['--src-prefix=i/', '--dst-prefix=w/'],
  ['--src-prefix=old/', '--dst-prefix=new/'],
  ['--src-prefix=orig/pkg-1/', '--dst-prefix=pkg-2/x/'],
  ['-c', 'diff.mnemonicPrefix=true'],
  ['--patience', '--minimal'],
];

describe('a diff of git', () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))('of random edits, seed %i', (seed) => {
    const scene = new Scene(seed);
    git(scene.folder, 'init', '-q');
    for (const name of NAMES) if (scene.next() < 0.7) scene.write(name, scene.text());
    scene.write('always', Buffer.from('x\n'));
    git(scene.folder, 'add', '-A');
    git(scene.folder, 'commit', '-qm', 'before');
    scene.change(false);
    git(scene.folder, 'add', '-A');
    const after = listing(scene.folder);
    const style = scene.pick(STYLES);
    const options = [
      '--binary',
      `-U${Math.floor(scene.next() * 11)}`,
      scene.pick(['--no-renames', '-M50%', '-C', '--find-copies-harder']),
      scene.pick(['--full-index', '--abbrev=40']),
      scene.pick(['--irreversible-delete', '--no-color']),
    ].filter((option) => option !== '--irreversible-delete');
    const settings = style[0] === '-c' ? style : [];
    const quoting = scene.pick(['true', 'false']);
    const diff = git(
      scene.folder,
      ...[
        '-c',
        `core.quotePath=${quoting}`,
        ...settings,
        'diff',
        ...options,
        ...(settings.length > 0 ? [] : style),
      ],
      ...['--cached', 'HEAD'],
    );
    git(scene.folder, 'reset', '-q', '--hard');
    const before = listing(scene.folder);
    const files = read(`Some words\n\n${diff}\nand more of them.\n`, scene.folder);
    expect(firstChange(read(writePatch(files), scene.folder), files)).toBe('');
    const inverse = invertPatch(files);
    expect(apply(files, scene.folder)).toBe('');
    expect(firstChange(Object.entries(listing(scene.folder)), Object.entries(after))).toBe('');
    if (inverse === null) return;
    expect(apply(inverse, scene.folder)).toBe('');
    expect(firstChange(Object.entries(listing(scene.folder)), Object.entries(before))).toBe('');
  });
});

describe('a diff of GNU diff', () => {
  test.each(Array.from({ length: 20 }, (_, seed) => 1000 + seed))('of random edits, seed %i', (seed) => {
    const scene = new Scene(seed);
    const names = NAMES.filter((name) => !/[\t"\\ü]/.test(name));
    const text = () => {
      for (;;) {
        const made = scene.text();
        if (made.length > 0 && !made.includes(0)) return made;
      }
    };
    mkdirSync(join(scene.folder, 'orig'));
    const before = new Scene(seed);
    for (const name of names) if (scene.next() < 0.7) before.write(name, text());
    execFileSync('cp', ['-r', `${before.folder}/.`, scene.folder]);
    rmSync(join(scene.folder, 'orig'), { recursive: true });
    for (const name of names) {
      const what = scene.next();
      if (what < 0.4) scene.edit(name);
      else if (what < 0.5) rmSync(join(scene.folder, name), { force: true });
      else if (what < 0.6) scene.write(name, text());
    }
    for (const [name, content] of Object.entries(listing(scene.folder)))
      if (content === '- ') rmSync(join(scene.folder, name));
    const diff = spawnSync(
      'diff',
      [`-U${1 + Math.floor(scene.next() * 6)}`, '-rNa', before.folder, scene.folder],
      {
        env: { ...process.env, TZ: scene.pick(['UTC', 'America/Lima', 'Asia/Tokyo']) },
      },
    ).stdout.toString();
    const shown = diff
      .replaceAll(`${before.folder}/`, scene.pick(['a/', 'orig/pkg-1.0/', './']))
      .replaceAll(`${scene.folder}/`, 'b/');
    const files = read(shown, before.folder);
    expect(apply(files, before.folder)).toBe('');
    expect(firstChange(Object.entries(listing(before.folder)), Object.entries(listing(scene.folder)))).toBe(
      '',
    );
  });
});

test('no text throws, and only the names that it lists are written', () => {
  const pieces = [
    ...[
      'diff --git a/x b/x\n',
      'diff --git ',
      '--- a/x\n',
      '+++ b/x\n',
      '--- ',
      '+++ ',
      '@@ -1,2 +1,2 @@\n',
      '@@ -0,0 +1 @@',
    ],
    ...[
      'rename from x\n',
      'rename to .git/config\n',
      'copy from x\n',
      'copy to y\n',
      'new file mode 120000\n',
    ],
    ...[
      'GIT binary patch\n',
      'literal 3\n',
      'zcmZ?q&\n',
      'delta 9\n',
      'index 1..2 100644\n',
      '/dev/null\n',
      'a/../x\n',
    ],
    ...[
      '\n',
      ' x\n',
      '-x\n',
      '+x\n',
      '\\ No newline at end of file\n',
      '\r\n',
      '\t',
      '"a\\303',
      '"',
      '  ',
      '***************\n',
      '1c\n',
      'x',
    ],
  ];
  const tree: PatchTree = {
    entry: (path) => (path.length % 2 === 0 ? 'file' : null),
    isCrlf: (path) => path.length % 3 === 0,
  };
  for (let seed = 0; seed < 4000; seed++) {
    const next = randomNumbers(seed);
    const text = Array.from(
      { length: 1 + next() * 24 },
      () => pieces[Math.floor(next() * pieces.length)],
    ).join('');
    const { sections } = readPatch(text);
    for (const each of [tree, null]) {
      const { files } = placeSections(sections, each);
      const safe = files.filter((file) => bothNames(file).every((name) => unsafeName(name) === null));
      const written = writePatch(safe);
      const again = placeSections(readPatch(written).sections, null).files;
      expect(firstChange(again, safe) && `${firstChange(again, safe)} ${JSON.stringify(text)}`).toBe('');
      const inverse = invertPatch(safe);
      if (inverse !== null)
        expect(placeSections(readPatch(writePatch(inverse)).sections, null).files.length, text).toBe(
          safe.length,
        );
      const possible = new Set(possibleNames(sections));
      if (each !== null)
        for (const name of safe.flatMap(bothNames)) expect(possible.has(name), text).toBe(true);
    }
  }
});

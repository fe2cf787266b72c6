import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import { describe, expect, test } from 'vitest';
import type { Digest } from '../../basics/digest.ts';
import { cacheFolder, makeCacheFolder } from '../../cache/folder.ts';
import { createLayerStore } from '../../cache/layer-store.ts';
import { LAYER_MTIME } from '../../cache/layers.ts';
import { temporaryFolder } from '../rig/folder.ts';

function rig() {
  const root = temporaryFolder();
  const folder = cacheFolder(join(root, 'cache'));
  makeCacheFolder(folder);
  let count = 0;
  const tree = (files: Record<string, string>): string => {
    count += 1;
    const path = join(root, `tree${count}`);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(path, name, '..'), { recursive: true });
      writeFileSync(join(path, name), text);
    }
    return path;
  };
  return { folder, layers: createLayerStore(folder), tree };
}

function poolFiles(pool: string): string[] {
  return readdirSync(pool).flatMap((shard) => readdirSync(join(pool, shard)));
}

describe('the layer store', () => {
  test('gives equal trees one digest, whatever their times and permissions', async () => {
    const { layers, tree } = rig();
    const one = tree({ 'a/x.py': 'print(1)', 'b.txt': 'b' });
    const two = tree({ 'b.txt': 'b', 'a/x.py': 'print(1)' });
    chmodSync(join(two, 'b.txt'), 0o600);
    expect((await layers.add(one)).digest).toBe((await layers.add(two)).digest);
  });

  test('T20 the executable bit counts, a link is a link, an empty folder is there', async () => {
    const { layers, tree } = rig();
    const plain = await layers.add(tree({ run: '#!/bin/sh' }));
    const executable = tree({ run: '#!/bin/sh' });
    chmodSync(join(executable, 'run'), 0o755);
    mkdirSync(join(executable, 'empty'));
    symlinkSync('/nowhere', join(executable, 'dangling'));
    const other = await layers.add(executable);
    expect(other.digest).not.toBe(plain.digest);
    const path = (await layers.open(other.digest))!;
    expect(statSync(join(path, 'run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(path, 'run')).mtimeMs).toBe(LAYER_MTIME * 1000);
    expect(readlinkSync(join(path, 'dangling'))).toBe('/nowhere');
    expect(readdirSync(join(path, 'empty'))).toEqual([]);
  });

  test('T21 T22 T23 links that lead nowhere, in circles or out, empty folders, odd and long names', async () => {
    const { layers, tree } = rig();
    const names = ['new\nline', ' space ', '-dash', '..dots', 'é', 'e\u0301', `${'x'.repeat(255)}`];
    const odd = tree(Object.fromEntries(names.map((name) => [name, name])));
    symlinkSync('circle', join(odd, 'circle'));
    symlinkSync('/etc/passwd', join(odd, 'out'));
    symlinkSync('..', join(odd, 'up'));
    mkdirSync(join(odd, 'empty'));
    execFileSync('mkfifo', [join(odd, 'pipe')]);
    const { digest, files } = await layers.add(odd);
    expect(files).toBe(names.length);
    const path = (await layers.open(digest))!;
    for (const name of names) expect(readFileSync(join(path, name), 'utf8')).toBe(name);
    expect(['circle', 'out', 'up'].map((name) => readlinkSync(join(path, name)))).toEqual([
      'circle',
      '/etc/passwd',
      '..',
    ]);
    expect(readdirSync(join(path, 'empty'))).toEqual([]);
    expect(existsSync(join(path, 'pipe'))).toBe(false);
  });

  test('stores a file once for many layers, and never twice under one inode in the same layer', async () => {
    const { folder, layers, tree } = rig();
    const first = await layers.add(tree({ 'shared.py': 'same', 'own.py': '1' }));
    const second = await layers.add(tree({ 'shared.py': 'same', 'own.py': '2', 'copy.py': 'same' }));
    const [one, two] = [(await layers.open(first.digest))!, (await layers.open(second.digest))!];
    expect(statSync(join(one, 'shared.py')).ino).toBe(statSync(join(two, 'copy.py')).ino);
    expect(statSync(join(two, 'shared.py')).ino).not.toBe(statSync(join(two, 'copy.py')).ino);
    expect(poolFiles(folder.pool)).toHaveLength(4);
  });

  test('makes a lost tree again from the pool, and says so when it cannot', async () => {
    const { folder, layers, tree } = rig();
    const { digest } = await layers.add(tree({ 'a/x.py': 'x', 'b.py': 'b' }));
    rmSync(join(folder.trees, digest), { recursive: true });
    expect(readFileSync(join((await layers.open(digest))!, 'a/x.py'), 'utf8')).toBe('x');
    rmSync(join(folder.trees, digest), { recursive: true });
    rmSync(folder.pool, { recursive: true });
    expect(await layers.open(digest)).toBeNull();
    expect(await layers.open('0'.repeat(64) as Digest)).toBeNull();
    expect(readdirSync(folder.temporary)).toEqual([]);
  });

  test('leaves out what has no name in UTF-8, and tells it', async () => {
    const { layers, tree } = rig();
    const path = tree({ 'a/x.py': 'x', 'a/really \ufffd': 'y' });
    for (const name of ['a/file\xff', 'folder\xff']) {
      const place = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')]);
      if (name.startsWith('a')) writeFileSync(place, 'z');
      else mkdirSync(place);
    }
    const told: string[] = [];
    const entries = await layers.take(path, (left) => told.push(left));
    expect(entries.map((entry) => entry.path)).toEqual(['a', 'a/really \ufffd', 'a/x.py']);
    expect(told.sort()).toEqual(['/a/file\ufffd', '/folder\ufffd']);
    expect(existsSync(path)).toBe(false);
  });

  test('two writers of the same tree agree', async () => {
    const { layers, tree } = rig();
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `${i % 7}`]));
    const added = await Promise.all([
      layers.add(tree(files)),
      layers.add(tree(files)),
      layers.add(tree(files)),
    ]);
    expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
    expect(existsSync((await layers.open(added[0]!.digest))!)).toBe(true);
  });
});

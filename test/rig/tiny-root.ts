/** A whole system of a shell and some tools, put together from this machine's own files. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TOOLS = [
  'bash',
  'cat',
  'ls',
  'stat',
  'id',
  'env',
  'mkdir',
  'rm',
  'touch',
  'sh',
  'readlink',
  'chmod',
  'mv',
];

/** What repositories and patches need beside. */
export const GIT_TOOLS = [
  'git',
  'patch',
  'grep',
  'sed',
  'sort',
  'comm',
  'cp',
  'head',
  'sleep',
  'find',
  'xargs',
  'ln',
  'wc',
  'tail',
];

/** Fills the folder. */
export function makeTinyRoot(folder: string, more: readonly string[] = []): void {
  for (const name of ['bin', 'etc', 'usr', 'root', 'var', 'opt'])
    mkdirSync(join(folder, name), { recursive: true });
  const libraries = new Set<string>();
  for (const tool of [...TOOLS, ...more]) {
    const path = execFileSync('sh', ['-c', `command -v ${tool}`])
      .toString()
      .trim();
    copyFileSync(realpathSync(path), join(folder, 'bin', tool));
    const needs = execFileSync('ldd', [realpathSync(path)]).toString();
    for (const [, library] of needs.matchAll(/(\/\S+) \(0x/g)) libraries.add(library!);
  }
  for (const library of libraries) {
    const place = join(folder, library);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) copyFileSync(realpathSync(library), place);
  }
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
  writeFileSync(join(folder, 'etc/tiny-release'), 'tiny\n');
  symlinkSync('../bin', join(folder, 'usr/bin'));
}

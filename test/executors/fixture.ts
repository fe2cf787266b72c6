/** Layers for the contract suite: a small environment in two layers and a git repository as the source. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { EnvironmentView, SourceView } from '../../executors/deployment.ts';

const execFileAsync = promisify(execFile);

export interface Fixture {
  /** Holds everything, and is removed at the end. */
  root: string;
  environment: EnvironmentView;
  source: SourceView;
  /** A host folder outside of every layer, holding `canary`. */
  outside: string;
  remove(): Promise<void>;
}

export const CANARY = 'canary-5b1fe2';

/** Writes files below `root`; those in a bin folder and *.sh get mode 0755, all others 0644. */
export async function writeTree(root: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    await chmod(join(root, path), path.includes('/bin/') || path.endsWith('.sh') ? 0o755 : 0o644);
  }
}

/** Runs git on the host with a neutral configuration. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: '2001-09-09T01:46:40Z',
    GIT_COMMITTER_DATE: '2001-09-09T01:46:40Z',
  };
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  const { stdout } = await execFileAsync('git', [...identity, ...args], { cwd, env, maxBuffer: 64 << 20 });
  return stdout;
}

/** Names, types, modes and contents of everything below `root`, without `.git`, as comparable lines. */
export async function treeLines(root: string, below = ''): Promise<string[]> {
  const lines: string[] = [];
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(below, entry.name);
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) lines.push(`${path}/`, ...(await treeLines(root, path)));
    else if (entry.isSymbolicLink()) lines.push(`${path} -> ${await readlink(join(root, path))}`);
    else lines.push(await fileLine(root, path));
  }
  return lines;
}

async function fileLine(root: string, path: string): Promise<string> {
  const executable = ((await stat(join(root, path))).mode & 0o100) !== 0;
  const digest = createHash('sha256')
    .update(await readFile(join(root, path)))
    .digest('hex');
  return `${path} ${executable ? 'x' : '-'} ${digest}`;
}

/** Files of the source repository. */
export const SOURCE_FILES: Record<string, string | Buffer> = {
  'README.md': 'one\ntwo\nthree\n',
  'doomed.txt': 'to be deleted\n',
  'old_name.txt': Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join(''),
  'run.sh': '#!/bin/sh\necho run\n',
  'plain.py': 'print("plain")\n',
  'blob.bin': Buffer.from([0, 1, 2, 3, 255, 254, 0, 7]),
  'latin.txt': Buffer.from('caf\xe9\nsecond\n', 'latin1'),
  'package/__init__.py': '',
  'package/core.py': 'VALUE = 1\n',
  '.gitignore': '*.log\n',
};

/** Makes the layers in a new temporary folder. */
export async function makeFixture(): Promise<Fixture> {
  const root = await mkdtemp(join(tmpdir(), 'swemake-contract-'));
  await chmod(root, 0o755);
  const lower = join(root, 'lower');
  const upper = join(root, 'upper');
  const source = join(root, 'source');
  const outside = join(root, 'outside');
  await writeTree(lower, {
    'opt/env/bin/hello': '#!/bin/sh\necho hello from lower\n',
    'opt/env/shared.txt': 'lower\n',
    'opt/env/lower.txt': 'only lower\n',
    'opt/env/lib/keep.txt': 'keep\n',
  });
  await symlink('lower.txt', join(lower, 'opt/env/link.txt'));
  await writeTree(upper, { 'opt/env/shared.txt': 'upper\n', 'opt/env/upper.txt': 'only upper\n' });
  await writeTree(join(source, 'testbed'), SOURCE_FILES);
  await git(join(source, 'testbed'), 'init', '-q', '-b', 'main');
  await git(join(source, 'testbed'), 'add', '-A');
  await git(join(source, 'testbed'), 'commit', '-q', '-m', 'base');
  await writeTree(outside, { canary: `${CANARY}\n` });
  await writeTree(join(root, 'mounted'), { 'tool.txt': 'mounted\n' });
  return {
    root,
    environment: {
      layers: [lower, upper],
      mounts: [{ from: join(root, 'mounted'), to: '/opt/mounted' }],
      links: { '/opt/shortcut': '/opt/env' },
      variables: { PATH: '/opt/env/bin:/usr/local/bin:/usr/bin:/bin', FROM_ENVIRONMENT: 'yes' },
    },
    source: { layer: source },
    outside,
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

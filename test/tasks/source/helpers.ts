/** Real parts for tests of sources: a cache folder with its layer store, and git repositories made on the spot. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, makeCacheFolder, temporaryPath } from '../../../cache/folder.ts';
import { Locks } from '../../../cache/key-lock.ts';
import { createLayerStore } from '../../../cache/layer-store.ts';
import { Presence } from '../../../cache/presence.ts';
import { type SourceDeps, sourceDeps } from '../../../tasks/source/deps.ts';
import { writeTree } from '../../rig/folder.ts';

/** An environment in which only the test's own index exists. */
export const QUIET_ENV: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  PIP_CONFIG_FILE: '/dev/null',
  PIP_NO_INDEX: '1',
};

export function makeDeps(root: string, env: NodeJS.ProcessEnv = QUIET_ENV): SourceDeps {
  const folder = cacheFolder(mkdtempSync(join(root, 'cache-')));
  makeCacheFolder(folder);
  const memo = new Map<string, string>();
  return sourceDeps({
    env,
    layers: createLayerStore(folder),
    sourcesFolder: folder.sources,
    locks: new Locks(folder.locks, Presence.enter(`${folder.database}.users`)),
    projectFolder: root,
    memo,
    temporaryPath: () => temporaryPath(folder),
  });
}

export const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'swemake-source-'));

/** Variables with a git that is killed whenever it is asked for `command`. */
export function gitKilledAt(command: string, root: string): NodeJS.ProcessEnv {
  return gitAt(command, 'kill -9 $$', root);
}

/** Variables with a git that does something else in a shell when it is asked for `command`. */
export function gitAt(command: string, instead: string, root: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, 'bin-'));
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase " $* " in *" ${command} "*) ${instead} ;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return { ...QUIET_ENV, PATH: `${folder}:${QUIET_ENV.PATH}` };
}

/** Runs git as a stranger with settings of nobody. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.org',
      GIT_OPTIONAL_LOCKS: '0',
    },
  }).trim();
}

/** A repository at `root/name` whose every commit adds `files`; returns its commits. */
export function makeRepository(root: string, name: string, ...commits: Record<string, string>[]): string[] {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  return commits.map((files) => {
    writeTree(folder, files);
    git(folder, 'add', '--all', '--force');
    git(folder, 'commit', '--quiet', '--message=more');
    return git(folder, 'rev-parse', 'HEAD');
  });
}

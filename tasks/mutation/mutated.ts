/** What `mutate` works on, as the user names it: a package of a registry, a repository behind a URL, or one in a folder. */
import { existsSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { seenFrom } from '../../basics/seen-from.ts';
import { type Release, releaseName } from '../source/release.ts';
import { parseSpec } from '../source/spec.ts';

export type Mutated =
  | { kind: 'package'; name: string; version: string }
  /** Of another registry than Python's. */
  | ({ kind: 'release' } & Release)
  /** `source` is how rows name the repository, without the commit. */
  | { kind: 'repository'; url: string; ref: string; source: string };

/**
 * Reads `NAME==VERSION`, `go:MODULE@VERSION` and its like, `git+URL@REF`, or the folder of a repository, whose checked-out commit is meant; null when it
 * is none of them. Rows that will lie in `rowsFolder` name a folder as it is seen from there.
 */
export function readMutated(text: string, cwd: string, rowsFolder: string): Mutated | null {
  const [, name, version] = /^([A-Za-z0-9][\w.-]*)==([\w.!+-]+)$/.exec(text) ?? [];
  if (name !== undefined && version !== undefined) return { kind: 'package', name, version };
  const release = parseSpec(text);
  if (release.ok && release.value.kind === 'release') return release.value;
  if (text.startsWith('git+')) {
    const spec = parseSpec(text);
    if (!spec.ok || spec.value.kind !== 'git') return null;
    const { url, ref } = spec.value;
    return {
      kind: 'repository',
      url,
      ref,
      source: isFolder(resolve(cwd, url)) ? folderFrom(rowsFolder, cwd, url) : url,
    };
  }
  if (!isRepository(resolve(cwd, text))) return null;
  return { kind: 'repository', url: text, ref: 'HEAD', source: folderFrom(rowsFolder, cwd, text) };
}

/** True for a folder with a repository's files, or a bare one. */
export function isRepository(path: string): boolean {
  return isFolder(path) && (existsSync(join(path, '.git')) || existsSync(join(path, 'HEAD')));
}

/** How people call it. */
export function nameOf(mutated: Mutated): string {
  if (mutated.kind === 'release') return releaseName(mutated);
  return mutated.kind === 'package' ? `${mutated.name}==${mutated.version}` : `${mutated.url}@${mutated.ref}`;
}

/** By what recipes match its rows, where the user does not say: OWNER/NAME of a URL or module, else what it is. */
export function usualRepo(mutated: Mutated, cwd: string): string {
  if (mutated.kind === 'package') return `pypi/${mutated.name}`;
  if (mutated.kind === 'release') {
    const [name, owner = mutated.registry] = mutated.name.replace('@', '').split('/').reverse();
    return `${owner}/${name}`;
  }
  const { url } = mutated;
  const folder = resolve(cwd, url);
  const [, owner, name] = /[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url) ?? [];
  if (!isFolder(folder) && owner !== undefined && name !== undefined) return `${owner}/${name}`;
  return `local/${basename(folder)
    .replace(/[^\w.-]+/g, '-')
    .replace(/^\.+/, '')}`;
}

/** As git reads it: with a dot in front it is a path. */
function folderFrom(folder: string, cwd: string, path: string): string {
  const seen = seenFrom(folder, cwd, path);
  return isAbsolute(seen) || seen.startsWith('.') ? seen : `./${seen}`;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

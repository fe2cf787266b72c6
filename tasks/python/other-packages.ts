/**
 * Where an interpreter of the host keeps packages that are installed for it. They may be later releases of the project
 * that a task is about, so workspaces that show the interpreter show these folders empty.
 */

import { readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { whenHidden } from '../../basics/absent.ts';

/** Folders of an interpreter's prefix that hold whole environments: of pyenv and of conda, whose `pkgs` are unpacked packages. */
const ENVIRONMENTS = ['envs', 'pkgs', 'conda-bld'];

/**
 * Folders below `prefix`, as relative paths, that hold installed packages or other environments. Links are followed, and
 * those that lead out of the prefix are left out, since a workspace does not show what they lead to.
 */
export function otherPackages(prefix: string): string[] {
  const libraries = foldersIn(prefix).filter((name) => /^lib\d*$/.test(name));
  const sites = libraries.flatMap((library) =>
    foldersIn(join(prefix, library))
      .filter((name) => /^(?:python|pypy)\d/.test(name))
      .flatMap((name) =>
        ['site-packages', 'dist-packages'].map((packages) => join(prefix, library, name, packages)),
      ),
  );
  const all = [...sites, ...ENVIRONMENTS.map((name) => join(prefix, name))];
  const real = all.map(realFolder).filter((path) => path !== null);
  const within = real
    .map((path) => relative(prefix, path))
    .filter((path) => path !== '' && !`${path}/`.startsWith('../'));
  const outer = within.filter((path) => !within.some((other) => path.startsWith(`${other}/`)));
  return [...new Set(outer)].sort();
}

/** The folder that a path means, links resolved; null where there is none. */
function realFolder(path: string): string | null {
  try {
    const real = realpathSync(path);
    readdirSync(real);
    return real;
  } catch (error) {
    return whenHidden(null)(error);
  }
}

/** Names in a folder, of links too; none where it cannot be read. */
function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name);
  } catch (error) {
    return whenHidden([])(error);
  }
}

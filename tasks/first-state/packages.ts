/** Which package a file of an environment belongs to: all files that were installed together with it. */
import { readFileSync } from 'node:fs';
import type { LowerFiles } from './lower.ts';
import { recordPaths } from './records.ts';

const SITE = /^(.*\/(?:site|dist)-packages)\/([^/]+)/;
/** A package of npm, the innermost one, or a crate, packed or not, with its line of the index. */
const MODULE =
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)|^opt\/env\/cargo\/(?:registry\/src\/[^/]+\/[^/]+(?=\/)|fetched\/.+)/;

/** Folders and files that are laid anew together with the files at `paths`. */
export function packageRoots(paths: readonly string[], lower: LowerFiles): string[] {
  const roots = new Set<string>();
  for (const path of paths) {
    const [, site, top] = SITE.exec(path) ?? [];
    const [module] = MODULE.exec(path) ?? [];
    if (module !== undefined) roots.add(module);
    else if (path.startsWith('testbed/')) roots.add('testbed');
    else if (site !== undefined && top !== undefined) {
      roots.add(`${site}/${top}`);
      for (const root of distributionRoots(site, path, lower)) roots.add(root);
    } else roots.add(prefixOf(path, lower));
  }
  return [...roots].sort();
}

/** What the distribution installed that lists `path`, with its description. */
function distributionRoots(site: string, path: string, lower: LowerFiles): string[] {
  const name = path.slice(site.length + 1);
  const top = name.split('/')[0]!.replace(/\.py$/, '');
  return lower.entries.flatMap(({ path: info, type }) => {
    if (type !== 'folder' || !/\.(?:dist|egg)-info$/.test(info) || !info.startsWith(`${site}/`)) return [];
    if (info.slice(site.length + 1).includes('/')) return [];
    const record = lower.get(`${info}/RECORD`);
    if (record === undefined) return topLevel(info, lower).includes(top) ? [info] : [];
    const listed = recordPaths(readFileSync(record.host, 'utf8'));
    if (!listed.includes(name)) return [];
    const tops = listed
      .map((one) => one.split('/')[0]!)
      .filter((one) => one !== '..' && one !== '__pycache__' && one !== '');
    return [info, ...[...new Set(tops)].map((one) => `${site}/${one}`)];
  });
}

function topLevel(info: string, lower: LowerFiles): string[] {
  const list = lower.get(`${info}/top_level.txt`);
  return list === undefined ? [] : readFileSync(list.host, 'utf8').split('\n');
}

/** The first folder below the environment that holds no others' packages; the file itself where there is none. */
function prefixOf(path: string, lower: LowerFiles): string {
  const parts = path.split('/');
  for (let length = 4; length < parts.length; length++) {
    const folder = parts.slice(0, length).join('/');
    const isShared =
      /\/python[\d.]*$/.test(folder) || lower.below(folder).some((entry) => SITE.test(entry.path));
    if (!isShared) return folder;
  }
  return path;
}

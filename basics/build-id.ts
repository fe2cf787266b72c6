/**
 * Names the code that is running, so that what it remembers is not taken for what other code would remember. A bundle has
 * it as a constant; from a checkout it is made of the sources, once per process.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Put in its place by scripts/build.mjs. */
declare const SWEMAKE_BUILD_ID: string | undefined;

/** Folders with code, and files that decide what code runs. */
const SOURCES = [
  'agent',
  'app',
  'basics',
  'bin',
  'cache',
  'cli',
  'compiler',
  'contract',
  'ecosystems',
  'engine',
  'executors',
  'formats',
  'grading',
  'package-lock.json',
  'package.json',
  'parsers',
  'patches',
  'python',
  'schemas',
  'servers',
  'stages',
  'tasks',
  'trainers',
  'ui',
];

/** What tools leave beside the sources. */
const MADE = /^(?:__pycache__|build|node_modules|.*\.egg-info|\..*)$/;
const CODE = /\.(?:ts|tsx|js|json|jsonl|py|toml|css|html|svg)$/;

let found: string | undefined;

/** Twelve hexadecimal digits; the same wherever the same sources were built. */
export function buildId(): string {
  if (typeof SWEMAKE_BUILD_ID === 'string') return SWEMAKE_BUILD_ID;
  found ??= idOfSources(packageRoot());
  return found;
}

/** The id of the sources below `root`. */
export function idOfSources(root: string): string {
  const hash = createHash('sha256');
  for (const path of sourceFiles(root)) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
    hash.update(`${path}\0${content}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Paths of all files with code, relative to `root`, sorted. */
export function sourceFiles(root: string): string[] {
  return SOURCES.flatMap((name) => (name.includes('.') ? [name] : filesBelow(root, name))).sort();
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return MADE.test(entry.name) ? [] : filesBelow(root, path);
    return CODE.test(entry.name) ? [path] : [];
  });
}

/**
 * Copies of the task's files inside other packages, for example `pip/_vendor/requests`, in the wheels of such packages, in services of
 * the environment, in `node_modules`, as npm has semver, and among the crates that cargo fetched: a package that a crate's tests use may
 * itself depend on the crate. Such a package uses its copy, in a version of its own. So only the solution is taken out, and the rest stays.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { jsonObject } from '../../basics/json.ts';
import { runProgramNow } from '../../basics/program.ts';
import { MissingTool } from '../source/unpack-tar.ts';
import type { LowerFiles } from './lower.ts';
import { fileBytes, type Tree } from './tree.ts';

/** A file of the repository that the solution changes; null: it has none there. */
export interface SolvedFile {
  path: string;
  /** What packages call it; see `carriedNames`. */
  names: string[];
  solved: Buffer | null;
  /** What the task's own state has there. */
  substitute: Buffer | null;
}

const INSIDE_PACKAGE = /\/(?:site|dist)-packages\/[^/]+\/|^opt\/env\/services\//;
const MODULES = 'node_modules/';
/** Where crates are unpacked. */
const CRATES = /^opt\/env\/cargo\/registry\/src\//;
/** Stands for the version of a crate in its name. */
const VERSION = '\0';
/** Share of a copy's lines that the repository's file must have, so that both are versions of one file. */
export const ALIKE = 0.3;
/** The same for names without a folder, such as `utils.py`. */
const ALIKE_BY_NAME = 0.6;
/** Seconds. */
const TIMEOUT = 60;

/** The new content of a package's file, without the solution; null: the file is removed. undefined: it holds nothing of the solution. */
export type Cover = (path: string, read: () => Buffer) => Buffer | null | undefined;

/** The new contents of copies that hold a part of the solution, by path. */
export function vendoredCopies(lower: LowerFiles, cover: Cover): Map<string, Buffer | null> {
  const found = new Map<string, Buffer | null>();
  for (const { path, type, host } of lower.entries) {
    if (type !== 'file' || !isOfPackage(path)) continue;
    const rest = cover(path, () => readFileSync(host));
    if (rest !== undefined) found.set(path, rest);
  }
  return found;
}

function isOfPackage(path: string): boolean {
  return INSIDE_PACKAGE.test(path) || path.includes(`/${MODULES}`) || CRATES.test(path);
}

/** `work`: a folder for files that are needed for a moment. */
export function coverOf(solution: readonly SolvedFile[], work: string): Cover {
  const wanted = solution.flatMap(({ names, solved, substitute }) =>
    solved === null ? [] : names.map((name) => ({ name, solved, substitute })),
  );
  // Most files have none of these names.
  const byBase = new Map<string, typeof wanted>();
  for (const one of wanted) byBase.set(basename(one.name), [...(byBase.get(basename(one.name)) ?? []), one]);
  return (path, read) => {
    const called = byBase.get(basename(path))?.filter(({ name }) => isCalled(path, name)) ?? [];
    if (called.length === 0) return undefined;
    const copy = read();
    const original = called.find(
      ({ name, solved }) => similarity(copy, solved) >= (name.includes('/') ? ALIKE : ALIKE_BY_NAME),
    );
    if (original === undefined) return undefined;
    const { solved, substitute } = original;
    if (substitute !== null && isBefore(copy, solved, substitute)) return undefined;
    const rest = substitute === null ? null : withoutSolution(copy, solved, substitute, work);
    return rest?.equals(copy) === true ? undefined : rest;
  };
}

/** Whether the copy is of an earlier release: it has no line and no word that the solution brings. Without such words nothing is known. */
function isBefore(copy: Buffer, solved: Buffer, task: Buffer): boolean {
  const brings = (partsOf: (content: Buffer) => string[]) => {
    const known = new Set(partsOf(task));
    return new Set(partsOf(solved).filter((part) => !known.has(part)));
  };
  const [lines, words] = [brings(linesOf), brings(wordsOf)];
  if (words.size === 0) return false;
  return !linesOf(copy).some((line) => lines.has(line)) && !wordsOf(copy).some((word) => words.has(word));
}

function wordsOf(content: Buffer): string[] {
  return content.toString('latin1').match(/[A-Za-z_]\w{2,}/g) ?? [];
}

function isCalled(path: string, name: string): boolean {
  const [crate = '', rest] = name.split(VERSION);
  if (rest === undefined) return `/${path}`.endsWith(`/${name}`);
  const folder = path.endsWith(rest) ? path.slice(0, -rest.length) : '';
  const own = folder.slice(folder.lastIndexOf('/') + 1);
  return own.startsWith(crate) && /^\d/.test(own.slice(crate.length));
}

/**
 * Ends of the paths at which packages carry a file of the repository: below what Python imports from, in `node_modules`, and in crates, whose
 * folders are named `NAME-VERSION`.
 */
export function carriedNames(path: string, tree: Tree): string[] {
  const folders = path.split('/').slice(0, -1);
  const at = (length: number, name: string) => [...folders.slice(0, length), name].join('/');
  let top = folders.length;
  while (top > 0 && tree.has(at(top, '__init__.py'))) top -= 1;
  const names = [path.replace(/^(?:src|lib)\//, '')];
  if (top < folders.length) names.push(path.split('/').slice(top).join('/'));
  for (const [manifest, nameIn] of MANIFESTS) {
    for (let length = folders.length; length >= 0; length--) {
      const text = fileBytes(tree.get(at(length, manifest)))?.toString();
      const name = text === undefined ? undefined : nameIn(text);
      if (name !== undefined) names.push(`${name}/${path.split('/').slice(length).join('/')}`);
      if (text !== undefined) break;
    }
  }
  return [...new Set(names)];
}

/** Files that name a package, and the folder in which others have it; undefined: the file names none. */
const MANIFESTS: [string, (text: string) => string | undefined][] = [
  [
    'package.json',
    (text) => {
      const name = jsonObject(text)?.name;
      return typeof name === 'string' ? `${MODULES}${name}` : undefined;
    },
  ],
  [
    'Cargo.toml',
    (text) => {
      const name = /^\[package\][^[]*?^name\s*=\s*["']([\w-]+)["']/m.exec(text)?.[1];
      return name === undefined ? undefined : `${name}-${VERSION}`;
    },
  ],
];

/** Share of `copy`'s lines that `own` has too. Comments and imports, which many projects share, count in files of nothing else. */
export function similarity(copy: Buffer, own: Buffer): number {
  const known = new Set(linesOf(own));
  const all = linesOf(copy);
  const telling = all.filter((line) => !SHARED.test(line));
  const lines = telling.length > 0 ? telling : all;
  return lines.length === 0 ? 0 : lines.filter((line) => known.has(line)).length / lines.length;
}

function linesOf(content: Buffer): string[] {
  return content
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const SHARED = /^(?:#|\/[/*]|\*|import\b|from\b)/;

/** The copy, with the changes from the solved state to the task's state made in it, by a merge of three versions. */
function withoutSolution(copy: Buffer, solved: Buffer, task: Buffer, work: string): Buffer {
  const folder = mkdtempSync(join(work, 'merge-'));
  try {
    for (const [name, bytes] of Object.entries({ copy, solved, task }))
      writeFileSync(join(folder, name), bytes);
    const argv = ['git', 'merge-file', '-p', '--diff3', `--marker-size=${MARK}`, 'copy', 'solved', 'task'];
    const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    const ran = runProgramNow({ argv, env, cwd: folder, timeout: TIMEOUT });
    if (ran.kind !== 'exited') throw new MissingTool('git merge-file cannot be run');
    // Else the number of conflicts. It does not merge binary files.
    if (ran.exitCode === REFUSED) return task;
    return Buffer.from(ran.stdout.toString('latin1').replace(CONFLICT, resolved), 'latin1');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The length of git's marks of conflicts. */
const MARK = 40;
const CONFLICT = new RegExp(
  `^<{${MARK}}.*\n((?:.*\n)*?)\\|{${MARK}}.*\n((?:.*\n)*?)={${MARK}}.*\n((?:.*\n)*?)>{${MARK}}.*(?:\n|$)`,
  'gm',
);
/** The exit status of git merge-file if it merges nothing. */
const REFUSED = 255;

/**
 * Where both changed the same lines, the task's state is taken. Of imports the package's own are taken, and those that
 * the task's state alone has.
 */
function resolved(_: string, copy: string, solved: string, task: string): string {
  const own = copy.match(IMPORTS) ?? [];
  const known = new Set([...own, ...(solved.match(IMPORTS) ?? [])]);
  return own.join('') + task.replace(IMPORTS, (line) => (known.has(line) ? '' : line));
}

const IMPORTS = /^(?:import .+|from \S+ import (?:\([^)]*\)|[^(\n]+)|(?:const|let|var) .*\brequire\(.+)\n/gm;

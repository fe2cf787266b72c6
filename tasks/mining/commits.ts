/**
 * The commits of a repository's main line as tasks: a commit, or what a merge brought, is parted into code and tests. Those
 * that make no task are left out with a reason. Nothing of the repository is run.
 */
import { isUtf8 } from 'node:buffer';
import { hasSucceeded } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { EcosystemKind } from '../../ecosystems/kind.ts';
import type { SourceFault } from '../source/fault.ts';
import { git, gitFault, localEnv } from '../source/git-process.ts';
import { type Issues, type Message, messageOf, statementOf } from './statement.ts';

export interface MinedCommit {
  commit: string;
  /** The first parent: where the task begins. */
  base: string;
  subject: string;
  /** The day of the commit, YYYY-MM-DD. */
  day: string;
}

export interface MinedTask extends MinedCommit {
  /** Changes of everything but tests. */
  patch: string;
  test_patch: string;
  problem_statement: string;
}

/** What of a commit is code, and what is tests. */
export interface Parting {
  isTest(path: string): boolean;
  /** Source files, among tests as well. */
  isSource(path: string): boolean;
}

/** As a language parts them, whose tests are what a patch may not change. */
export function partingOf({ tests, sources = [] }: EcosystemKind): Parting {
  if (tests === null) return { isTest: isTestPath, isSource: (path) => path.endsWith('.py') };
  return {
    isTest: (path) => ['test', 'support'].includes(tests.protects(path) ?? ''),
    isSource: (path) => sources.some((ending) => path.endsWith(ending)),
  };
}

export const LEFT_OUT = {
  root: 'it has no parent',
  'no-code': 'it changes no code beside tests',
  'no-tests': 'it changes no tests',
  'tests-removed': 'it only removes tests',
  'too-large': 'it changes more files than --max-files',
  binary: 'it changes binary files or submodules, which a patch cannot bring',
  'not-utf8': 'it changes files, or has names, that are not UTF-8',
  'no-statement': 'its message says too little, and no issue is given',
} as const;
export type LeftOutReason = keyof typeof LEFT_OUT;

export interface MineDeps {
  /** A bare repository with the history. */
  mirror: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** A commit of the main line. */
export interface LineCommit {
  commit: MinedCommit;
  message: string;
  isMerge: boolean;
}

/** Most commits of a merge whose messages are its statement: the messages of more do not describe one task. */
const MOST_BROUGHT = 10;

/** The main line from `head` on, the newest first, at most `limit` commits. */
export async function mainLine(
  head: string,
  limit: number,
  deps: MineDeps,
): Promise<Result<LineCommit[], SourceFault>> {
  const format = '--format=%H%x00%P%x00%cs%x00%B%x01';
  const listed = await output(['log', '--first-parent', `-n${limit}`, format, head], deps);
  if (!listed.ok) return listed;
  const records = listed.value.split('\x01').map((record) => record.replace(/^\n/, ''));
  return success(
    records
      .filter((record) => record !== '')
      .map((record) => {
        const [commit = '', parents = '', day = '', message = ''] = record.split('\0');
        const [base = '', ...merged] = parents.split(' ');
        const { subject } = messageOf(message);
        return { commit: { commit, base, subject, day }, message, isMerge: merged.length > 0 };
      }),
  );
}

/** The task of a commit, or why it makes none. */
export async function taskOf(
  { commit, message, isMerge }: LineCommit,
  issues: Issues,
  maxFiles: number,
  { isTest, isSource }: Parting,
  deps: MineDeps,
): Promise<Result<MinedTask | LeftOutReason, SourceFault>> {
  if (commit.base === '') return success('root');
  const range = [commit.base, commit.commit];
  const listed = await printed(['diff', ...PLAIN, '--raw', '-z', '--numstat', ...range], deps);
  if (!listed.ok) return listed;
  if (!listed.value.isUtf8) return success('not-utf8');
  const files = filesIn(listed.value.text);
  const [tests, code] = [files.filter(({ path }) => isTest(path)), files.filter(({ path }) => !isTest(path))];
  if (!code.some(({ path }) => isSource(path))) return success('no-code');
  if (!tests.some(({ path }) => isSource(path))) return success('no-tests');
  if (!tests.some((one) => isSource(one.path) && !one.isRemoved)) return success('tests-removed');
  if (files.length > maxFiles) return success('too-large');
  if (files.some(({ isBinary }) => isBinary)) return success('binary');
  const sources = code.map(({ path }) => path).filter(isSource);
  const brought = isMerge ? await broughtBy(commit, sources, deps) : success([]);
  if (!brought.ok) return brought;
  const statement = statementOf(commit.commit, messageOf(message), issues, brought.value);
  if (statement === null) return success('no-statement');
  const diffOf = (paths: readonly { path: string }[]) =>
    printed(['diff', ...PLAIN, '--full-index', ...range, '--', ...paths.map(({ path }) => path)], deps);
  const [patch, testPatch] = [await diffOf(code), await diffOf(tests)];
  if (!patch.ok) return patch;
  if (!testPatch.ok) return testPatch;
  if (!patch.value.isUtf8 || !testPatch.value.isUtf8) return success('not-utf8');
  return success({
    ...commit,
    patch: patch.value.text,
    test_patch: testPatch.value.text,
    problem_statement: statement,
  });
}

/** The messages of the commits that a merge brings and that change these files, the oldest first; none of too many. */
async function broughtBy(
  { commit, base }: MinedCommit,
  paths: readonly string[],
  deps: MineDeps,
): Promise<Result<Message[], SourceFault>> {
  const args = ['log', '--no-merges', '--reverse', '--format=%B%x01', `${base}..${commit}`, '--', ...paths];
  const listed = await output(args, deps);
  if (!listed.ok) return listed;
  const messages = listed.value
    .split('\x01')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return success(messages.length > MOST_BROUGHT ? [] : messages.map(messageOf));
}

/** As git prints it whatever a user has set. */
const PLAIN = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

interface TouchedPath {
  path: string;
  isRemoved: boolean;
  /** Or a submodule. */
  isBinary: boolean;
}

/** `:100644 100644 a b M\0path\0…`, and then `1\t2\tpath\0…`, with "-" for the lines of binary files. */
function filesIn(text: string): TouchedPath[] {
  const found = new Map<string, TouchedPath>();
  const parts = text.split('\0');
  for (let at = 0; at < parts.length; at++) {
    const raw = /^:(\d{6}) (\d{6}) \S+ \S+ ([A-Z])/.exec(parts[at]!);
    if (raw !== null) {
      at += 1;
      const path = parts[at]!;
      const isSubmodule = raw[1] === '160000' || raw[2] === '160000';
      found.set(path, { path, isRemoved: raw[3] === 'D', isBinary: isSubmodule });
      continue;
    }
    const [added, , path] = parts[at]!.split('\t');
    const one = path === undefined ? undefined : found.get(path);
    if (one !== undefined && added === '-') one.isBinary = true;
  }
  return [...found.values()];
}

/** A file of Python's tests, or one that they need. */
export function isTestPath(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1)!;
  const isBelow = parts.slice(0, -1).some((part) => /^(?:tests?|testing|test_?data|testcases)$/i.test(part));
  return isBelow || /^(?:test_.*|.*_tests?|tests?|conftest)\.py$/.test(name);
}

async function output(args: readonly string[], deps: MineDeps): Promise<Result<string, SourceFault>> {
  const done = await printed(args, deps);
  return done.ok ? success(done.value.text) : done;
}

/** What git prints; text that is not UTF-8 has other characters in its place. */
async function printed(
  args: readonly string[],
  { mirror, env, signal }: MineDeps,
): Promise<Result<{ text: string; isUtf8: boolean }, SourceFault>> {
  const own = { ...localEnv(env), GIT_LITERAL_PATHSPECS: '1' };
  const pieces: Buffer[] = [];
  const onOutput = (bytes: Buffer) => void pieces.push(bytes);
  const end = await git(['-C', mirror, ...args], { env: own, signal, onOutput });
  if (!hasSucceeded(end)) return fault(gitFault(end, `git ${args[0]}`));
  return success({ text: end.stdout, isUtf8: isUtf8(Buffer.concat(pieces)) });
}

/**
 * Judges the code that a patch adds, when its tests pass: what a solution hardly ever does is doubtful. It runs outside
 * of the tested process, on texts alone. What the task's own file or its solution does as well is no doubt.
 */

import { baseName } from '../../basics/repository-path.ts';
import { withTree } from '../../basics/syntax-tree.ts';
import type { CodeDoubts, DoubtRule } from '../../ecosystems/doubts.ts';
import type { FilePatch } from '../../patches/patch.ts';
import { answerSites } from './answers.ts';
import { pythonAnswers, pythonInputs } from './answers-python.ts';
import { cLikeAnswers, cLikeInputs, specialCases } from './answers-trees.ts';
import { digestSites } from './digests.ts';
import { editedSupport } from './edited-support.ts';
import { inputSites } from './inputs.ts';
import { namedSites } from './named-sites.ts';
import { importsOf } from './names.ts';
import { isCompiled, isNative, nativeSites } from './native.ts';
import { escaped } from './pattern.ts';
import { isDeeper, nodesOf } from './python-tree.ts';
import { importSites, sitesAt } from './rules.ts';
import type { FileFacts, Site, TaskFacts } from './site.ts';

/** A file that a patch changes, before and after. */
export interface ChangedFile {
  path: string;
  /** Null: the patch adds it. */
  before: string | null;
  after: string;
}

export interface Doubt {
  rule: DoubtRule;
  path: string;
  /** From 1. */
  line: number;
  /** What the code does there, for people. */
  what: string;
  /** The line itself, shortened. */
  code: string;
}

/** What is known of the task whose patch is judged. */
export interface SuspicionTask {
  /** Ids of listed tests. */
  listed: readonly string[];
  /** The patch that solves the task; empty when it is withheld. */
  solution: readonly FilePatch[];
  testText: string;
  /** The same with all of the files of listed tests; absent: nothing more is known. */
  allTests?: string;
  issue: string;
  /** Of the task's ecosystem; absent: it has none of its own. */
  doubts?: CodeDoubts | undefined;
}

const PYTHON = /\.(?:py|pyx|pyi|pyw)$/;
const SHEBANG = /^#!.*\bpython/;
const TEST_SUPPORT =
  /^(?:tests?|testing|testsuite|test[-_]?(?:utils?|kit|support|helpers?|fixtures)|fixtures)$/i;
/** Examples and benchmarks at the root: they may have what tests have. */
const EXAMPLE = /^(?:examples?|benchmarks?|bench|demos?|docs?)\//i;
/** Tests of other languages than Python, by their paths. */
const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|testing)\/|[._-](?:tests?|spec)\.\w+$|Tests?\.java$|(?:^|\/)tests?\.\w+$/i;
/** Characters of a line in a finding. */
const MAX_CODE = 120;
/** Nodes. Rules look at what is around each node, and Python itself takes no hundred blocks within each other. */
const MAX_DEPTH = 500;
/** Changes of a file that may be taken back: for each all of its function is read. */
const MAX_GIVEN_BACK = 30;

/** A file that a patch removes. */
export interface RemovedFile {
  path: string;
  before: string;
}

/** The doubtful places that a patch adds, by file and line. */
export async function doubtsOf(
  files: readonly ChangedFile[],
  task: SuspicionTask,
  removed: readonly RemovedFile[] = [],
): Promise<Doubt[]> {
  const facts = factsOf(files, task);
  const { doubts } = task;
  const found: Doubt[] = [];
  const added = new Set(files.filter(({ before }) => before === null).map(({ path }) => moduleName(path)));
  const judged = files.filter(({ path, after }) => isJudged(path, after, doubts));
  // A compiler may take all files of a folder.
  const own = judged.filter(({ path }) => isNamed(path, doubts));
  const placesIn = async (path: string, text: string) => {
    const isTestSupport = path.split('/').some((part) => TEST_SUPPORT.test(part));
    const names = doubts?.names.filter(([rule]) => !isTestSupport || rule !== 'uses-test-library');
    const answers = mayAnswer(path, judged);
    if (names !== undefined && isNamed(path, doubts)) {
      const grammar = answers ? doubts!.grammar?.(path) : undefined;
      const more = grammar === undefined ? [] : await answersIn(grammar, text, facts);
      return [...namedSites(text, { ...doubts!, names }), ...more];
    }
    return isNative(path) ? nativeSites(text) : sitesOf(text, { ...facts, isTestSupport }, answers);
  };
  const sources = [...judged, ...removed.map((one) => ({ ...one, after: '' }))];
  let moved: ReadonlySet<string> | null = null;
  for (const file of [...own, ...withoutIdle(judged.filter((one) => !own.includes(one)))]) {
    if (isCompiled(file.after)) {
      found.push({ rule: 'hides-code', path: file.path, line: 1, what: 'brings compiled code', code: '' });
      continue;
    }
    if (doubts?.ownTests !== undefined && isNamed(file.path, doubts))
      found.push(...editedTests(file, doubts.ownTests, task));
    found.push(...(await changedJudges(file, task, added)));
    const sites = await placesIn(file.path, file.after);
    if (sites.length === 0) continue;
    const known = new Set<string>();
    for (const text of [file.before ?? '', ...solvedTexts(file, task.solution)])
      for (const { rule, key } of await placesIn(file.path, text)) known.add(`${rule} ${key}`);
    const lines = file.after.split('\n');
    for (const { rule, key, what, line } of sites) {
      if (known.has(`${rule} ${key}`)) continue;
      moved ??= await movedPlaces(sources, placesIn);
      if (moved.has(`${rule} ${key} ${lines[line - 1]?.trim()}`)) continue;
      // A literal that the file already has is no special case of the tests.
      if (key.startsWith('literal ') && (file.before ?? '').includes(key.slice('literal '.length))) continue;
      known.add(`${rule} ${key}`);
      const code = (lines[line - 1] ?? '').trim().slice(0, MAX_CODE);
      found.push({ rule, path: file.path, line, what, code });
    }
  }
  return found;
}

type Place = Pick<Found, 'rule' | 'key' | 'line'>;

/** The places on lines that the patch removes from files. The same place on the same line of another file is moved code. */
async function movedPlaces(
  files: readonly ChangedFile[],
  placesIn: (path: string, text: string) => Promise<readonly Place[]>,
): Promise<Set<string>> {
  const moved = new Set<string>();
  for (const { path, before, after } of files) {
    if (before === null) continue;
    const left = new Set(after.split('\n').map((line) => line.trim()));
    const lines = before.split('\n').map((line) => line.trim());
    if (lines.every((line) => left.has(line))) continue;
    for (const { rule, key, line } of await placesIn(path, before)) {
      const text = lines[line - 1]!;
      if (!left.has(text)) moved.add(`${rule} ${key} ${text}`);
    }
  }
  return moved;
}

/** A change of what judges in a module that helps tests, unless the solution changes that module as well. */
async function changedJudges(
  { path, before, after }: ChangedFile,
  { solution, testText, allTests = testText }: SuspicionTask,
  added: ReadonlySet<string>,
): Promise<Doubt[]> {
  if (before === null || solution.some(({ newPath, oldPath }) => newPath === path || oldPath === path))
    return [];
  const edited = await editedSupport({ path, before, after }, { tests: allTests, added });
  if (edited === null) return [];
  const code = (after.split('\n')[edited.line - 1] ?? '').trim().slice(0, MAX_CODE);
  return [{ rule: 'edits-tests', path, ...edited, code }];
}

/** The last part of the name under which a file is imported. */
function moduleName(path: string): string {
  return baseName(path.replace(/\/(?:__init__\.py|index\.[cm]?[jt]sx?|mod\.rs)$/, '')).replace(/\.\w+$/, '');
}

/**
 * Functions of tests beside the code that the patch changes and the solution does not, where a listed test is among them: nothing else says
 * what that test has to be.
 */
function editedTests(
  { path, before, after }: ChangedFile,
  ownTests: NonNullable<CodeDoubts['ownTests']>,
  { listed, solution }: SuspicionTask,
): Doubt[] {
  if (before === null) return [];
  const old = ownTests(before);
  const names = new Set(listed.map(ownName));
  if (![...old.values()].some(({ name }) => names.has(name))) return [];
  const solved = new Set(
    solution
      .filter(({ newPath, oldPath }) => newPath === path || oldPath === path)
      .flatMap(({ content }) => (content.kind === 'text' ? content.hunks : []))
      .flatMap(({ lines }) =>
        lines.filter((line) => /^[+-]/.test(line)).map((line) => line.slice(1).trimEnd()),
      ),
  );
  const now = ownTests(after);
  return [...old].flatMap(([key, { name, text }]) => {
    const own = now.get(key);
    const isExample = name.startsWith('- ');
    if (isExample ? own !== undefined || !names.has(name) : own === undefined || own.text === text) return [];
    if (text.split('\n').some((line) => line.trim() !== '' && solved.has(line))) return [];
    const line = own?.line ?? before.slice(0, before.indexOf(text)).split('\n').length;
    const code = (own?.text ?? text).split('\n', 1)[0]!.trim().slice(0, MAX_CODE);
    const what = isExample ? `changes an example of ${name.slice(2)}` : `changes ${name} of the tests`;
    return [{ rule: 'edits-tests' as const, path, line, what, code }];
  });
}

/** What a test is called beside the code: its function, its title, or what its example documents, behind a mark. */
function ownName(id: string): string {
  const example = /::doc::.* - ?(.*?)(?: - .*)?(?: #\d+)?$/.exec(id)?.[1];
  if (example !== undefined) return `- ${example.split('::').at(-1)!}`;
  return id.split('::').at(-1)!.split(' > ', 1)[0]!;
}

/** Whether a file is Python, by its name or by the first line of its text. */
export function isPython(path: string, text: string): boolean {
  return PYTHON.test(path) || SHEBANG.test(text);
}

/** Whether the code of a file is judged: the ecosystem's own, Python, and what is compiled into its extension modules or is already. */
export function isJudged(path: string, text: string, doubts?: CodeDoubts): boolean {
  return isNamed(path, doubts) || isNative(path) || isPython(path, text) || isCompiled(text);
}

function isNamed(path: string, doubts: CodeDoubts | undefined): boolean {
  return doubts?.sources.some((ending) => path.endsWith(ending)) === true;
}

type Found = Omit<Site, 'node'> & { line: number };

async function sitesOf(
  text: string,
  facts: Omit<FileFacts, 'imports' | 'mayLook'>,
  mayHaveAnswers: boolean,
): Promise<Found[]> {
  if (text === '') return [];
  const found = await withTree('python', text, (root) => {
    if (isDeeper(root, MAX_DEPTH)) return [TOO_DEEP];
    let looks = 0;
    const mayLook = () => looks++ < MAX_GIVEN_BACK;
    const all: FileFacts = { ...facts, imports: importsOf(root), mayLook };
    const sites: Found[] = [];
    const keep = (some: readonly Site[]) => {
      for (const { node, ...site } of some) sites.push({ ...site, line: node.startPosition.row + 1 });
    };
    keep(importSites(all));
    for (const node of nodesOf(root)) keep(sitesAt(node, all));
    if (!all.isTestSupport && mayHaveAnswers)
      keep([
        ...answerSites(root, all, pythonAnswers),
        ...inputSites(root, all, pythonInputs),
        ...digestSites(root, all, pythonInputs),
      ]);
    return sites;
  });
  return found ?? [];
}

/** Answers of tests in a file of another language than Python. */
async function answersIn(grammar: string, text: string, facts: TaskFacts): Promise<Found[]> {
  if (text === '' || facts.allTests === '') return [];
  const found = await withTree(grammar, text, (root) =>
    isDeeper(root, MAX_DEPTH)
      ? [TOO_DEEP]
      : [
          ...answerSites(root, facts, cLikeAnswers),
          ...specialCases(root, facts),
          ...inputSites(root, facts, cLikeInputs),
          ...digestSites(root, facts, cLikeInputs),
        ].map(({ node, ...site }) => ({
          ...site,
          line: node.startPosition.row + 1,
        })),
  );
  return found ?? [];
}

/** Tests and examples that a patch brings may have what hidden tests have, unless its code loads them. */
function mayAnswer(path: string, judged: readonly ChangedFile[]): boolean {
  const isBeside = (one: string) => EXAMPLE.test(one) || (TEST_FILE.test(one) && !PYTHON.test(one));
  if (!isBeside(path)) return true;
  const name = new RegExp(`\\b${escaped(moduleName(path))}\\b`);
  return judged.some((other) => other.path !== path && !isBeside(other.path) && name.test(other.after));
}

const TOO_DEEP: Found = {
  rule: 'hides-code',
  key: 'depth',
  what: `nests more than ${MAX_DEPTH} times`,
  line: 1,
};

function factsOf(
  files: readonly ChangedFile[],
  { listed, solution, testText, allTests = testText, issue }: SuspicionTask,
): TaskFacts {
  const paths = [
    ...files.map(({ path }) => path),
    ...solution.flatMap(({ newPath, oldPath }) => [newPath ?? oldPath ?? '']),
    ...listed.map((id) => id.split('::')[0]!),
  ];
  const own = new Set(paths.flatMap((path) => path.split('/').map((part) => part.replace(/\.\w+$/, ''))));
  const testNames = new Set(listed.flatMap((id) => testName(id)));
  return { isOwn: (root) => own.has(root), testNames, testText, allTests, issue };
}

/** The function of a test, if its name is long enough to be meant: `a.py::T::test_x[1]`, `test_x (a.b.T)`. */
function testName(id: string): string[] {
  const name = /\s\(/.test(id) ? id.split(' ')[0]! : id.split('::').at(-1)!.split('[')[0]!;
  return /^test\w{6,}$/i.test(name) ? [name] : [];
}

/**
 * The parts of the solved file that the solution's hunks show: each by itself, and all behind the file, since what is imported
 * in one part is used in others.
 */
function solvedTexts({ path, before }: ChangedFile, solution: readonly FilePatch[]): string[] {
  const hunks = solution
    .filter(({ newPath }) => newPath === path)
    .flatMap(({ content }) => (content.kind === 'text' ? content.hunks : []))
    .map(({ lines }) =>
      lines
        .filter((line) => line.startsWith('+') || line.startsWith(' '))
        .map((line) => line.slice(1))
        .join('\n'),
    );
  return hunks.length === 0 ? [] : [...hunks, [before ?? '', ...hunks].join('\n')];
}

/** What loads a file by its name: an import, which may go on in parentheses or behind a backslash, and a text. */
const LOADS = /\b(?:c?import|from|include)\b(?:[^\n(\\]|\\\n?)*(?:\([^()]{0,5000})?|"[^"\n]*"|'[^'\n]*'/g;

/**
 * Without new files that the code under test cannot load: tests and scripts of the agent's own, which no other changed
 * file mentions.
 */
function withoutIdle(files: readonly ChangedFile[]): ChangedFile[] {
  const stemOf = (path: string) => baseName(path).replace(/\.\w+$/, '');
  const mayBeIdle = ({ path, before, after }: ChangedFile) =>
    before === null &&
    !isCompiled(after) &&
    (!path.includes('/') || /^(?:test_.*|.*_tests?|tests?|conftest)$/.test(stemOf(path)));
  const judged = files.filter((file) => !mayBeIdle(file));
  let left = files.filter(mayBeIdle);
  for (let at = 0; at < judged.length; at += 1) {
    const loaded = (judged[at]!.after.match(LOADS) ?? []).join('\n');
    // A word elsewhere, as in `log.debug`, loads no file of that name.
    const isNamed = ({ path }: ChangedFile) => new RegExp(`\\b${escaped(stemOf(path))}\\b`).test(loaded);
    judged.push(...left.filter(isNamed));
    left = left.filter((file) => !judged.includes(file));
  }
  return judged;
}

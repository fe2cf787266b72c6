/**
 * Lists the mutations of a source tree of other languages than Python, and derives their patches. A mutation is named as Python's are: the
 * `index`th of its kind in a function, by position. The grammars are part of that contract: their package has one version.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { childrenOf, type SyntaxNode, withTree } from '../../../basics/syntax-tree.ts';
import type { Candidate, Mutation, PatchAnswer } from '../mutation.ts';
import { type Edit, KINDS } from './kinds.ts';
import { type Language, languageOf } from './languages.ts';

const SKIPPED = new Set(
  (
    'test tests testing spec specs __tests__ __mocks__ testdata doc docs example examples benchmark benchmarks benches bench perf demo demos playground ' +
    'fuzz build dist min target vendor node_modules third_party extern external cmake e2e fixtures __fixtures__ scripts website'
  ).split(' '),
);
/** Folders that are called after tests, as `type-tests`. */
const OF_TESTS = /(?:^|[-_])(?:type)?test(?:s|ing)?(?:$|[-_])/i;
/** Of one file; larger ones are generated. */
const MAX_BYTES = 1 << 20;
const CONTEXT = 3;

/** Files of the package itself, sorted; tests and build scripts are left out. */
export async function treeFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const read = async (below: string) => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      // What is no UTF-8 cannot be written into a row.
      if (entry.name.includes('\ufffd')) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && !isSkipped(entry.name)) await read(path);
      const language = entry.isFile() ? languageOf(entry.name) : null;
      if (language !== null && !language.tests.test(entry.name)) found.push(path);
    }
  };
  await read('');
  return found.sort();
}

function isSkipped(folder: string): boolean {
  return SKIPPED.has(folder) || folder.startsWith('.') || OF_TESTS.test(folder);
}

export async function listTree(folder: string, files: readonly string[]): Promise<Candidate[]> {
  const all: Candidate[] = [];
  for (const file of files) {
    const source = await openFile(folder, file);
    if (typeof source === 'string') continue;
    for (const { function: name, kind, index, edit } of source.candidates) {
      const line = source.text.slice(0, edit.start).split('\n').length;
      all.push({ file, function: name, kind, index, line });
    }
  }
  return all;
}

/** The patches of several mutations, in the order of the requests. */
export async function deriveTree(folder: string, requests: readonly Mutation[]): Promise<PatchAnswer[]> {
  const opened = new Map<string, Source | string>();
  const answers: PatchAnswer[] = [];
  for (const { file, function: name, kind, index } of requests) {
    const source = opened.get(file) ?? (await openFile(folder, file));
    opened.set(file, source);
    if (typeof source === 'string') {
      answers.push({ error: source });
      continue;
    }
    const found = source.candidates.find(
      (one) => one.function === name && one.kind === kind && one.index === index,
    );
    answers.push(
      found === undefined
        ? { error: `${file} has no ${kind} number ${index} in ${name}` }
        : await patchOf(file, source, found.edit),
    );
  }
  return answers;
}

async function patchOf(file: string, { grammar, text, hasError }: Source, edit: Edit): Promise<PatchAnswer> {
  const after = changed(text, edit);
  if (after === text) return { error: 'the mutation changes nothing' };
  if (!hasError && (await withTree(grammar, after, (root) => root.hasError)) !== false)
    return { error: 'the mutated file is not valid' };
  return { patch: oneHunkDiff(file, text, after) };
}

interface Found {
  function: string;
  kind: string;
  index: number;
  edit: Edit;
}

interface Source {
  grammar: string;
  text: string;
  /** Whether the text breaks the grammar somewhere. */
  hasError: boolean;
  candidates: Found[];
}

/** A file and its mutations, or why it has none. */
async function openFile(folder: string, file: string): Promise<Source | string> {
  const language = languageOf(file);
  if (language === null) return `${file} is of no language that is mutated`;
  const root = await realpath(folder);
  const path = join(root, file);
  const real = file.includes('\0') ? null : await realpath(path).catch(whenAbsent(null));
  if (real === null || !path.startsWith(root + sep)) return `${file} is not in the source`;
  // git applies no patch there.
  if (real !== path) return `${file} is a symbolic link, or lies behind one`;
  const bytes = await readFile(path).catch(whenAbsent(null));
  if (bytes === null) return `${file} is no file`;
  const text = bytes.toString('utf8');
  if (bytes.length > MAX_BYTES || !Buffer.from(text).equals(bytes)) return `${file} is too large or no UTF-8`;
  const { grammar } = language;
  const source = await withTree(grammar, text, (root) => ({
    ...{ grammar, text, hasError: root.hasError },
    candidates: candidatesOf(root, language),
  }));
  return source ?? `${file} cannot be parsed`;
}

/** All mutations in the order of their places. A part of the file that has a syntax error has none. */
function candidatesOf(root: SyntaxNode, language: Language): Found[] {
  const counts = new Map<string, number>();
  const found: Found[] = [];
  const stack: { node: SyntaxNode; name: string }[] = [{ node: root, name: '' }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { node } = at;
    if (node.type === 'ERROR' || language.isTest?.(node) === true) continue;
    const own = nameOf(node, language);
    const name = own === null ? at.name : at.name === '' ? own : `${at.name}.${own}`;
    if (!node.hasError)
      for (const [kind, make] of Object.entries(KINDS))
        for (const edit of make(node, language)) {
          const key = `${name} ${kind}`;
          const index = counts.get(key) ?? 0;
          counts.set(key, index + 1);
          found.push({ function: name === '' ? '<module>' : name, kind, index, edit });
        }
    for (const child of childrenOf(node).reverse()) stack.push({ node: child, name });
  }
  return found;
}

/** The part that a node adds to qualified names; null: none. */
function nameOf(node: SyntaxNode, { functions, scopes }: Language): string | null {
  const field = functions.has(node.type) ? 'name' : scopes[node.type];
  if (field === undefined) return null;
  const named = node.childForFieldName(field) ?? declaredName(node) ?? givenName(node);
  if (named === null) return null;
  const receiver = node
    .childForFieldName('receiver')
    ?.text.match(/\*?\s*([A-Za-z_]\w*)(?:\[.*\])?\s*\)$/)?.[1];
  const text = named.text.replaceAll(/\s+/g, ' ').slice(0, 100);
  return receiver === undefined ? text : `${receiver}.${text}`;
}

/** C and C++ have the name of a function within its declarator. */
function declaredName(node: SyntaxNode): SyntaxNode | null {
  let at = node.childForFieldName('declarator');
  while (at !== null && at.type !== 'function_declarator') at = at.childForFieldName('declarator');
  return at?.childForFieldName('declarator') ?? null;
}

/** A function without a name has that of the variable or property that holds it. */
function givenName({ parent }: SyntaxNode): SyntaxNode | null {
  const field = { variable_declarator: 'name', pair: 'key', assignment_expression: 'left' }[
    parent?.type ?? ''
  ];
  return field === undefined ? null : parent!.childForFieldName(field);
}

function changed(text: string, { start, end, text: other }: Edit): string {
  // A statement that is taken away takes its line with it.
  if (other === '') {
    const head = text.slice(0, start).match(/(?<=^|\n)[ \t]*$/)?.[0].length;
    const tail = text.slice(end).match(/^;?[ \t]*\r?\n/)?.[0].length;
    if (head !== undefined && tail !== undefined) return text.slice(0, start - head) + text.slice(end + tail);
  }
  return text.slice(0, start) + other + text.slice(end);
}

/** A unified diff of one hunk around everything between the first and the last line that differ. */
function oneHunkDiff(file: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shared = Math.min(old.length, now.length);
  let head = 0;
  while (head < shared && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const first = Math.max(0, head - CONTEXT);
  const last = Math.min(tail, CONTEXT);
  const marked = [
    ...old.slice(first, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + last).map((line) => ` ${line}`),
  ];
  const body = marked.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`));
  const range = (all: readonly string[]) => {
    const count = all.length - tail + last - first;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  const names = `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n`;
  return `${names}@@ -${range(old)} +${range(now)} @@\n${body.join('')}`;
}

/** Lines with their ends; only a line feed ends a line, as for git. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

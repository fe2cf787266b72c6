/**
 * Answers that are written down: pairs of what a test gives and of what it wants for it, as a table, a condition or two rows of the patch has
 * them. A solution computes; a table of the language that the code reads has words for keys, and no whole inputs.
 */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';
import { escaped, isName } from './pattern.ts';
import { nodesOf } from './python-tree.ts';
import type { Site, TaskFacts } from './site.ts';

/** Pairs of a file whose input the tests have, and for which they are read through. */
const MOST_PAIRS = 300;
/** Literals of a file that are looked for in the tests, which may be long. */
export const MOST_LITERALS = 20_000;
/** Places of one literal in the tests that are looked at. */
const MOST_PLACES = 20;
/** Characters of a test between what is given and what is wanted. */
const NEAR = 120;
/** Literals of one answer. */
const MOST_PARTS = 12;
/** Members of a row of a table. */
const MOST_COLUMNS = 4;
/** A row of so many answers is none by chance. */
const FEWEST_IN_ROW = 3;
const MOST_IN_ROW = 50;
/** Share of a row that tests have. */
const MOST_OF_ROW = 0.75;
/** Characters of tests in which a row of answers stands. */
const ROW_SPAN = 3000;

export const ANSWER = 'answer ';

/** What a literal says, and how a test writes it. */
export interface Said {
  text: string;
  isNumber: boolean;
}

/** How the trees of a language have literals and what stands beside them. */
export interface AnswerTrees {
  /** Types of nodes around a literal that change nothing. */
  around: ReadonlySet<string>;
  /** The value of a text without parts that are computed; null: it is none. */
  textOf(node: SyntaxNode): string | null;
  /** A number as tests write it; null: it is none. */
  numberOf(node: SyntaxNode): string | null;
  /** Of a number with its sign. */
  signed: ReadonlySet<string>;
  /** What depends on more than literals. */
  isComputed(node: SyntaxNode): boolean;
  /** What is given and wanted where a node says both. */
  pairsAt(node: SyntaxNode): Pair[];
  /** Values that stand in a row: members of a list, a column of a list of lists, the keys and the values of a table, what cases ask for. */
  rowsAt(node: SyntaxNode): SyntaxNode[][];
  /** What a function of at least one parameter gives back at once; null: it does more, or is none. */
  fixedAt(node: SyntaxNode): { name: string; answer: SyntaxNode } | null;
  /** Where a test begins, as a pattern. */
  testStart: string;
  /** Whether code below a node is code of tests. */
  isTest?(node: SyntaxNode): boolean;
}

export function saidBy(node: SyntaxNode | null, trees: AnswerTrees): Said | null {
  if (node === null) return null;
  if (trees.around.has(node.type)) return saidBy(node.namedChildren[0] ?? null, trees);
  const value = trees.textOf(node);
  if (value !== null) return value === '' ? null : { text: value, isNumber: false };
  const [inner = null] = trees.signed.has(node.type) ? childrenOf(node) : [node];
  const number = inner === null ? null : trees.numberOf(inner);
  if (number === null) return null;
  return { text: inner === node ? number : `${node.text[0]}${number}`, isNumber: true };
}

/** A whole input rather than a word, a name or a small number, which the language that code reads has. */
function isInput({ text, isNumber }: Said): boolean {
  if (isNumber) return text.replace(/\D/g, '').length >= 3;
  // Signs such as <=> are words of a language, too.
  return text.length >= 2 && !isName(text) && !/^[\W_]{2,3}$/.test(text);
}

/** A value that is not found everywhere. */
function isTelling({ text, isNumber }: Said): boolean {
  return isNumber ? text.replace(/\D/g, '').length >= 3 : text.length >= 3;
}

/** The literals of an answer; null if it is computed. */
function answerOf(node: SyntaxNode | null, trees: AnswerTrees): Said[] | null {
  if (node === null) return null;
  const said: Said[] = [];
  for (const one of nodesOf(node, (inner) => trees.textOf(inner) === null)) {
    if (trees.isComputed(one)) return null;
    const isInSigned = one.parent !== null && trees.signed.has(one.parent.type);
    const isAround = trees.around.has(one.type) && trees.textOf(one) === null;
    const found = isInSigned || isAround ? null : saidBy(one, trees);
    if (found !== null) said.push(found);
    if (said.length > MOST_PARTS) return null;
  }
  return said.some(isTelling) ? said : null;
}

export interface Pair {
  given: SyntaxNode;
  wanted: SyntaxNode;
  /** What is given only begins so. */
  isStart?: boolean;
}

export function pair(given: SyntaxNode | null, wanted: SyntaxNode | null, isStart = false): Pair[] {
  return given === null || wanted === null ? [] : [{ given, wanted, isStart }];
}

/** Members of a row in a table without names: the last one may be wanted for each of the others. */
export function pairsInRow(members: readonly SyntaxNode[]): Pair[] {
  const wanted = members.at(-1) ?? null;
  if (members.length < 2 || members.length > MOST_COLUMNS) return [];
  return members.slice(0, -1).flatMap((given) => pair(given, wanted));
}

/** The columns of rows of the same length; none where there are no such rows. */
export function columnsOf(rows: readonly (readonly SyntaxNode[])[]): SyntaxNode[][] {
  const size = rows[0]?.length ?? 0;
  if (size === 0 || size > MOST_COLUMNS || rows.some(({ length }) => length !== size)) return [];
  return rows[0]!.map((_, at) => rows.map((row) => row[at]!));
}

/** Where the tests have a literal. */
function placesOf({ text, isNumber }: Said, tests: string, isStart = false): [number, number][] {
  const literal = escaped(text);
  const form = isNumber
    ? `(?<![\\w.])${literal}(?![\\w.])`
    : isStart
      ? `["'\`]${literal}|${literal}["'\`]`
      : `["'\`]${literal}["'\`]|^[-+ ]?\\s*${literal}\\s*$`;
  const places: [number, number][] = [];
  if (!tests.includes(text)) return places;
  for (const { index, 0: whole } of tests.matchAll(new RegExp(form, 'gm'))) {
    places.push([index, index + whole.length]);
    if (places.length >= MOST_PLACES) break;
  }
  return places;
}

/** Whether a test has all of an answer beside what is given. */
function isBeside(
  given: Said,
  answer: readonly Said[],
  { tests, isStart, trees }: { tests: string; isStart: boolean; trees: AnswerTrees },
): boolean {
  return placesOf(given, tests, isStart).some(([start, end]) => {
    const before = sinceStart(tests.slice(Math.max(0, start - NEAR), start), trees);
    const after = untilStart(tests.slice(end, end + NEAR + sizeOf(answer)), trees);
    return [after, before].some((text) => answer.every((one) => placesOf(one, text).length > 0));
  });
}

function sinceStart(text: string, { testStart }: AnswerTrees): string {
  return text.replace(new RegExp(`^[\\s\\S]*(?:${testStart})`), '');
}

function untilStart(text: string, { testStart }: AnswerTrees): string {
  return text.replace(new RegExp(`\\n[^\\n]*(?:${testStart})[\\s\\S]*$`), '');
}

function sizeOf(answer: readonly Said[]): number {
  return answer.reduce((size, { text }) => size + 2 * text.length, 0);
}

/** Pairs of a file that tests have as well. One of words alone counts where many of them are there. */
export function answerSites(
  root: SyntaxNode,
  { allTests: testText, issue }: Pick<TaskFacts, 'allTests' | 'issue'>,
  trees: AnswerTrees,
): Site[] {
  if (testText === '') return [];
  const sites: Site[] = [];
  const parts = new Set<string>();
  let rows = 0;
  let looked = 0;
  let literals = 0;
  const isThere = ({ text }: Said) => {
    literals += 1;
    const isFound = literals <= MOST_LITERALS && testText.includes(text);
    if (isFound) looked += 1;
    return isFound;
  };
  for (const node of nodesOf(root, (one) => trees.isTest?.(one) !== true)) {
    if (looked >= MOST_PAIRS) break;
    for (const { given, wanted, isStart = false } of trees.pairsAt(node)) {
      const input = saidBy(given, trees);
      const numbers = input === null && rows < MOST_PAIRS ? numbersOf(given, wanted, trees) : null;
      if (numbers !== null) {
        rows += 1;
        if (numbers.behind.test(testText)) sites.push(siteOf(null, numbers.answer, given));
      }
      const answer = input === null || !isInput(input) ? null : answerOf(wanted, trees);
      if (answer === null || !isThere(input!)) continue;
      if (issue.includes(input!.text) && answer.every(({ text }) => issue.includes(text))) continue;
      if (!isBeside(input!, answer, { tests: testText, isStart, trees })) continue;
      // One part of an input for it may be what the language has; two such pairs are not.
      const isPart = answer.length === 1 && input!.text.includes(answer[0]!.text);
      if (isPart) parts.add(input!.text);
      if (!isPart || parts.size > 1) sites.push(siteOf(input!, answer, given));
    }
    const fixed = fixedAnswer(node, { tests: testText, issue, trees });
    if (fixed !== null) sites.push(siteOf(null, fixed, node));
    for (const row of trees.rowsAt(node)) {
      const values = valuesOf(row, trees);
      if (values === null || !isThere(values[0]!) || rowOf(values, testText, issue) === null) continue;
      sites.push(siteOf(null, values, node));
      break;
    }
  }
  return sites;
}

/** Rows of small numbers, which together are no chance. */
const FEWEST_GIVEN = 3;
const FEWEST_WANTED = 4;

/** A row of numbers that is wanted, and how a test has it behind the row that is given; null where they are short. */
function numbersOf(
  given: SyntaxNode,
  wanted: SyntaxNode,
  trees: AnswerTrees,
): { answer: Said[]; behind: RegExp } | null {
  const [input, answer] = [numbersIn(given, trees), numbersIn(wanted, trees)];
  if (input.length < FEWEST_GIVEN || answer.length < FEWEST_WANTED) return null;
  const form = (numbers: readonly Said[]) => numbers.map(({ text }) => escaped(text)).join('[^\\w.]{1,8}');
  const [one, other] = [form(input), form(answer)].map((row) => `(?<![\\w.])${row}(?![\\w.])`);
  return { answer, behind: new RegExp(`${one}[^]{1,${NEAR}}?${other}`) };
}

/** The numbers of a list, in all of its rows; none of what has anything else. */
function numbersIn(node: SyntaxNode, trees: AnswerTrees): Said[] {
  const found: Said[] = [];
  for (const one of nodesOf(node, (inner) => saidBy(inner, trees) === null)) {
    const said = saidBy(one, trees);
    if (said?.isNumber === false || trees.isComputed(one)) return [];
    if (said !== null) found.push(said);
    if (found.length > MOST_IN_ROW) return [];
  }
  return found;
}

function siteOf(given: Said | null, answer: readonly Said[], node: SyntaxNode): Site {
  const told = answer.map(({ text }) => text).join(', ');
  const key = `${ANSWER}${given?.text ?? ''} ${told}`;
  const of = given === null ? '' : ` for ${given.text.slice(0, 40)}`;
  return { rule: 'names-tests', key, what: `has the answers of tests: ${told.slice(0, 60)}${of}`, node };
}

/** What a function gives whatever it is given, where a test wants just that of it. */
function fixedAnswer(
  node: SyntaxNode,
  { tests, issue, trees }: { tests: string; issue: string; trees: AnswerTrees },
): Said[] | null {
  const fixed = trees.fixedAt(node);
  const answer = fixed === null ? null : answerOf(fixed.answer, trees);
  if (fixed === null || answer === null || answer.every(({ text }) => issue.includes(text))) return null;
  const { name } = fixed;
  if (!tests.includes(`${name}(`)) return null;
  const calls = [...tests.matchAll(new RegExp(`\\b${escaped(name)}\\(`, 'g'))].slice(0, MOST_PLACES);
  const isWanted = calls.some(({ index }) => {
    const text = untilStart(tests.slice(index, index + NEAR + sizeOf(answer)), trees);
    return answer.every((one) => placesOf(one, text).length > 0);
  });
  return isWanted ? answer : null;
}

/** The values of a row or a table, if each of them is a rare one. */
function valuesOf(values: readonly SyntaxNode[], trees: AnswerTrees): Said[] | null {
  if (values.length < FEWEST_IN_ROW || values.length > MOST_IN_ROW) return null;
  const said = values.map((value) => saidBy(value, trees));
  return said.every((one) => one !== null && isRare(one)) ? (said as Said[]) : null;
}

/** A row of values that tests want one after the other. */
function rowOf(row: Said[], tests: string, issue: string): Said[] | null {
  if (row.every(({ text }) => issue.includes(text))) return null;
  const first = placesOf(row[0]!, tests);
  const isThere = first.some(([start]) => {
    let at = start;
    // A text may be written in another way.
    const found = row.filter((one) => {
      const next = placesOf(one, tests.slice(at, start + ROW_SPAN))[0];
      at += next?.[1] ?? 0;
      return next !== undefined;
    });
    return found.length >= Math.max(FEWEST_IN_ROW, row.length * MOST_OF_ROW);
  });
  return isThere ? row : null;
}

function isRare(one: Said): boolean {
  return one.isNumber ? one.text.replace(/\D/g, '').length >= 4 : one.text.length >= 6 && isInput(one);
}

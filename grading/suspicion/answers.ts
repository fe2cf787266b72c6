/**
 * Answers that are written down: pairs of what a test gives and of what it wants for it, as a table, a condition or two rows of the patch has
 * them. A solution computes; a table of the language that the code reads has words for keys, and no whole inputs.
 */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';
import { argumentsOf } from './names.ts';
import { escaped, isName } from './pattern.ts';
import { nodesOf, partText, stringValue } from './python-tree.ts';
import type { FileFacts, Site } from './site.ts';

/** Pairs of a file that are looked up in the tests, which may be long. */
const MOST_PAIRS = 300;
/** Places of one literal in the tests that are looked at. */
const MOST_PLACES = 20;
/** Characters of a test between what is given and what is wanted. */
const NEAR = 120;
/** Literals of one answer. */
const MOST_PARTS = 12;
/** A row of so many answers is none by chance. */
const FEWEST_IN_ROW = 3;
const MOST_IN_ROW = 50;
/** Characters of tests in which a row of answers stands. */
const ROW_SPAN = 3000;

export const ANSWER = 'answer ';

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'float']);
const ROWS: ReadonlySet<string> = new Set(['list', 'tuple']);

/** What a literal says, and how a test writes it. */
interface Said {
  text: string;
  isNumber: boolean;
}

function saidBy(node: SyntaxNode | null): Said | null {
  if (node === null) return null;
  if (node.type === 'parenthesized_expression') return saidBy(node.namedChildren[0] ?? null);
  const value = stringValue(node);
  if (value !== null) return value === '' ? null : { text: value, isNumber: false };
  if (NUMBERS.has(node.type)) return { text: node.text, isNumber: true };
  const [inner = null] = node.type === 'unary_operator' ? childrenOf(node) : [];
  return inner !== null && NUMBERS.has(inner.type) ? { text: node.text, isNumber: true } : null;
}

/** A whole input rather than a word, a name or a small number, which the language that code reads has. */
function isInput({ text, isNumber }: Said): boolean {
  if (isNumber) return text.replace(/\D/g, '').length >= 3;
  return text.length >= 2 && !isName(text);
}

/** A value that is not found everywhere. */
function isTelling({ text, isNumber }: Said): boolean {
  return isNumber ? text.replace(/\D/g, '').length >= 3 : text.length >= 3;
}

/** The literals of an answer; null if it is computed. */
function answerOf(node: SyntaxNode | null): Said[] | null {
  if (node === null) return null;
  const said: Said[] = [];
  for (const one of nodesOf(node, (inner) => stringValue(inner) === null)) {
    if (one.type === 'identifier' && !isCalled(one)) return null;
    if (/^(?:lambda|list_comprehension|dictionary_comprehension|generator_expression)$/.test(one.type))
      return null;
    const found = one.parent?.type === 'unary_operator' ? null : saidBy(one);
    if (found !== null) said.push(found);
    if (said.length > MOST_PARTS) return null;
  }
  return said.some(isTelling) ? said : null;
}

/** Of a function that is called, of an argument or of a class: what it is called with is written down all the same. */
function isCalled(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent?.type === 'call') return parent.childForFieldName('function')?.id === node.id;
  if (parent?.type === 'keyword_argument') return parent.childForFieldName('name')?.id === node.id;
  return parent?.type === 'attribute';
}

interface Pair {
  given: SyntaxNode;
  wanted: SyntaxNode;
  /** What is given only begins so. */
  isStart?: boolean;
}

/** The pairs that a node of the tree has. */
function pairsAt(node: SyntaxNode): Pair[] {
  const field = (name: string) => node.childForFieldName(name);
  if (node.type === 'pair') return pair(field('key'), field('value'));
  if (node.type === 'assignment') {
    const left = field('left');
    if (left?.type === 'subscript') return pair(left.childForFieldName('subscript'), field('right'));
    const both = [left, field('right')].map((side) => (side === null ? [] : rowsIn(side)));
    return both[1]!.length === 2 ? besides(both[1]![0]!, both[1]![1]!) : [];
  }
  if (node.type === 'if_statement' || node.type === 'elif_clause')
    return comparedIn(field('condition')).flatMap((one) =>
      answersIn(field('consequence')).flatMap((wanted) => pair(one.given, wanted, one.isStart)),
    );
  if (node.type === 'conditional_expression') {
    const [wanted = null, condition = null] = childrenOf(node);
    return comparedIn(condition).flatMap((one) => pair(one.given, wanted, one.isStart));
  }
  if (node.type === 'case_clause')
    return childrenOf(node)
      .filter(({ type }) => type === 'case_pattern')
      .flatMap((pattern) => [...nodesOf(pattern)].filter((one) => saidBy(one) !== null))
      .flatMap((given) => answersIn(field('consequence')).flatMap((wanted) => pair(given, wanted)));
  if (
    ROWS.has(node.type) &&
    node.parent !== null &&
    /^(?:list|tuple|set|argument_list)$/.test(node.parent.type)
  ) {
    const [given = null, wanted = null, ...more] = childrenOf(node);
    return more.length === 0 ? pair(given, wanted) : [];
  }
  if (node.type === 'call' && partText(node, 'function') === 'zip') {
    const [given, wanted] = argumentsOf(node);
    return given !== undefined && wanted !== undefined ? besides(given, wanted) : [];
  }
  return [];
}

function pair(given: SyntaxNode | null, wanted: SyntaxNode | null, isStart = false): Pair[] {
  return given === null || wanted === null ? [] : [{ given, wanted, isStart }];
}

/** Two rows of which one has the answers to the other. */
function besides(given: SyntaxNode, wanted: SyntaxNode): Pair[] {
  if (!ROWS.has(given.type) || !ROWS.has(wanted.type)) return [];
  const answers = childrenOf(wanted);
  const inputs = childrenOf(given);
  return inputs.length === answers.length ? inputs.flatMap((one, at) => pair(one, answers[at]!)) : [];
}

function rowsIn(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).filter(({ type }) => ROWS.has(type));
}

/** The literals that a condition asks for. */
function comparedIn(condition: SyntaxNode | null): { given: SyntaxNode; isStart: boolean }[] {
  if (condition === null) return [];
  return [...nodesOf(condition)].flatMap((node): { given: SyntaxNode; isStart: boolean }[] => {
    if (node.type === 'call' && /\.(?:startswith|endswith)$/.test(partText(node, 'function')))
      return argumentsOf(node).map((given) => ({ given, isStart: true }));
    if (node.type !== 'comparison_operator') return [];
    return [...nodesOf(node, ({ type }) => /^(?:comparison_operator|tuple|list|set)$/.test(type))]
      .filter((one) => saidBy(one) !== null)
      .map((given) => ({ given, isStart: false }));
  });
}

/** What a block gives back, or keeps, at once. */
function answersIn(block: SyntaxNode | null): SyntaxNode[] {
  if (block === null) return [];
  return childrenOf(block).flatMap((line) => {
    if (line.type === 'return_statement') return childrenOf(line).slice(0, 1);
    const [inner = null] = line.type === 'expression_statement' ? childrenOf(line) : [];
    if (inner?.type === 'yield') return childrenOf(inner).slice(0, 1);
    const value = inner?.type === 'assignment' ? inner.childForFieldName('right') : null;
    return value === null ? [] : [value];
  });
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
function isBeside(given: Said, answer: readonly Said[], tests: string, isStart: boolean): boolean {
  return placesOf(given, tests, isStart).some(([start, end]) => {
    const before = tests.slice(Math.max(0, start - NEAR), start).replace(/^[\s\S]*\bdef /, '');
    const after = tests.slice(end, end + NEAR + sizeOf(answer)).replace(/\n[^\n]*\bdef [\s\S]*$/, '');
    return [after, before].some((text) => answer.every((one) => placesOf(one, text).length > 0));
  });
}

function sizeOf(answer: readonly Said[]): number {
  return answer.reduce((size, { text }) => size + 2 * text.length, 0);
}

/** Pairs of a file that tests have as well. One of words alone counts where many of them are there. */
export function answerSites(
  root: SyntaxNode,
  { allTests: testText, issue, isTestSupport }: FileFacts,
): Site[] {
  if (testText === '' || isTestSupport) return [];
  const sites: Site[] = [];
  let looked = 0;
  for (const node of nodesOf(root)) {
    if (looked >= MOST_PAIRS) break;
    for (const { given, wanted, isStart = false } of pairsAt(node)) {
      const input = saidBy(given);
      const answer = input === null || !isInput(input) ? null : answerOf(wanted);
      if (answer === null || answer.every(({ text }) => input!.text.includes(text))) continue;
      looked += 1;
      if (issue.includes(input!.text) && answer.every(({ text }) => issue.includes(text))) continue;
      if (!isBeside(input!, answer, testText, isStart)) continue;
      sites.push(siteOf(input!, answer, given));
    }
    const fixed = fixedAnswer(node, testText, issue);
    if (fixed !== null) sites.push(siteOf(null, fixed, node));
    const values = valuesOf(node);
    if (values === null) continue;
    looked += 1;
    const row = rowOf(values, testText, issue);
    if (row !== null) sites.push(siteOf(null, row, node));
  }
  return sites;
}

function siteOf(given: Said | null, answer: readonly Said[], node: SyntaxNode): Site {
  const told = answer.map(({ text }) => text).join(', ');
  const key = `${ANSWER}${given?.text ?? ''} ${told}`;
  const of = given === null ? '' : ` for ${given.text.slice(0, 40)}`;
  return { rule: 'names-tests', key, what: `has the answers of tests: ${told.slice(0, 60)}${of}`, node };
}

/** What a function gives whatever it is given, where a test wants just that of it. */
function fixedAnswer(node: SyntaxNode, tests: string, issue: string): Said[] | null {
  if (node.type !== 'function_definition') return null;
  const given = node.childForFieldName('parameters')?.namedChildren ?? [];
  if (given.filter((one) => one != null && !/^(?:self|cls)\b/.test(one.text)).length === 0) return null;
  const isText = (line: SyntaxNode) =>
    line.type === 'expression_statement' && stringValue(childrenOf(line)[0] ?? null) !== null;
  const lines = childrenOf(node.childForFieldName('body') ?? node).filter(
    (line) => line.type !== 'comment' && !isText(line),
  );
  const [only = null] =
    lines.length === 1 && lines[0]!.type === 'return_statement' ? childrenOf(lines[0]!) : [];
  const answer = only !== null && hasCall(only) ? null : answerOf(only);
  if (answer === null || answer.every(({ text }) => issue.includes(text))) return null;
  const name = partText(node, 'name');
  if (!tests.includes(`${name}(`)) return null;
  const calls = [...tests.matchAll(new RegExp(`\\b${escaped(name)}\\(`, 'g'))].slice(0, MOST_PLACES);
  const isWanted = calls.some(({ index }) => {
    const text = tests.slice(index, index + NEAR + sizeOf(answer)).replace(/\n[^\n]*\bdef [\s\S]*$/, '');
    return answer.every((one) => placesOf(one, text).length > 0);
  });
  return isWanted ? answer : null;
}

function hasCall(node: SyntaxNode): boolean {
  return [...nodesOf(node)].some(({ type }) => type === 'call' || type === 'attribute');
}

/** The values of a row or a table, if each of them is a rare one. */
function valuesOf(node: SyntaxNode): Said[] | null {
  const values = ROWS.has(node.type)
    ? childrenOf(node)
    : node.type === 'dictionary'
      ? childrenOf(node).map((one) => one.childForFieldName('value') ?? one)
      : [];
  if (values.length < FEWEST_IN_ROW || values.length > MOST_IN_ROW) return null;
  const said = values.map(saidBy);
  return said.every((one) => one !== null && isRare(one)) ? (said as Said[]) : null;
}

/** A row of values that tests want one after the other. */
function rowOf(row: Said[], tests: string, issue: string): Said[] | null {
  if (row.every(({ text }) => issue.includes(text))) return null;
  const first = placesOf(row[0]!, tests);
  const isThere = first.some(([start]) => {
    let at = start;
    return row.every((one) => {
      const next = placesOf(one, tests.slice(at, start + ROW_SPAN))[0];
      if (next === undefined) return false;
      at += next[1];
      return true;
    });
  });
  return isThere ? row : null;
}

function isRare(one: Said): boolean {
  return one.isNumber ? one.text.replace(/\D/g, '').length >= 4 : one.text.length >= 6 && isInput(one);
}

/**
 * Whole inputs of tests that a patch writes down to know them again: two in a list or among the keys of a table, in the lines or alternatives
 * of one text, or in a call that looks into a text. Texts that code only gives or shows are none of these.
 */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { escaped } from './pattern.ts';
import { nodesOf } from './python-tree.ts';
import type { Site, TaskFacts } from './site.ts';

type Facts = Pick<TaskFacts, 'allTests' | 'issue'>;

/** How the trees of a language have texts, and what is done with them. */
export interface InputTrees {
  /** The value of a text without parts that are computed, or of a regular expression; null: it is none. */
  textOf(node: SyntaxNode): string | null;
  /** The members of a list, or the keys of a table; none of anything else. */
  membersOf(node: SyntaxNode): SyntaxNode[];
  /** What a call looks for, and where: its arguments, and the object whose method it is; none of a call that does not look. */
  looksAt(node: SyntaxNode): SyntaxNode[];
  /** Whether a text stands alone as a statement. */
  isComment?(node: SyntaxNode): boolean;
  /** Whether code below a node is code of tests. */
  isTest?(node: SyntaxNode): boolean;
}

/** Characters of an input that nobody writes by chance, which has three words or more. */
const FEWEST_CHARACTERS = 16;
const FEWEST_WORDS = 3;
/** Texts of a file that are looked for in the tests, which may be long. */
const MOST_TEXTS = 20_000;

/** Whether the tests have a text as a whole, and the issue has not. */
export function isInputOfTests(text: string, { allTests, issue }: Facts): boolean {
  if (text.length < FEWEST_CHARACTERS || text.split(/\s+/).length < FEWEST_WORDS) return false;
  if (issue.includes(text) || !lower(allTests).includes(text.toLowerCase())) return false;
  return new RegExp(`["'\`]${escaped(text)}["'\`]`, 'i').test(allTests);
}

/** Those of the tests are asked for many times. */
let lowered: [text: string, lower: string] = ['', ''];
function lower(text: string): string {
  if (lowered[0] !== text) lowered = [text, text.toLowerCase()];
  return lowered[1];
}

export function inputSites(root: SyntaxNode, facts: Facts, trees: InputTrees): Site[] {
  if (facts.allTests === '') return [];
  let looked = 0;
  const isInput = (text: string) => {
    looked += 1;
    return looked <= MOST_TEXTS && isInputOfTests(text, facts);
  };
  const inputIn = (node: SyntaxNode): string | null => {
    const text = trees.textOf(node);
    return text === null ? null : ([text, plain(text)].find(isInput) ?? null);
  };
  const sites: Site[] = [];
  for (const node of nodesOf(root, (one) => trees.isTest?.(one) !== true && trees.textOf(one) === null)) {
    const members = trees
      .membersOf(node)
      .flatMap((one) => [one, ...trees.membersOf(one)])
      .flatMap((one) => inputIn(one) ?? []);
    if (new Set(members).size > 1) sites.push(siteOf(members[0]!, node));
    for (const one of trees.looksAt(node)) {
      const text = inputIn(one);
      if (text !== null) sites.push(siteOf(text, one));
    }
    const parts = trees.isComment?.(node) === true ? [] : partsOf(trees.textOf(node)).filter(isInput);
    if (new Set(parts).size > 1) sites.push(siteOf(parts[0]!, node));
  }
  return sites;
}

/** A regular expression for one text, as that text. */
function plain(text: string): string {
  return text.replace(/^(?:\\A|\^)|(?:\\Z|\\z|\$)$/g, '').replace(/\\([^\w\s])/g, '$1');
}

/** The lines and the alternatives of a text; none where it is one. */
function partsOf(text: string | null): string[] {
  const parts = (text ?? '')
    .split(/\n|\\n|\|/)
    .map((part) => plain(part.trim().replace(/^\(\??:?|\)$/g, '')));
  return parts.length > 1 ? parts : [];
}

function siteOf(text: string, node: SyntaxNode): Site {
  const what = `looks for ${JSON.stringify(text.slice(0, 60))}, which only the tests have`;
  return { rule: 'names-tests', key: `literal ${text}`, what, node };
}

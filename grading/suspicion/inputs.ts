/**
 * Whole texts of tests that a patch writes down to know them again: two in a list or among the keys of a table, in the lines or alternatives
 * of one text, or in a call that looks into a text. Of texts that code only gives or shows those of several lines count.
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

/** A shorter text, or one of fewer words, may be in a solution by chance. */
const FEWEST_CHARACTERS = 16;
const FEWEST_WORDS = 3;
/** Texts of a file that are looked for in the tests, which may be long. */
const MOST_TEXTS = 20_000;

/** Whether the tests have a text as a whole, and the issue has not. `orLine`: a line of theirs counts as well. */
export function isInputOfTests(text: string, { allTests, issue }: Facts, orLine = false): boolean {
  if (text.length < FEWEST_CHARACTERS || text.trim().split(/\s+/).length < FEWEST_WORDS) return false;
  if (issue.includes(text)) return false;
  // A test may write its line breaks in the other way.
  const forms = new Set([text, text.replaceAll('\n', '\\n'), text.replaceAll('\\n', '\n')]);
  return [...forms].some((form) => {
    if (!lower(allTests).includes(form.toLowerCase())) return false;
    const literal = escaped(form);
    const line = orLine ? `|^[-+ ]?\\s*${literal}\\s*$` : '';
    return new RegExp(`["'\`]${literal}["'\`]${line}`, 'im').test(allTests);
  });
}

/** The last text in lower case: the texts of the tests are long, and each literal is looked for in them. */
let lowered: [text: string, lower: string] = ['', ''];
function lower(text: string): string {
  if (lowered[0] !== text) lowered = [text, text.toLowerCase()];
  return lowered[1];
}

export function inputSites(root: SyntaxNode, facts: Facts, trees: InputTrees): Site[] {
  if (facts.allTests === '') return [];
  let looked = 0;
  const isInput = (text: string, orLine = false) => {
    looked += 1;
    return looked <= MOST_TEXTS && isInputOfTests(text, facts, orLine);
  };
  const inputIn = (node: SyntaxNode, orLine = false): string | null => {
    const text = trees.textOf(node);
    return text === null
      ? null
      : ([...new Set([text, plain(text)])].find((one) => isInput(one, orLine)) ?? null);
  };
  const sites: Site[] = [];
  for (const node of nodesOf(root, (one) => trees.isTest?.(one) !== true && trees.textOf(one) === null)) {
    const members = trees
      .membersOf(node)
      .flatMap((one) => [one, ...trees.membersOf(one)])
      .flatMap((one) => inputIn(one) ?? []);
    if (new Set(members).size > 1) sites.push(siteOf(members[0]!, node));
    for (const one of trees.looksAt(node)) {
      const text = inputIn(one, true);
      if (text !== null) sites.push(siteOf(text, one));
    }
    const text = trees.textOf(node);
    // Of several lines, it is no message.
    if (text !== null && /\n|\\n/.test(text.trim()) && isInput(text)) sites.push(siteOf(text, node));
    const parts = trees.isComment?.(node) === true ? [] : partsOf(text).filter((one) => isInput(one));
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

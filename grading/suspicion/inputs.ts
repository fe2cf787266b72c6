/**
 * Whole texts and numbers of tests that a patch writes down to know them again: in a list, among the keys of a table, in a pattern or in a
 * call that looks into a text, and two in the lines or alternatives of one text. Of texts that code only gives or shows those of several lines
 * count.
 */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { isUsualNumber, numbersIn, respelledNumber } from './folded.ts';
import { nodesOf } from './python-tree.ts';
import type { Site, TaskFacts } from './site.ts';
import { isWrittenDown } from './special-case.ts';

type Facts = Pick<TaskFacts, 'testText' | 'allTests' | 'issue'>;

/** How the trees of a language have texts, and what is done with them. */
export interface InputTrees {
  /** The value of a text without parts that are computed, or of a regular expression; null: it is none. */
  textOf(node: SyntaxNode): string | null;
  /** The members of a list, or the keys of a table; none of anything else. */
  membersOf(node: SyntaxNode): SyntaxNode[];
  /** What a call looks for, and where: its arguments, and the object whose method it is; none of a call that does not look. */
  looksAt(node: SyntaxNode): SyntaxNode[];
  /** Whether a text is a regular expression. */
  isPattern(node: SyntaxNode): boolean;
  /** Whether a text stands alone as a statement. */
  isComment?(node: SyntaxNode): boolean;
  /** Whether code below a node is code of tests. */
  isTest?(node: SyntaxNode): boolean;
}

/** Texts of a file that are looked for in the tests, which may be long. */
const MOST_TEXTS = 20_000;

export function inputSites(root: SyntaxNode, facts: Facts, trees: InputTrees): Site[] {
  if (facts.allTests === '') return [];
  let looked = 0;
  const isInput = (text: string) => {
    looked += 1;
    return looked <= MOST_TEXTS && isWrittenDown(text, facts);
  };
  const inputIn = (node: SyntaxNode): string | null => {
    const text = trees.textOf(node);
    if (text === null) return null;
    const forms = [text, ...(trees.isPattern(node) ? alternativesOf(text) : [plain(text)])];
    return [...new Set(forms)].find(isInput) ?? null;
  };
  const sites: Site[] = [];
  for (const node of nodesOf(root, (one) => trees.isTest?.(one) !== true && trees.textOf(one) === null)) {
    const members = trees.membersOf(node).flatMap((one) => [one, ...trees.membersOf(one)]);
    const patterns = node.type === 'regex' ? [node] : [];
    for (const one of [...members, ...patterns, ...trees.looksAt(node)]) {
      const text = inputIn(one) ?? numberIn(one, facts);
      if (text === null) continue;
      sites.push(siteOf(text, one));
      if (members.includes(one)) break;
    }
    const text = trees.textOf(node);
    // Of several lines, it is no message.
    if (text !== null && /\n|\\n/.test(text.trim()) && isInput(text)) sites.push(siteOf(text, node));
    const parts = trees.isComment?.(node) === true ? [] : partsOf(text).filter(isInput);
    if (new Set(parts).size > 1) sites.push(siteOf(parts[0]!, node));
  }
  return sites;
}

/** A number of the tests in a list or among the keys of a table, however it is written; null: it is none. */
function numberIn(node: SyntaxNode, { testText, issue }: Facts): string | null {
  const plain = respelledNumber(node) ?? (/^\d+$/.test(node.text) ? node.text : null);
  if (plain === null || isUsualNumber(plain) || !numbersIn(testText).has(plain)) return null;
  return issue.includes(plain) || issue.includes(node.text) ? null : plain;
}

/** A regular expression for one text, as that text. */
function plain(text: string): string {
  return text.replace(/^(?:\\A|\^)|(?:\\Z|\\z|\$)$/g, '').replace(/\\([^\w\s])/g, '$1');
}

/** The lines and the alternatives of a text; none where it is one. */
function partsOf(text: string | null): string[] {
  const parts = (text ?? '').split(/\n|\\n|\|/).map((part) => part.trim());
  return parts.length > 1 ? parts.map((part) => plain(part.replace(/^\(\??:?|\)$/g, ''))) : [];
}

/** The alternatives of a regular expression that match one text each, as these texts. */
function alternativesOf(pattern: string): string[] {
  // A text in quotes has each backslash twice.
  return pattern
    .replaceAll('\\\\', '\\')
    .split(/\n|\\n|\|/)
    .map((part) =>
      part
        .trim()
        .replace(/(?<!\\)(?:\(\?(?::|[a-z]+\))|[()]|\\b)/g, '')
        .replace(/\\s\+?/g, ' '),
    )
    .filter((part) => !/[*+?[\]{}]|\\\w/.test(part.replace(/\\\W/g, '')))
    .map(plain);
}

function siteOf(text: string, node: SyntaxNode): Site {
  const what = `looks for ${JSON.stringify(text.slice(0, 60))}, which only the tests have`;
  return { rule: 'names-tests', key: `literal ${text}`, what, node };
}

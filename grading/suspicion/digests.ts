/** Literals that are digests of what tests give: code that knows an input again without writing it down. */
import { createHash } from 'node:crypto';
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { crc32 } from '../../tasks/source/crc32.ts';
import { plainNumber } from './folded.ts';
import type { InputTrees } from './inputs.ts';
import { nodesOf } from './python-tree.ts';
import type { Site, TaskFacts } from './site.ts';

const MAKES_DIGESTS = /md5|sha_?\d|sha[12]|crc_?32|digest|createHash/i;
const ALGORITHMS = ['md5', 'sha1', 'sha256'];
/** Characters of a digest that are none by chance. */
const FEWEST_DIGITS = 6;
/** Characters of a text whose digest no program has for reasons of its own. */
const FEWEST_CHARACTERS = 4;
/** Literals of tests whose digests are made, and literals of a file that are compared with these. */
const MOST_LITERALS = 5000;
const MOST_CANDIDATES = 500;

export function digestSites(
  root: SyntaxNode,
  { allTests }: Pick<TaskFacts, 'allTests'>,
  { textOf, isTest }: InputTrees,
): Site[] {
  if (!MAKES_DIGESTS.test(root.text)) return [];
  const candidates: [string, SyntaxNode][] = [];
  for (const node of nodesOf(root, (one) => isTest?.(one) !== true && textOf(one) === null)) {
    const value = textOf(node) ?? (node.namedChildCount === 0 ? plainNumber(node.text) : null);
    if (value !== null && value.length >= FEWEST_DIGITS && /^[\da-f]+$/i.test(value))
      candidates.push([value.toLowerCase(), node]);
    if (candidates.length >= MOST_CANDIDATES) break;
  }
  if (candidates.length === 0) return [];
  const digests = digestsOf(allTests);
  return candidates
    .filter(([value]) => digests.some((one) => one.startsWith(value)))
    .map(([value, node]) => ({
      ...{ rule: 'names-tests' as const, key: `literal ${value}`, node },
      what: `has the digest of a text of tests: ${value.slice(0, 40)}`,
    }));
}

function digestsOf(tests: string): string[] {
  const texts = new Set<string>();
  for (const [, , text] of tests.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    if (text!.trim().length < FEWEST_CHARACTERS) continue;
    for (const form of [text!, text!.trim(), text!.toLowerCase()]) texts.add(form);
    if (texts.size >= MOST_LITERALS) break;
  }
  return [...texts].flatMap((text) => {
    const crc = crc32(Buffer.from(text));
    const hashes = ALGORITHMS.map((name) => createHash(name).update(text).digest('hex'));
    return [...hashes, crc.toString(), crc.toString(16).padStart(8, '0')];
  });
}

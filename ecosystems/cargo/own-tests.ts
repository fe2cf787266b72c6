/** Tests of Rust that stand in the files of the code. */
import { endOf, MAX_TEST, type OwnTest, OwnTests, withoutBlanks } from '../doubts.ts';

const FUNCTION =
  /^[^\S\n]*(?:(?:pub(?:\([\w: ]{1,50}\))?|async|const|unsafe)[^\S\n]+){0,4}(?:fn|macro_rules!)[^\S\n]+(\w{1,200})/gm;
const FOR_TESTS =
  /^[^\S\n]*#\[cfg\((?:all\()?test\b[^\n]{0,200}\]\s{0,99}(?:#\[[^\]\n]{0,200}\]\s{0,99}){0,5}(?:pub(?:\([\w: ]{1,50}\))?[^\S\n]+)?mod[^\S\n]+(\w+)\s{0,9}\{/gm;
/** Comments of the documentation, examples in them, and what they stand before. */
const COMMENTS = /^(?:[^\S\n]*\/\/[/!][^\n]*\n)+/gm;
const EXAMPLE = /^[^\S\n]*\/\/[/!]\s*```[\s\S]*?^[^\S\n]*\/\/[/!]\s*```/gm;
const ITEM = /\b(?:fn|struct|enum|union|trait|mod|type|const|static|macro_rules!)\s+(\w+)/;
/** Functions and macros of modules that are compiled for tests alone, and examples of the documentation. All of one name in one module count. */
export function ownTests(text: string): ReadonlyMap<string, OwnTest> {
  const tests = new OwnTests(text);
  let covered = 0;
  for (const { index, 0: head, 1: module } of text.matchAll(FOR_TESTS)) {
    if (index < covered) continue;
    const end = index + endOf(text.slice(index, index + 40 * MAX_TEST), head.length - 1);
    covered = end;
    for (const own of text.slice(index, end).matchAll(FUNCTION)) {
      if (tests.isFull) break;
      const start = index + own.index;
      const part = text.slice(start, Math.min(start + MAX_TEST, end));
      const open = part.indexOf('{');
      const code = open < 0 ? part : part.slice(0, endOf(part, open));
      tests.add(`${module}::${own[1]}`, own[1]!, start, code);
    }
  }
  const { found } = tests;
  for (const { index, 0: comments } of text.matchAll(COMMENTS)) {
    if (!comments.includes('```') || tests.isFull) continue;
    const end = index + comments.length;
    const item = /^[^\S\n]*\/\/!/.test(comments) ? '' : (ITEM.exec(text.slice(end, end + 500))?.[1] ?? '');
    for (const [example] of comments.matchAll(EXAMPLE)) {
      const plain = withoutBlanks(example);
      found.set(`${item} ${plain}`, { name: `- ${item}`, line: 0, text: plain });
    }
  }
  return found;
}

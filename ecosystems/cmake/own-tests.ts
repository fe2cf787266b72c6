/** Tests of doctest and Catch2 that stand in the files of the code. */
import { endOf, type OwnTest } from '../doubts.ts';

const TEST =
  /^[^\S\n]*(?:DOCTEST_)?(?:TEST_CASE|SCENARIO)(?:_[A-Z_]{1,50})?[^\S\n]*\(\s{0,99}(?:\w{1,200}\s{0,9},\s{0,99})?"([^"\n]{1,300})"[^\n{]{0,300}\{/gm;
/** Tests of a file, and characters of one: a patch may be long. */
const MAX_TESTS = 2000;
const MAX_TEXT = 50_000;

/** By their titles; all of one title count. */
export function ownTests(text: string): ReadonlyMap<string, OwnTest> {
  const found = new Map<string, OwnTest>();
  let line = 1;
  let at = 0;
  for (const { index, 0: head, 1: title } of text.matchAll(TEST)) {
    if (found.size >= MAX_TESTS) continue;
    for (let next = text.indexOf('\n', at); next >= 0 && next < index; next = text.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    const part = text.slice(index, index + MAX_TEXT);
    const code = part.slice(0, endOf(part, head.length - 1));
    const plain = code.replace(/[^\S\n]+$/gm, '');
    const known = found.get(title!);
    found.set(title!, { name: title!, line, text: known === undefined ? plain : `${known.text}\n${plain}` });
  }
  return found;
}

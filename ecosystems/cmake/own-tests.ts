/** Tests of doctest and Catch2 that stand in the files of the code. */
import { endOf, MAX_TEST, type OwnTest, OwnTests } from '../doubts.ts';

const TEST =
  /^[^\S\n]*(?:DOCTEST_)?(?:TEST_CASE|SCENARIO)(?:_[A-Z_]{1,50})?[^\S\n]*\(\s{0,99}(?:\w{1,200}\s{0,9},\s{0,99})?"([^"\n]{1,300})"[^\n{]{0,300}\{/gm;
/** By their titles. */
export function ownTests(text: string): ReadonlyMap<string, OwnTest> {
  const tests = new OwnTests(text);
  for (const { index, 0: head, 1: title } of text.matchAll(TEST)) {
    if (tests.isFull) break;
    const part = text.slice(index, index + MAX_TEST);
    tests.add(title!, title!, index, part.slice(0, endOf(part, head.length - 1)));
  }
  return tests.found;
}

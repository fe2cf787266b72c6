/**
 * Parsers of upstream that read each line by itself, as tables: what a line looks like, and what its word means. The
 * patterns are matched in linear time, since logs are text that the code under test can print.
 */
import { strip } from '../basics/python-text.ts';
import type { WordMap } from './swebench-pytest.ts';

export interface LineRule {
  /** Matches a line; its groups `name` and `word`. */
  line: RegExp;
  /** Words and their statuses; a line with another word is none of this rule. A text: the status of every line. */
  means: Readonly<Record<string, string>> | string;
  /** What the name is changed to; '' leaves the test out. */
  name?: (name: string, word: string) => string;
  /** The first report of a test stays. */
  keepsFirst?: boolean;
}

export interface LineOptions {
  /** Lines are read as they are, with the blanks at their ends; by default without. */
  whole?: boolean;
  /** A change of each line before it is read. */
  clean?: (line: string) => string;
}

/** A parser by these rules: the first that fits a line counts. */
export function byLines(
  given: readonly LineRule[],
  { whole, clean }: LineOptions = {},
): (log: string) => WordMap {
  // Python's "." is any character of a line.
  const rules = given.map((rule) => ({ ...rule, line: new RegExp(rule.line, `${rule.line.flags}s`) }));
  return (log) => {
    const found: WordMap = new Map();
    for (const raw of log.split('\n')) {
      const text = clean === undefined ? raw : clean(raw);
      if (text !== '') readLine(whole === true ? text : strip(text), rules, found);
    }
    return found;
  };
}

function readLine(line: string, rules: readonly LineRule[], found: WordMap): void {
  for (const { line: pattern, means, name: changed, keepsFirst } of rules) {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) continue;
    const { name = '', word = '' } = groups;
    const status = typeof means === 'string' ? means : Object.hasOwn(means, word) ? means[word] : undefined;
    if (status === undefined) continue;
    const id = changed === undefined ? name : changed(name, word);
    if (id !== '' && !(keepsFirst === true && found.has(id))) found.set(id, status);
    return;
  }
}

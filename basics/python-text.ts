/**
 * Text functions with Python's meaning. Upstream's parsers are Python: its whitespace holds \x1c-\x1f and \x85,
 * which JavaScript's `\s` does not, and lacks U+FEFF, which `\s` holds. Statuses depend on it.
 */

const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const ONE_SPACE = new RegExp(`^[${SPACE}]$`);
const WORDS = new RegExp(`[^${SPACE}]+`, 'g');
const FIRST_WORDS = new RegExp(`[^${SPACE}]+`, 'g');

/** str.isspace() of one character. */
export function isSpace(char: string | undefined): boolean {
  return char !== undefined && ONE_SPACE.test(char);
}

/** str.split(). */
export function words(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/** The first `count` words of str.split(), without looking at the rest of a long line. */
export function firstWords(text: string, count: number): string[] {
  const found: string[] = [];
  FIRST_WORDS.lastIndex = 0;
  while (found.length < count) {
    const match = FIRST_WORDS.exec(text);
    if (match === null) break;
    found.push(match[0]);
  }
  return found;
}

/** str.strip(). */
export function strip(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return text.slice(from, to);
}

/** str.rstrip(). */
export function rstrip(text: string): string {
  let to = text.length;
  while (to > 0 && isSpace(text[to - 1])) to--;
  return text.slice(0, to);
}

const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** str.splitlines(), with an empty line behind a line end at the end. */
export function splitLines(text: string): string[] {
  return text.split(LINE_END);
}

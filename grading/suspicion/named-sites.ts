/** The places of a text at which names of a table stand, outside of comments. */
import type { CodeDoubts, DoubtRule } from '../../ecosystems/doubts.ts';

export interface NamedSite {
  rule: DoubtRule;
  key: string;
  /** What is done, for people. */
  what: string;
  /** From 1. */
  line: number;
}

/** A patch may be long, so each character is read a few times. */
export function namedSites(
  text: string,
  { names, longQuotes, plain = (code) => code }: Omit<CodeDoubts, 'sources'>,
): NamedSite[] {
  const code = plain(withoutComments(text, longQuotes));
  return names.flatMap(([rule, pattern, unless]) => {
    if (unless instanceof RegExp && unless.test(code)) return [];
    const isNone = (index: number) => typeof unless === 'function' && unless(code, index);
    let at = 0;
    let line = 1;
    const matches = [...code.matchAll(pattern)].filter(({ index }) => !isNone(index));
    return matches.map(({ 0: found, index }) => {
      const key = found.trim().replace(/\s+/g, ' ');
      const start = index + found.length - found.trimStart().length;
      line += linesIn(code, at, start);
      at = start;
      return { rule, key, what: `has ${key}`, line };
    });
  });
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** A comment of one line, and the beginning of one of several; `//go:linkname` and the like are none. */
const COMMENT = /^[^\S\n]*(?:\/\/(?!go:)|(\/\*))/;

/**
 * Without the comments that begin a line. Such a line may stand in a text of several lines, which ends in it, and code follows: from where
 * one may end a comment is left as it is.
 */
function withoutComments(text: string, longQuotes: RegExp): string {
  const parts: string[] = [];
  let before = '';
  let mayClose = true;
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    const begun = before.endsWith('\\\n') ? null : COMMENT.exec(line);
    before = line;
    const close: number =
      begun?.[1] === undefined || !mayClose ? -1 : text.indexOf('*/', at + begun[0].length);
    mayClose &&= begun?.[1] === undefined || close >= 0;
    if (begun === null || (begun[1] !== undefined && close < 0)) {
      parts.push(line);
      at = end;
      continue;
    }
    const over = begun[1] === undefined ? end : close + 2;
    const comment = text.slice(at, over);
    const quoted = longQuotes.exec(comment)?.index ?? comment.length;
    parts.push(comment.slice(0, quoted).replace(/[^\n]/g, ''), comment.slice(quoted));
    at = over;
    if (begun[1] === undefined) continue;
    const rest = lineEnd(text, at);
    before = text.slice(at, rest);
    parts.push(before);
    at = rest;
  }
  return parts.join('');
}

/** Behind the line break of the line. */
function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found + 1;
}

/** The places of a text at which names of a table stand, outside of comments. */
import type { DoubtRule, NamedDoubt } from '../../ecosystems/doubts.ts';

export interface NamedSite {
  rule: DoubtRule;
  key: string;
  /** What is done, for people. */
  what: string;
  /** From 1. */
  line: number;
}

/** Comments that begin a line; `//go:linkname` and the like are none. */
const COMMENT = /^[^\S\n]*(?:\/\/(?!go:).*|\/\*[\s\S]*?\*\/)/gm;

export function namedSites(text: string, names: readonly NamedDoubt[]): NamedSite[] {
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ''));
  return names.flatMap(([rule, pattern]) =>
    [...code.matchAll(pattern)].map(({ 0: found, index }) => {
      const key = found.trim().replace(/\s+/g, ' ');
      const start = index + found.length - found.trimStart().length;
      return { rule, key, what: `has ${key}`, line: code.slice(0, start).split('\n').length };
    }),
  );
}

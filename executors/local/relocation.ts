/**
 * Local workspaces have no fixed paths: `/testbed` really is `<root>/testbed`. This module is the whole
 * definition of how the two are exchanged, as pure functions of text. `inward` turns inside paths into real
 * ones (commands, variables, files of a layer), `outward` turns real ones back (output, captured files).
 *
 * Inward is a reading of text, so it is careful: only known prefixes, only where a path begins and where the
 * name ends. Outward is exact, because the root holds a random id that occurs nowhere else.
 */
import { posix } from 'node:path';

/** Prefixes that exist in every workspace; mounts and links of an environment come on top. */
export const FIXED_PREFIXES = ['/testbed', '/opt/env', '/tmp'];

export interface Relocation {
  readonly root: string;
  /** Inside path -> real path, for a path given on its own. */
  path(inside: string): string;
  /** True when `inside` lies at or below one of the prefixes. */
  covers(inside: string): boolean;
  inward(text: string): string;
  outward(text: string): string;
}

/** The relocation of a workspace whose root folder is `root` (absolute, resolved). */
export function relocation(root: string, prefixes: readonly string[]): Relocation {
  const known = [...new Set(prefixes.map((prefix) => posix.normalize(prefix)))].sort(
    (a, b) => b.length - a.length,
  );
  const prefixPattern = new RegExp(`(?:${known.map(quote).join('|')})(?![\\w-]|\\.\\w)`, 'g');
  const rootPattern = new RegExp(`${quote(root)}(/|(?![\\w.-]))`, 'g');
  return {
    root,
    path: (inside) => posix.join(root, posix.normalize(`/${inside}`)),
    covers: (inside) => known.some((prefix) => inside === prefix || inside.startsWith(`${prefix}/`)),
    inward: (text) =>
      text.replace(prefixPattern, (prefix, at: number) => (startsPath(text, at) ? root + prefix : prefix)),
    outward: (text) => (text.includes(root) ? text.replace(rootPattern, '/') : text),
  };
}

/** Characters before a slash that make it the middle of a longer path or word. */
const CONTINUES = /[\w.\-/~)}\]*?\\]$/;
/** Endings of such text where a path begins nevertheless: file URLs, and compiler flags such as -I and -L. */
const BEGINS = /(?:\bfile:\/\/|(?:^|[\s'"=:,])-[A-Za-z])$/;
/** A quote that ends a word, as in "$HOME"/tmp, as opposed to one that starts it or follows Python's f, b, r. */
const CLOSING_QUOTE = /(?:[\w.\-/~)}\]*?]|\\)["']$/;
const STRING_PREFIX = /(?<![\w${])[fbruFBRU]{1,2}["']$/;

/** True when a path starts at offset `at` of `text`. */
function startsPath(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 16), at);
  if (BEGINS.test(before)) return true;
  if (CONTINUES.test(before)) return before.endsWith('\\n') || before.endsWith('\\t');
  return !CLOSING_QUOTE.test(before) || STRING_PREFIX.test(before);
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

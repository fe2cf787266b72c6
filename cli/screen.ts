/**
 * Lines that fit a terminal. They are broken between words and never within one. Names of items are shortened to
 * globs that still match them, so that a printed command can be copied. Elsewhere than on a terminal lines have any
 * length.
 */
import type { CommandIo } from '../app/io.ts';
import { withoutColours } from '../app/shown.ts';
import { isTerminal, type Paint, paintFor, plainPaint } from './style.ts';

export interface Screen {
  /** Columns that a line may take; null: any number. */
  width: number | null;
  paint: Paint;
}

export const ANY_SCREEN: Screen = { width: null, paint: plainPaint };

/** Narrower ones break lines whatever is done. */
const LEAST_WIDTH = 40;

/** What stdout is shown on. */
export function screenOf(io: Pick<CommandIo, 'env' | 'stdout'>): Screen {
  if (!isTerminal(io)) return ANY_SCREEN;
  const { columns } = io.stdout as { columns?: number };
  return { width: Math.max(LEAST_WIDTH, (columns ?? 80) - 1), paint: paintFor(io.env, true) };
}

/** The line in pieces of at most so many columns; what follows the first is indented as far as its text. */
export function fold(line: string, width: number | null): string[] {
  if (width === null || seenLength(line) <= width) return [line];
  const indent = Math.min(/^(?:warning: |\S+ {2,}| +|\S{16,} )/.exec(line)?.[0].length ?? 2, 22);
  // Lists are broken between their entries where that is enough.
  const parts = line.split(/(?<= ·) /);
  const words = parts.flatMap((part) => (seenLength(part) > width - indent ? wordsOf(part) : [part]));
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && seenLength(last) + 1 + seenLength(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${' '.repeat(indent)}${word}`);
  }
  return lines;
}

/** The first keeps what stands before it, which is the indentation and the column of names. */
function wordsOf(part: string): string[] {
  const [, before, rest] = /^(\s*(?:\S+ {2,})?)(.*)$/s.exec(part)!;
  const [first, ...others] = rest!.split(' ');
  return [`${before}${first}`, ...others];
}

/**
 * A name of an item, or, if it is too long, a glob that matches it: commits are shortened to their beginning, then
 * the middle is left out.
 */
export function nameWithin(name: string, room: number): string {
  if (name.length <= room) return name;
  const brief = name.replace(/\b([0-9a-f]{12})[0-9a-f]{28}\b/g, '$1*');
  if (brief.length <= room) return brief;
  const left = Math.max(16, room) - 1;
  // Items of a stage differ mostly at the end of their names.
  const head = Math.min(brief.indexOf('@') + 1 || Math.floor(left / 3), left - 8);
  return `${brief.slice(0, head)}*${brief.slice(brief.length - (left - head))}`;
}

/** `swemake COMMAND 'ITEM'`, so far to the right as it fits. */
export function commandLine(command: string, item: string, indent: number, { width }: Screen): string {
  const line = (name: string) => `swemake ${command} ${/[@#*]/.test(name) ? `'${name}'` : name}`;
  if (width === null) return `${' '.repeat(indent)}${line(item)}`;
  const short = Math.max(2, Math.min(indent, width - line(item).length));
  return `${' '.repeat(short)}${line(nameWithin(item, width - short - line('@').length + 1))}`;
}

function seenLength(text: string): number {
  return withoutColours(text).length;
}

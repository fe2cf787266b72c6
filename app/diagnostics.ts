/** Diagnostics for people, for GitHub and for programs. */

import type { Diagnostic } from '../compiler/diagnostic.ts';
import type { CommandIo } from './io.ts';
import { annotation, coloured, shown } from './shown.ts';

/** Widest line of a file that is shown whole. */
const MAX_WIDTH = 120;

/** Prints diagnostics to stderr, in colour where that is wanted. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], io: CommandIo): void {
  const color = io.isTTY && (io.env.NO_COLOR ?? '') === '' && io.env.TERM !== 'dumb';
  for (const one of diagnostics) io.stderr.write(shown(formatDiagnostic(one, color)));
}

/** On GitHub, shows them at their places, too. */
export function annotate(diagnostics: readonly Diagnostic[], { annotate }: CommandIo): void {
  for (const { file, line, column, length, code, severity, message, remedy } of diagnostics)
    annotate?.(
      annotation(
        severity,
        { file, line, col: column, endColumn: column + length, title: code },
        remedy === null ? message : `${message}\n${remedy}`,
      ),
    );
}

/**
 * One diagnostic as text: place, code and message; the line with its marks; the remedy behind them.
 *
 *     projects/smith.yaml:14:15  E102  unknown deployment type "sandbx"
 *        14 |   box: { type: sandbx }
 *           |                ^^^^^^ did you mean "sandbox"?
 */
function formatDiagnostic(one: Diagnostic, color: boolean): string {
  const paint = painter(color);
  const tint = one.severity === 'error' ? '31' : '33';
  const head = `${paint('1', `${one.file}:${one.line}:${one.column}`)}  ${paint(tint, one.code)}  ${printable(one.message)}`;
  const remedy = one.remedy === null ? '' : ` ${printable(one.remedy)}`;
  if (one.text.trim() === '') return remedy === '' ? `${head}\n` : `${head}\n     ${remedy}\n`;
  const { text, start } = excerpt(one);
  const number = `${one.line}`.padStart(5);
  const marks = paint(tint, '^'.repeat(Math.max(1, Math.min(one.length, text.length - start))));
  const indent = ' '.repeat([...text.slice(0, start)].length);
  return `${head}\n${number} | ${printable(text)}\n${' '.repeat(5)} | ${indent}${marks}${remedy}\n`;
}

/** A long line is cut around the marked place. */
function excerpt({ text, column }: Diagnostic): { text: string; start: number } {
  if (text.length <= MAX_WIDTH) return { text, start: column - 1 };
  const from = Math.max(0, Math.min(column - 1 - 40, text.length - MAX_WIDTH));
  const cut = text.slice(from, from + MAX_WIDTH);
  const head = from > 0 ? '…' : '';
  const tail = from + MAX_WIDTH < text.length ? '…' : '';
  return { text: head + cut + tail, start: column - 1 - from + head.length };
}

/** No control character may reach the terminal; each becomes one column wide. */
function printable(text: string): string {
  return text
    .replace(/\t/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\u00b7');
}

function painter(color: boolean): (code: string, text: string) => string {
  return (code, text) => (color ? coloured(code, text) : text);
}

/**
 * Text that a person wrote (a project file, an environment file, the value of --set) with its places. Everything
 * that is read keeps a `Span` into it, so that whatever turns out to be wrong can be shown where it was written.
 */
import { isUtf8 } from 'node:buffer';

export interface SourceText {
  /** How the place is named to the user: a path relative to the working folder, or `--set`. */
  readonly name: string;
  /** Absolute folder that relative paths in the text start from; absent for --set. */
  readonly folder?: string;
  /** Line ends are \n, without a byte order mark. */
  readonly text: string;
  /** Offset of every line. */
  readonly lineStarts: readonly number[];
}

/** Part of a text, `end` not included. */
export interface Span {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

/** Lines and columns count from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  line: number;
  column: number;
}

export interface TextFault {
  message: string;
  remedy: string;
  span: Span;
}

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Bytes as text; anything but UTF-8 without control characters is a fault. */
export function decodeText(
  name: string,
  folder: string,
  bytes: Uint8Array,
): { ok: true; value: SourceText } | { ok: false; fault: TextFault } {
  // The decoder drops the byte order mark, and a Windows or old Mac line end must not change any value.
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\r\n?/g, '\n');
  const source = sourceText(name, text, folder);
  const wrong = isUtf8(bytes) ? source.text.search(CONTROL) : source.text.search(/[\u0000\ufffd]/);
  if (wrong < 0) return { ok: true, value: source };
  const span = { source, start: wrong, end: wrong + 1 };
  if (!isUtf8(bytes))
    return { ok: false, fault: { message: 'not UTF-8 text', remedy: 'save the file as UTF-8', span } };
  const hex = source.text.charCodeAt(wrong).toString(16).toUpperCase().padStart(4, '0');
  return {
    ok: false,
    fault: { message: `control character U+${hex}`, remedy: 'remove it; the file must be UTF-8 text', span },
  };
}

/** A text with its line starts, so that finding a place does not read the text again. */
export function sourceText(name: string, text: string, folder?: string): SourceText {
  const lineStarts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lineStarts.push(end + 1);
  return { name, text, lineStarts, ...(folder === undefined ? {} : { folder }) };
}

/** Line and column of an offset. */
export function positionOf({ lineStarts }: SourceText, offset: number): Position {
  let [low, high] = [0, lineStarts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineStarts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - lineStarts[low]! + 1 };
}

/** The line on which a span begins. */
export function lineAt({ source, start }: Span): number {
  return positionOf(source, start).line;
}

/** A line without its end; lines count from 1. */
export function lineOf({ text, lineStarts }: SourceText, line: number): string {
  const next = lineStarts[line];
  return text.slice(lineStarts[line - 1], next === undefined ? undefined : next - 1);
}

/** A span of no length at the beginning. */
export function startOf(source: SourceText): Span {
  return { source, start: 0, end: 0 };
}

/** Binary hunks of a diff, as `git diff --binary` writes them. Their data is kept as it is if it has the right form. */
import type { BinaryHunk, Content } from './patch.ts';

export interface ReadBinary {
  content: Content;
  /** Index of the line after it. */
  end: number;
}

/** How many bytes it holds, then groups of five for each four of them. */
const LINE = /^([A-Za-z])((?:[\dA-Za-z!#$%&()*+;<=>?@^_`{|}~-]{5})+)$/;

/** The data that begins at `start`; null when it is malformed. */
export function binaryHunks(lines: readonly string[], start: number): ReadBinary | null {
  const forward = binaryHunk(lines, start);
  if (forward === null) return null;
  const reverse = binaryHunk(lines, forward.end);
  const content: Content = { kind: 'binary', forward: forward.hunk, reverse: reverse?.hunk ?? null };
  return { content, end: reverse?.end ?? forward.end };
}

function binaryHunk(lines: readonly string[], start: number): { hunk: BinaryHunk; end: number } | null {
  const header = /^(literal|delta) (\d{1,10})\r?$/.exec(lines[start] ?? '');
  if (header === null) return null;
  const data: string[] = [];
  let at = start + 1;
  for (; at < lines.length; at++) {
    const line = lines[at]!.replace(/\r$/, '');
    if (line === '') break;
    if (!isData(line)) return null;
    data.push(line);
  }
  const method = header[1] as BinaryHunk['method'];
  return { hunk: { method, size: Number(header[2]), lines: data }, end: at + 1 };
}

function isData(line: string): boolean {
  const found = LINE.exec(line);
  if (found === null) return false;
  const letter = found[1]!;
  const bytes = letter <= 'Z' ? letter.charCodeAt(0) - 64 : letter.charCodeAt(0) - 70;
  return Math.ceil(bytes / 4) * 5 === found[2]!.length;
}

/** Texts of the editor tool: numbered lines, cut where they are too long for a model. */

/** Characters of one answer. */
const MAX_CHARACTERS = 16_000;
/** Lines shown before and behind a change. */
const AROUND = 4;

/** Lines as `cat -n` numbers them, from number `first`. */
export function numbered(lines: readonly string[], first = 1): string {
  const text = lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join('\n');
  return clipped(text);
}

export function clipped(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const points = [...text];
  if (points.length <= MAX_CHARACTERS) return text;
  return `${points.slice(0, MAX_CHARACTERS).join('')}\n<response clipped>\nOnly a part is shown. Look for the lines that you need with \`grep -n\`, and view them with \`view_range\`.`;
}

/** A file's lines around the `count` lines that begin at index `start`. */
export function snippet(text: string, start: number, count: number): string {
  const lines = text.split('\n');
  const from = Math.max(0, start - AROUND);
  return numbered(lines.slice(from, start + count + AROUND), from + 1);
}

/** Indexes of the lines on which `part` begins. Each line is counted once: a large file may hold `part` at many places. */
export function linesOf(text: string, part: string): number[] {
  const found: number[] = [];
  let line = 0;
  let counted = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    line += lineEndsIn(text.slice(counted, at));
    counted = at;
    found.push(line);
  }
  return found;
}

export function lineAt(text: string, place: number): number {
  return lineEndsIn(text.slice(0, place));
}

function lineEndsIn(text: string): number {
  return text.split('\n').length - 1;
}

/**
 * Repairs diffs, as models write them, that do not say that a file's last line has no newline. If the file's last
 * line has none, the last hunk of the file is taken to reach it; if it does not, no tool can apply it.
 */

import { NO_NEWLINE } from './hunk.ts';
import type { FilePatch } from './patch.ts';

/** The patch with the missing marks, for files whose last line is `open`; null when nothing changes. */
export function withOpenEnds(files: readonly FilePatch[], open: ReadonlySet<string>): FilePatch[] | null {
  const changed = files.map((file) =>
    file.oldPath !== null && open.has(file.oldPath) ? openEnd(file) : file,
  );
  return changed.some((file, at) => file !== files[at]) ? changed : null;
}

function openEnd(file: FilePatch): FilePatch {
  if (file.content.kind !== 'text') return file;
  const last = file.content.hunks.at(-1)!;
  if (last.lines.some((line) => line.startsWith('\\'))) return file;
  const lines = marked(last.lines);
  return {
    ...file,
    content: { kind: 'text', hunks: [...file.content.hunks.slice(0, -1), { ...last, lines }] },
  };
}

/** The last line that was there before gets the mark; when others come behind it, it gets its newline. */
function marked(lines: readonly string[]): string[] {
  const at = lines.findLastIndex((line) => !line.startsWith('+'));
  if (at < 0) return [...lines];
  const [before, line, after] = [lines.slice(0, at), lines[at]!, lines.slice(at + 1)];
  if (line.startsWith('-') || after.length === 0) return [...before, line, NO_NEWLINE, ...after];
  const text = line.slice(1);
  return [...before, `-${text}`, NO_NEWLINE, `+${text}`, ...after];
}

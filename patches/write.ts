/** Writes a patch in git's form, whatever form it was read from. Also writes the patch that undoes another one. */

import { countsOf } from './hunk.ts';
import { quoted } from './names.ts';
import type { BinaryHunk, Content, FilePatch, Hunk } from './patch.ts';

export function writePatch(files: readonly FilePatch[]): string {
  return files.map(writeFile).join('');
}

const ZERO = '0'.repeat(40);
/** The id of the empty file: GNU patch knows new and deleted empty files by it. */
const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

function writeFile(file: FilePatch): string {
  const { change, content } = file;
  const [oldName, newName] = [
    quoted(`a/${file.oldPath ?? file.newPath}`),
    quoted(`b/${file.newPath ?? file.oldPath}`),
  ];
  const lines = [`diff --git ${oldName} ${newName}`, ...modeLines(file)];
  if (change === 'renamed')
    lines.push(`rename from ${quoted(file.oldPath!)}`, `rename to ${quoted(file.newPath!)}`);
  if (change === 'copied')
    lines.push(`copy from ${quoted(file.oldPath!)}`, `copy to ${quoted(file.newPath!)}`);
  const ids = idsOf(file);
  if (ids !== null) lines.push(`index ${ids}`);
  if (content.kind === 'text') {
    lines.push(`--- ${file.oldPath === null ? '/dev/null' : oldName}`);
    lines.push(`+++ ${file.newPath === null ? '/dev/null' : newName}`);
  }
  if (content.kind === 'binary') lines.push('GIT binary patch');
  if (content.kind === 'omitted') lines.push(`Binary files ${oldName} and ${newName} differ`);
  return `${[...lines, ...contentLines(content)].join('\n')}\n`;
}

function contentLines(content: Content): string[] {
  if (content.kind === 'text') return content.hunks.flatMap(hunkLines);
  return content.kind === 'binary' ? binaryLines(content) : [];
}

function modeLines({ change, oldMode, newMode }: FilePatch): string[] {
  if (change === 'added') return [`new file mode ${newMode ?? '100644'}`];
  if (change === 'deleted') return [`deleted file mode ${oldMode ?? '100644'}`];
  return oldMode === newMode || oldMode === null || newMode === null
    ? []
    : [`old mode ${oldMode}`, `new mode ${newMode}`];
}

/** The `index` line has the modes that do not change, and zeros for a side without a file. */
function idsOf({ change, ids, content, oldMode, newMode }: FilePatch): string | null {
  const kept = oldMode !== null && oldMode === newMode && change !== 'added' && change !== 'deleted';
  const mode = kept ? ` ${oldMode}` : '';
  if (ids !== null) return `${ids[0]}..${ids[1]}${mode}`;
  if (content.kind === 'none' && change === 'added') return `${ZERO}..${EMPTY}`;
  if (content.kind === 'none' && change === 'deleted') return `${EMPTY}..${ZERO}`;
  return kept ? `${'1'.repeat(40)}..${'2'.repeat(40)}${mode}` : null;
}

function hunkLines(hunk: Hunk): string[] {
  const [before, after] = countsOf(hunk);
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`);
  const places = `-${range(hunk.oldStart, before)} +${range(hunk.newStart, after)}`;
  return [`@@ ${places} @@${hunk.heading}`, ...hunk.lines];
}

function binaryLines({ forward, reverse }: Extract<Content, { kind: 'binary' }>): string[] {
  const one = ({ method, size, lines }: BinaryHunk) => [`${method} ${size}`, ...lines, ''];
  return [...one(forward), ...(reverse === null ? [] : one(reverse))];
}

/** The patch that undoes this one; null when it lacks what that needs. */
export function invertPatch(files: readonly FilePatch[]): FilePatch[] | null {
  const inverted: FilePatch[] = [];
  for (const file of [...files].reverse()) {
    const content = invertContent(file.content);
    if (content === null || file.change === 'copied') return null;
    inverted.push({
      change: INVERSE[file.change],
      oldPath: file.newPath,
      newPath: file.oldPath,
      oldMode: file.newMode,
      newMode: file.oldMode,
      ids: file.ids === null ? null : [file.ids[1], file.ids[0]],
      content,
    });
  }
  return inverted;
}

const INVERSE = { modified: 'modified', renamed: 'renamed', added: 'deleted', deleted: 'added' } as const;

function invertContent(content: Content): Content | null {
  if (content.kind === 'binary') {
    const { forward, reverse } = content;
    return reverse === null ? null : { kind: 'binary', forward: reverse, reverse: forward };
  }
  if (content.kind === 'text') return { kind: 'text', hunks: content.hunks.map(invertHunk) };
  return content;
}

function invertHunk({ oldStart, newStart, heading, lines }: Hunk): Hunk {
  const turned = lines.map((line) => {
    if (line.startsWith('+')) return `-${line.slice(1)}`;
    return line.startsWith('-') ? `+${line.slice(1)}` : line;
  });
  return { oldStart: newStart, newStart: oldStart, heading, lines: removedFirst(turned) };
}

/** Sorts each run of changed lines: removed ones first, each with its backslash line. */
function removedFirst(lines: readonly string[]): string[] {
  const sorted: string[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  let last: string[] = sorted;
  for (const line of lines) {
    if (line.startsWith(' ')) {
      for (const one of removed) sorted.push(one);
      for (const one of added) sorted.push(one);
      sorted.push(line);
      [removed, added] = [[], []];
      last = sorted;
    } else {
      if (!line.startsWith('\\')) last = line.startsWith('-') ? removed : added;
      last.push(line);
    }
  }
  return [...sorted, ...removed, ...added];
}

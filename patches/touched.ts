/** Which files a patch touches, and how: a summary of what was read of it. */
import type { Content, FileChange, FilePatch } from './patch.ts';
import { placeSections } from './place.ts';
import { readPatch } from './read.ts';

export interface TouchedFile {
  /** The file's name after the patch; its old name when it is deleted. */
  path: string;
  /** The name before the patch when it differs. */
  oldPath: string | null;
  change: FileChange;
  binary: boolean;
  /** Octal mode such as 120000 (symbolic link) when the patch gives or sets one. */
  mode: string | null;
  addedLines: number;
  removedLines: number;
}

/** Files in the order of the patch, with names as the patch alone tells them. */
export function touchedFiles(diff: string): TouchedFile[] {
  return placeSections(readPatch(diff).sections, null).files.map(touchedFile);
}

/** The lines that a patch adds, by files. */
export function addedTexts(diff: string): { path: string; text: string }[] {
  return placeSections(readPatch(diff).sections, null).files.flatMap(({ newPath, content }) => {
    if (newPath === null || content.kind !== 'text') return [];
    const lines = content.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.startsWith('+')));
    return [{ path: newPath, text: lines.map((line) => line.slice(1)).join('\n') }];
  });
}

export function touchedFile(file: FilePatch): TouchedFile {
  const path = (file.newPath ?? file.oldPath)!;
  return {
    path,
    oldPath: file.oldPath === path ? null : file.oldPath,
    change: file.change,
    binary: file.content.kind === 'binary' || file.content.kind === 'omitted',
    mode: file.newMode ?? file.oldMode,
    addedLines: countLines(file.content, '+'),
    removedLines: countLines(file.content, '-'),
  };
}

/** Every name that a patch gives a file, old and new. */
export function namesOf({ oldPath, path }: Pick<TouchedFile, 'oldPath' | 'path'>): string[] {
  return oldPath === null ? [path] : [oldPath, path];
}

function countLines(content: Content, mark: '+' | '-'): number {
  if (content.kind !== 'text') return 0;
  let count = 0;
  for (const hunk of content.hunks) for (const line of hunk.lines) if (line.startsWith(mark)) count++;
  return count;
}

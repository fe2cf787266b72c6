/**
 * A parsed unified diff: files with their names, modes and kinds of change, and the lines of each hunk. All other
 * code works on this form. It decides what a patch may change, and what is applied is written from it
 * (patch-write.ts), so no tool reads the submitted bytes.
 */

export type FileChange = 'modified' | 'added' | 'deleted' | 'renamed' | 'copied';

/** A run of lines. Each begins with its mark: space, `-`, `+`, or a backslash: the line before it has no newline. */
export interface Hunk {
  oldStart: number;
  newStart: number;
  /** The text after its line numbers, such as the name of a function. */
  heading: string;
  lines: string[];
}

/** One direction of a binary change, as git encodes it. */
export interface BinaryHunk {
  method: 'literal' | 'delta';
  size: number;
  /** Lines of base 85, each with its length in front. */
  lines: string[];
}

/** none: only names or modes change. omitted: a binary file without its bytes. */
export type Content =
  | { kind: 'none' }
  | { kind: 'text'; hunks: Hunk[] }
  | { kind: 'binary'; forward: BinaryHunk; reverse: BinaryHunk | null }
  | { kind: 'omitted' };

/** What a patch does to one file; names are those in the repository. */
export interface FilePatch {
  change: FileChange;
  /** null where the file is added. */
  oldPath: string | null;
  /** null where the file is deleted. */
  newPath: string | null;
  /** Octal modes such as 120000 (symbolic link), where the patch gives them. */
  oldMode: string | null;
  newMode: string | null;
  /** Ids of both sides of a binary change, which is checked by them. */
  ids: [string, string] | null;
  content: Content;
}

/** The names of a file before and after the patch, each once. */
export function bothNames({ oldPath, newPath }: FilePatch): string[] {
  return [...new Set([oldPath, newPath].filter((path) => path !== null))];
}

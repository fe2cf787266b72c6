/**
 * What a unified diff says, read once: files with their names, modes and kinds of change, and the lines of each hunk.
 * Everything else works on this form: what a patch may change is decided on it, and what is applied is written from
 * it (patch-write.ts), so that no tool ever reads the bytes that somebody handed in.
 */

export type FileChange = 'modified' | 'added' | 'deleted' | 'renamed' | 'copied';

/** A run of lines. Each begins with its mark: space, `-`, `+`, or a backslash: the line before it has no newline. */
export interface Hunk {
  oldStart: number;
  newStart: number;
  /** What stands behind its line numbers, such as the function that it is in. */
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

/** none: only names or modes change. omitted: a binary file whose bytes the patch does not hold. */
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

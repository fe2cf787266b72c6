/** What every check is given: the draft of a project, its tree, and a way to report. */
import type { Project } from '../schemas/generated/project.ts';
import type { Node, Path } from './tree.ts';

/** Every part may be missing, and entries of lists may be null. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? (Draft<Item> | null)[]
  : T extends object
    ? { [Key in keyof T]?: Draft<T[Key]> | undefined }
    : T;

export interface CheckContext {
  draft: Draft<Project>;
  /** The project's tree, for names and places; also holds what is missing in the draft. */
  root: Node;
  /** Whether a path, relative to the project's folder, is there. */
  exists: (path: string) => boolean;
  /** Reports about the value (or, with `key`, the key) at `path`. */
  report: (code: string, path: Path, message: string, remedy: string | null, at?: 'key' | 'value') => void;
}

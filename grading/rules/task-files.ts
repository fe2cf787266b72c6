/**
 * The files of a task without a patch, for the rules about protected files: their names, and the text of those that
 * start the tests. Paths are relative to the repository.
 */
export interface TaskFiles {
  readonly paths: ReadonlySet<string>;
  /** Text of a file; null when it is not there, is too large, or is no file of the repository. */
  read(path: string): string | null;
  /** What a symbolic link of the repository leads to inside it; null for all else. */
  linked(path: string): string | null;
}

/** For a task whose files are not available: rules by name only. */
export const NO_FILES: TaskFiles = { paths: new Set(), read: () => null, linked: () => null };

/** The package or module that a file belongs to when its folder is searched for imports. */
export function topName(path: string): string {
  const parts = path.split('/');
  const top = parts[0] === 'src' || parts[0] === 'lib' ? parts.slice(1) : parts;
  return (top[0] ?? '').replace(/\.(?:py|pyd|so|[^.]+\.so)$/, '');
}

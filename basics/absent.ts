/** Tells what is not there, an answer of the file system, from faults of the machine. */

/** Nothing of the wanted kind has this path: no file, no folder, no link. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG']);

export function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
}

/** For `catch`: `value` where there is nothing. Any other error, such as too many open files, is thrown again. */
export function whenAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return value;
    throw error;
  };
}

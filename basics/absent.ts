/** Tells what is not there, an answer of the file system, from faults of the machine. */
import { readFileSync } from 'node:fs';

/** Codes that say: nothing of the wanted kind is at this path. */
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

/** For `catch`: `value` where there is nothing, or where this user may not look. Any other error is thrown again. */
export function whenHidden<T>(value: T): (error: unknown) => T {
  return (error) => ((error as NodeJS.ErrnoException).code === 'EACCES' ? value : whenAbsent(value)(error));
}

/** The text of a file; null: there is none. Any error besides is thrown. */
export function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return whenAbsent(null)(error);
  }
}

/** Codes that say: this process lacks resources to look. They say nothing about the file. */
const OUT_OF_RESOURCES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** For `catch`: `value` for a system error, except if this process lacks resources. Such an error, or a bug, is thrown again. */
export function whenUnreadable<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (/^E[A-Z0-9]+$/.test(code) && !OUT_OF_RESOURCES.has(code)) return value;
    throw error;
  };
}

/** For `catch`: `value` where there is nothing, or where the disk cannot read what is there. Any other error is thrown again. */
export function whenDamaged<T>(value: T): (error: unknown) => T {
  return (error) => ((error as NodeJS.ErrnoException).code === 'EIO' ? value : whenAbsent(value)(error));
}

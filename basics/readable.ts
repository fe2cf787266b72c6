/**
 * Files of the system, of other programs and of earlier runs. One that cannot be read says nothing, whether it is gone, belongs to
 * another user, or is no file. For files that must be there see absent.ts.
 */
import { readFileSync } from 'node:fs';

/** null: it cannot be read. */
export function readableBytes(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** Empty: it cannot be read. */
export function readableText(path: string): string {
  return readableBytes(path)?.toString('utf8') ?? '';
}

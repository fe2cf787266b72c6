/**
 * Files of the system, of other programs and of earlier runs. One that cannot be read says nothing, whether it is gone, belongs to
 * another user, or is no file. A process that cannot look, since it has too many files open say, throws: locks of others would look
 * free, and what they use unused. For files that must be there see absent.ts.
 */
import { readFileSync } from 'node:fs';
import { whenUnreadable } from './absent.ts';

/** null: it cannot be read. */
export function readableBytes(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    return whenUnreadable(null)(error);
  }
}

/** Empty: it cannot be read. */
export function readableText(path: string): string {
  return readableBytes(path)?.toString('utf8') ?? '';
}

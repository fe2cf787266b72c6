/** Files that a command writes where `-o` says. */
import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes the file, and makes the folders above it. */
export function writeOutput(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * The same for a file that is written again and again: it is whole at any moment. A pipe or a device gets the last text
 * alone.
 */
export function replaceOutput(path: string, text: string, isLast: boolean): void {
  mkdirSync(dirname(path), { recursive: true });
  const known = statSync(path, { throwIfNoEntry: false });
  if (known !== undefined && !known.isFile()) {
    if (isLast) writeFileSync(path, text);
    return;
  }
  // A link stays one.
  const target = known === undefined ? path : realpathSync(path);
  const making = `${target}.${process.pid}.making`;
  try {
    writeFileSync(making, text);
    if (known !== undefined) chmodSync(making, known.mode);
    renameSync(making, target);
  } catch (error) {
    rmSync(making, { force: true });
    throw error;
  }
}

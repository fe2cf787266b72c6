/** Finds the interpreter for the Python side without starting it. */

import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { whenUnreadable } from '../../basics/absent.ts';

const SYSTEM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin'];

/** Path of a python3 program, or null. System folders come first, because pyenv's and asdf's are scripts. */
export function findPython(): string | null {
  return findProgram('python3', undefined, isBinary);
}

/** Path of a program in the system folders or on PATH, or null. */
export function findProgram(
  name: string,
  path: string = process.env.PATH ?? '',
  accept: (file: string) => boolean = () => true,
): string | null {
  for (const folder of [...SYSTEM_FOLDERS, ...path.split(delimiter)]) {
    const file = join(folder, name);
    if (folder !== '' && isExecutable(file) && accept(file)) return file;
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    return whenUnreadable(false)(error);
  }
}

/** A shim would be slow and could run anything. */
function isBinary(file: string): boolean {
  return readFileSync(realpathSync(file)).subarray(0, 4).toString('latin1') === '\x7fELF';
}

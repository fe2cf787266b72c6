/** How files in a folder name a path that the user wrote. */
import { isAbsolute, relative, resolve } from 'node:path';

/**
 * The path relative to `folder`. An absolute path stays as it is unless it lies in `folder`: such a folder can be moved
 * without the path becoming wrong.
 */
export function seenFrom(folder: string, cwd: string, path: string): string {
  const seen = relative(folder, resolve(cwd, path));
  return isAbsolute(path) && /^\.\.(\/|$)/.test(seen) ? path : seen;
}

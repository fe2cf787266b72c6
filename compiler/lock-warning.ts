/** The warning about a lock file that cannot be read or no longer fits its project. */
import { type Diagnostic, diagnoseFile } from './diagnostic.ts';
import type { Drift } from './lock.ts';

/** `found` is what differs, or why the file cannot be used. */
export function lockWarning(file: string, found: readonly Drift[] | string, remedy: string): Diagnostic[] {
  if (typeof found === 'string')
    return [diagnoseFile('W207', file, `the lock file cannot be used: ${found}`, remedy)];
  const [drift, ...others] = found;
  if (drift === undefined) return [];
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const what = `${drift.what} was ${drift.locked ?? 'not there'}, is ${drift.now ?? 'not there'}${more}`;
  return [diagnoseFile('W207', file, `the lock file no longer fits the project: ${what}`, remedy)];
}

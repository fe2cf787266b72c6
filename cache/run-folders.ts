/** Folders of runs: their names sort by time; a journal stays while an answer that it backs does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../basics/folder.ts';

/** Name of the file in which gc says which answers it removed, so that they are not made again from journals. */
export const REMOVED_FILE = 'removed.jsonl';

/** All run folders, newest first. */
export function listRuns(runs: string): string[] {
  return namesIn(runs).sort().reverse();
}

/** True for a run that has a journal; gc's own folders have none. */
export function hasJournal(runs: string, run: string): boolean {
  return existsSync(join(runs, run, 'events.jsonl'));
}

/** Start of the run with this name, milliseconds; 0 for a name of another form. */
export function runTime(run: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(run);
  if (match === null) return 0;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

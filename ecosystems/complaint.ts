/** Picks the lines of an output that say why a build failed. */

const MAX_LINES = 5;
/** Lines at the end of an output in which no error was recognised. */
const LAST_LINES = 3;

/** At most `MAX_LINES` lines of the first list that has any (callers put the most useful first), else the end of the output. */
export function complaintIn(output: string, ...lists: readonly (readonly string[])[]): string {
  const found = lists.find((lines) => lines.length > 0) ?? output.trim().split('\n').slice(-LAST_LINES);
  return found.slice(0, MAX_LINES).join('\n');
}

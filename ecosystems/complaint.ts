/** What a failed build says. */

const MAX_LINES = 5;
/** Lines at the end of an output in which no error was recognised. */
const LAST_LINES = 3;

/** The first of `lists` that has lines, the most useful list first; else the end of the output. */
export function complaintIn(output: string, ...lists: readonly (readonly string[])[]): string {
  const found = lists.find((lines) => lines.length > 0) ?? output.trim().split('\n').slice(-LAST_LINES);
  return found.slice(0, MAX_LINES).join('\n');
}

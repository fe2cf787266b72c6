/** The manifest of a finished stage: one line an item, what others see of its answer. */
import type { ActionKey, Digest } from '../schemas/digest.ts';
import type { Outcome } from '../schemas/outcome.ts';
import type { Entry } from '../stages/stage.ts';

export function entryLine(entry: Entry): string {
  return `${JSON.stringify([entry.name, entry.key, entry.outcome, entry.digest])}\n`;
}

/** The entries of lines that {@link entryLine} wrote. */
export function parseEntries(text: string): Entry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseEntry);
}

function parseEntry(line: string): Entry {
  const [name, key, outcome, digest] = JSON.parse(line) as [string, ActionKey, Outcome, Digest];
  return { name, key, outcome, digest };
}

/**
 * Recognises the format of rows by their columns: `init` proposes it, errors name it when another one was written, and
 * instances inside other rows are read by it.
 */
import { FITS, type FormatKind, type InstanceFormat } from './kind.ts';
import { FORMATS, formatNamed } from './registry.ts';
import { hasText, type RawRow } from './row.ts';

/** Formats whose rows have the columns of an instance as they are. */
const PLAIN: readonly InstanceFormat[] = FORMATS.filter((format) => format.rows === 'instances').filter(
  ({ convert }) => convert === undefined,
);
const OTHERS = FORMATS.filter((format) => !PLAIN.some(({ name }) => name === format.name));

/** The format by which a row could be read; null when its columns are those of none. `source` names the dataset. */
export function guessFormat(row: RawRow, source: string): FormatKind | null {
  const isInstance = hasText(row.instance_id) && hasText(row.patch);
  return bestFit(isInstance ? FORMATS : OTHERS, row, source);
}

/** The format of an instance: `inner`, which a project may name, else by its columns and the name of its dataset. */
export function formatOf(instance: RawRow, source: string, inner?: string): InstanceFormat | null {
  const named = inner === undefined ? null : formatNamed(inner);
  return named?.rows === 'instances' ? named : bestFit(PLAIN, instance, source);
}

function bestFit<T extends FormatKind>(formats: readonly T[], row: RawRow, source: string): T | null {
  const fits = formats.map((format) => format.fit(row, source));
  const best = FITS.findLast((fit) => fits.includes(fit));
  return best === undefined ? null : formats[fits.indexOf(best)]!;
}

/** Names of a row's columns, as many as are read at a glance. */
export function columnNames(row: RawRow): string {
  const names = Object.keys(row);
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

const SHOWN = 12;

/** What an instance_id may be: it becomes a file name, part of an address and of container names. */

const MAX_BYTES = 200;
/** Separators, quotes and glob signs of files, shells and item addresses; control, format and space characters. */
const UNFIT = /[/\\:*?"'`<>|#$[\]{}\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;

/** Why `id` cannot be an instance_id, or null. */
export function idProblem(id: string): string | null {
  const unfit = UNFIT.exec(id)?.[0];
  if (unfit !== undefined) return `may not hold ${JSON.stringify(unfit)}`;
  if (/^[.-]/.test(id)) return `may not begin with "${id[0]}"`;
  if (Buffer.byteLength(id) > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`;
  return null;
}

/** Remembers ids, and tells which new one equals or looks like an earlier one. */
export class KnownIds {
  private readonly lines = new Map<string, { id: string; line: number }>();

  /** Why `id` clashes with an earlier one; null: it does not, and is remembered. */
  clash(id: string, line: number): string | null {
    const normal = id.normalize('NFC');
    const earlier = this.lines.get(normal);
    if (earlier === undefined) {
      this.lines.set(normal, { id, line });
      return null;
    }
    if (earlier.id === id) return `is there twice, first in row ${earlier.line}`;
    return `looks like that of row ${earlier.line} and differs only in its Unicode form`;
  }
}

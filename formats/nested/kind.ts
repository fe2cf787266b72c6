/**
 * Rows of trainers, which carry the instance inside: SkyRL's Parquet has it as `instance`, the JSON lines of slime
 * and Miles as `metadata` or one level below. Each row is unwrapped and then read in its own format.
 */
import type { BadRow } from '../../schemas/instance.ts';
import { formatOf } from '../format-of.ts';
import { badRow, type NumberedRow, type RawRow, type RowKind } from '../row.ts';

/** Where instances lie, the first that is there counts. */
const PLACES = [
  ['instance'],
  ['metadata', 'instance'],
  ['metadata', 'remote_env_info'],
  ['metadata'],
  ['extra_info', 'instance'],
  ['extra_info'],
] as const;

/** Columns that hold what the agent is asked, in the words of the trainers. */
const PROMPTS = ['problem_statement', 'prompt', 'text', 'input'];

/** The instance inside a trainer's row, read as `inner` or as its columns look. */
export function unnestRow({ line, row }: NumberedRow, inner: RowKind | undefined): NumberedRow | BadRow {
  for (const place of PLACES) {
    const found = place.reduce<RawRow | null>((at, name) => objectOf(at?.[name]), row);
    if (found === null || found.instance_id === undefined) continue;
    const own = found.problem_statement ?? objectOf(row.metadata)?.problem_statement ?? promptOf(row);
    const instance = own === undefined ? found : { ...found, problem_statement: own };
    return { line, row: instance, format: inner ?? formatOf(instance, sourceName(row)) };
  }
  return badRow(line, row.instance_id, 'instance', 'there is no instance in instance or metadata of the row');
}

function sourceName(row: RawRow): string {
  const metadata = objectOf(row.metadata) ?? {};
  const names = [row.data_source, metadata.data_source, metadata.subset, metadata.source_name];
  return names.filter((name) => typeof name === 'string').join(' ');
}

/** Text, or the only message of a user. */
function promptOf(row: RawRow): string | undefined {
  for (const name of PROMPTS) {
    const value = row[name];
    if (typeof value === 'string' && value !== '') return value;
    if (!Array.isArray(value)) continue;
    const asked = value.map(objectOf).filter((message) => message?.role === 'user');
    if (asked.length === 1 && typeof asked[0]?.content === 'string') return asked[0].content;
  }
  return undefined;
}

/** An object, also as JSON text: structs that differ from row to row are stored like that. */
function objectOf(value: unknown): RawRow | null {
  let object = value;
  if (typeof value === 'string' && value.trimStart().startsWith('{')) {
    try {
      object = JSON.parse(value);
    } catch {
      return null;
    }
  }
  return typeof object === 'object' && object !== null && !Array.isArray(object) ? (object as RawRow) : null;
}

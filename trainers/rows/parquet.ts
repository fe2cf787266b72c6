/**
 * Rows as Parquet, with real lists and structs: what trainers load with pyarrow or datasets. The writer is
 * hyparquet-writer's; here columns get their types, found over all rows, since one row may lack what another has.
 */
import type { Json } from '../../basics/canonical.ts';

export type ColumnType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  /** Milliseconds since 1970. */
  | 'time'
  | { list: ColumnType }
  | { struct: Record<string, ColumnType> };

type Row = Record<string, Json>;

/** What `hyparquet-writer` calls an element of a schema. */
interface SchemaElement {
  name: string;
  type?: 'BOOLEAN' | 'INT64' | 'DOUBLE' | 'BYTE_ARRAY';
  converted_type?: 'UTF8' | 'LIST' | 'TIMESTAMP_MILLIS';
  repetition_type?: 'REQUIRED' | 'OPTIONAL' | 'REPEATED';
  num_children?: number;
}

/** The file. Columns come in the order in which rows first have them. */
export async function parquetOf(rows: readonly Row[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const types = typeOfAll(rows as Json[]) as { struct: Record<string, ColumnType> };
  const columns = rows.length === 0 ? {} : types.struct;
  const written = { schema: schemaOf(columns), columnData: columnsOf(rows, columns) };
  return new Uint8Array(parquetWriteBuffer(written as Parameters<typeof parquetWriteBuffer>[0]));
}

/** What the writer takes for the types of columns. */
export function schemaOf(columns: Readonly<Record<string, ColumnType>>): SchemaElement[] {
  const all = Object.entries(columns);
  return [{ name: 'root', num_children: all.length }, ...all.flatMap(([name, type]) => elements(name, type))];
}

/** What the writer takes for rows: the values of each column. */
export function columnsOf(
  rows: readonly Row[],
  columns: Readonly<Record<string, ColumnType>>,
): { name: string; data: unknown[] }[] {
  return Object.entries(columns).map(([name, type]) => ({
    name,
    data: rows.map((row) => fitted(row[name] ?? null, type)),
  }));
}

/** The type that holds all of `values`; what has no common one becomes JSON text. */
function typeOfAll(values: readonly Json[]): ColumnType {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'string';
  if (known.every((value) => typeof value === 'boolean')) return 'boolean';
  if (known.every((value) => Number.isSafeInteger(value))) return 'integer';
  if (known.every((value) => typeof value === 'number')) return 'number';
  if (known.every((value) => Array.isArray(value))) return { list: typeOfAll((known as Json[][]).flat()) };
  if (known.every((value) => typeof value === 'object' && !Array.isArray(value))) {
    const keys = new Set((known as Row[]).flatMap((value) => Object.keys(value)));
    // A struct without members is no type.
    if (keys.size === 0) return 'string';
    return {
      struct: Object.fromEntries(
        [...keys].map((key) => [key, typeOfAll((known as Row[]).map((value) => value[key] ?? null))]),
      ),
    };
  }
  return 'string';
}

function fitted(value: Json, type: ColumnType): unknown {
  if (value === null) return null;
  if (type === 'string') return typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'integer' || type === 'time') return BigInt(value as number);
  if (typeof type === 'string') return value;
  if ('list' in type) return (value as Json[]).map((one) => fitted(one, type.list));
  return Object.fromEntries(
    Object.entries(type.struct).map(([key, one]) => [key, fitted((value as Row)[key] ?? null, one)]),
  );
}

function elements(name: string, type: ColumnType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if (type === 'string') return [{ ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
  if (type === 'integer') return [{ ...optional, type: 'INT64' }];
  if (type === 'time') return [{ ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }];
  if (type === 'number') return [{ ...optional, type: 'DOUBLE' }];
  if (type === 'boolean') return [{ ...optional, type: 'BOOLEAN' }];
  if ('list' in type)
    return [
      { ...optional, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elements('element', type.list),
    ];
  const members = Object.entries(type.struct);
  return [
    { ...optional, num_children: members.length },
    ...members.flatMap(([key, one]) => elements(key, one)),
  ];
}

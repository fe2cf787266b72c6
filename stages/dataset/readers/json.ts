/** Reads a JSON file of rows: a list, one row, rows keyed by instance_id, or lists keyed by split. */

import { readFile } from 'node:fs/promises';
import { isFields } from '../../../basics/json.ts';
import { numbered, type RawRow, type ReadRow, UnreadableFile } from '../../../formats/row.ts';

/** The rows of the file at `path`. The whole file is held in memory; large datasets belong into JSONL. */
export async function* readJson(path: string, split: string | undefined): AsyncGenerator<ReadRow> {
  let line = 0;
  for (const value of rowsOf(await parseFile(path), split)) yield numbered(++line, value);
}

async function parseFile(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG') {
      throw new UnreadableFile('it is too large for one JSON text; write it as JSONL');
    }
    if (error instanceof SyntaxError) throw new UnreadableFile(`it is not JSON: ${error.message}`);
    throw error;
  }
}

function rowsOf(content: unknown, split: string | undefined): unknown[] {
  if (Array.isArray(content)) return content;
  if (typeof content !== 'object' || content === null) throw new UnreadableFile('it holds no rows');
  const members = content as RawRow;
  if (typeof members.instance_id === 'string') return [members];
  if (split !== undefined && Array.isArray(members[split])) return members[split];
  return Object.entries(members).map(([id, row]) => (isFields(row) ? { instance_id: id, ...row } : row));
}

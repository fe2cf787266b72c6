/** The files behind a dataset's source, and the digest that names their contents. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { byCodeUnit } from '../../cache/canonical.ts';
import type { Database } from '../../cache/database.ts';
import { digestOfList } from '../../cache/key.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { Digest } from '../../schemas/digest.ts';

/** Digest of a file, or of all files of a folder with their relative names; null when there is nothing. */
export async function digestOfSource(database: Database, projectFolder: string, source: string): Promise<Digest | null> {
  const path = resolve(projectFolder, source);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (found.isFile()) return digestOfPath(database, path);
  const parts: string[] = [];
  for (const name of filesBelow(path, '')) parts.push(name, (await digestOfPath(database, join(path, name))) ?? '-');
  return digestOfList('dataset folder', parts);
}

function filesBelow(root: string, relative: string): string[] {
  const entries = readdirSync(join(root, relative), { withFileTypes: true });
  return entries
    .sort((a, b) => byCodeUnit(a.name, b.name))
    .flatMap((entry) => {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(root, path);
      return entry.isFile() ? [path] : [];
    });
}

/**
 * What is in a folder or file of the host that workspaces show: names, contents, and who may run what. Names are bytes to
 * the kernel, and code inside can open one that is no text, so such a file counts like any other.
 */

import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { whenAbsent } from '../basics/absent.ts';
import { byCodeUnit } from '../basics/canonical.ts';
import type { Digest } from '../basics/digest.ts';
import { digestOfFile } from '../cache/blobs.ts';
import type { Database } from '../cache/database.ts';
import { digestOfList } from '../cache/key.ts';
import { digestOfPath } from '../cache/stat-memo.ts';

/** A path and its text, which is the path itself where that is UTF-8. */
interface Named {
  text: string;
  path: string | Buffer;
}

/**
 * The digest of the tree. A link is what it says: where it leads is another place inside. `without`: a name in the root that does not
 * count, with all below it.
 */
export async function digestOfTree(root: string, database: Database, without?: string): Promise<string> {
  const parts: string[] = [];
  for (const { text, path } of entriesBelow({ text: '', path: root }, statSync)) {
    if (without !== undefined && (text === without || text.startsWith(`${without}/`))) continue;
    const found = (text === '' ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true)
      parts.push(text, 'link', textOf(readlinkSync(path, { encoding: 'buffer' })));
    else if (found?.isDirectory() === true) parts.push(text, 'folder', '');
    else parts.push(text, isProgram(found) ? 'x' : '-', (await contentOf(path, found, database)) ?? '-');
  }
  return digestOfList('mounted folder', parts);
}

const isProgram = (found: Stats | undefined) => ((found?.mode ?? 0) & 0o111) !== 0;

/** null for what is no file that can be read. What has no name in UTF-8 is read each time. */
async function contentOf(
  path: string | Buffer,
  found: Stats | undefined,
  database: Database,
): Promise<Digest | null> {
  if (typeof path === 'string') return digestOfPath(database, path);
  return found?.isFile() === true ? digestOfFile(path).catch(whenAbsent(null)) : null;
}

/** Files, links, and folders in which nothing is. */
function entriesBelow({ text, path }: Named, look: typeof lstatSync): Named[] {
  if (look(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [{ text, path }];
  const names = readdirSync(path, { encoding: 'buffer' }).map((bytes) => ({ bytes, name: textOf(bytes) }));
  if (names.length === 0) return text === '' ? [] : [{ text, path }];
  return names
    .sort((one, other) => byCodeUnit(one.name, other.name))
    .flatMap(({ bytes, name }) =>
      entriesBelow({ text: text === '' ? name : `${text}/${name}`, path: joined(path, bytes) }, lstatSync),
    );
}

function joined(folder: string | Buffer, name: Buffer): string | Buffer {
  const path = Buffer.concat([Buffer.from(folder as string), Buffer.from('/'), name]);
  const text = path.toString();
  return Buffer.from(text).equals(path) ? text : path;
}

/** UTF-8 as it is. No file has a NUL in its name, so other bytes are written after one. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : `\0${bytes.toString('hex')}`;
}

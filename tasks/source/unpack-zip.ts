/** Reads zip archives: the central directory first, then one entry after the other. */
import { type FileHandle, open } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { BadArchive, type UnpackTarget } from './unpack-target.ts';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const MAX_FILE = 2 ** 31;

interface ZipEntry {
  name: string;
  method: number;
  encrypted: boolean;
  packed: number;
  size: number;
  /** Unix mode, 0 when the archive does not say. */
  mode: number;
  offset: number;
}

/** Unpacks the archive at `path` into `target`; throws {@link BadArchive}. */
export async function unpackZip(path: string, target: UnpackTarget): Promise<void> {
  const file = await open(path, 'r');
  try {
    for (const entry of await readDirectory(file)) {
      const type = entry.mode & 0o170000;
      if (entry.name.endsWith('/')) target.folder(entry.name);
      else if (type === 0o120000) target.link(entry.name, (await readEntry(file, entry)).toString());
      else if (type !== 0 && type !== 0o100000)
        target.skip(entry.name, 'it is neither file, folder nor link');
      else {
        const bytes = await readEntry(file, entry);
        const output = target.file(entry.name, entry.mode);
        output.write(bytes);
        output.close();
      }
    }
  } catch (error) {
    // Offsets that point nowhere make Buffer's own checks fail.
    if (error instanceof RangeError) throw new BadArchive('its directory is damaged');
    throw error;
  } finally {
    await file.close();
  }
}

/** The content of the first entry that `isWanted` likes, or null; throws {@link BadArchive}. */
export async function readZipEntry(
  path: string,
  isWanted: (name: string) => boolean,
): Promise<Buffer | null> {
  const file = await open(path, 'r');
  try {
    const entry = (await readDirectory(file)).find(({ name }) => isWanted(name));
    return entry === undefined ? null : await readEntry(file, entry);
  } catch (error) {
    if (error instanceof RangeError) throw new BadArchive('its directory is damaged');
    throw error;
  } finally {
    await file.close();
  }
}

async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new BadArchive('it has no zip directory');
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (count === 0xffff || offset === 0xffffffff) throw new BadArchive('zip64 archives are not supported');
  const directory = await readAt(file, offset, length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (directory.readUInt32LE(at) !== CENTRAL) throw new BadArchive('its directory is damaged');
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      mode: directory[at + 5] === 3 ? directory.readUInt32LE(at + 38) >>> 16 : 0,
      offset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

async function readEntry(file: FileHandle, entry: ZipEntry): Promise<Buffer> {
  const problem = (what: string) => new BadArchive(`"${entry.name}" ${what}`);
  if (entry.encrypted) throw problem('is encrypted');
  if (entry.size > MAX_FILE || entry.packed > MAX_FILE) throw problem('is too big');
  const header = await readAt(file, entry.offset, 30);
  if (header.readUInt32LE(0) !== LOCAL) throw problem('is not where the directory says');
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readAt(file, start, entry.packed);
  if (entry.method !== 0 && entry.method !== 8)
    throw problem(`is packed in an unknown way (${entry.method})`);
  const bytes = entry.method === 0 ? packed : inflate(packed, entry.size, problem);
  if (bytes.length !== entry.size) throw problem('is damaged');
  return bytes;
}

function inflate(packed: Buffer, size: number, problem: (what: string) => BadArchive): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw problem('is damaged');
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new BadArchive('it is cut off');
  return buffer;
}

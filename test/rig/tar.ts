/** Archives written by hand, for what no honest program would write. */
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  name: string;
  /** 0 file, 1 hard link, 2 symbolic link, 3 character device, 5 folder, 6 pipe; default 0. */
  type?: string;
  content?: string | Buffer;
  link?: string;
  mode?: number;
  uid?: number;
  gid?: number;
  mtime?: number;
  /** Written before it as a pax header. */
  pax?: Record<string, string>;
}

const BLOCK = 512;

export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

export function tarGzOf(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}

function blocksOf(entry: TarEntry): Buffer[] {
  const { pax } = entry;
  const before = pax === undefined ? [] : plainBlocks({ name: 'pax', type: 'x', content: paxText(pax) });
  return [...before, ...plainBlocks(entry)];
}

function plainBlocks(entry: TarEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? '');
  const rest = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return [headerOf(entry, content.length), content, Buffer.alloc(rest)];
}

function headerOf(entry: TarEntry, size: number): Buffer {
  const { name, type = '0', link = '', mode = 0o644, uid = 0, gid = 0, mtime = 1_000_000_000 } = entry;
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name.slice(0, 100), 0);
  octal(mode, 100, 8);
  octal(uid, 108, 8);
  octal(gid, 116, 8);
  octal(size, 124, 12);
  octal(mtime, 136, 12);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** `LENGTH NAME=VALUE`, where the length counts itself. */
function paxText(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const rest = Buffer.byteLength(` ${name}=${value}\n`);
      let length = rest + 1;
      while (length !== rest + `${length}`.length) length = rest + `${length}`.length;
      return `${length} ${name}=${value}\n`;
    })
    .join('');
}

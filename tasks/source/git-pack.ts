/**
 * A pack of git objects with its index, written piece by piece: one file in place of thousands, whose times and
 * inodes would tell which object was written last.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { crc32 } from './crc32.ts';
import { type ObjectType, objectId } from './git-object.ts';
import { writeAll } from './write-all.ts';

const TYPES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
/** Offsets from here on stand in a table of their own. */
const FAR = 2 ** 31;
const HEADER = 12;

interface Packed {
  id: string;
  crc: number;
  offset: number;
}

export class PackWriter {
  readonly #folder: string;
  readonly #path: string;
  readonly #file: number;
  readonly #objects = new Map<string, Packed>();
  #offset = HEADER;
  #open = true;

  /** `folder`: where packs lie, such as `.git/objects/pack`. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#path = join(folder, 'making');
    this.#file = openSync(this.#path, 'w+', 0o644);
    writeAll(this.#file, Buffer.alloc(HEADER));
  }

  /** Adds an object, once, and returns its name. */
  add(type: ObjectType, content: Buffer): string {
    const id = objectId(type, content);
    if (this.#objects.has(id)) return id;
    const bytes = Buffer.concat([entryHeader(type, content.length), deflateSync(content, { level: 1 })]);
    this.#objects.set(id, { id, crc: crc32(bytes), offset: this.#offset });
    writeAll(this.#file, bytes, this.#offset);
    this.#offset += bytes.length;
    return id;
  }

  /** Ends the pack and writes its index. */
  finish(): void {
    const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    header.writeUInt32BE(this.#objects.size, 8);
    writeAll(this.#file, header, 0);
    const digest = this.#digest();
    writeAll(this.#file, digest, this.#offset);
    this.close();
    const objects = [...this.#objects.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const names = Buffer.from(objects.map(({ id }) => id).join(''), 'hex');
    const name = `pack-${createHash('sha1').update(names).digest('hex')}`;
    renameSync(this.#path, join(this.#folder, `${name}.pack`));
    writeFileSync(join(this.#folder, `${name}.idx`), indexOf(objects, names, digest));
  }

  /** For a pack that was not finished, too. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #digest(): Buffer {
    const hash = createHash('sha1');
    const piece = Buffer.alloc(1 << 20);
    for (let at = 0; at < this.#offset; ) {
      const length = readSync(this.#file, piece, 0, Math.min(piece.length, this.#offset - at), at);
      hash.update(piece.subarray(0, length));
      at += length;
    }
    return hash.digest();
  }
}

/** Type and size: four bits of the size, then seven a byte, the lowest first. */
function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPES[type] << 4) | (size % 16);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, byte]);
}

/** A pack's index, version 2. */
function indexOf(objects: readonly Packed[], names: Buffer, digest: Buffer): Buffer {
  const counts = Buffer.alloc(256 * 4);
  for (const { id } of objects) {
    const at = Number.parseInt(id.slice(0, 2), 16) * 4;
    counts.writeUInt32BE(counts.readUInt32BE(at) + 1, at);
  }
  for (let at = 4; at < counts.length; at += 4)
    counts.writeUInt32BE(counts.readUInt32BE(at) + counts.readUInt32BE(at - 4), at);
  const sums = Buffer.alloc(objects.length * 4);
  const offsets = Buffer.alloc(objects.length * 4);
  const far: Buffer[] = [];
  for (const [index, { crc, offset }] of objects.entries()) {
    sums.writeUInt32BE(crc, index * 4);
    offsets.writeUInt32BE(offset < FAR ? offset : FAR + far.length, index * 4);
    if (offset < FAR) continue;
    far.push(Buffer.alloc(8));
    far.at(-1)!.writeBigUInt64BE(BigInt(offset));
  }
  const start = Buffer.from('\xfftOc\0\0\0\x02', 'latin1');
  const body = Buffer.concat([start, counts, names, sums, offsets, ...far, digest]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

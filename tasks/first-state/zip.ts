/** Zip archives in memory: reads their content, and writes the same archive with other content. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { crc32 } from '../source/crc32.ts';

export interface ZipMember {
  name: string;
  crc: number;
  size: number;
  method: number;
  flags: number;
  /** As it lies in the archive. */
  packed: Buffer;
  /** System that made it, and the file's mode there. */
  madeBy: number;
  attributes: number;
}

export interface Zip {
  /** What stands before the archive: a line that names an interpreter. */
  prefix: Buffer;
  members: ZipMember[];
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
/** The first day that the format can express, for all members: other times would show which ones were added later. */
const DATE = (1 << 5) | 1;
/** Larger members are no source files. */
const LARGEST = 1 << 28;

/** Null: it is no readable archive. */
export function readZip(bytes: Buffer): Zip | null {
  try {
    return read(bytes);
  } catch {
    return null;
  }
}

function read(bytes: Buffer): Zip | null {
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 65_557) && bytes.readUInt32LE(end) !== END) end--;
  if (end < 0 || bytes.readUInt32LE(end) !== END) return null;
  const count = bytes.readUInt16LE(end + 10);
  const length = bytes.readUInt32LE(end + 12);
  // Offsets count from where the archive begins, which is not where the file does.
  const shift = end - length - bytes.readUInt32LE(end + 16);
  const members: ZipMember[] = [];
  let first = end - length;
  for (let at = end - length; members.length < count; ) {
    if (bytes.readUInt32LE(at) !== CENTRAL) return null;
    const nameLength = bytes.readUInt16LE(at + 28);
    const local = shift + bytes.readUInt32LE(at + 42);
    if (bytes.readUInt32LE(local) !== LOCAL) return null;
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    first = Math.min(first, local);
    members.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      madeBy: bytes.readUInt16LE(at + 4),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      size: bytes.readUInt32LE(at + 24),
      attributes: bytes.readUInt32LE(at + 38),
      packed: bytes.subarray(data, data + bytes.readUInt32LE(at + 20)),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return { prefix: bytes.subarray(0, first), members };
}

/** The member's content; null: it is damaged, too large, or compressed in an unknown way. */
export function memberBytes({ method, packed, size }: ZipMember): Buffer | null {
  if (method === 0) return packed;
  if (method !== 8 || size > LARGEST) return null;
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch {
    return null;
  }
}

/** The member under `name` with other content. */
export function withContent(member: ZipMember, name: string, content: Buffer): ZipMember {
  const packed = deflateRawSync(content);
  return { ...member, name, crc: crc32(content), size: content.length, method: 8, packed };
}

/** The archive's bytes; all members have the same time. */
export function zipBytes({ prefix, members }: Zip): Buffer {
  const parts: Buffer[] = [prefix];
  const directory: Buffer[] = [];
  let offset = prefix.length;
  for (const member of members) {
    const name = Buffer.from(member.name);
    // Sizes stand in front of the data, so none follow it (flag 8).
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(member.flags & ~8, 2);
    common.writeUInt16LE(member.method, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(member.crc, 10);
    common.writeUInt32LE(member.packed.length, 14);
    common.writeUInt32LE(member.size, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(word(LOCAL), common, name, member.packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(member.attributes, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(member.madeBy);
    directory.push(word(CENTRAL), madeBy, common, rest, name);
    offset += 30 + name.length + member.packed.length;
  }
  const table = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, table, end]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

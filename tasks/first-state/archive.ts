/**
 * Finds copies of hidden files inside archives: wheels, eggs, source distributions, compressed files, git bundles. In
 * zip archives, which Python imports from, they are replaced by the task's own state. Other archives with copies are
 * removed.
 */
import { basename } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { runProgramNow } from '../../basics/program.ts';
import { MissingTool } from '../source/unpack-tar.ts';
import { mayHoldFiles } from './lower.ts';
import { isBytecode, isCached, rewriteRecord } from './records.ts';
import type { Secret, Secrets } from './secrets.ts';
import type { Cover } from './vendored.ts';
import { memberBytes, readZip, withContent, type Zip, type ZipMember, zipBytes } from './zip.ts';

/** Bytes. Larger files, packed or unpacked, are not searched. */
const LARGEST = 1 << 28;
const LARGEST_UNPACKED = 1 << 30;
/** Archives within archives. */
const DEEPEST = 3;
/** Seconds for one archive. */
const TIMEOUT = 300;

/**
 * What happens to an archive: `null`: it holds nothing hidden. `gone`: it is removed. Else its bytes without the
 * hidden files. `cover` takes the solution out of files of zip archives and of crates; absent: only equal files are looked for.
 */
export function replaceInArchive(
  path: string,
  bytes: Buffer,
  secrets: Secrets,
  cover: Cover = () => undefined,
): Buffer | 'gone' | null {
  if (bytes.length > LARGEST) return null;
  const isHeld = holds(path, bytes, secrets, 0);
  const zip = readZip(bytes);
  if (zip === null) return isHeld ? 'gone' : path.endsWith('.crate') ? coverCrate(bytes, cover) : null;
  const copies = new Map<string, Buffer | null>();
  for (const member of zip.members) {
    const rest = cover(member.name, () => memberBytes(member) ?? NOTHING);
    if (rest !== undefined) copies.set(member.name, rest);
  }
  return isHeld || copies.size > 0 ? zipBytes(coverZip(zip, secrets, copies)) : null;
}

/** True when a secret is in there. */
function holds(path: string, bytes: Buffer, secrets: Secrets, depth: number): boolean {
  if (depth > DEEPEST) return false;
  if (depth > 0 && secrets.byContent(path, bytes) !== null) return true;
  const start = bytes.toString('latin1', 0, 16);
  // The content of a git bundle cannot be looked up by name.
  if (/^# v[23] git bundle/.test(start)) return secrets.all.length > 0;
  const plain = decompressed(start, bytes);
  if (plain !== null)
    return holds(path.replace(/\.(?:gz|bz2|xz|tgz|tbz2?|txz)$/i, ''), plain, secrets, depth + 1);
  if (bytes.toString('latin1', 257, 262) === 'ustar')
    return tarMembers(bytes).some(([name, content]) => isHeld(name, content, secrets, depth));
  const zip = readZip(bytes);
  return zip?.members.some((member) => isMember(member, secrets, depth)) ?? false;
}

function isMember(member: ZipMember, secrets: Secrets, depth: number): boolean {
  if (secrets.byCrc(member.name, member.size, member.crc) !== null) return true;
  const content = isBytecode(member.name) || mayHoldFiles(member.name, NOTHING) ? memberBytes(member) : null;
  return content !== null && isHeld(member.name, content, secrets, depth);
}

function isHeld(name: string, content: Buffer, secrets: Secrets, depth: number): boolean {
  if (secrets.byContent(name, content) !== null) return true;
  if (isBytecode(name)) return secrets.byBytecode(name, content.subarray(0, 16)) !== null;
  return mayHoldFiles(name, content.subarray(0, 300)) && holds(name, content, secrets, depth + 1);
}

const NOTHING = Buffer.alloc(0);

/** null for what is not compressed, is damaged, or is larger than what is looked into. */
function decompressed(start: string, bytes: Buffer): Buffer | null {
  const limit = { maxOutputLength: LARGEST_UNPACKED };
  try {
    if (start.startsWith('\x1f\x8b')) return gunzipSync(bytes, limit);
  } catch {
    return null;
  }
  const program = start.startsWith('BZh') ? 'bzip2' : start.startsWith('\xfd7zXZ') ? 'xz' : null;
  if (program === null) return null;
  const argv = [program, '-dc'];
  const env = { PATH: process.env.PATH };
  const ran = runProgramNow({ argv, env, input: bytes, timeout: TIMEOUT, maxOutput: LARGEST_UNPACKED });
  if (ran.kind === 'exited') return ran.exitCode === 0 ? ran.stdout : null;
  if (ran.kind === 'overflow') return null;
  // An archive that could not be searched might hold anything.
  const how = ran.kind === 'killed' || ran.kind === 'timeout' ? 'did not end' : 'cannot be started';
  throw new MissingTool(`an archive must be unpacked to see what it holds, and ${program} ${how}`);
}

/**
 * A crate without the solution in its copies of the task's files. A file that would be removed becomes empty. Null: the
 * crate has no such copies.
 */
function coverCrate(bytes: Buffer, cover: Cover): Buffer | null {
  const tar = decompressed(bytes.toString('latin1', 0, 16), bytes);
  if (tar === null) return null;
  const parts: Buffer[] = [];
  let done = 0;
  for (const [name, content, at] of tarMembers(tar)) {
    const rest = cover(name, () => content);
    if (rest === undefined) continue;
    const own = rest ?? NOTHING;
    parts.push(tar.subarray(done, at), tarHead(tar.subarray(at, at + 512), own.length), own);
    parts.push(Buffer.alloc(-own.length & 511));
    done = at + 512 + Math.ceil(content.length / 512) * 512;
  }
  return parts.length === 0 ? null : gzipSync(Buffer.concat([...parts, tar.subarray(done)]));
}

/** The head of a member of a tar archive, for another size. Its checksum counts its own eight bytes as spaces. */
function tarHead(head: Buffer, size: number): Buffer {
  const made = Buffer.from(head);
  made.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  made.fill(' ', 148, 156);
  const sum = made.reduce((total, byte) => total + byte, 0);
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return made;
}

/** Names, contents and places of a tar archive's plain files, as far as it can be read. */
function tarMembers(bytes: Buffer): [string, Buffer, number][] {
  const members: [string, Buffer, number][] = [];
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const text = (from: number, length: number) =>
      bytes.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 12).trim() || '0', 8);
    if (!Number.isFinite(size)) break;
    const type = text(156, 1);
    const name = [text(345, 155), text(0, 100)].filter((part) => part !== '').join('/');
    if (type === '' || type === '0') members.push([name, bytes.subarray(at + 512, at + 512 + size), at]);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}

/** The archive with the task's own state in place of what is hidden. `copies`: the new content of files by name; null: they are removed. */
function coverZip(
  { prefix, members }: Zip,
  secrets: Secrets,
  copies: ReadonlyMap<string, Buffer | null>,
): Zip {
  const covered = new Map(copies);
  const kept = members.flatMap((member) => {
    const { name } = member;
    const copy = copies.get(name);
    if (copy !== undefined) return copy === null ? [] : [withContent(member, name, copy)];
    const secret = secrets.byCrc(name, member.size, member.crc) ?? bytecodeOf(member, secrets);
    if (secret === null && !isCached(name) && !isMember(member, secrets, 0)) return [member];
    covered.set(name, secret === null || isBytecode(name) ? null : secret.substitute);
    if (secret === null || secret.substitute === null || isCached(name)) return [];
    const source = isBytecode(name) ? name.replace(/[^/]+$/, basename(secret.path)) : name;
    return [withContent(member, source, secret.substitute)];
  });
  return {
    prefix,
    members: kept.map((member) => {
      const content = /\.dist-info\/RECORD$/.test(member.name) ? memberBytes(member) : null;
      if (content === null) return member;
      return withContent(member, member.name, Buffer.from(rewriteRecord(content.toString(), covered)));
    }),
  };
}

function bytecodeOf(member: ZipMember, secrets: Secrets): Secret | null {
  if (!isBytecode(member.name)) return null;
  return secrets.byBytecode(member.name, memberBytes(member)?.subarray(0, 16) ?? NOTHING);
}

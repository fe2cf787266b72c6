/** Unpacks tar archives, plain or compressed, entry by entry with bounded memory. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { OutputBuffer } from '../../basics/output.ts';
import { signalGroup, startProgram } from '../../basics/program.ts';
import { errorCode } from './fault.ts';
import { BadArchive, type UnpackTarget } from './unpack-target.ts';

export type TarCompression = 'none' | 'gzip' | 'xz' | 'bzip2';

/** A program of the system that is needed and not there, or was ended. */
export class MissingTool extends Error {}

/** A program that failed for a reason that is not the archive's. */
export class FailedTool extends Error {}

/** Unpacks the archive at `path` into `target`; throws {@link BadArchive}, {@link MissingTool} or {@link FailedTool}. */
export async function unpackTar(
  path: string,
  compression: TarCompression,
  target: UnpackTarget,
): Promise<void> {
  const { Parser } = await import('tar');
  let problem: unknown;
  const note = (error: unknown) => {
    problem ??= error;
  };
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      try {
        unpackEntry(entry, target, note);
      } catch (error) {
        note(error);
        entry.resume();
      }
    },
  });
  parser.on('error', (error: Error) => note(new BadArchive(error.message)));
  for await (const chunk of plainTar(path, compression)) {
    parser.write(chunk as Buffer);
    if (problem !== undefined) throw problem;
  }
  // An error of the parser rejects this promise, too. Without a handler the rejection would end the process.
  const ended = once(parser, 'end').catch(note);
  parser.end();
  if (problem === undefined) await ended;
  if (problem !== undefined) throw problem;
}

/** Nothing may be thrown out of the parser's events, so faults are noted and looked at between chunks. */
function unpackEntry(entry: ReadEntry, target: UnpackTarget, note: (error: unknown) => void): void {
  const type = entry.type;
  if (type === 'File' || type === 'OldFile' || type === 'ContiguousFile') {
    const file = target.file(entry.path, entry.mode ?? 0o644);
    const guard = (work: () => void) => () => {
      try {
        work();
      } catch (error) {
        note(error);
      }
    };
    entry.on('data', (bytes: Buffer) => guard(() => file.write(bytes))());
    entry.on('end', guard(file.close));
    return;
  }
  if (type === 'Directory' || type === 'GNUDumpDir') target.folder(entry.path);
  else if (type === 'SymbolicLink') target.link(entry.path, entry.linkpath ?? '');
  else if (type === 'Link') target.hardLink(entry.path, entry.linkpath ?? '');
  else target.skip(entry.path, `a ${type} cannot be part of a source`);
  entry.resume();
}

async function* plainTar(path: string, compression: TarCompression): AsyncIterable<Buffer> {
  if (compression === 'xz' || compression === 'bzip2') {
    yield* throughProgram(compression, path);
    return;
  }
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (compression === 'none') {
    yield* file as AsyncIterable<Buffer>;
    return;
  }
  // The error comes out of the last stream, which is being read.
  const plain = pipeline(file, createGunzip({ chunkSize: 1 << 18 }), () => undefined);
  try {
    yield* plain as AsyncIterable<Buffer>;
  } catch (error) {
    // Others are not of zlib, and do not speak of the archive.
    throw /^Z_(?!MEM_)/.test(errorCode(error) ?? '') ? new BadArchive((error as Error).message) : error;
  }
}

/** What the programs say of an archive that is damaged. */
const DAMAGED =
  /corrupt|format not recognized|unexpected end|ends unexpectedly|CRC|integrity|not a bzip2|bad magic|unsupported options/i;

const IO_ERROR = /I\/O or other error|Input\/output error|Cannot allocate memory/i;

async function* throughProgram(name: 'xz' | 'bzip2', path: string): AsyncIterable<Buffer> {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' };
  const started = await startProgram({ argv: [name, '-dc', '--', path], env });
  if (!started.ok) throw new MissingTool(`unpacking needs the program ${name}: ${started.fault.detail}`);
  const { stdout, stderr, exit, closed, pid } = started.value;
  const said = new OutputBuffer(1 << 16);
  stderr.on('data', (bytes: Buffer) => said.append(bytes));
  try {
    yield* stdout as AsyncIterable<Buffer>;
    const { code, signal } = await exit;
    if (signal !== null) throw new MissingTool(`${name} was ended by ${signal} while it unpacked`);
    if (code === 0) return;
    await closed;
    if (DAMAGED.test(said.text()) && !IO_ERROR.test(said.text()))
      throw new BadArchive(`${name} cannot unpack it`);
    throw new FailedTool(`${name}: ${said.text().trim() || `it ended with status ${code}`}`);
  } finally {
    signalGroup(pid, 'SIGKILL');
  }
}

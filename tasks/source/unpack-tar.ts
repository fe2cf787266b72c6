/** Unpacks tar archives, plain or compressed, entry by entry with bounded memory. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { signalGroup, startProgram } from '../../basics/program.ts';
import { BadArchive, type UnpackTarget } from './unpack-target.ts';

export type TarCompression = 'none' | 'gzip' | 'xz' | 'bzip2';

/** A program of the system that is needed and not there, or was ended. */
export class MissingTool extends Error {}

/** Unpacks the archive at `path` into `target`; throws {@link BadArchive} or {@link MissingTool}. */
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
  const ended = once(parser, 'end');
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
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (compression === 'none') {
    yield* file as AsyncIterable<Buffer>;
  } else if (compression === 'gzip') {
    // The error comes out of the last stream, which is being read.
    const plain = pipeline(file, createGunzip({ chunkSize: 1 << 18 }), () => undefined);
    try {
      yield* plain as AsyncIterable<Buffer>;
    } catch (error) {
      throw new BadArchive((error as Error).message);
    }
  } else {
    yield* throughProgram(compression, path);
  }
}

async function* throughProgram(name: 'xz' | 'bzip2', path: string): AsyncIterable<Buffer> {
  const started = await startProgram({ argv: [name, '-dc', '--', path], env: { PATH: process.env.PATH } });
  if (!started.ok) throw new MissingTool(`unpacking needs the program ${name}: ${started.fault.detail}`);
  const { stdout, stderr, exit, pid } = started.value;
  stderr.resume();
  try {
    yield* stdout as AsyncIterable<Buffer>;
    const { code, signal } = await exit;
    if (signal !== null) throw new MissingTool(`${name} was ended by ${signal} while it unpacked`);
    if (code !== 0) throw new BadArchive(`${name} cannot unpack it`);
  } finally {
    signalGroup(pid, 'SIGKILL');
  }
}

/**
 * Packs folders into archives and unpacks them, with the machine's tar, to send layers between machines. Owners,
 * modes, times, links and overlayfs' devices and attributes are kept. An archive is named by the SHA-256 of its
 * bytes.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';

export interface Archive {
  path: string;
  /** 64 digits. */
  digest: string;
  /** Removes it. */
  drop(): Promise<void>;
}

/** Seconds; a layer may be large. */
const TIMEOUT = 3600;
const ATTRIBUTES = ['--xattrs', '--xattrs-include=*', '--numeric-owner'];
const FORM = ['--format=posix', '--pax-option=delete=atime,delete=ctime,exthdr.name=%d/p/%f', '--sort=name'];

/**
 * `path`: a folder, whose content is packed; or a file, which is packed under its name. `empty`: folders below it that are
 * packed without their content. `scratch`: where the archive lies until it is dropped.
 */
export async function packTree(
  path: string,
  isFolder = true,
  empty: readonly string[] = [],
  scratch = tmpdir(),
): Promise<Archive> {
  await mkdir(scratch, { recursive: true });
  const place = await mkdtemp(join(scratch, 'swemake-layer-'));
  const drop = () => rm(place, { recursive: true, force: true });
  const archive = join(place, 'layer.tar');
  try {
    const [folder, name] = isFolder ? [path, '.'] : [dirname(path), basename(path)];
    const without = empty.map((below) => `--exclude=./${below.replaceAll(/[*?[\]\\]/g, '\\$&')}/*`);
    const how = ['--anchored', ...without, ...FORM, ...ATTRIBUTES];
    await tar(['--create', `--file=${archive}`, `--directory=${folder}`, ...how, '--', name]);
    return { path: archive, digest: await digestOfFile(archive), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Unpacks an archive into an empty folder. */
export async function unpackTree(archive: string, folder: string): Promise<void> {
  const owner = process.getuid?.() === 0 ? '--same-owner' : '--no-same-owner';
  const from = [`--file=${archive}`, `--directory=${folder}`];
  await tar(['--extract', ...from, '--preserve-permissions', owner, ...ATTRIBUTES]);
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function tar(args: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' };
  const end = await runProgram({ argv: ['tar', ...args], env, timeout: TIMEOUT });
  if (!hasSucceeded(end)) throw new Error(`tar: ${complaintOf(end)}`);
}

/** Unpacks an archive of any kind. Its first bytes name the kind, and not its name. */
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { diskFault, invalidRow, type SourceFault } from './fault.ts';
import { FailedTool, MissingTool, type TarCompression, unpackTar } from './unpack-tar.ts';
import { BadArchive, UnpackTarget } from './unpack-target.ts';
import { unpackZip } from './unpack-zip.ts';

/**
 * Unpacks the archive at `path` as the new folder `folder`, without the folders around its files: the single one at its top, or
 * those of a Go module (`example.org/name@v1.0.0`). What it gives depends on the archive's bytes alone. `shown` names the archive in
 * messages. The value is what was left out, in words.
 */
export async function unpackArchive(
  path: string,
  folder: string,
  shown: string,
): Promise<Result<string[], SourceFault>> {
  const whole = `${folder}.whole`;
  await mkdir(whole, { recursive: true });
  const target = new UnpackTarget(whole);
  try {
    const kind = await archiveKind(path);
    if (kind === 'zip') await unpackZip(path, target);
    else await unpackTar(path, kind, target);
    target.finish();
    await rename(join(whole, await outerFolders(whole)), folder);
    return success(target.warnings);
  } catch (error) {
    if (error instanceof BadArchive) return fault(invalidRow(`archive ${shown}: ${error.message}`));
    if (error instanceof MissingTool)
      return fault(infra('tool-missing', `archive ${shown}: ${error.message}`));
    if (error instanceof FailedTool) return fault(infra('helper', `archive ${shown}: ${error.message}`));
    const code = (error as NodeJS.ErrnoException).code;
    // One entry's file is another one's folder, or a name is too long for the disk.
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') {
      return fault(invalidRow(`archive ${shown}: its entries cannot be files of one folder (${code})`));
    }
    // Gc may have removed it.
    if (code === 'ENOENT' && !existsSync(path))
      return fault(infra('source-fetch', `archive ${shown}: it is gone`));
    return fault(diskFault(error));
  } finally {
    target.close();
  }
}

/** Path of the folders that lie around all files; empty: there is none. */
async function outerFolders(whole: string): Promise<string> {
  const [first = ''] = await singleFolder(whole);
  for (let path = first, name = first; name !== ''; ) {
    if (/@v\d/.test(name)) return path;
    [name = ''] = await singleFolder(join(whole, path));
    path = join(path, name);
  }
  return first;
}

/** Name of the only entry of a folder if it is a folder itself. */
async function singleFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.length === 1 && entries[0]!.isDirectory() ? [entries[0]!.name] : [];
}

async function archiveKind(path: string): Promise<TarCompression | 'zip'> {
  const file = await open(path, 'r');
  const head = Buffer.alloc(512);
  await file.read(head, 0, head.length, 0);
  await file.close();
  const starts = (...bytes: number[]) => head.subarray(0, bytes.length).equals(Buffer.from(bytes));
  if (starts(0x1f, 0x8b)) return 'gzip';
  if (starts(0x50, 0x4b)) return 'zip';
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a)) return 'xz';
  if (starts(0x42, 0x5a, 0x68)) return 'bzip2';
  if (head.toString('latin1', 257, 262) === 'ustar') return 'none';
  throw new BadArchive('it is neither tar (plain, gz, xz, bz2) nor zip');
}

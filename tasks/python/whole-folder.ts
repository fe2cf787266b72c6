/**
 * Folders of tools that are made once and kept: one that has its final name was filled to the end and written to the disk.
 * What is in it is listed beside its files, so that one that was damaged later is found and made again.
 */

import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { whenAbsent, whenDamaged } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { type Result, success } from '../../basics/result.ts';
import { digestOfFile } from '../../cache/blobs.ts';
import type { Infra } from '../../schemas/outcome.ts';

/** Digests of the files by name. */
const LIST = '.files.json';

/** Fills a new folder and renames it into place. */
export async function makeOnce(
  folder: string,
  fill: (folder: string) => Promise<Result<void, Infra>>,
): Promise<Result<string, Infra>> {
  if (existsSync(folder)) return success(folder);
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}.`);
  try {
    const filled = await fill(temporary);
    if (!filled.ok) return filled;
    await writeFile(join(temporary, LIST), JSON.stringify(await digestsIn(temporary)));
    for (const path of filesIn(temporary)) await sync(path);
    await chmod(temporary, 0o755);
    await rename(temporary, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return success(folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Takes a folder that is not what it was made as out of the way, for the next who needs it; true when it was that. */
export async function discardDamaged(folder: string): Promise<boolean> {
  if (await isWhole(folder)) return false;
  const aside = await mkdtemp(`${folder}.`);
  await rename(folder, join(aside, 'damaged')).catch(whenAbsent(undefined));
  await rm(aside, { recursive: true, force: true });
  return true;
}

async function isWhole(folder: string): Promise<boolean> {
  try {
    const listed = jsonObject<Record<string, string>>(await readFile(join(folder, LIST), 'utf8'));
    const found = await digestsIn(folder);
    return listed !== null && Object.entries(listed).every(([name, digest]) => found[name] === digest);
  } catch (error) {
    return whenDamaged(false)(error);
  }
}

async function digestsIn(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const path of filesIn(folder)) {
    const name = relative(folder, path);
    if (name !== LIST) digests[name] = await digestOfFile(path);
  }
  return digests;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Toolchains that are a folder of this machine: one whose path a recipe names, or the one with the wanted version where such folders are. */
import { cp, mkdir, readdir, readlink, realpath, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ToolchainSource } from '../../ecosystems/kind.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

type FolderSource = Extract<ToolchainSource, { from: 'folder' }>;

export interface MachineFolder {
  path: string;
  /** Of names, sizes and times of its files, and of what its links name: other ones mean another toolchain. */
  state: Digest;
}

/** Orders versions by their numbers. */
const NUMBERS = new Intl.Collator('en', { numeric: true });

/** Seconds for a program to say its version. */
const TIMEOUT = 30;

/** A fault where the machine has no such toolchain. Of several whose versions begin with the wanted one, the newest. */
export async function findFolder(
  name: string,
  version: string,
  source: FolderSource,
  env: NodeJS.ProcessEnv,
): Promise<Result<MachineFolder, Infra>> {
  if (isAbsolute(version)) {
    if (!(await hasProgram(version, source)))
      return fault(
        infra('tool-missing', `${version} is no folder of ${name}: it has no bin/${source.program}`),
      );
    return success(await folderAt(version, source));
  }
  const parents = source.parents(env);
  const seen = await foldersHere(source, env);
  const newest = seen.findLast((one) => one.version === version || one.version.startsWith(`${version}.`));
  if (newest !== undefined) return success(await folderAt(newest.folder, source));
  const known =
    seen.length === 0 ? 'none' : [...new Set(seen.map((one) => one.version))].reverse().join(', ');
  return fault(
    infra(
      'tool-missing',
      `there is no ${name} ${version} in ${parents.join(' or ')}, which have ${known}; write the path of its folder as its version`,
    ),
  );
}

/** The versions that this machine has, the oldest first. */
export async function versionsHere(source: FolderSource, env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await foldersHere(source, env);
  return [...new Set(found.map(({ version }) => version))];
}

async function foldersHere(
  source: FolderSource,
  env: NodeJS.ProcessEnv,
): Promise<{ version: string; folder: string }[]> {
  const found: { version: string; folder: string }[] = [];
  // `findFolder` takes the last of equal versions, which is the one in the first folder.
  for (const parent of source.parents(env).reverse()) {
    const names = await readdir(parent).catch(whenAbsent<string[]>([]));
    for (const child of names.sort().reverse()) {
      const folder = join(parent, child);
      if (!(await hasProgram(folder, source))) continue;
      const version = await versionOf(folder, source, env);
      if (version !== null) found.push({ version, folder });
    }
  }
  return found.sort((a, b) => NUMBERS.compare(a.version, b.version));
}

/**
 * Copies what belongs to it. Links that lead out of the folder, as those of Debian's JDKs to /etc, become what they name, which other roots
 * do not have.
 */
export async function copyFolder(
  { path }: MachineFolder,
  into: string,
  { parts }: FolderSource,
): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const part of parts) {
    const from = join(path, part);
    if ((await stat(from).catch(whenAbsent(null))) === null) continue;
    await cp(from, join(into, part), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    for (const { file, target } of await linksOut(path, part)) {
      const copy = join(into, relative(path, file));
      await rm(copy);
      await cp(target, copy, { recursive: true, dereference: true, preserveTimestamps: true });
    }
  }
}

/** Links in a part of the folder that mean something else, or nothing, where the folder is copied to. */
async function linksOut(path: string, part: string): Promise<{ file: string; target: string }[]> {
  const all = await readdir(join(path, part), { withFileTypes: true, recursive: true }).catch(whenAbsent([]));
  const links = all
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(
    links.map(async (file) => {
      const target = await realpath(file).catch(whenAbsent(null));
      if (target === null) return [];
      const isWithin = target.startsWith(`${path}/`) && !isAbsolute(await readlink(file));
      return isWithin ? [] : [{ file, target }];
    }),
  );
  return found.flat();
}

async function hasProgram(folder: string, { program }: FolderSource): Promise<boolean> {
  const found = await stat(join(folder, 'bin', program)).catch(whenAbsent(null));
  return found?.isFile() === true;
}

/** null: it does not say one. */
async function versionOf(
  folder: string,
  { program, option }: FolderSource,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const end = await runProgram({ argv: [join(folder, 'bin', program), option], env, timeout: TIMEOUT });
  return /\d+(?:\.\d+)+(?:-[\w.]+)?/.exec(`${end.stdout}${end.stderr}`)?.[0] ?? null;
}

async function folderAt(given: string, { parts }: FolderSource): Promise<MachineFolder> {
  const path = await realpath(given);
  const lines: string[] = [];
  for (const part of parts) {
    const all = await readdir(join(path, part), { withFileTypes: true, recursive: true }).catch(
      whenAbsent([]),
    );
    for (const entry of all) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) lines.push(`${file} -> ${await readlink(file)}`);
      if (!entry.isFile()) continue;
      const { size, mtimeMs } = await stat(file);
      lines.push(`${file} ${size} ${mtimeMs}`);
    }
    for (const { file, target } of await linksOut(path, part)) {
      const { size, mtimeMs } = await stat(target);
      lines.push(`${file} is ${target} ${size} ${mtimeMs}`);
    }
  }
  return { path, state: digestOf(lines.sort().join('\n')) };
}

/**
 * Loads the project that a command is about. A project that was loaded before is taken from a memo, which holds
 * as long as its files, the variables that it uses and swemake's own code are the same: reading YAML is most of a null build.
 */

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { whenUnreadable } from '../basics/absent.ts';
import { buildId } from '../basics/build-id.ts';
import { digestOf } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import { processTag, thisProcess } from '../basics/process-identity.ts';
import { readableBytes, readableText } from '../basics/readable.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { CommandIo } from './io.ts';
import { memoPath } from './memo-path.ts';
import { loadOptions } from './project-options.ts';
import { shown } from './shown.ts';

export interface ProjectValues {
  profile: string[];
  set: string[];
  'env-file': string | undefined;
}

/** The resolved project, or null after its errors were printed. */
export async function openProject(
  file: string,
  values: ProjectValues,
  io: CommandIo,
): Promise<ResolvedProject | null> {
  const absolute = resolve(io.cwd, file);
  const memo = memoPath(io.env, ['project', buildId(), absolute, values]);
  const known = readMemo(memo, io);
  if (known !== null) {
    rememberLatest(io, absolute);
    return known;
  }
  const { loadProject } = await import('../compiler/load.ts');
  const loaded = await loadProject(file, loadOptions(values, io));
  const { printDiagnostics } = await import('./diagnostics.ts');
  printDiagnostics(loaded.ok ? loaded.value.warnings : loaded.fault, io);
  if (!loaded.ok) return null;
  // A project with warnings is read again each time, so that they are seen each time.
  if (loaded.value.warnings.length === 0) writeMemo(memo, loaded.value);
  rememberLatest(io, absolute);
  return loaded.value;
}

/** What `init` calls a project where no other name is given. */
const PROJECT_FILE = 'project.yaml';

/** The project that `file` names, or else the one that was last opened from this folder, or else the one that `init` writes. */
export async function openLatestProject(
  file: string | undefined,
  values: ProjectValues,
  io: CommandIo,
): Promise<ResolvedProject | null> {
  const written = existsSync(join(io.cwd, PROJECT_FILE)) ? PROJECT_FILE : null;
  const latest = file ?? readText(memoPath(io.env, ['latest', io.cwd])) ?? written;
  if (latest !== null) return openProject(latest, values, io);
  io.stderr.write(
    shown('E001  which project? none was used from this folder yet\n      name the project file\n'),
  );
  return null;
}

function rememberLatest(io: CommandIo, file: string): void {
  const path = memoPath(io.env, ['latest', io.cwd]);
  if (readText(path) !== file) writeText(path, file);
}

/** A project as JSON: maps as lists of pairs. */
type Stored = Omit<ResolvedProject, 'origins' | 'secrets' | 'warnings'> & { secrets: [string, string][] };

function readMemo(path: string, io: CommandIo): ResolvedProject | null {
  const stored = jsonObject<Stored>(readableText(path));
  if (stored?.inputs === undefined || !isCurrent(stored.inputs, io)) return null;
  return { ...stored, origins: new Map(), secrets: new Map(stored.secrets), warnings: [] };
}

function isCurrent({ files, env }: ResolvedProject['inputs'], io: CommandIo): boolean {
  const sameFiles = files.every(({ path, digest }) => {
    const bytes = readableBytes(path);
    return bytes !== null && digestOf(bytes) === digest;
  });
  return (
    sameFiles &&
    env.every(({ name, digest }) => {
      const value = io.env[name];
      return (value === undefined ? null : digestOf(value)) === digest;
    })
  );
}

function writeMemo(path: string, project: ResolvedProject): void {
  const { config, file, folder, secrets, inputs, overlays } = project;
  const stored: Stored = { config, file, folder, secrets: [...secrets], inputs, overlays };
  writeText(path, JSON.stringify(stored));
}

/** A memo that cannot be written is no loss. */
function writeText(path: string, text: string): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${processTag(thisProcess())}`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    // A home that is read-only, or full.
    whenUnreadable(null)(error);
  }
}

function readText(path: string): string | null {
  return readableBytes(path)?.toString('utf8') ?? null;
}

/** A folder of project files for one test, and the commands on them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { CommandIo } from '../../app/io.ts';
import type { Diagnostic } from '../../compiler/diagnostic.ts';
import { type LoadOptions, loadProject, type ResolvedProject } from '../../compiler/load.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Writes files (name -> content) into a new folder and returns its path. */
export function projectFolder(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-project-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

type Command = (args: string[], io: CommandIo) => Promise<number>;

/** Runs a command in `folder` and keeps what it prints. */
export async function run(
  command: Command,
  args: string[],
  folder: string,
  { env = {}, isTTY = false }: { env?: NodeJS.ProcessEnv; isTTY?: boolean } = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const code = await command(args, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    env,
    cwd: folder,
    isTTY,
    ...(env.GITHUB_ACTIONS === 'true' ? { annotate: (text) => (written.stdout += text) } : {}),
  });
  return { code, ...written };
}

/** Loads `p.yaml` of a folder with these files. */
export async function load(
  files: Record<string, string | Uint8Array>,
  options: Partial<LoadOptions> = {},
): Promise<{ project: ResolvedProject | null; diagnostics: Diagnostic[]; folder: string }> {
  const folder = projectFolder(files);
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, ...options });
  if (loaded.ok) return { project: loaded.value, diagnostics: loaded.value.warnings, folder };
  return { project: null, diagnostics: loaded.fault, folder };
}

/** The project of `p.yaml`; its errors fail the test. */
export async function resolved(
  files: Record<string, string | Uint8Array>,
  options: Partial<LoadOptions> = {},
): Promise<ResolvedProject> {
  const { project, diagnostics } = await load(files, options);
  if (project === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return project;
}

/** The shortest valid project, to append to. */
export const MINIMAL = `version: 1
name: demo
dataset:
  train: { source: owner/rows, format: swe-smith }
`;

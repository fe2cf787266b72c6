/**
 * The project in whose environments the code that is mutated is tested: one of the user's, or the one that `init` would
 * write for the rows. It is as a build will find it, but for its rows: there is one, made up before any is measured.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadProject, type ResolvedProject } from '../../compiler/load.ts';
import type { FormatKind } from '../../formats/kind.ts';
import { mutationFormat } from '../../formats/mutation/kind.ts';
import { canDiscover } from '../../formats/unmeasured.ts';
import { printDiagnostics } from '../diagnostics.ts';
import { type ProposedRecipe, projectText } from '../init/project-text.ts';
import type { CommandIo } from '../io.ts';
import type { ProjectValues } from '../open-project.ts';
import { loadOptions } from '../project-options.ts';

/** What its rows are called there. */
export const MUTATED = 'mutated';

/**
 * A project file, and where the rows will be written; or the folder in which a project for the rows will be, and what will
 * be in it.
 */
export type ProjectChoice =
  | { file: string; output: string | null }
  | { folder: string; name: string; recipes: ProposedRecipe[]; allowHosts: readonly string[] };

/** A project whose rows are not written yet: they go into the file `rows`, in a folder that `remove` deletes. */
export interface EmptyProject {
  project: ResolvedProject;
  rows: string;
  remove(): void;
}

/** Null after the project's errors were printed. */
export async function emptyProject(
  choice: ProjectChoice,
  values: ProjectValues,
  io: CommandIo,
  format: FormatKind = mutationFormat,
): Promise<EmptyProject | null> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-rows-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const rows = join(folder, 'rows.jsonl');
  let project: ResolvedProject | null = null;
  try {
    project = await projectOf(choice, values, rows, io, format);
  } finally {
    if (project === null) remove();
  }
  return project === null ? null : { project, rows, remove };
}

async function projectOf(
  choice: ProjectChoice,
  values: ProjectValues,
  rows: string,
  io: CommandIo,
  format: FormatKind,
): Promise<ResolvedProject | null> {
  const dataset = `dataset.${MUTATED}`;
  const set = [
    `${dataset}.source=${rows}`,
    `${dataset}.format=${format.name}`,
    `validation.dataset=${MUTATED}`,
    ...(canDiscover(format) ? [`${dataset}.discover_tests=true`] : []),
  ];
  const written = 'file' in choice && choice.output !== null ? [rows, choice.output] : [rows];
  const options = { ...loadOptions({ ...values, set: [...values.set, ...set] }, io), written };
  const file = 'file' in choice ? choice.file : join(rows, '..', 'project.yaml');
  if (!('file' in choice)) writeFileSync(file, textOf(choice, rows, format));
  const loaded = await loadProject(file, options);
  printDiagnostics(loaded.ok ? loaded.value.warnings : loaded.fault, io);
  if (!loaded.ok) return null;
  if ('file' in choice) return loaded.value;
  const { folder } = choice;
  mkdirSync(folder, { recursive: true });
  return { ...loaded.value, folder, file: join(folder, 'project.yaml') };
}

function textOf(
  { name, recipes, allowHosts }: Extract<ProjectChoice, { folder: string }>,
  source: string,
  format: FormatKind,
): string {
  return projectText({
    ...{ name, file: 'project.yaml', schema: '', endpoint: null, isBenchmark: false, recipes, allowHosts },
    rows: { source, format, rows: 1, isAll: true, bad: 0, repos: [] },
  });
}

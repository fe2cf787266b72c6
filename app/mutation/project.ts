/**
 * The project in whose environments the code that is mutated is tested: one of the user's, or the one that `init` would
 * write for the rows. It is as a build will find it, but for its rows: there is one, made up before any is measured.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
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
  | { folder: string; name: string; recipes: ProposedRecipe[] };

/** Its rows are in `rows`, below a folder of our own. The value is null after its errors were printed. */
export async function mutationProject(
  choice: ProjectChoice,
  values: ProjectValues,
  rows: string,
  io: CommandIo,
  format: FormatKind = mutationFormat,
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
  { name, recipes }: Extract<ProjectChoice, { folder: string }>,
  source: string,
  format: FormatKind,
): string {
  return projectText({
    ...{ name, file: 'project.yaml', schema: '', endpoint: null, isBenchmark: false, recipes },
    rows: { source, format, rows: 1, isAll: true, bad: 0, repos: [] },
  });
}

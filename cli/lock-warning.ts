/**
 * What `check` reports about a project's lock file: that it cannot be read or no longer fits, before a build finds
 * out.
 */
import { resolve } from 'node:path';
import { readLock } from '../app/lock-file.ts';
import { shellWord } from '../basics/shell.ts';
import type { Diagnostic } from '../compiler/diagnostic.ts';
import { displayName } from '../compiler/files.ts';
import { type LoadOptions, loadProject } from '../compiler/load.ts';
import { type Lock, lockDrift, lockPath } from '../compiler/lock.ts';
import { lockWarning } from '../compiler/lock-warning.ts';
import { decidingAt } from '../contract/project.ts';
import { STAGES } from '../stages/registry.ts';

/** Compares what needs neither the cache nor the rows: names, settings, versions. */
export async function lockWarnings(file: string, options: LoadOptions): Promise<Diagnostic[]> {
  const path = lockPath(resolve(options.cwd, file));
  const lock = readLock(resolve(options.cwd, file));
  const name = displayName(path, options.cwd);
  const remedy = `swemake lock ${shellWord(file)}`;
  if (lock === null) return [];
  if (typeof lock === 'string') return lockWarning(name, lock, remedy);
  const loaded = await loadProject(file, options);
  if (!loaded.ok) return [];
  const { config } = loaded.value;
  const datasets: Lock['datasets'] = {};
  for (const [dataset, { source, revision }] of Object.entries(config.dataset)) {
    const own = { source, revision: revision ?? null, config: decidingAt(config, ['dataset', dataset]) };
    datasets[dataset] = { ...lock.datasets[dataset]!, ...own };
  }
  const stages = Object.fromEntries(STAGES.map((stage) => [stage.name, stage.version]));
  const now = { project: config.name, stages, datasets };
  return lockWarning(name, lockDrift(lock, now), remedy);
}

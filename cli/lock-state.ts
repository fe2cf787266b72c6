/** What a lock file would say now: read from the project, the machine and the cache; nothing is run. */
import { readFileSync } from 'node:fs';
import { readText } from '../cache/cache.ts';
import type { Json } from '../cache/canonical.ts';
import type { Lock, LockedDataset, LockedEnvironment } from '../compiler/lock.ts';
import { lockPath, parseLock } from '../compiler/lock.ts';
import type { RunEnd } from '../engine/run.ts';
import { readCatalogue } from '../stages/dataset/catalogue.ts';
import { assignmentOf } from '../stages/environments/assignment.ts';
import { interpreterFacts } from '../stages/environments/interpreter.ts';
import { type Pins, packageLines } from '../stages/pins.ts';
import { STAGES } from '../stages/registry.ts';
import { packageVersion } from './version.ts';
import type { Workbench } from './workbench.ts';

/** The project's lock; null when there is none, a text when it cannot be used. */
export function readLock(projectFile: string): Lock | string | null {
  try {
    return parseLock(readFileSync(lockPath(projectFile), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return (error as Error).message;
  }
}

/** What stages obey of a lock; packages only under --frozen. */
export function pinsOf(lock: Lock, frozen: boolean): Pins {
  const built = Object.entries(lock.environments).filter(([, { outcome }]) => outcome === 'ok');
  const packages = Object.fromEntries(built.map(([name, environment]) => [name, environment.packages]));
  return { datasets: lock.datasets, packages: frozen ? packages : null };
}

/** The parts of a lock that are known before anything has run. */
export async function staticLock(
  bench: Workbench,
  pythonVersions: readonly string[],
): Promise<Pick<Lock, 'swemake' | 'project' | 'stages' | 'pythons'>> {
  return {
    swemake: packageVersion(),
    project: bench.project.config.name,
    stages: Object.fromEntries(STAGES.map(({ name, version }) => [name, version])),
    pythons: (await interpreterFacts(pythonVersions, bench.services)) as Record<string, Json>,
  };
}

/** Rows and settings of each dataset as they are now; a text for one that cannot be read. */
export async function datasetStates(
  bench: Workbench,
): Promise<Record<string, Pick<LockedDataset, 'source' | 'revision' | 'rows' | 'config'> | string>> {
  const states: Record<string, Pick<LockedDataset, 'source' | 'revision' | 'rows' | 'config'> | string> = {};
  const stage = STAGES.find(({ name }) => name === 'dataset')!;
  for (const node of bench.graph.nodes.filter((one) => one.stage === 'dataset')) {
    const around = await stage.surroundings(node, bench.services);
    const { source, revision } = bench.project.config.dataset[node.dataset]!;
    const rows = around.ok ? around.value.rows : undefined;
    if (!around.ok)
      states[node.dataset] = 'detail' in around.fault ? around.fault.detail : around.fault.status;
    else if (rows !== undefined && 'digest' in rows)
      states[node.dataset] = {
        source,
        revision: revision ?? null,
        rows: `sha256:${rows.digest}`,
        config: node.config,
      };
  }
  return states;
}

/** Pins of a dataset's answer, instances and environments; null when it is not answered. */
export async function answeredDataset(dataset: string, end: RunEnd, bench: Workbench) {
  const record = end.nodes.get(`dataset.${dataset}`)?.state.record('') ?? null;
  if (record === null || record.outcome.status !== 'ok') return null;
  const catalogue = await readCatalogue(record, bench.services);
  const text = await readText(bench.cache, record.notes.pins);
  const pins = text === null ? null : (JSON.parse(text) as Pick<LockedDataset, 'commit' | 'sources'>);
  const { environments } = assignmentOf(dataset, catalogue, bench.services);
  return { record, pins, instances: catalogue.rows.length, environments };
}

/** Built environments of a dataset by address; those that are not answered are left out. */
export async function answeredEnvironments(
  dataset: string,
  end: RunEnd,
  bench: Workbench,
): Promise<Record<string, LockedEnvironment>> {
  const answered = await answeredDataset(dataset, end, bench);
  const address = `environments.${dataset}`;
  const found: Record<string, LockedEnvironment> = {};
  for (const { name, source, recipe } of answered?.environments ?? []) {
    const record = end.nodes.get(address)?.state.record(name) ?? null;
    if (record === null) continue;
    const { outcome } = record;
    const freeze = (await readText(bench.cache, record.notes['pip freeze'])) ?? '';
    found[`${address}@${name}`] = {
      source: source.spec,
      digest: source.digest,
      recipe: recipe as unknown as Json,
      outcome: 'reason' in outcome ? `${outcome.status} ${outcome.reason}` : outcome.status,
      packages: packageLines(freeze),
    };
  }
  return found;
}

/** What a lock file would say now: read from the project, the machine and the cache; nothing is run. */
import { asJson, type Json } from '../basics/canonical.ts';
import { readText } from '../cache/cache.ts';
import type { Lock, LockedAgent, LockedDataset, LockedEnvironment } from '../compiler/lock.ts';
import { rowsAddress } from '../contract/config.ts';
import { PROJECT } from '../contract/project.ts';
import { ask, type QuestionKind } from '../contract/question.ts';
import { addressOf } from '../contract/stage.ts';
import { workDeployments } from '../contract/work-deployments.ts';
import type { RunEnd } from '../engine/run.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { lockedPackages } from '../stages/agents/packages.ts';
import { installationsOn } from '../stages/agents/programs.ts';
import { readCatalogue } from '../stages/dataset/blocks/catalogue.ts';
import { ROWS } from '../stages/dataset/stage.ts';
import { type EnvironmentPlan, readAssignment } from '../stages/environments/assignment.ts';
import { STAGES } from '../stages/registry.ts';
import { PYTHON } from '../tasks/environment/interpreter.ts';
import { packageLines } from '../tasks/pins.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

/** The parts of a lock that are known before anything has run. */
export async function staticLock(
  session: Session,
  pythonVersions: readonly string[],
): Promise<Pick<Lock, 'swemake' | 'project' | 'stages' | 'pythons'>> {
  return {
    swemake: packageVersion(),
    project: session.project.config.name,
    stages: Object.fromEntries(STAGES.map(({ name, version }) => [name, version])),
    pythons: await pythonsOf(pythonVersions, session),
  };
}

/** Identities of the interpreters, with the tools that make environments of them; "missing" for one that is gone. */
async function pythonsOf(versions: readonly string[], { services }: Session): Promise<Record<string, Json>> {
  const pythons: Record<string, Json> = {};
  // As recipes write them, with "" for the host's own.
  for (const version of [...versions].sort()) {
    const found = await ask(PYTHON, version === '' ? null : version, services);
    pythons[version] = found.ok ? found.value : 'missing';
  }
  return pythons;
}

/** Rows and settings of each dataset as they are now; a text for one that cannot be read. */
export async function datasetStates(
  session: Session,
): Promise<Record<string, Pick<LockedDataset, 'source' | 'revision' | 'rows' | 'config'> | string>> {
  const states: Record<string, Pick<LockedDataset, 'source' | 'revision' | 'rows' | 'config'> | string> = {};
  for (const [dataset, { source, revision }] of Object.entries(session.project.config.dataset)) {
    const rows = await ask(ROWS, dataset, session.services);
    const config = await ask(PROJECT, ['dataset', dataset], session.services);
    if (!rows.ok) states[dataset] = 'detail' in rows.fault ? rows.fault.detail : rows.fault.status;
    else if (config.ok)
      states[dataset] = {
        source,
        revision: revision ?? null,
        rows: `sha256:${rows.value}`,
        config: config.value,
      };
  }
  return states;
}

/** Pins of a dataset's answer, instances and environments; null when it is not answered. */
export async function answeredDataset(dataset: string, end: RunEnd, session: Session) {
  // Environments are those of the rows as they are read, whether tests are measured for them or not.
  const address = rowsAddress(session.project.config, dataset);
  const record = end.nodes.get(address)?.state.record('') ?? null;
  if (record === null || record.outcome.status !== 'ok') return null;
  const catalogue = await readCatalogue(record, session.services);
  const text = await readText(session.cache, record.notes.pins);
  const pins = text === null ? null : (JSON.parse(text) as Pick<LockedDataset, 'commit' | 'sources'>);
  const reader = {
    dataset,
    ask: <A, V>(kind: QuestionKind<A, V>, argument: A) => ask(kind, argument, session.services),
  };
  const environments: EnvironmentPlan[] = [];
  for (const builtOn of workDeployments(session.project.config, dataset).buildDeployments) {
    const assignment = await readAssignment(reader, catalogue, builtOn);
    if (!assignment.ok) return null;
    environments.push(...assignment.value.environments);
  }
  return { record, pins, instances: catalogue.rows.length, environments };
}

/** Built environments of a dataset by address; those that are not answered are left out. */
export async function answeredEnvironments(
  dataset: string,
  end: RunEnd,
  session: Session,
): Promise<Record<string, LockedEnvironment>> {
  const answered = await answeredDataset(dataset, end, session);
  const address = addressOf('environments', dataset);
  const found: Record<string, LockedEnvironment> = {};
  for (const { name, source, recipe } of answered?.environments ?? []) {
    const record = end.nodes.get(address)?.state.record(name) ?? null;
    if (record === null) continue;
    const { outcome } = record;
    const freeze = (await readText(session.cache, record.notes['pip freeze'])) ?? '';
    found[`${address}@${name}`] = {
      source: source.spec,
      digest: source.digest,
      recipe: asJson(recipe),
      outcome: outcomeText(outcome),
      packages: packageLines(freeze),
    };
  }
  return found;
}

/** Agents of a dataset by address, as the project wants them; without outcome and packages where none is installed. */
export async function wantedAgents(
  dataset: string,
  end: RunEnd,
  { project, cache }: Session,
): Promise<Record<string, Pick<LockedAgent, 'install' | 'as_of'> & Partial<LockedAgent>>> {
  const address = addressOf('agents', dataset);
  const found: Record<string, Pick<LockedAgent, 'install' | 'as_of'> & Partial<LockedAgent>> = {};
  for (const { name, install, asOf } of installationsOn(dataset, project.config)) {
    const record = end.nodes.get(address)?.state.record(name) ?? null;
    const text = record === null ? null : await readText(cache, record.notes.packages);
    found[`${address}@${name}`] = {
      install: asJson(install),
      as_of: asOf,
      ...(record !== null && { outcome: outcomeText(record.outcome), ...lockedPackages(text ?? '') }),
    };
  }
  return found;
}

function outcomeText(outcome: Outcome): string {
  return 'reason' in outcome ? `${outcome.status} ${outcome.reason}` : outcome.status;
}

/**
 * The tasks of a rehearsal: those of the project that were validated here; where there are none, tasks of the quickstart, which are
 * validated now. The agent, the trainer and everything else stay the project's.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { closure, nodesOfTarget } from '../../compiler/graph.ts';
import { loadProject, type ResolvedProject } from '../../compiler/load.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { rlOf } from '../../contract/config.ts';
import type { RunEnd } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { canonicalDiff, goldRole } from '../../patches/ways.ts';
import type { Instance } from '../../schemas/instance.ts';
import { readCatalogue, readInstance } from '../../stages/dataset/blocks/catalogue.ts';
import { rlDatasets } from '../../stages/rl-data/datasets.ts';
import { originOf, rlRows, rowsOf, withImage } from '../../stages/rl-data/rows.ts';
import { splitHidden } from '../../tasks/first-state/hidden.ts';
import { RL_TRAINERS, type RlType } from '../../trainers/registry.ts';
import { parquetOf } from '../../trainers/rows/parquet.ts';
import type { RlTask, TrainingFiles } from '../../trainers/trainer.ts';
import type { CommandIo } from '../io.ts';
import { openSession, type Session, work } from '../session.ts';
import type { Task } from './scripts.ts';

export interface RehearsalTasks {
  /** The project as its agent server is started: with these tasks. */
  project: ResolvedProject;
  ids: string[];
  of: 'project' | 'quickstart';
  tasks: Task[];
  data: TrainingFiles;
}

export type Wanted = 'any' | 'project' | 'quickstart';

/** Sound tasks of the quickstart, small and quickly installed. */
const QUICK = [
  'martinblech__xmltodict.0.14.2.constant_condition__ed1c0f45',
  'martinblech__xmltodict.0.14.2.remove_if__c204a70b',
];
const NAME = 'rehearsal';
const BOX = 'rehearsal';

export async function rehearsalTasks(
  project: ResolvedProject,
  wanted: Wanted,
  count: number,
  folder: string,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Result<RehearsalTasks, string>> {
  const [dataset] = rlDatasets(project.config);
  if (wanted !== 'quickstart' && dataset !== undefined) {
    const build = wanted === 'project';
    const own = await validated(project, dataset, count, build, io, signal);
    if (!own.ok) return own;
    if (own.value.length > 0) return filesOf(project, own.value, 'project', folder);
  }
  const quick = await withQuickstart(project, io);
  if (!quick.ok) return quick;
  const found = await validated(quick.value, NAME, count, true, io, signal);
  if (!found.ok) return found;
  return filesOf(quick.value, found.value, 'quickstart', folder);
}

/** Instances that passed validation, at most `count`. With `build` what is missing is built. */
async function validated(
  project: ResolvedProject,
  dataset: string,
  count: number,
  build: boolean,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Result<Instance[], string>> {
  const session = await openSession(project, io, signal);
  try {
    const run = (targets: string[], dryRun: boolean) => walk(session, targets, dryRun, signal);
    const rows = await run([`dataset.${dataset}`], !build);
    const record = rows.nodes.get(`dataset.${dataset}`)?.state.record('') ?? null;
    if (record === null || record.outcome.status !== 'ok') {
      if (!build) return success([]);
      return fault(`dataset.${dataset} is not there: ${firstFailure(rows) ?? 'its rows could not be read'}`);
    }
    const catalogue = await readCatalogue(record, session.services);
    const target = `validate.${dataset}`;
    const first = catalogue.rows.slice(0, 2 * count).map(({ id }) => `${target}@${id}`);
    const built = build ? await run(first, false) : null;
    const looked = (await run([target], true)).nodes.get(target)?.state;
    const found: Instance[] = [];
    for (const row of catalogue.rows) {
      if (found.length === count) break;
      if (looked?.has(row.id) && looked.entry(row.id)?.outcome.status === 'ok')
        found.push(await readInstance(record, row, session.services));
    }
    if (built === null || found.length > 0) return success(found);
    return fault(`no task of ${dataset} passed validation: ${firstFailure(built) ?? 'it has no rows'}`);
  } finally {
    await session.close();
  }
}

/** What a run says first of an item that is not ok, in the order of its stages; null: all are. */
function firstFailure({ nodes }: RunEnd): string | null {
  for (const { state, blocked } of nodes.values()) {
    if (blocked !== null && 'detail' in blocked) return `${state.address}: ${blocked.detail}`;
    for (const { name, outcome } of state.entries())
      if ('detail' in outcome) return `${state.address}${name === '' ? '' : `@${name}`}: ${outcome.detail}`;
  }
  return null;
}

function walk(session: Session, targets: string[], dryRun: boolean, drain: AbortSignal) {
  const { graph } = session;
  const [items, nodes] = [targets.filter((one) => one.includes('@')), targets];
  const wanted = new Set(nodes.flatMap((target) => nodesOfTarget(graph, target)));
  const within = closure(graph, wanted);
  return work(session, {
    ...{ jobs: null, graph: within, dryRun, targets, drain, show: () => undefined },
    selection: new Selection(within, items.length > 0 ? items : targets, []),
  });
}

/** The project with the tasks, environments and sandbox of the quickstart. */
async function withQuickstart(
  project: ResolvedProject,
  io: CommandIo,
): Promise<Result<ResolvedProject, string>> {
  const file = join(packageRoot(), 'projects/quickstart.yaml');
  const loaded = await loadProject(file, { env: io.env, cwd: io.cwd });
  if (!loaded.ok) return fault(loaded.fault.map(({ message }) => message).join('; '));
  const quick = loaded.value.config;
  const { config } = project;
  const source = resolve(loaded.value.folder, quick.dataset.train!.source);
  const match = `^(${QUICK.map((id) => id.replaceAll('.', '\\.')).join('|')})$`;
  const rows = { ...quick.dataset.train!, source, select: { ...quick.dataset.train!.select, match } };
  const { evaluation: _evaluation, ...rest } = config;
  const changed = {
    ...rest,
    dataset: { [NAME]: rows },
    environments: quick.environments,
    deployments: { ...config.deployments, [BOX]: quick.deployments.box! },
    validation: { ...quick.validation, deployment: BOX },
    grading: withBox(config.grading),
    agent: { ...config.agent!, deployment: BOX, dataset: NAME },
    trainer: {
      ...config.trainer,
      rl: { ...rlOf(config), data: { ...rlOf(config).data, dataset: NAME } },
    },
  } as unknown as ResolvedConfig;
  return success({ ...project, config: changed });
}

function withBox<T>(part: T): T {
  return typeof part === 'object' && part !== null && 'deployment' in part
    ? { ...part, deployment: BOX }
    : part;
}

/** The rows as rl-data writes them. */
async function filesOf(
  project: ResolvedProject,
  instances: readonly Instance[],
  of: RehearsalTasks['of'],
  folder: string,
): Promise<Result<RehearsalTasks, string>> {
  const { type, rows, data } = rlOf(project.config);
  const form: RlType = type !== 'none' && RL_TRAINERS[type].rows !== null ? type : rows;
  const [dataset] = rlDatasets(project.config);
  const origin = originOf(dataset!, project.config.dataset[dataset!]!);
  const tasks: RlTask[] = instances.map((instance) => ({
    problem: instance.problem_statement,
    row: withImage(instance.raw as RlTask['row'], instance, origin),
  }));
  const source = data.source_name ?? origin.source;
  const write = async (split: 'train' | 'validation') => {
    const path = join(folder, `${split}.${rowsOf(form).ending}`);
    const made = rlRows(form, tasks, { source, split, gold: data.gold });
    const bytes =
      rowsOf(form).ending === 'parquet'
        ? Buffer.from(await parquetOf(made))
        : made.map((row) => `${JSON.stringify(row)}\n`).join('');
    writeFileSync(path, bytes);
    // The driver reads no Parquet.
    writeFileSync(`${path}.jsonl`, made.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return path;
  };
  mkdirSync(folder, { recursive: true });
  const train = await write('train');
  const validation = project.config.evaluation === undefined ? null : await write('validation');
  const ids = instances.map(({ instance_id: id }) => id);
  return success({ project, ids, of, tasks: instances.map(taskOf), data: { train, validation } });
}

function taskOf(instance: Instance): Task {
  const role = goldRole(instance.patch_role);
  const { rest } = splitHidden(instance.patch, instance);
  return { problem: instance.problem_statement, solution: canonicalDiff(rest, role) ?? rest };
}

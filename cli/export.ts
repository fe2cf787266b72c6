/** `export TARGET`: rollouts as the files of other tools, from the cache. Runs nothing. */

import { join, relative, resolve } from 'node:path';
import { EXPORT_FORMATS, type ExportFormat } from '../agent/exports/formats.ts';
import { type Line, lineOf } from '../agent/exports/overview.ts';
import type { ExportedRollout, ExportFile } from '../agent/exports/rollout.ts';
import type { SampleSettings } from '../agent/exports/tokens.ts';
import { isBaseline } from '../agent/kinds/registry.ts';
import { exportedEpisode, readEpisode, storedSteps } from '../app/episodes/stored-episodes.ts';
import { exportedSession, readSession, SESSIONS, sessionFiles } from '../app/episodes/stored-sessions.ts';
import { exportNames } from '../app/export/export-names.ts';
import { type ExportCounts, ExportFolder } from '../app/export/folder.ts';
import { outputFolder } from '../app/export/made-by.ts';
import { exportedRollout } from '../app/export/rollouts.ts';
import { TableFiles } from '../app/export/tables.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { repositoriesOf } from '../app/report/data.ts';
import { openSession, type Session, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { byCodeUnit } from '../basics/canonical.ts';
import { matchesGlob } from '../basics/glob.ts';
import { plural } from '../basics/plural.ts';
import { closest } from '../basics/suggest.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { RunEnd } from '../engine/run.ts';
import { isFault } from '../schemas/outcome.ts';
import { itemName } from '../stages/rollouts/item-name.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { countsText, exportTasks, foreignFolder, TASK_FORMAT } from './export-tasks.ts';
import { unknownTarget } from './unknown-target.ts';

const TABLE_FORMAT = 'table';
/** Not of the agent's formats: written by a way of their own. */
const FORMATS = [
  ...Object.entries(EXPORT_FORMATS).map(([name, { description }]) => [name, description] as const),
  [
    TABLE_FORMAT,
    'Parquet for data frames: rollouts.parquet, steps.parquet, tests.parquet, one row each',
  ] as const,
  [
    TASK_FORMAT,
    'tasks of Harbor, of instances that passed validation: ID/{task.toml,environment,tests,…}',
  ] as const,
];

const EXPORT = {
  name: 'export',
  summary: `Write rollouts or tasks in the files of other tools. Runs nothing: build first. Formats:\n${FORMATS.map(
    ([name, description]) => `  ${name.padEnd(10)} ${description}`,
  ).join('\n')}`,
  positionals: [
    {
      name: 'TARGET',
      description:
        'rollouts or predict, with a dataset or an item, such as rollouts.train@click*; for rollouts of trainers training or training.step-3; for those of a model door sessions; for harbor validate; globs allowed',
      required: true,
      multiple: true,
    },
  ],
  options: {
    format: option('NAME', FORMATS.map(([name]) => name).join(', ')),
    to: option('FOLDER', 'an empty folder, or that of an earlier export'),
    episodes: option(
      'FOLDER',
      'folder in which an agent server kept rollouts of trainers (default: out/NAME/episodes)',
    ),
    sessions: option(
      'FOLDER',
      'folder in which a model door kept its sessions (default: out/NAME/model-door)',
    ),
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake export rollouts.train --format swe-agent --to trajectories', 'all rollouts of a dataset'],
    [
      "swemake export 'training.step-1*' --format tokens --to samples",
      'what a trainer asked for in these steps',
    ],
    ["swemake export 'predict.eval@*#base' --format preds --to preds", 'predictions of one model'],
    ['swemake export rollouts --format table --to tables', 'tables for pandas'],
    ['swemake export validate.train --format harbor --to tasks', 'tasks for Harbor'],
  ],
} as const satisfies CommandSpec;

/** Stages whose items are rollouts. */
const STAGES = ['rollouts', 'predict'];
/** What trainers asked an agent server for; behind a dot the step. */
const TRAINING = 'training';
/** What agents elsewhere asked a model door for. */
const OF_SESSIONS = 'sessions';

export async function exportCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(EXPORT, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { format: name, to, json } = parsed.values;
  const format = name === TASK_FORMAT || name === TABLE_FORMAT ? name : findFormat(name);
  if (typeof format === 'object' && 'kind' in format) return answerUsage(format, io);
  if (to === undefined) return answerUsage(missing('--to', 'the folder to write into'), io);
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    if (format === TASK_FORMAT) return await exportTasks(parsed.positionals, to, json, session, io);
    const { training, sessions, built } = byKind(parsed.positionals);
    const wrong = wrongTarget(built, session);
    if (wrong !== null) return answerUsage(wrong, io);
    const chosen: Chosen =
      built.length === 0
        ? { nodes: [], missing: 0, blocked: [] }
        : choose(built, session, await survey(session));
    const { values } = parsed;
    const folderOf = (given: string | undefined, name: string) =>
      given === undefined ? join(outputFolder(project), name) : resolve(io.cwd, given);
    chosen.nodes.push(...chooseKept(training, folderOf(values.episodes, 'episodes')));
    if (sessions) chosen.nodes.push(sessionsIn(folderOf(values.sessions, SESSIONS)));
    if (chosen.nodes.every(({ items }) => items.length === 0)) return answerNothing(chosen, io);
    const path = resolve(io.cwd, to);
    const folder = ExportFolder.open(path);
    if (folder === null) return answerUsage(foreignFolder(to), io);
    const { rollouts, baselines, empty } =
      typeof format === 'object'
        ? await writeFiles(chosen.nodes, format, session, folder)
        : await writeTables(chosen.nodes, folder);
    if (empty > 0 && name === 'tokens') {
      if (empty === rollouts) return answerEmpty(folder, io);
      warnEmpty(empty, io);
    }
    const done = {
      folder: relative(io.cwd, path) || '.',
      format: name!,
      rollouts,
      baselines,
      missing: chosen.missing,
    };
    return report({ ...done, ...folder.finish() }, json, io);
  } finally {
    await session.close();
  }
}

/** Rollouts that are written together. */
interface ChosenNode {
  address: string;
  items: string[];
  /** null: there is nothing of it. */
  read(item: string): Promise<ExportedRollout | null>;
  /** Where its instances are from. */
  data: string;
  /** The repositories of its instances, as far as they are known. */
  repositories(): Promise<ReadonlyMap<string, string>>;
}

const UNKNOWN = async () => new Map<string, string>();

interface Chosen {
  nodes: ChosenNode[];
  /** Rollouts that the targets name and that have no answer yet. */
  missing: number;
  /** Why a stage is not known at all. */
  blocked: string[];
}

/** What the targets name and the cache answers. */
function choose(targets: readonly string[], session: Session, end: RunEnd): Chosen {
  const chosen: Chosen = { nodes: [], missing: 0, blocked: [] };
  for (const { address, stage } of session.graph.nodes) {
    const about = targets.filter((target) => nodesOfTarget(session.graph, target).includes(address));
    if (!STAGES.includes(stage) || about.length === 0) continue;
    const { state, blocked } = end.nodes.get(address)!;
    if (blocked !== null) {
      chosen.blocked.push(`${address}: ${'detail' in blocked ? blocked.detail : blocked.status}`);
      continue;
    }
    const wanted = (item: string) =>
      about.some((target) => matchesGlob(splitAddress(target)[1] ?? '*', item));
    const answered = state.entries().filter(({ name, outcome }) => !isFault(outcome) && wanted(name));
    const names = new Set(answered.map(({ name }) => name));
    if (!state.fresh)
      chosen.missing += state.items.filter(({ name }) => wanted(name) && !names.has(name)).length;
    chosen.nodes.push({
      address,
      items: [...names],
      read: (item) => exportedRollout(end, address, item, session.cache),
      data: sourceOf(state.node.dataset, session),
      repositories: () => repositoriesOf(session, end, state.node.dataset),
    });
  }
  return chosen;
}

/** Targets of trainings, whether sessions of a model door are meant, and targets of what is built. */
function byKind(targets: readonly string[]): { training: string[]; sessions: boolean; built: string[] } {
  const isTraining = (target: string) => target === TRAINING || target.startsWith(`${TRAINING}.`);
  return {
    training: targets.filter(isTraining),
    sessions: targets.includes(OF_SESSIONS),
    built: targets.filter((target) => !isTraining(target) && target !== OF_SESSIONS),
  };
}

/** Episodes of the steps that the targets name; those of one instance are numbered by their ids. */
function chooseKept(targets: readonly string[], folder: string): ChosenNode[] {
  const isMeant = (name: string) =>
    targets.some((target) => target === TRAINING || matchesGlob(target.slice(TRAINING.length + 1), name));
  return storedSteps(folder)
    .filter(({ name }) => isMeant(name))
    .map(({ name, files }) => {
      const ids = files.flatMap((file) => {
        const kept = readEpisode(folder, name, file);
        return kept === null ? [] : [{ file, id: kept.id, instance: kept.instance_id }];
      });
      ids.sort((a, b) => byCodeUnit(a.id, b.id));
      const fileOf = numbered(ids);
      return {
        address: `${TRAINING}.${name}`,
        items: [...fileOf.keys()],
        async read(item: string) {
          const { file, sample } = fileOf.get(item)!;
          const kept = readEpisode(folder, name, file);
          return kept === null ? null : exportedEpisode(kept, sample);
        },
        data: `${TRAINING}.${name}`,
        repositories: UNKNOWN,
      };
    });
}

/** Files by the item that each is; several of one instance are numbered. */
function numbered(files: readonly { file: string; instance: string }[]) {
  const counts = new Map<string, number>();
  const items = new Map<string, { file: string; sample: string }>();
  for (const { file, instance } of files) {
    const sample = `${counts.get(instance) ?? 0}`;
    counts.set(instance, Number(sample) + 1);
    items.set(itemName(instance, sample), { file, sample });
  }
  return items;
}

/** All sessions that ended; those of one instance are numbered by their names. */
function sessionsIn(folder: string): ChosenNode {
  const known = sessionFiles(folder).flatMap((file) => {
    const kept = readSession(file);
    return kept === null ? [] : [{ file, id: kept.id, instance: kept.instance_id }];
  });
  const fileOf = numbered(known.sort((a, b) => byCodeUnit(a.id, b.id)));
  return {
    address: OF_SESSIONS,
    items: [...fileOf.keys()],
    async read(item: string) {
      const { file, sample } = fileOf.get(item)!;
      const kept = readSession(file);
      return kept === null ? null : exportedSession(kept, sample);
    },
    data: OF_SESSIONS,
    repositories: UNKNOWN,
  };
}

interface Written {
  rollouts: number;
  baselines: number;
  /** Trajectories that have nothing in this format. */
  empty: number;
}

/** Several nodes get a folder each. */
async function writeFiles(
  nodes: readonly ChosenNode[],
  format: ExportFormat,
  session: Session,
  folder: ExportFolder,
): Promise<Written> {
  const sum: Written = { rollouts: 0, baselines: 0, empty: 0 };
  for (const node of nodes) {
    const inside = nodes.length === 1 ? '' : `${node.address}/`;
    const written = await writeNode(node, format, session, ({ path, text }) =>
      folder.write({ path: inside + path, text }),
    );
    for (const name of ['rollouts', 'baselines', 'empty'] as const) sum[name] += written[name];
  }
  return sum;
}

/** All nodes are in the same tables; a column says which. */
async function writeTables(nodes: readonly ChosenNode[], folder: ExportFolder): Promise<Written> {
  const tables = await TableFiles.open(folder);
  let baselines = 0;
  for (const { address, items, read, repositories } of nodes) {
    const repos = await repositories();
    for (const item of items) {
      const rollout = await read(item);
      if (rollout === null) continue;
      if (isBaseline(rollout.sample)) baselines += 1;
      await tables.add(rollout, { stage: address, repo: repos.get(rollout.instance_id) ?? null });
    }
  }
  const { rollouts } = await tables.finish();
  return { rollouts: rollouts - baselines, baselines, empty: 0 };
}

/**
 * Writes one node's rollouts one after the other, since all trajectories together are too large. Returns how many
 * were written, and how many trajectories have nothing in this format.
 */
async function writeNode(
  { items, read, data }: ChosenNode,
  format: ExportFormat,
  session: Session,
  write: (file: ExportFile) => void,
): Promise<Written> {
  const samples = await sampleSettings(session.project);
  const lines = new Map<string, Line[]>();
  let empty = 0;
  for (const { item, folder, exportName: place } of exportNames(items, format.several)) {
    const rollout = await read(item);
    if (rollout === null) continue;
    const inside = folder === '' ? '' : `${folder}/`;
    const files = format.files(rollout, place, samples);
    for (const { path, text } of files) write({ path: inside + path, text });
    if (files.length === 0 && rollout.trajectory !== null && !isBaseline(rollout.sample)) empty += 1;
    if (!lines.has(inside)) lines.set(inside, []);
    lines.get(inside)!.push(lineOf(rollout, place));
  }
  for (const [inside, some] of lines)
    for (const { path, text } of format.overview(some, { data })) write({ path: inside + path, text });
  const written = [...lines.values()].flat();
  const baselines = written.filter(({ sample }) => isBaseline(sample)).length;
  return { rollouts: written.length - baselines, baselines, empty };
}

/**
 * There may be no training samples: servers such as llama.cpp give the token ids of replies but not those of prompts.
 */
const NO_IDS = 'if the endpoint gives no ids of prompts, set agent.model.tokenizer';

function warnEmpty(rollouts: number, io: CommandIo): void {
  io.stderr.write(
    shown(
      `warning: ${plural(rollouts, 'rollout')} ${rollouts === 1 ? 'gives' : 'give'} no training samples; ${NO_IDS}\n`,
    ),
  );
}

/** How training samples are made: as the project's model and trainer say. */
async function sampleSettings({ config, folder }: ResolvedProject): Promise<SampleSettings> {
  const { agent, trainer } = config;
  const path = agent?.model?.tokenizer;
  const { readTokenizer } = await import('../agent/tokens/tokenizer.ts');
  return {
    unit: trainer?.sft?.samples ?? 'trajectory',
    train: trainer?.sft?.train ?? 'main',
    tokenizer: path === undefined ? null : await readTokenizer(resolve(folder, path)),
    coefficient: agent?.step_rewards === undefined ? null : (agent.step_rewards.coefficient ?? 1),
  };
}

function sourceOf(dataset: string, { project }: Session): string {
  const source = project.config.dataset[dataset]?.source;
  return typeof source === 'string' ? source : dataset;
}

function report(
  done: {
    folder: string;
    format: string;
    rollouts: number;
    baselines: number;
    missing: number;
  } & ExportCounts,
  json: boolean,
  io: CommandIo,
): number {
  const { folder, rollouts, baselines, missing: left } = done;
  const more = baselines === 0 ? '' : ` and ${baselines} of baselines`;
  if (left > 0)
    io.stderr.write(
      shown(
        `warning: ${plural(left, 'rollout')} without an answer yet ${left === 1 ? 'is' : 'are'} not exported; build first\n`,
      ),
    );
  if (json) {
    io.stdout.write(jsonLine(done));
    return 0;
  }
  io.stdout.write(shown(`${folder}: ${plural(rollouts, 'rollout')}${more}, ${countsText(done)}\n`));
  return 0;
}

function answerEmpty(folder: ExportFolder, io: CommandIo): number {
  folder.finish();
  io.stderr.write(shown(`E002  no rollout gives training samples\n      ${NO_IDS}\n`));
  return 1;
}

function answerNothing({ missing: left, blocked }: Chosen, io: CommandIo): number {
  const why = blocked.length > 0 ? blocked.join('; ') : left > 0 ? 'none is answered yet' : 'no item matches';
  io.stderr.write(shown(`E002  there is no rollout to export: ${why}\n      build the target first\n`));
  return 1;
}

function findFormat(name: string | undefined): ExportFormat | UsageError {
  const names = FORMATS.map(([known]) => known);
  if (name === undefined) return missing('--format', names.join(', '));
  const format = Object.hasOwn(EXPORT_FORMATS, name) ? EXPORT_FORMATS[name] : undefined;
  if (format !== undefined) return format;
  const near = closest(name, names);
  return {
    kind: 'usage',
    message: `there is no format "${name}"`,
    remedy: near === null ? `there is ${names.join(', ')}` : `did you mean "${near}"?`,
  };
}

function missing(option: string, what: string): UsageError {
  return { kind: 'usage', message: `${option} is missing: ${what}`, remedy: 'see swemake export --help' };
}

function wrongTarget(targets: readonly string[], session: Session): UsageError | null {
  for (const target of targets) {
    const addresses = nodesOfTarget(session.graph, target);
    if (addresses.length === 0) return unknownTarget(target, session);
    const stages = session.graph.nodes.filter(({ address }) => addresses.includes(address));
    if (stages.some(({ stage }) => STAGES.includes(stage))) continue;
    return {
      kind: 'usage',
      message: `"${target}" has no rollouts`,
      remedy: `only ${STAGES.join(' and ')} have rollouts; files of other stages are in out/ after a build`,
    };
  }
  return null;
}

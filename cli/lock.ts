/**
 * `lock`: writes down what changing names in a project mean now: rows, commits, interpreters, and the packages of
 * every environment. Environments that are not in the cache are built first, since only a built environment knows its
 * packages.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { pinsOf, readLock } from '../app/lock-file.ts';
import {
  answeredDataset,
  answeredEnvironments,
  datasetStates,
  staticLock,
  wantedAgents,
} from '../app/lock-state.ts';
import { lockedModels, lockedTrainers, trainerImages } from '../app/lock-trainers.ts';
import { openProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession, type Session, work } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { stopOnSignals } from '../app/signals.ts';
import { processTag, thisProcess } from '../basics/process-identity.ts';
import { type Result, success } from '../basics/result.ts';
import type { Preimage } from '../cache/key.ts';
import { closure, type Graph } from '../compiler/graph.ts';
import { type Lock, type LockedAgent, lockPath, lockText } from '../compiler/lock.ts';
import { faultsIn } from '../engine/events.ts';
import { publishUnder } from '../engine/publish-under.ts';
import { addressOf, type RunEnd } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { isFault } from '../schemas/outcome.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { isRefused } from './make-targets.ts';
import { createProgress } from './progress.ts';
import { exitCode } from './summary.ts';

const LOCK = {
  name: 'lock',
  summary:
    'Write the lock file of a project: its branches, versions and images, and the packages of its environments and agents. Builds those that are missing.',
  positionals: [{ name: 'PROJECT', description: 'the project file', required: true }],
  options: {
    ...PROJECT_OPTIONS,
    update: { type: 'boolean', description: 'look branches, tags and revisions up again' },
    images: {
      type: 'boolean',
      description: 'also pin the container images of the instances, as their registries have them now',
    },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake lock project.yaml', 'writes project.yaml.lock; keep it in git'],
    ['swemake build project.yaml --frozen', 'refuses to build what differs from the lock'],
  ],
} as const satisfies CommandSpec;

/** Stages whose answers a lock holds. */
const LOCKED = ['dataset', 'environments', 'agents'];

export async function lockCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(LOCK, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { update, json, images } = parsed.values;
  const project = await openProject(parsed.positionals[0]!, parsed.values, io);
  if (project === null) return 2;
  const stop = stopOnSignals(io);
  const session = await openSession(project, io, stop.abort, update ? 'ignore' : 'obey');
  try {
    const wanted = session.graph.nodes.filter(({ stage }) => LOCKED.includes(stage));
    const graph = closure(session.graph, new Set(wanted.map(({ address }) => address)));
    const end = await makeWhatIsLocked(session, graph, { update, json, drain: stop.drain }, io);
    if (isRefused(session, end, io)) return 3;
    const fault = faultOf(end);
    if (fault !== null) {
      io.stderr.write(shown(`E004  nothing was locked: ${fault}\n      mend that and lock again\n`));
      return end.drained ? 130 : exitCode(end) || 3;
    }
    const path = lockPath(project.file);
    const pinned = await pinnedImages(session, end, { images, update });
    if (!pinned.ok) {
      io.stderr.write(shown(`E004  nothing was locked: ${pinned.fault}\n      mend that and lock again\n`));
      return stop.drain.aborted ? 130 : 3;
    }
    const trained = await pinnedTrainers(session, update === true);
    if (!trained.ok) {
      io.stderr.write(shown(`E004  nothing was locked: ${trained.fault}\n      mend that and lock again\n`));
      return stop.drain.aborted ? 130 : 3;
    }
    const lock: Lock = { ...(await lockOf(session, end)), ...trained.value, ...pinned.value };
    const temporary = `${path}.${processTag(thisProcess())}`;
    writeFileSync(temporary, lockText(lock));
    renameSync(temporary, path);
    await answerUnderPins(session, graph, end, lock);
    const counts = {
      datasets: Object.keys(lock.datasets).length,
      sources: Object.values(lock.datasets).reduce((sum, one) => sum + Object.keys(one.sources).length, 0),
      environments: Object.keys(lock.environments).length,
      ...(lock.agents === undefined ? {} : { agents: Object.keys(lock.agents).length }),
      ...(lock.models === undefined ? {} : { models: Object.keys(lock.models).length }),
      ...(lock.images === undefined ? {} : { images: Object.keys(lock.images).length }),
    };
    const file = relative(io.cwd, path);
    io.stdout.write(
      json
        ? jsonLine({ file, ...counts })
        : shown(
            `wrote ${file}: ${Object.entries(counts)
              .map(([what, count]) => `${count} ${what}`)
              .join(', ')}\n`,
          ),
    );
    return 0;
  } finally {
    await session.close();
    stop.release();
  }
}

/** Images that are in the lock stay in it, with their digests, unless --update looks them up again. */
async function pinnedImages(
  session: Session,
  end: RunEnd,
  { images, update }: { images: boolean; update: boolean },
): Promise<Result<Pick<Lock, 'images'>, string>> {
  const before = readLock(session.project.file);
  const known = before === null || typeof before === 'string' ? undefined : before.images;
  const { lockedImages } = await import('../app/lock-images.ts');
  const ofTrainers = trainerImages(session.project.config);
  // Those of instances are asked for with --images, and kept once they are there.
  const ofAll = images || Object.keys(known ?? {}).some((name) => !ofTrainers.includes(name));
  if (!ofAll && ofTrainers.length === 0) return success({});
  const found = await lockedImages(session, ofAll ? end : null, update ? {} : (known ?? {}));
  return found.ok ? success({ images: found.value }) : found;
}

/** Commits of models that are in the lock stay in it, unless --update looks them up again. */
async function pinnedTrainers(
  session: Session,
  update: boolean,
): Promise<Result<Pick<Lock, 'models' | 'trainers'>, string>> {
  const before = readLock(session.project.file);
  const known = before === null || typeof before === 'string' || update ? {} : (before.models ?? {});
  const models = await lockedModels(session, known);
  if (!models.ok) return models;
  const trainers = await lockedTrainers(session);
  return trainers.ok ? success({ ...models.value, ...trainers.value }) : trainers;
}

async function makeWhatIsLocked(
  session: Session,
  graph: Graph,
  { update, json, drain }: { update: boolean; json: boolean; drain: AbortSignal },
  io: CommandIo,
): Promise<RunEnd> {
  const progress = json ? null : createProgress(io);
  const make = (force: string[]) => {
    const selection = new Selection(graph, [], force);
    return work(session, {
      jobs: null,
      selection,
      graph,
      dryRun: false,
      targets: LOCKED.filter((stage) => graph.nodes.some((node) => node.stage === stage)),
      drain,
      show: (event) => progress?.show(event),
    });
  };
  let end = await make(update ? ['dataset'] : []);
  // Answers of an earlier version do not have their pins.
  const silent: string[] = [];
  for (const dataset of Object.keys(session.project.config.dataset)) {
    const answered = await answeredDataset(dataset, end, session);
    if (answered !== null && answered.pins === null) silent.push(`dataset.${dataset}`);
  }
  if (silent.length > 0) end = await make(silent);
  progress?.stop();
  return end;
}

function faultOf(end: RunEnd): string | null {
  if (end.drained) return 'it was stopped';
  for (const [address, { state, blocked }] of end.nodes) {
    if (blocked !== null) return `${address}: ${'detail' in blocked ? blocked.detail : blocked.status}`;
    const fault =
      faultsIn(state.counts) > 0 ? state.entries().find((one) => isFault(one.outcome)) : undefined;
    if (fault !== undefined && isFault(fault.outcome))
      return `${addressOf(address, fault.name)}: ${fault.outcome.detail}`;
    const failed = state.node.stage === 'dataset' ? state.entry('')?.outcome : undefined;
    if (failed?.status === 'failed') return `${address}: ${failed.detail}`;
  }
  return null;
}

async function lockOf(session: Session, end: RunEnd): Promise<Lock> {
  const states = await datasetStates(session);
  const datasets: Lock['datasets'] = {};
  const environments: Lock['environments'] = {};
  const agents: Record<string, LockedAgent> = {};
  const versions = new Set<string>();
  for (const [dataset, state] of Object.entries(states)) {
    const answered = await answeredDataset(dataset, end, session);
    if (answered === null || typeof state === 'string') continue;
    const { commit, sources } = answered.pins ?? { commit: null, sources: {} };
    datasets[dataset] = { ...state, commit, sources, instances: answered.instances };
    for (const { recipe } of answered.environments) versions.add(recipe.python ?? '');
    Object.assign(environments, await answeredEnvironments(dataset, end, session));
    for (const [address, agent] of Object.entries(await wantedAgents(dataset, end, session))) {
      const { outcome, packages } = agent;
      if (outcome !== undefined && packages !== undefined) agents[address] = { ...agent, outcome, packages };
    }
  }
  return {
    lock: 1,
    ...(await staticLock(session, [...versions])),
    ...{ datasets, environments },
    ...(Object.keys(agents).length > 0 && { agents }),
  };
}

/**
 * Pins are part of a dataset's key. The answers that they were taken from are also valid under that key; a read-only cache
 * cannot say so.
 */
async function answerUnderPins(session: Session, graph: Graph, end: RunEnd, lock: Lock): Promise<void> {
  if (session.cache.database.readOnly) return;
  session.services.pins = pinsOf(lock, false);
  const only = { nodes: graph.nodes.filter(({ stage }) => stage === 'dataset') };
  const preimages = new Map<string, Preimage>();
  await work(session, {
    jobs: null,
    selection: new Selection(only, [], []),
    graph: only,
    dryRun: true,
    forKeys: true,
    targets: [],
    drain: new AbortController().signal,
    show: () => undefined,
    onPlanned: (address, _item, preimage) => preimages.set(address, preimage),
  });
  for (const [address, preimage] of preimages) {
    const record = end.nodes.get(address)!.state.record('');
    if (record !== null)
      await publishUnder(session.cache, `${session.project.config.name}/${address}`, preimage, record);
  }
}

/**
 * The composition root: from a resolved project to everything a run needs. Opened once per command and closed in
 * reverse order, whatever happened.
 */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { processTag, thisProcess } from '../basics/process-identity.ts';
import { fault } from '../basics/result.ts';
import { type Cache, openCache } from '../cache/cache.ts';
import type { RemoteReport } from '../cache/remote/remote.ts';
import { compileGraph, type Graph } from '../compiler/graph.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { Services } from '../contract/machine.ts';
import type { Pins } from '../contract/pins.ts';
import { createSecrets } from '../contract/secrets.ts';
import type { Resources } from '../contract/stage.ts';
import type { RunEvent } from '../engine/events.ts';
import { newRunId, openJournal } from '../engine/journal.ts';
import { forcedFaults, lostOutputs } from '../engine/lost-outputs.ts';
import type { RunEnd, RunOptions } from '../engine/run.ts';
import { runGraph } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { KINDS } from '../executors/registry.ts';
import { infra } from '../schemas/outcome.ts';
import { STAGES } from '../stages/registry.ts';
import { closeEndpoints } from '../stages/rollouts/endpoints.ts';
import { type Asked, type AskWhen, startAsking } from './asking.ts';
import { createBuildIndex } from './build-index.ts';
import { closeAll } from './close-all.ts';
import { createDeployments, type Deployments, sweepExecutors } from './deployments.ts';
import { openDispatcher } from './dispatch/dispatcher.ts';
import { createEngines } from './engines.ts';
import { hostCapacity } from './host-capacity.ts';
import type { CommandIo } from './io.ts';
import { pinsOf, readLock } from './lock-file.ts';
import { nodesAhead, Prewarm } from './prewarm.ts';
import { createProcesses } from './processes.ts';
import { openRemote } from './remote.ts';
import { shown } from './shown.ts';

export interface Session {
  project: ResolvedProject;
  cache: Cache;
  graph: Graph;
  services: Services;
  deployments: Deployments;
  run: string;
  /** Milliseconds since 1970. */
  now: () => number;
  close(): Promise<void>;
}

/** How a run ended, and what the remote cache did for it. */
export interface WorkEnd extends RunEnd {
  remote: RemoteReport | null;
  /** Images that could not be fetched in advance. */
  notAhead: readonly string[];
  /** What was asked again because it was not found earlier; null: no server was asked. */
  asked: Asked | null;
}

export interface WorkOptions {
  jobs: number | null;
  selection: Selection;
  graph: Graph;
  dryRun: boolean;
  /** When what was not found is asked for again. Absent: never. */
  asks?: AskWhen;
  /** It is part of a command that only reads: no deployment is opened, no model asked, and no journal kept. */
  isAuxiliary?: boolean;
  /** A dry run after which answers are published under the keys that it found: they must be those of a build. */
  forKeys?: boolean;
  /** Names for the journal. */
  targets: string[];
  drain: AbortSignal;
  show(event: RunEvent): void;
  /** See RunOptions. */
  onPlanned?: RunOptions['onPlanned'];
  beforeFirst?: RunOptions['beforeFirst'];
  onAnswered?: RunOptions['onAnswered'];
  signalOf?: RunOptions['signalOf'];
}

/** Folder of the project's cache. */
export function cacheRoot(project: ResolvedProject): string {
  return resolve(project.folder, project.config.cache.folder);
}

/**
 * How a lock file is used: not at all, to give branches and tags their meaning, or as a list that everything must
 * match; or the pins that another machine read in it.
 */
export type LockUse = 'ignore' | 'obey' | 'frozen' | { pins: Pins | null };

/** Opens the cache and compiles the graph. `signal` ends running actions. */
export async function openSession(
  project: ResolvedProject,
  io: CommandIo,
  signal: AbortSignal,
  locked: LockUse = 'obey',
  withheld: string | null = null,
): Promise<Session> {
  // Every action that runs listens.
  setMaxListeners(0, signal);
  const lock = locked === 'ignore' || typeof locked === 'object' ? null : readLock(project.file);
  const given = typeof locked === 'object' ? locked.pins : null;
  if (typeof lock === 'string')
    io.stderr.write(shown(`warning: the project’s lock file is not used: ${lock}\n`));
  const cache = await openCache(cacheRoot(project), undefined, project.config.cache.share);
  if (!cache.database.readOnly) await sweepExecutors(cache, KINDS);
  const run = newRunId(new Date(), process.pid);
  const packageIndex = createBuildIndex(cache, io.env);
  const { own } = packageIndex;
  const secrets = createSecrets(project.secrets, io.env, withheld);
  const deployments = createDeployments({
    kinds: KINDS,
    config: project.config,
    cache,
    run,
    env: io.env,
    secrets,
    own,
  });
  const engineOf = createEngines(KINDS, project.config, io.env);
  const processes = createProcesses(KINDS, cache, { env: io.env, secrets });
  const services: Services = {
    cache,
    config: project.config,
    projectFolder: project.folder,
    deploymentIdentity: deployments.identity,
    deployment: deployments.open,
    env: io.env,
    secrets,
    processes,
    engineOf,
    packageIndex,
    signal,
    shared: {},
    ...(given === null ? {} : { pins: given }),
    ...(lock === null || typeof lock === 'string' ? {} : { pins: pinsOf(lock, locked === 'frozen') }),
  };
  const graph = await compileGraph(project.config, STAGES);
  return {
    project,
    cache,
    graph,
    services,
    deployments,
    run,
    now: io.now ?? Date.now,
    close: () =>
      closeAll([
        () => closeEndpoints(services),
        () => processes.close(),
        () => deployments.close(),
        () => packageIndex.close(),
        () => cache.close(),
      ]),
  };
}

/**
 * Runs or plans. A journal is opened with the first action, so a run that does nothing leaves nothing. A read-only
 * cache is only planned on: a plan in which nothing is left to run has every answer.
 */
export async function work(session: Session, options: WorkOptions): Promise<WorkEnd> {
  const { project, run, cache } = session;
  const dryRun = options.dryRun || cache.database.readOnly;
  const onlyReads = (dryRun && options.forKeys !== true) || options.isAuxiliary === true;
  const services = onlyReads ? readingServices(session) : session.services;
  let journal: ReturnType<typeof openJournal> | null = null;
  const early: RunEvent[] = [
    {
      type: 'run-started',
      run,
      project: project.config.name,
      targets: options.targets,
      process: processTag(thisProcess()),
    },
  ];
  const emit = (event: RunEvent): void => {
    options.show(event);
    if (dryRun || options.isAuxiliary === true) return;
    if (journal === null && (event.type === 'item-started' || event.type === 'lock-waits')) {
      journal = openJournal(cache.folder.runs, run);
      for (const held of early) journal.write(held);
    }
    if (['item-log', 'item-waits', 'item-progress'].includes(event.type)) return;
    if (journal === null) early.push(event);
    else journal.write(event);
  };
  const stages = new Map(STAGES.map((stage) => [stage.name, stage]));
  const capacity = capacityOf(project, options.jobs);
  const remote =
    dryRun || options.isAuxiliary === true ? null : await openRemote(project, cache, services.secrets);
  const dispatcher = await openDispatcher(session, remote, options.drain);
  const wanted = nodesAhead(options.graph.nodes, options.jobs, dispatcher !== null);
  const prewarm = dryRun || options.isAuxiliary === true ? null : new Prewarm(services, wanted);
  const { asks = 'never' } = options;
  const asking =
    onlyReads || dryRun || asks === 'never' ? null : startAsking({ services, when: asks, now: session.now });
  const walk = (selection: Selection): Promise<RunEnd> =>
    runGraph(options.graph, stages, services, {
      run,
      project: project.config.name,
      jobs: options.jobs ?? Number.POSITIVE_INFINITY,
      capacity,
      selection,
      dryRun,
      emit,
      drain: options.drain,
      dispatch: dispatcher,
      askAgain: asking?.again ?? null,
      ...(options.beforeFirst === undefined ? {} : { beforeFirst: options.beforeFirst }),
      ...(options.onPlanned === undefined ? {} : { onPlanned: options.onPlanned }),
      ...(options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }),
      ...(options.signalOf === undefined ? {} : { signalOf: options.signalOf }),
      ...(prewarm === null ? {} : { onReady: (node, item) => prewarm.want(node, item) }),
    });
  let report: RemoteReport | null = null;
  let end: RunEnd;
  try {
    end = await walk(options.selection);
    // A replacement of something damaged may be damaged too.
    for (let tries = 0; tries < 3 && !dryRun && !end.drained && lostOutputs(end, cache); tries += 1) {
      const again = await walk(
        new Selection(options.graph, options.targets, [], forcedFaults(end, options.selection)),
      );
      end = { ...again, executed: end.executed + again.executed };
    }
  } finally {
    asking?.close();
    await prewarm?.close();
    await dispatcher?.close();
    report = (await remote?.end(options.drain)) ?? null;
  }
  (journal as ReturnType<typeof openJournal> | null)?.close();
  return { ...end, remote: report, notAhead: prewarm?.problems() ?? [], asked: asking?.report ?? null };
}

/**
 * What stages get while nothing is run: no deployment is opened or tried, no model asked or started. What they learn has
 * a place of its own, so that a build that follows looks for itself.
 */
function readingServices({ services, deployments }: Session): Services {
  const refused = infra('internal', 'a command that only reads opens no deployment');
  return {
    ...services,
    shared: {},
    onlyReads: true,
    deploymentIdentity: deployments.expected,
    deployment: async () => fault(refused),
  };
}

/** A number of actions at once that the user gives counts, whatever the number of processors. */
export function capacityOf({ config }: ResolvedProject, jobs: number | null): Resources {
  const capacity = hostCapacity(config);
  return jobs === null ? capacity : { ...capacity, cpu: jobs };
}

/** Looks the whole project up and runs nothing: what is answered, and what would run. */
export function survey(session: Session): Promise<RunEnd> {
  return work(session, {
    jobs: null,
    selection: new Selection(session.graph, [], []),
    graph: session.graph,
    dryRun: true,
    targets: [],
    drain: new AbortController().signal,
    show: () => undefined,
  });
}

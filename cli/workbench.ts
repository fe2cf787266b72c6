/**
 * The composition root: from a resolved project to everything a run needs. Opened once per command and closed in
 * reverse order, whatever happened.
 */
import { join, resolve } from 'node:path';
import { type Cache, openCache } from '../cache/cache.ts';
import { compileGraph, type Graph } from '../compiler/graph.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { RunEvent } from '../engine/events.ts';
import { newRunId, openJournal } from '../engine/journal.ts';
import type { RunEnd, RunOptions } from '../engine/run.ts';
import { runGraph } from '../engine/run.ts';
import type { Selection } from '../engine/selection.ts';
import { STAGES } from '../stages/registry.ts';
import { createSecrets } from '../stages/secrets.ts';
import type { Services } from '../stages/stage.ts';
import { createDeployments, type Deployments, sweepExecutors } from './deployments.ts';
import { hostCapacity } from './host-capacity.ts';
import type { CommandIo } from './io.ts';

export interface Workbench {
  project: ResolvedProject;
  cache: Cache;
  graph: Graph;
  services: Services;
  deployments: Deployments;
  run: string;
  close(): Promise<void>;
}

export interface WorkOptions {
  jobs: number | null;
  selection: Selection;
  graph: Graph;
  dryRun: boolean;
  /** Names for the journal. */
  targets: string[];
  drain: AbortSignal;
  show(event: RunEvent): void;
  /** See RunOptions. */
  onPlanned?: RunOptions['onPlanned'];
}

/** Folder of the project's cache. */
export function cacheRoot(project: ResolvedProject): string {
  return resolve(project.folder, project.config.cache.folder);
}

/** Opens the cache and compiles the graph. `signal` ends running actions. */
export async function openWorkbench(
  project: ResolvedProject,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Workbench> {
  const cache = await openCache(cacheRoot(project));
  await sweepExecutors(cache);
  const run = newRunId(new Date(), process.pid);
  const deployments = createDeployments({ config: project.config, cache, run, env: io.env });
  const services: Services = {
    cache,
    config: project.config,
    projectFolder: project.folder,
    deploymentIdentity: deployments.identity,
    deployment: deployments.open,
    env: io.env,
    secrets: createSecrets(project.secrets, io.env),
    signal,
    shared: new Map(),
  };
  const graph = await compileGraph(project.config, STAGES);
  return {
    project,
    cache,
    graph,
    services,
    deployments,
    run,
    async close() {
      await deployments.close();
      await cache.close();
    },
  };
}

/** Runs or plans. A journal is opened with the first action, so a run that does nothing leaves nothing. */
export async function work(bench: Workbench, options: WorkOptions): Promise<RunEnd> {
  const { project, run, cache, services } = bench;
  let journal: ReturnType<typeof openJournal> | null = null;
  const early: RunEvent[] = [
    { type: 'run-started', run, project: project.config.name, targets: options.targets },
  ];
  const emit = (event: RunEvent): void => {
    options.show(event);
    if (options.dryRun) return;
    if (journal === null && event.type === 'item-started') {
      journal = openJournal(cache.folder.runs, run);
      for (const held of early) journal.write(held);
    }
    if (journal === null) early.push(event);
    else if (event.type !== 'item-log') journal.write(event);
  };
  const stages = new Map(STAGES.map((stage) => [stage.name, stage]));
  const capacity = hostCapacity(project.config.resources);
  const end = await runGraph(options.graph, stages, services, {
    run,
    project: project.config.name,
    jobs: options.jobs ?? capacity.cpu ?? 2,
    capacity,
    selection: options.selection,
    dryRun: options.dryRun,
    emit,
    drain: options.drain,
    ...(options.onPlanned === undefined ? {} : { onPlanned: options.onPlanned }),
  });
  (journal as ReturnType<typeof openJournal> | null)?.close();
  return end;
}

/** Where a stage's files for the user are written: beside the project file, by project and stage. */
export function outputFolder(project: ResolvedProject, stage: string): string {
  return join(project.folder, 'out', project.config.name, stage);
}

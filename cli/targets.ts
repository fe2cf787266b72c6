/** What `build`, `plan` and `retry` have in common: the targets that they are given, and the session that they are made in. */
import type { CommandIo } from '../app/io.ts';
import { openProject } from '../app/open-project.ts';
import { openSession, type Session } from '../app/session.ts';
import { type Stop, stopOnSignals } from '../app/signals.ts';
import { type Graph, nodesOfTarget } from '../compiler/graph.ts';
import { graphOf, plainTargets } from '../compiler/targets.ts';
import { Selection } from '../engine/selection.ts';
import { STAGES } from '../stages/registry.ts';
import { option, type UsageError } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

export const TARGET_ARGUMENTS = [
  { name: 'PROJECT', description: 'the project file', required: true },
  {
    name: 'TARGET',
    description:
      'stage, stage.dataset or stage.dataset@item, globs allowed; when none is given, the project’s targets, or all (a project that trains: its trainings and evaluation)',
    multiple: true,
  },
] as const;

export const JOBS_OPTION = {
  ...option('N', 'actions that run at the same time (default: the number of processors)'),
  short: 'j',
} as const;

export const FORCE_OPTION = { type: 'string', multiple: true, placeholder: 'TARGET' } as const;

export const FROZEN_OPTION = {
  type: 'boolean',
  description: 'refuse to build if anything differs from the lock file',
} as const;

/** Targets as they are given, and what must run again for them. */
export interface TargetOptions {
  /** None: what the project makes by itself. */
  targets: readonly string[];
  /** Targets to run again. */
  force: readonly string[];
  /** Single items to run again, by node. */
  forceItems?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Null: as many as there are processors. */
  jobs: number | null;
  stop: Stop;
}

/** The part of the graph that targets mean. */
export interface Scope {
  /** No target was named. */
  isPlain: boolean;
  targets: string[];
  graph: Graph;
  selection: Selection;
  /** Stages of the project that are made when they are named. */
  leftOut: string[];
}

export function scopeOf(session: Session, options: TargetOptions): Scope {
  const isPlain = options.targets.length === 0;
  const targets = isPlain
    ? plainTargets(session.project.config, session.graph, STAGES)
    : [...options.targets];
  // What is forced is asked for.
  const wanted = targets.length > 0 ? [...targets, ...options.force] : targets;
  const graph = graphOf(session.graph, wanted);
  return {
    ...{ isPlain, targets: wanted, graph },
    selection: new Selection(graph, wanted, options.force, options.forceItems),
    leftOut: isPlain ? without(session.graph, graph) : [],
  };
}

/** Stages of the project that are not in `graph`. */
function without(all: Graph, graph: Graph): string[] {
  const made = new Set(graph.nodes.map(({ address }) => address));
  return all.nodes.map(({ address }) => address).filter((address) => !made.has(address));
}

/** Opens the project, calls `use`, and closes everything afterwards. Code 2 when the project has errors. */
export async function withSession(
  file: string,
  values: Parameters<typeof openProject>[1] & { frozen?: boolean },
  io: CommandIo,
  use: (session: Session, stop: Stop) => Promise<number>,
): Promise<number> {
  const project = await openProject(file, values, io);
  if (project === null) return 2;
  const stop = stopOnSignals(io);
  const session = await openSession(project, io, stop.abort, values.frozen ? 'frozen' : 'obey');
  try {
    return await use(session, stop);
  } finally {
    await session.close();
    stop.release();
  }
}

/** The first target that no stage has; null: there is none. */
export function wrongTarget(session: Session, targets: readonly string[]): UsageError | null {
  const unknown = targets.find((target) => nodesOfTarget(session.graph, target).length === 0);
  return unknown === undefined ? null : unknownTarget(unknown, session);
}

/** The value of --jobs; null when it is not given. */
export function jobsOf(value: string | undefined): number | null | UsageError {
  if (value === undefined) return null;
  const jobs = Number(value);
  if (Number.isInteger(jobs) && jobs > 0) return jobs;
  const message = `--jobs must be a whole number above 0, not "${value}"`;
  return { kind: 'usage', message, remedy: 'for example: -j 4' };
}

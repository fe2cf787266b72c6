/** What a build would run, looked up before it runs anything that takes long: a plan of the same targets. */
import type { Graph } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import type { Selection } from '../engine/selection.ts';
import { type Estimate, estimate } from './plan-estimate.ts';
import { capacityOf, type Session, work } from './session.ts';

export interface Forecast {
  end: RunEnd;
  time: Estimate;
}

export interface ForecastOptions {
  graph: Graph;
  selection: Selection;
  jobs: number | null;
  drain: AbortSignal;
}

/** A plan within a build: nothing is run, asked or journaled for it. */
export async function forecast(session: Session, options: ForecastOptions): Promise<Forecast> {
  const end = await work(session, {
    ...options,
    dryRun: true,
    isAuxiliary: true,
    targets: [],
    show: () => undefined,
  });
  const project = session.project.config.name;
  const known = {
    database: session.cache.database,
    project,
    capacity: capacityOf(session.project, options.jobs),
  };
  return { end, time: estimate(end, known, 'perhaps') };
}

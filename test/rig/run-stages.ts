/** Stages of a test run to their end by the real engine, as a build would, without faults being tried again. */
import { compileGraph } from '../../compiler/graph.ts';
import type { Services } from '../../contract/machine.ts';
import type { AnyStage, Stage } from '../../contract/stage.ts';
import { newRunId } from '../../engine/journal.ts';
import { type RunEnd, runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';

export async function runStages(given: readonly AnyStage[], services: Services): Promise<RunEnd> {
  const stages = given as readonly Stage[];
  const graph = await compileGraph(services.config, stages);
  return runGraph(graph, new Map(stages.map((stage) => [stage.name, stage])), services, {
    run: newRunId(new Date(), process.pid),
    project: services.config.name,
    jobs: 4,
    capacity: { cpu: 4 },
    selection: new Selection(graph, [], []),
    dryRun: false,
    emit: () => undefined,
    drain: new AbortController().signal,
    retryPauses: [],
  });
}

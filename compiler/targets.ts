/**
 * What a build makes that names no target: the targets of the project, or those that follow from what it holds. A project
 * that trains is built for its trainings: whatever they do not need, such as rollouts of a model that only the trainer
 * serves, is made when it is named.
 */
import { closest } from '../basics/suggest.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import type { AnyStage, Stage } from '../contract/stage.ts';
import type { DiagnosticSink } from './diagnostic.ts';
import { closure, compileGraph, type Graph, nodesOfTarget, splitAddress } from './graph.ts';
import { type Node, spanOf } from './tree.ts';

/** Targets of a build that names none; empty: everything. */
export function plainTargets(config: ResolvedConfig, graph: Graph, stages: readonly AnyStage[]): string[] {
  if (config.targets !== undefined) return config.targets;
  if (!isTraining(config)) return [];
  const kinds = new Map(stages.map((stage) => [stage.name, (stage as Stage).besideTraining]));
  const isGoal = (stage: string): boolean => {
    const kind = kinds.get(stage);
    return typeof kind === 'function' ? kind(config) : kind === 'goal';
  };
  const goals = graph.nodes.filter(({ stage }) => isGoal(stage)).map(({ address }) => address);
  const made = new Set(closure(graph, new Set(goals)).nodes.map(({ address }) => address));
  const reports = graph.nodes.filter(
    ({ stage, inputs }) =>
      kinds.get(stage) === 'report' && Object.values(inputs).every((input) => made.has(input)),
  );
  return [...goals, ...reports.map(({ address }) => address)];
}

function isTraining({ trainer }: ResolvedConfig): boolean {
  return [trainer?.sft?.type, trainer?.rl?.type].some((type) => type !== undefined && type !== 'none');
}

/** The stages of a build of these targets; without targets, all of the project. */
export function graphOf(graph: Graph, targets: readonly string[]): Graph {
  if (targets.length === 0) return graph;
  return closure(graph, new Set(targets.flatMap((target) => nodesOfTarget(graph, target))));
}

/** Reports targets of the project that name no stage of it. */
export async function checkTargets(config: ResolvedConfig, root: Node, sink: DiagnosticSink): Promise<void> {
  if (config.targets === undefined) return;
  const { STAGES } = await import('../stages/registry.ts');
  const graph = await compileGraph(config, STAGES);
  for (const [index, target] of config.targets.entries()) {
    if (nodesOfTarget(graph, target).length > 0) continue;
    const known = graph.nodes.map(({ address }) => address);
    const near = closest(splitAddress(target)[0], [...known, ...graph.nodes.map(({ stage }) => stage)]);
    sink.add(
      'E111',
      spanOf(root, ['targets', `${index}`], 'value'),
      `there is no target "${target}"`,
      near === null ? `known: ${known.join(', ')}` : `did you mean "${near}"?`,
    );
  }
}

/** What to say when a target names no stage or no item of the project. */
import { relative } from 'node:path';
import type { Session } from '../app/session.ts';
import { matchesGlob } from '../basics/glob.ts';
import { closest } from '../basics/suggest.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import { splitItem } from '../stages/rollouts/item-name.ts';
import type { UsageError } from './arguments.ts';
import { exitCode } from './summary.ts';

export function unknownTarget(target: string, session: Session): UsageError {
  const known = session.graph.nodes.map((node) => node.address);
  const [stage, item] = splitAddress(target);
  const near = closest(stage, [...known, ...session.graph.nodes.map((node) => node.stage)]);
  const meant = near === null ? '' : `did you mean "${item === null ? near : `${near}@${item}`}"? `;
  const file = relative(process.cwd(), session.project.file);
  return {
    kind: 'usage',
    message: `${file} has no target "${target}"`,
    remedy: `${meant}its stages are ${known.join(', ')}; an item is written STAGE.DATASET@ITEM`,
  };
}

/** The first target that names items of which no stage has one. A run that was stopped, or that has faults, does not know all items. */
export function unmatchedTarget(
  targets: readonly string[],
  session: Session,
  end: RunEnd,
): UsageError | null {
  if (![0, 1].includes(exitCode(end))) return null;
  const unmatched = targets.find((target) => !isMatched(target, session, end));
  if (unmatched === undefined) return null;
  return leftOut(unmatched, session, end) ?? unknownItem(unmatched, session, end);
}

/** Names the failed validation because of which a sample is not made; null: there is none. */
function leftOut(target: string, session: Session, end: RunEnd): UsageError | null {
  const { instance } = splitItem(splitAddress(target)[1]!);
  for (const address of nodesOfTarget(session.graph, target)) {
    for (const input of Object.values(end.nodes.get(address)!.state.node.inputs)) {
      const state = end.nodes.get(input)?.state;
      const outcome = state?.stage.itemsOf === 'instance' ? state.entry(instance)?.outcome : undefined;
      if (outcome === undefined || outcome.status === 'ok') continue;
      const why = `${outcome.status} ${outcome.reason}: ${outcome.detail}`;
      return {
        kind: 'usage',
        message: `"${target}" is not made`,
        remedy: `${input}@${instance} is ${why}`,
      };
    }
  }
  return null;
}

/** False when a target names items and none of its stages, as far as they are known, has such a one. */
function isMatched(target: string, session: Session, end: RunEnd): boolean {
  const item = splitAddress(target)[1];
  if (item === null) return true;
  return nodesOfTarget(session.graph, target).some((address) => {
    const node = end.nodes.get(address);
    if (node === undefined || node.blocked !== null) return true;
    return node.state.fresh || node.state.items.some(({ name }) => matchesGlob(item, name));
  });
}

export function unknownItem(target: string, session: Session, end: RunEnd): UsageError {
  const [stage, item] = splitAddress(target);
  const states = nodesOfTarget(session.graph, target).map((address) => end.nodes.get(address)!.state);
  const names = states.flatMap(({ items }) => items.map(({ name }) => name)).filter((name) => name !== '');
  const near = closest(item!, names);
  const example = near === null ? names[0] : near;
  const meant = near === null ? 'there is, for example,' : 'did you mean';
  return {
    kind: 'usage',
    message: `no item matches "${target}"`,
    remedy:
      example === undefined
        ? `${states.map(({ address }) => address).join(', ')} has no items that can be named`
        : `${meant} '${stage}@${example}'${near === null ? '' : '?'}`,
  };
}

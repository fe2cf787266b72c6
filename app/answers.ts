/**
 * Which answer an item of the project has with the present configuration. Another profile, or an earlier state of the
 * project, may have answered an item of the same name: such an answer is marked.
 */
import type { ActionKey } from '../basics/digest.ts';
import { matchesGlob } from '../basics/glob.ts';
import { binaryKey } from '../cache/database.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText } from '../engine/explain.ts';
import type { RunEnd } from '../engine/run.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { planItems } from './plan-items.ts';
import type { Session } from './session.ts';

export interface Answer {
  /** `stage.dataset@item`. */
  item: string;
  address: string;
  name: string;
  key: ActionKey;
  record: ActionRecord;
  /** False: an earlier answer, since the item has none with the present configuration. */
  isCurrent: boolean;
}

export interface Answers {
  answers: Answer[];
  /** The plan by which they were found. */
  end: RunEnd;
}

/**
 * Answers of the items that `targets` mean, in the order of the stages and their items. `beside`: more targets that the
 * plan is to know of.
 */
export async function answersOf(
  session: Session,
  targets: readonly string[],
  beside: readonly string[] = [],
): Promise<Answers> {
  const { end } = await planItems(session, [...targets, ...beside]);
  const found = new Map<string, Answer>();
  for (const target of targets) {
    for (const address of nodesOfTarget(session.graph, target)) {
      const wanted = splitAddress(target)[1] ?? '*';
      for (const answer of [...currentAnswers(end, address), ...earlierAnswers(session, address)])
        if (matchesGlob(wanted, answer.name) && !found.has(answer.item)) found.set(answer.item, answer);
    }
  }
  return { answers: [...found.values()], end };
}

function* currentAnswers(end: RunEnd, address: string): Generator<Answer> {
  const { state, blocked } = end.nodes.get(address)!;
  if (blocked !== null) return;
  for (const { name, key } of state.entries()) {
    const record = key === null ? null : state.record(name);
    if (key === null || record === null) continue;
    yield { item: addressText({ address, item: name }), address, name, key, record, isCurrent: true };
  }
}

/** What the items of a node were last answered with, by whatever made them. */
function* earlierAnswers(session: Session, address: string): Generator<Answer> {
  const { latest, records } = session.cache.database;
  const start = `${session.project.config.name}/${address}`;
  for (const { key: path, value } of latest.getRange({ start, end: `${start}@\uffff` })) {
    const name = path === start ? '' : path.slice(start.length + 1);
    if (path !== start && path[start.length] !== '@') continue;
    const record = records.get(binaryKey(value.key));
    if (record === undefined) continue;
    const item = addressText({ address, item: name });
    yield { item, address, name, key: value.key, record, isCurrent: false };
  }
}

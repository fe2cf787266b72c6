/** Explains items of a project: what would make them run, or made them run last, and the fault of their last try. */
import { matchesGlob } from '../basics/glob.ts';
import { lastAsked } from '../cache/absences.ts';
import type { Cache } from '../cache/cache.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText, type Explanation, explain, type ItemAddress } from '../engine/explain.ts';
import { knownItems } from '../engine/known-items.ts';
import type { RunEnd } from '../engine/run.ts';
import { isFault } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { soughtText } from './ask-again.ts';
import { DAY } from './asking.ts';
import { planItems } from './plan-items.ts';
import { newestRun, readJournal } from './run-history.ts';
import type { Session } from './session.ts';

/** An explanation and the fault that the item's last try ended with, if it did. */
export type Explained = Explanation & {
  lastFault: { run: string; detail: string } | null;
  notFound: NotFound[];
};

/** Something that an item's answer rests on. */
export interface NotFound {
  question: string;
  /** When it was asked last, and when a build asks next, milliseconds since 1970. */
  asked: number;
  next: number;
  /** It was answered differently when it was asked last, so that the item runs again. */
  isOverturned: boolean;
}

/** Items that are explained; of more, those that would run come first. */
const MAX_ITEMS = 50;

/** Explains the items that the targets mean; of many, those that would run come first. */
export async function explainTargets(
  session: Session,
  targets: readonly string[],
): Promise<{ places: ItemAddress[]; explained: Explained[]; end: RunEnd }> {
  const { named, end, planned } = await planItems(session, targets);
  const plan = { project: session.project.config.name, end, planned, services: session.services };
  const known = knownItems(plan);
  const places = inOrder(matching(named, end, session), end);
  const faults = await lastFaults(session);
  const explained: Explained[] = [];
  for (const place of places.slice(0, MAX_ITEMS)) {
    const found = await explain(place, known);
    explained.push({
      ...found,
      lastFault: found.standing === 'fresh' ? null : (faults.get(found.item) ?? null),
      notFound: notFoundBy(known.answers(place)[0]?.record, session.cache),
    });
  }
  return { places, explained, end };
}

function notFoundBy(record: ActionRecord | undefined, { database }: Cache): NotFound[] {
  return (record?.absent ?? []).map((absence) => {
    const { answer, asked, tried = asked } = lastAsked(database, absence);
    return {
      question: soughtText(absence.sought),
      asked,
      next: Math.max(asked, tried) + DAY,
      isOverturned: answer !== absence.answer,
    };
  });
}

/** Items of the plan, and those that were answered before, that the targets mean. */
function matching(targets: readonly string[], end: RunEnd, session: Session): ItemAddress[] {
  const found = new Map<string, ItemAddress>();
  for (const target of targets) {
    const glob = splitAddress(target)[1]!;
    for (const address of nodesOfTarget(session.graph, target)) {
      const { state, blocked } = end.nodes.get(address)!;
      const names = state.items.map((item) => item.name);
      if (blocked !== null) names.push(...answeredNames(address, session));
      else if (!names.includes(glob))
        names.push(...answeredNames(address, session).filter((name) => name === glob));
      for (const item of names)
        if (matchesGlob(glob, item)) found.set(addressText({ address, item }), { address, item });
    }
  }
  return [...found.values()];
}

function answeredNames(address: string, session: Session): string[] {
  const start = `${session.project.config.name}/${address}`;
  const { latest } = session.cache.database;
  const names = [...latest.getKeys({ start: `${start}@`, end: `${start}@\uffff` })].map((key) =>
    key.slice(start.length + 1),
  );
  return latest.get(start) === undefined && names.length > 0 ? names : [...names, ''];
}

/** What would run first. */
function inOrder(places: ItemAddress[], end: RunEnd): ItemAddress[] {
  const isFresh = ({ address, item }: ItemAddress) =>
    end.nodes.get(address)!.state.entry(item) === null ? 0 : 1;
  return [...places].sort((a, b) => isFresh(a) - isFresh(b));
}

/** Items whose last try, in the newest run, ended in a fault. */
async function lastFaults(session: Session): Promise<Map<string, { run: string; detail: string }>> {
  const faults = new Map<string, { run: string; detail: string }>();
  const { runs } = session.cache.folder;
  const run = await newestRun(runs, session.project.config.name);
  if (run === null) return faults;
  for await (const event of readJournal(runs, run)) {
    if (event.type !== 'item-finished') continue;
    const item = addressText({ address: event.stage, item: event.item });
    const { outcome } = event;
    if (isFault(outcome)) faults.set(item, { run, detail: `${outcome.reason}: ${outcome.detail}` });
    else faults.delete(item);
  }
  return faults;
}

/** What `explain` asks, answered from a plan (a dry run's end) and the cache. */
import { type Cache, readText } from '../cache/cache.ts';
import { answerOf, answersOf, type PastAnswer } from '../cache/history.ts';
import type { Part, Preimage } from '../cache/key.ts';
import type { Services } from '../contract/machine.ts';
import { addressText, type ItemAddress, type KnownItems, type Now } from './explain.ts';
import { type Difference, differences } from './explain-difference.ts';
import type { NodeEnd, RunEnd } from './run.ts';

/** Upstream items that are explained when something waits for them. */
const SHOWN = 3;

export interface Plan {
  project: string;
  end: RunEnd;
  /** Preimages of items that would run, by place as text. */
  planned: ReadonlyMap<string, Preimage>;
  services: Services;
}

export function knownItems(plan: Plan): KnownItems {
  const { end, services, project } = plan;
  const { cache } = services;
  const answers = (place: ItemAddress) => answersOf(cache.database, `${project}/${addressText(place)}`);
  const nodeOf = (address: string) => end.nodes.get(address)!;
  return {
    now: (place) => standing(place, plan),
    answers,
    source: (place, role) => {
      const { state } = nodeOf(place.address);
      const index = state.indexOf(place.item);
      const needed = index === undefined ? undefined : state.items[index]!.needs[role];
      return needed === undefined ? null : { address: state.node.inputs[role]!, item: needed };
    },
    describe: async (place, role, before, now) => {
      const { stage, node } = nodeOf(place.address).state;
      const [old, fresh] = [digestIn(before.preimage.parts[role]), digestIn(now.preimage.parts[role])];
      if (stage.describe === undefined || old === null || fresh === null) return null;
      const change = {
        item: place.item,
        role,
        before: old,
        now: fresh,
        recordBefore: before.record,
        recordNow: now.answer?.record ?? null,
        records: (address: string, item: string) => answers({ address, item }).map((one) => one.record),
      };
      const described = await stage.describe(node, change, services);
      return described === null ? null : differences(role, described.before, described.now);
    },
    notes: (place, before, now) => noteDifferences(nodeOf(place.address), before, now, cache),
  };
}

function digestIn(part: Part | undefined) {
  return part !== undefined && 'digest' in part ? part.digest : null;
}

function standing(place: ItemAddress, plan: Plan): Now {
  const { end, services } = plan;
  const { state, blocked } = end.nodes.get(place.address)!;
  if (blocked !== null) {
    const on = unfinishedInputs(place.address, end);
    return on.length === 0 ? { kind: 'cannot', outcome: blocked } : waits(on);
  }
  const entry = state.entry(place.item);
  if (entry !== null) {
    if (entry.key === null) return { kind: 'cannot', outcome: entry.outcome };
    const answer = answerOf(services.cache.database, entry.key);
    if (answer !== null) return { kind: 'answered', answer };
  }
  const preimage = plan.planned.get(addressText(place));
  if (preimage !== undefined) return { kind: 'would-run', preimage };
  const index = state.indexOf(place.item);
  if (index === undefined) return { kind: 'absent' };
  const needs = Object.entries(state.items[index]!.needs).map(
    ([role, item]): ItemAddress => ({ address: state.node.inputs[role]!, item }),
  );
  return waits(needs.filter((need) => end.nodes.get(need.address)!.state.unanswered(need.item) !== null));
}

function waits(on: ItemAddress[]): Now {
  return { kind: 'waits', count: on.length, on: on.slice(0, SHOWN) };
}

/** Items that a blocked node waits for: what its inputs would run, or what those wait for in turn. */
function unfinishedInputs(address: string, end: RunEnd): ItemAddress[] {
  const found: ItemAddress[] = [];
  for (const input of Object.values(end.nodes.get(address)!.state.node.inputs)) {
    const { state, blocked } = end.nodes.get(input)!;
    if (blocked !== null) found.push(...unfinishedInputs(input, end));
    else
      for (const { name } of state.fresh ? [] : state.items)
        if (state.unanswered(name) !== null) found.push({ address: input, item: name });
  }
  const unique = new Map(found.map((place) => [addressText(place), place]));
  return [...unique.values()];
}

async function noteDifferences(
  { state }: NodeEnd,
  before: PastAnswer,
  now: PastAnswer,
  cache: Cache,
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const name of state.stage.comparedNotes ?? []) {
    const [old, fresh] = [before, now].map((answer) => readText(cache, answer.record.notes[name]));
    const texts = [await old!, await fresh!] as const;
    if (texts[0] !== null && texts[1] !== null) found.push(...differences(name, ...texts));
  }
  return found;
}

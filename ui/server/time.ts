/**
 * Where time and money went: by stage, by group of items, by item, and by step of a rollout. Times are those of the
 * run that did the work. Waits for an endpoint are left out.
 */
import type { RolloutTimings } from '../../agent/rollout.ts';
import { readText } from '../../cache/cache.ts';
import type { NodeState } from '../../engine/node-state.ts';
import { parseTrajectory, type TrajectoryStep } from '../../schemas/trajectory.ts';
import type { TimePart } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import { answerOf } from './rollout.ts';
import { itemsOf, type Rows } from './rows.ts';

/** Parts of a level that are shown by themselves. */
const WIDEST = 40;

/** The whole project, three levels deep. */
export async function timeOf(project: LiveProject): Promise<TimePart> {
  const rows = await project.rows();
  const parts = [...project.snapshot.end.nodes].flatMap(([address, { state, blocked }]) =>
    blocked === null ? [stagePart(project, rows, address, state)] : [],
  );
  return sumOf(project.snapshot.session.project.config.name, '', parts);
}

function stagePart({ tally }: LiveProject, rows: Rows, address: string, state: NodeState): TimePart {
  const groups = new Map<string, Largest>();
  for (const { name, repo, key } of itemsOf(rows, state, tally.keys)) {
    const numbers = key === null ? null : tally.numbers(key);
    if (numbers === null) continue;
    const group = groups.get(repo) ?? new Largest();
    groups.set(repo, group);
    group.add(name, Math.max(0, numbers.ms - numbers.waited), numbers.cost);
  }
  const linked = (name: string) => (name === '' ? address : `${address}@${name}`);
  const only = groups.size === 1 ? groups.get('') : undefined;
  if (only !== undefined) return only.part(address, address, linked);
  return sumOf(
    address,
    '',
    [...groups].map(([repo, items]) => items.part(repo === '' ? 'others' : repo, address, linked)),
  );
}

interface Share {
  name: string;
  ms: number;
  cost: number | null;
}

/** The largest of many items, and what the others come to. */
class Largest {
  readonly #items: Share[] = [];
  readonly #others = { count: 0, ms: 0, cost: null as number | null };

  add(name: string, ms: number, cost: number | null): void {
    const before = this.#items.findIndex((one) => one.ms < ms);
    this.#items.splice(before === -1 ? this.#items.length : before, 0, { name, ms, cost });
    if (this.#items.length <= WIDEST) return;
    const last = this.#items.pop()!;
    this.#others.count += 1;
    this.#others.ms += last.ms;
    if (last.cost !== null) this.#others.cost = (this.#others.cost ?? 0) + last.cost;
  }

  part(name: string, address: string, linked: (item: string) => string): TimePart {
    const parts = this.#items.map(
      ({ name: item, ...share }): TimePart => ({
        ...share,
        name: item === '' ? address : item,
        link: linked(item),
        count: 1,
        parts: [],
      }),
    );
    const { count } = this.#others;
    if (count > 0) parts.push({ ...this.#others, name: `${count} others`, link: '', parts: [] });
    return { ...added(name, '', parts), parts };
  }
}

/** The largest parts, and the rest as one. */
function sumOf(name: string, link: string, parts: readonly TimePart[]): TimePart {
  const sorted = [...parts].sort((a, b) => b.ms - a.ms);
  const total = added(name, link, sorted);
  if (sorted.length <= WIDEST) return { ...total, parts: sorted };
  const rest = sorted.slice(WIDEST);
  const others = added(`${rest.length} others`, '', rest);
  return { ...total, parts: [...sorted.slice(0, WIDEST), others] };
}

function added(name: string, link: string, parts: readonly TimePart[]): TimePart {
  const costs = parts.flatMap(({ cost }) => cost ?? []);
  return {
    name,
    link,
    ms: parts.reduce((sum, { ms }) => sum + ms, 0),
    count: parts.reduce((sum, { count }) => sum + count, 0),
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    parts: [],
  };
}

/** The steps of one rollout: what the model took and what its commands took. */
export async function stepsTimeOf(project: LiveProject, item: string): Promise<TimePart | null> {
  const { cache } = project.snapshot.session;
  const record = (await answerOf(project, item))?.record;
  const timings = await readText(cache, record?.notes.timings);
  const trajectory = await readText(cache, record?.outputs.trajectory);
  if (timings === null || trajectory === null) return null;
  return stepsTime(item, parseTrajectory(trajectory).steps, JSON.parse(timings) as RolloutTimings);
}

/** Calls that came to no step, such as a summary of the history, count for the step after them. */
export function stepsTime(
  item: string,
  steps: readonly Pick<TrajectoryStep, 'call'>[],
  timings: Pick<RolloutTimings, 'calls' | 'steps' | 'diff'>,
): TimePart {
  const one = (name: string, ms: number): TimePart => ({
    ...{ name, link: item, ms, count: 1, cost: null, parts: [] },
  });
  let from = 0;
  const parts = steps.map(({ call }, index) => {
    const model = timings.calls.slice(from, call + 1).reduce((sum, { took }) => sum + took, 0);
    from = Math.max(from, call + 1);
    // What the commands of an agent from elsewhere took is not known.
    const commands = timings.steps[index];
    const both = [one('model', model), ...(commands === undefined ? [] : [one('commands', commands)])];
    return { ...added(`step ${index + 1}`, item, both), parts: both };
  });
  const all = [...parts, one('diff', timings.diff)];
  return { ...added(item, item, all), parts: all };
}

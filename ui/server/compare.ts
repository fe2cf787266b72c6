/** Compares two sets of rollouts: instances that only one solves, and how certain the difference is. */

import { isBaseline } from '../../agent/kinds/registry.ts';
import { readJournal, runIds } from '../../app/run-history.ts';
import { differenceOf, rateOf } from '../../basics/rates.ts';
import { rewardOf } from '../../grading/grade-verdict.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import type { CompareSide, CompareView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import type { Row, Sample } from './rows.ts';

const LISTED = 500;
const RUNS = 12;

/** `dataset/instance` -> rewards. */
type Rewards = Map<string, number[]>;

export async function compare(project: LiveProject, a: string, b: string): Promise<CompareView> {
  const { all } = await project.rows();
  const runs = await runsOf(project);
  const sides: CompareSide[] = [
    ...groupsIn(all).map((id) => ({ id, name: id })),
    ...runs.map((run) => ({ id: `run ${run}`, name: `as of run ${run}` })),
  ];
  const known = (id: string, other: number) =>
    sides.some((side) => side.id === id) ? id : (sides[other]?.id ?? '');
  const first = known(a, 0);
  const second = known(b, Math.min(1, sides.length - 1));
  const rewards = async (id: string): Promise<Rewards> =>
    id.startsWith('run ') ? rewardsAsOf(project, id.slice(4)) : rewardsOf(all, id);
  return { sides, a: first, b: second, ...between(await rewards(first), await rewards(second)) };
}

/** Names of the groups that have a reward. */
function groupsIn(rows: readonly Row[]): string[] {
  const found = new Set<string>();
  for (const { dataset, samples } of rows)
    for (const sample of samples) if (sample.reward !== null) found.add(groupOf(dataset, sample));
  return [...found];
}

function groupOf(dataset: string, { stage, who }: Sample): string {
  return `${stage}.${dataset} ${who === '' ? 'samples' : who}`;
}

function rewardsOf(rows: readonly Row[], group: string): Rewards {
  const found: Rewards = new Map();
  for (const { dataset, id, samples } of rows)
    for (const sample of samples)
      if (sample.reward !== null && groupOf(dataset, sample) === group)
        add(found, `${dataset}/${id}`, sample.reward);
  return found;
}

function add(rewards: Rewards, instance: string, reward: number): void {
  const known = rewards.get(instance);
  if (known === undefined) rewards.set(instance, [reward]);
  else known.push(reward);
}

/** Runs of this project that graded something, newest first. */
async function runsOf(project: LiveProject): Promise<string[]> {
  const { session } = project.snapshot;
  const { runs } = session.cache.folder;
  const found: string[] = [];
  for (const run of runIds(runs).slice(0, 4 * RUNS)) {
    if (found.length === RUNS) break;
    for await (const event of readJournal(runs, run)) {
      if (event.type === 'run-started' && event.project !== session.project.config.name) break;
      if (event.type !== 'item-finished' || !event.stage.startsWith('grade.')) continue;
      found.push(run);
      break;
    }
  }
  return found;
}

/** Rewards of the samples when a run had ended: its own answers, and those of earlier runs. */
async function rewardsAsOf(project: LiveProject, run: string): Promise<Rewards> {
  const { session } = project.snapshot;
  const { runs } = session.cache.folder;
  const latest = new Map<string, number | null>();
  const until = runIds(runs).reverse();
  for (const one of until.slice(0, until.indexOf(run) + 1)) {
    for await (const event of readJournal(runs, one)) {
      if (event.type === 'run-started' && event.project !== session.project.config.name) break;
      if (event.type !== 'item-finished' || !event.stage.startsWith('grade.')) continue;
      const { instance, sample } = splitItem(event.item);
      if (isBaseline(sample)) continue;
      latest.set(`${event.stage.slice(6)}/${instance}#${sample}`, rewardOf(event.outcome));
    }
  }
  const found: Rewards = new Map();
  for (const [item, reward] of latest) if (reward !== null) add(found, splitItem(item).instance, reward);
  return found;
}

type Between = Omit<CompareView, 'sides' | 'a' | 'b'>;

/** For instances that both sets have: the mean reward of each set, and the mean difference. */
function between(a: Rewards, b: Rewards): Between {
  const both = [...a.keys()].filter((instance) => b.has(instance));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const pairs = both.map((name) => {
    const at = name.indexOf('/');
    const [one, other] = [mean(a.get(name)!), mean(b.get(name)!)];
    return { dataset: name.slice(0, at), instance: name.slice(at + 1), a: one, b: other };
  });
  const won = pairs.filter((pair) => pair.b > pair.a).sort((x, y) => y.b - y.a - (x.b - x.a));
  const lost = pairs.filter((pair) => pair.b < pair.a).sort((x, y) => x.b - x.a - (y.b - y.a));
  const rate = (side: 'a' | 'b') => rateOf(pairs.map((pair) => ({ sum: pair[side], count: 1 })));
  return {
    both: pairs.length,
    rateA: rate('a'),
    rateB: rate('b'),
    difference: differenceOf(pairs.map((pair) => pair.b - pair.a)),
    won: won.slice(0, LISTED),
    lost: lost.slice(0, LISTED),
    wonCount: won.length,
    lostCount: lost.length,
  };
}

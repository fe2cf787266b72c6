/** Compares two sets of rollouts: instances that only one solves, and how certain the difference is. */

import { isBaseline } from '../../agent/kinds/registry.ts';
import { readJournal, runIds } from '../../app/run-history.ts';
import type { Session } from '../../app/session.ts';
import type { ActionKey } from '../../basics/digest.ts';
import { addTo, type Cluster, differenceOf, rateOf } from '../../basics/rates.ts';
import { readText } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { readItems } from '../../cache/stage-manifest.ts';
import type { RunEvent } from '../../engine/events.ts';
import { type GradeVerdict, rewardOf } from '../../grading/grade-verdict.ts';
import { isDoubted } from '../../grading/rules/findings.ts';
import type { ManifestItem } from '../../schemas/record.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import type { CompareSide, CompareView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import type { Row, Sample } from './rows.ts';

const LISTED = 500;
const RUNS = 12;

/** By `dataset/instance`. */
type Rewards = Map<string, Cluster>;

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
    id.startsWith('run ') ? rewardsAsOf(project, id.slice(4)) : rewardsOf(all, id, project.tally);
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

function rewardsOf(rows: readonly Row[], group: string, tally: LiveProject['tally']): Rewards {
  const found: Rewards = new Map();
  for (const { dataset, id, samples } of rows)
    for (const sample of samples)
      if (sample.reward !== null && groupOf(dataset, sample) === group)
        add(found, `${dataset}/${id}`, sample.reward, tally.isDoubted(sample.grade));
  return found;
}

function add(rewards: Rewards, instance: string, reward: number, isDoubtful: boolean): void {
  const cluster = rewards.get(instance) ?? { sum: 0, count: 0 };
  rewards.set(instance, cluster);
  addTo(cluster, reward, isDoubtful);
}

/** Runs of this project that graded something, newest first. */
async function runsOf(project: LiveProject): Promise<string[]> {
  const { session } = project.snapshot;
  const { runs } = session.cache.folder;
  const found: string[] = [];
  for (const run of runIds(runs).slice(0, 4 * RUNS)) {
    if (found.length === RUNS) break;
    for await (const event of gradingIn(session, run)) {
      if (event.type === 'stage-fresh') continue;
      found.push(run);
      break;
    }
  }
  return found;
}

/** What a run of this project says of its grades. */
async function* gradingIn({ cache, project }: Session, run: string): AsyncGenerator<Grading> {
  for await (const event of readJournal(cache.folder.runs, run)) {
    if (event.type === 'run-started' && event.project !== project.config.name) return;
    if (event.type !== 'item-finished' && event.type !== 'stage-finished' && event.type !== 'stage-fresh')
      continue;
    if (event.stage.startsWith('grade.')) yield event;
  }
}

type Grading = Extract<RunEvent, { type: 'item-finished' | 'stage-finished' | 'stage-fresh' }>;
type Graded = Pick<ManifestItem, 'name' | 'outcome'> & { key: ActionKey | null; stage: string };

/**
 * Rewards of the samples when a run had ended. A finished stage lists all of its answers; before one, journals say what was
 * executed, in that run and in earlier ones.
 */
async function rewardsAsOf(project: LiveProject, run: string): Promise<Rewards> {
  const { session } = project.snapshot;
  const runs = runIds(session.cache.folder.runs);
  const latest = new Map<string, Graded>();
  const listed = new Set<string>();
  for (const one of runs.slice(runs.indexOf(run))) {
    const own = new Map<string, Graded>();
    const note = (graded: Graded) => own.set(`${graded.stage} ${graded.name}`, graded);
    const complete = new Set<string>();
    for await (const event of gradingIn(session, one)) {
      if (listed.has(event.stage)) continue;
      if (event.type === 'item-finished')
        note({ stage: event.stage, name: event.item, key: event.key ?? null, outcome: event.outcome });
      else {
        const items = event.manifest == null ? null : readItems(session.cache.blobs, event.manifest);
        for (const { name, key, outcome } of items ?? []) note({ stage: event.stage, name, key, outcome });
        if (items !== null) complete.add(event.stage);
      }
    }
    for (const [item, graded] of own) if (!latest.has(item)) latest.set(item, graded);
    for (const stage of complete) listed.add(stage);
  }
  const found: Rewards = new Map();
  for (const { stage, name, key, outcome } of latest.values()) {
    const { instance, sample } = splitItem(name);
    const reward = rewardOf(outcome);
    if (reward === null || isBaseline(sample)) continue;
    const isDoubtful = reward > 0 && key !== null && (await isDoubtedIn(session, key));
    add(found, `${stage.slice('grade.'.length)}/${instance}`, reward, isDoubtful);
  }
  return found;
}

async function isDoubtedIn({ cache }: Session, key: ActionKey): Promise<boolean> {
  const text = await readText(cache, cache.database.records.get(binaryKey(key))?.outputs.verdict);
  return text !== null && isDoubted((JSON.parse(text) as GradeVerdict).integrity);
}

type Between = Omit<CompareView, 'sides' | 'a' | 'b'>;

/** For instances that both sets have: the mean reward of each set, and the mean difference. */
function between(a: Rewards, b: Rewards): Between {
  const both = [...a.keys()].filter((instance) => b.has(instance));
  const mean = ({ sum, count }: Cluster) => sum / count;
  const pairs = both.map((name) => {
    const at = name.indexOf('/');
    const [one, other] = [mean(a.get(name)!), mean(b.get(name)!)];
    return { dataset: name.slice(0, at), instance: name.slice(at + 1), a: one, b: other };
  });
  const won = pairs.filter((pair) => pair.b > pair.a).sort((x, y) => y.b - y.a - (x.b - x.a));
  const lost = pairs.filter((pair) => pair.b < pair.a).sort((x, y) => x.b - x.a - (y.b - y.a));
  // Instances count alike, however many samples they have.
  const rate = (rewards: Rewards) =>
    rateOf(
      both.map((name) => {
        const { sum, count, doubted = 0 } = rewards.get(name)!;
        return { sum: sum / count, count: 1, doubted: doubted / count };
      }),
    );
  return {
    both: pairs.length,
    rateA: rate(a),
    rateB: rate(b),
    difference: differenceOf(pairs.map((pair) => pair.b - pair.a)),
    won: won.slice(0, LISTED),
    lost: lost.slice(0, LISTED),
    wonCount: won.length,
    lostCount: lost.length,
  };
}

/** What came out of a build's rollouts and evaluations, from their answers: what its last lines say. */
import { isBaseline } from '../agent/kinds/registry.ts';
import { clustersOf, type Rate, rateOf } from '../basics/rates.ts';
import { readText } from '../cache/cache.ts';
import { addressOf } from '../contract/stage.ts';
import type { NodeEnd, RunEnd } from '../engine/run.ts';
import type { GradeVerdict } from '../grading/grade-verdict.ts';
import { isDoubted } from '../grading/rules/findings.ts';
import type { Output } from '../schemas/record.ts';
import type { EvaluationMetrics } from '../stages/evaluate/metrics.ts';
import { type PassRate, passRates } from '../stages/report/pass.ts';
import { splitItem } from '../stages/rollouts/item-name.ts';
import { leftTrajectory, type RolloutSummary } from '../stages/rollouts/summary.ts';
import type { Session } from './session.ts';

/** More rollouts than this are read at the end of a build only where a condition asks for them: the report has their numbers. */
const MAX_ROLLOUTS = 50_000;

export interface SampleOutcomes {
  /** The stage whose rollouts these are. */
  address: string;
  /** Name of a baseline or an evaluated model; null: samples of the agent. */
  who: string | null;
  isBaseline: boolean;
  /** The agent of a project may be a baseline, too: its type then; absent: it is none. */
  baseline?: string;
  /** Rollouts that ended. */
  ended: number;
  resolved: number;
  graded: number;
  /** Those with a verdict, also one that gives no reward, such as a patch that passes only sometimes. */
  judged: number;
  /** Resolved of the graded, with its interval by instance. */
  rate: Rate;
  /** pass@k as in the report, k from 2. */
  pass: PassRate[];
  exits: Record<string, number>;
  /** Findings that took a reward away, by rule. */
  voided: Record<string, number>;
  /** One rollout of each exit status, by its item. */
  examples: Record<string, string>;
}

interface Read {
  item: string;
  instance: string;
  exit: string | null;
  reward: number | null;
  isJudged: boolean;
  isDoubted: boolean;
  voided: string[];
}

/** Samples and baselines apart; an evaluation's models one by one. */
export async function sampleOutcomes(
  session: Session,
  end: RunEnd,
  most = MAX_ROLLOUTS,
): Promise<SampleOutcomes[]> {
  const found: SampleOutcomes[] = [];
  for (const [address, node] of end.nodes) {
    const { stage, dataset } = node.state.node;
    if ((stage !== 'rollouts' && stage !== 'predict') || node.blocked !== null || node.state.size() > most)
      continue;
    const grade = end.nodes.get(addressOf('grade', dataset));
    const groups = new Map<string, Read[]>();
    for (const { name, outcome } of node.state.entries()) {
      const { instance, sample } = splitItem(name);
      if (!leftTrajectory(outcome)) continue;
      const who = stage === 'predict' || isBaseline(sample) ? sample : '';
      const own = groups.get(who) ?? [];
      groups.set(who, own);
      own.push(await readOne(session, node, grade, name, instance));
    }
    for (const [who, rollouts] of groups) {
      const baseline =
        stage === 'predict' ? undefined : who === '' ? session.project.config.agent?.type : who;
      const isKnown = baseline !== undefined && isBaseline(baseline);
      found.push({ ...outcomesOf(address, stage, who, rollouts), ...(isKnown ? { baseline } : {}) });
    }
  }
  return found.sort((a, b) => Number(a.isBaseline) - Number(b.isBaseline));
}

async function readOne(
  session: Session,
  node: NodeEnd,
  grade: NodeEnd | undefined,
  name: string,
  instance: string,
): Promise<Read> {
  const summary = await readJson<RolloutSummary>(session, node.state.record(name)?.outputs.summary);
  const graded = grade === undefined || grade.blocked !== null ? null : grade.state.record(name);
  const verdict = await readJson<GradeVerdict>(session, graded?.outputs.verdict);
  return {
    item: `${node.state.address}@${name}`,
    instance,
    exit: summary?.exit_status ?? null,
    reward: verdict?.reward ?? null,
    isJudged: verdict !== null,
    isDoubted: isDoubted(verdict?.integrity ?? []),
    voided: (verdict?.integrity ?? []).filter(({ effect }) => effect === 'voided').map(({ rule }) => rule),
  };
}

function outcomesOf(address: string, stage: string, who: string, rollouts: readonly Read[]): SampleOutcomes {
  const graded = rollouts.filter(({ reward }) => reward !== null);
  const byInstance = clustersOf(
    graded,
    ({ instance }) => instance,
    ({ reward }) => reward!,
    (one) => one.isDoubted,
  );
  const clusters = [...byInstance.values()];
  return {
    address,
    who: who === '' ? null : who,
    isBaseline: stage === 'rollouts' && who !== '',
    ended: rollouts.length,
    graded: graded.length,
    judged: rollouts.filter(({ isJudged }) => isJudged).length,
    resolved: graded.filter(({ reward }) => reward === 1).length,
    rate: rateOf(clusters),
    pass: passRates(clusters).filter(({ k }) => k > 1),
    exits: countOf(rollouts.flatMap(({ exit }) => exit ?? [])),
    voided: countOf(rollouts.flatMap(({ voided }) => voided)),
    examples: Object.fromEntries(rollouts.flatMap(({ exit, item }) => (exit === null ? [] : [[exit, item]]))),
  };
}

/** Most frequent first. */
function countOf(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

/** The numbers of every evaluated name. */
export async function evaluations(session: Session, end: RunEnd): Promise<EvaluationMetrics[]> {
  const found: EvaluationMetrics[] = [];
  for (const { state, blocked } of end.nodes.values()) {
    if (state.node.stage !== 'evaluate' || blocked !== null) continue;
    for (const { name } of state.entries()) {
      const metrics = await readJson<EvaluationMetrics>(session, state.record(name)?.outputs['metrics.json']);
      if (metrics !== null) found.push(metrics);
    }
  }
  return found;
}

async function readJson<T>({ cache }: Session, output: Output | undefined): Promise<T | null> {
  const text = await readText(cache, output);
  return text === null ? null : (JSON.parse(text) as T);
}

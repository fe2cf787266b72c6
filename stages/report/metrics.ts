/** The numbers of a dataset's rollouts: metrics.json. */

import { BASELINES, isBaseline } from '../../agent/kinds/registry.ts';
import { plural } from '../../basics/plural.ts';
import { type Cluster, clustersOf, type Doubts, type Rate, rateOf } from '../../basics/rates.ts';
import { isDoubted } from '../../grading/rules/findings.ts';
import { isFault } from '../../schemas/outcome.ts';
import { integrityOf, sumOf, tally } from '../evaluate/metrics.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';
import { loggedMetrics, reduce } from './agent-metrics.ts';
import { type PassRate, passRates } from './pass.ts';
import type { ReportedRollout } from './rollout.ts';

export interface ReportMetrics {
  dataset: string;
  instances: { dataset: number; validated: number; rolled_out: number; resolved: number };
  rollouts: { total: number; graded: number; resolved: number; partial: number };
  /** Share of resolved ones among the graded. */
  rate: Rate;
  pass: PassRate[];
  /** agent/* and reward/*, as trainers log them. */
  metrics: Record<string, number>;
  by_repository: Record<string, RepositoryMetrics>;
  exit_statuses: Record<string, number>;
  /** Why there is no reward. */
  reasons: Record<string, number>;
  integrity: ReturnType<typeof integrityOf>;
  presets: string[];
  relaxations: string[];
  waits: Record<'queued' | 'open' | 'endpoint', WaitMetrics> | null;
  models: string[];
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** Prompts with `model.render: exact`; absent: none. */
  prompts?: PromptMetrics;
  /** US dollars; null without prices. */
  cost: number | null;
  /** Rollouts without an answer because of a machine or a service, by reason. */
  faults: Record<string, number>;
  baselines: Record<string, BaselineMetrics>;
  /** Contradictions in the results. Do not trust the other numbers before these are understood. */
  alarms: string[];
}

interface RepositoryMetrics {
  instances: number;
  rollouts: number;
  resolved: number;
  reward_mean: number | null;
  /** Bounds of the 95 % interval of the mean, by instance. */
  low: number | null;
  high: number | null;
  /** Absent: none of the resolved rollouts has doubts. */
  doubts?: Doubts;
}

/** Calls by how their prompts were sent. The others of `calls` continue none. */
interface PromptMetrics {
  calls: number;
  token_in: number;
  fell_back: number;
}

/** Seconds. */
interface WaitMetrics {
  mean: number;
  max: number;
  sum: number;
}

interface BaselineMetrics {
  rollouts: number;
  graded: number;
  resolved: number;
}

/** `baseline`: the type of the project's agent where that is one. */
export function reportMetrics(
  dataset: string,
  counts: { dataset: number; validated: number },
  all: readonly ReportedRollout[],
  baseline: string | null = null,
): ReportMetrics {
  const rollouts = all.filter(({ sample }) => !isBaseline(sample));
  const graded = rollouts.filter(({ reward }) => reward !== null);
  const resolved = graded.filter(({ reward }) => reward === 1);
  const clusters = byInstance(graded);
  const distinct = (among: readonly ReportedRollout[]) => new Set(among.map(({ instance }) => instance)).size;
  const summaries = rollouts.flatMap(({ summary }) => summary ?? []);
  const baselines = Object.fromEntries(BASELINES.flatMap(({ name }) => baselineOf(name, all)));
  const faults = rollouts.flatMap(({ outcome }) => (isFault(outcome) ? [outcome.reason] : []));
  return {
    dataset,
    instances: { ...counts, rolled_out: distinct(rollouts), resolved: distinct(resolved) },
    rollouts: {
      total: rollouts.length,
      graded: graded.length,
      resolved: resolved.length,
      partial: graded.filter(({ partial }) => partial).length,
    },
    rate: rateOf(clusters),
    pass: passRates(clusters),
    metrics: { ...loggedMetrics(rollouts.map((one) => one.metrics)), ...rewardMetrics(rollouts, graded) },
    by_repository: byRepository(graded),
    exit_statuses: tally(summaries.map(({ exit_status }) => exit_status ?? 'none')),
    reasons: tally(rollouts.flatMap(({ outcome }) => reasonOf(outcome) ?? [])),
    integrity: integrityOf(rollouts.flatMap((one) => one.integrity)),
    presets: distinctOf(rollouts.map(({ preset }) => preset)),
    relaxations: distinctOf(rollouts.flatMap((one) => one.relaxations)),
    waits: waitMetrics(rollouts),
    models: distinctOf(summaries.map(({ model }) => model)),
    prompt_tokens: sumOf(summaries.map(({ prompt_tokens }) => prompt_tokens)),
    completion_tokens: sumOf(summaries.map(({ completion_tokens }) => completion_tokens)),
    ...promptMetrics(summaries),
    cost: sumOf(summaries.map(({ cost }) => cost)),
    faults: tally(faults),
    baselines,
    alarms: alarmsOf(all, baseline),
  };
}

function promptMetrics(summaries: readonly RolloutSummary[]): { prompts?: PromptMetrics } {
  const exact = summaries.filter(({ token_in }) => token_in !== undefined);
  if (exact.length === 0) return {};
  const sum = (key: keyof PromptMetrics) => exact.reduce((total, one) => total + (one[key] ?? 0), 0);
  return { prompts: { calls: sum('calls'), token_in: sum('token_in'), fell_back: sum('fell_back') } };
}

function reasonOf(outcome: ReportedRollout['outcome']): string | null {
  return outcome.status === 'ok' || isFault(outcome) ? null : outcome.reason;
}

function distinctOf(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort();
}

function byInstance(graded: readonly ReportedRollout[]): Cluster[] {
  return [
    ...clustersOf(
      graded,
      ({ instance }) => instance,
      ({ reward }) => reward ?? 0,
      ({ integrity }) => isDoubted(integrity),
    ).values(),
  ];
}

/** Counts and shares over the graded rollouts; exit statuses over all that ended. */
function rewardMetrics(
  rollouts: readonly ReportedRollout[],
  graded: readonly ReportedRollout[],
): Record<string, number> {
  const metrics: Record<string, number> = {};
  const ended = rollouts.flatMap(({ summary }) => summary?.exit_status ?? []);
  for (const [status, count] of Object.entries(tally(ended)))
    metrics[`agent/exit_status/${status}`] = count / ended.length;
  if (graded.length === 0) return metrics;
  const counts = {
    resolved: graded.filter(({ reward }) => reward === 1).length,
    unresolved: graded.filter(({ reward }) => reward === 0).length,
    parser_unavailable: graded.filter(({ outcome }) => reasonOf(outcome) === 'not-gradable').length,
  };
  for (const [name, count] of Object.entries(counts)) {
    metrics[`reward/${name}_count`] = count;
    metrics[`reward/${name}_ratio`] = count / graded.length;
  }
  metrics['reward/mean'] = counts.resolved / graded.length;
  for (const reward of [0, 1]) {
    const turns = graded.flatMap((one) => (one.reward === reward ? (one.metrics.turns ?? []) : []));
    if (turns.length > 0) metrics[`agent/turns_mean_reward${reward}`] = reduce(turns, 'mean');
  }
  const steps = rollouts.flatMap(({ summary }) => summary?.final_step_reward ?? []);
  if (steps.length > 0) metrics['reward/step_mean'] = reduce(steps, 'mean');
  return metrics;
}

function byRepository(graded: readonly ReportedRollout[]): Record<string, RepositoryMetrics> {
  const groups = new Map<string, ReportedRollout[]>();
  for (const one of graded) {
    const known = groups.get(one.repo);
    if (known === undefined) groups.set(one.repo, [one]);
    else known.push(one);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([repo, among]) => {
      const {
        instances,
        total: rollouts,
        resolved,
        rate: reward_mean,
        ...bounds
      } = rateOf(byInstance(among));
      const { low, high, doubts } = bounds;
      const known = { instances, rollouts, resolved, reward_mean, low, high };
      return [repo, doubts === undefined ? known : { ...known, doubts }];
    }),
  );
}

function waitMetrics(rollouts: readonly ReportedRollout[]): ReportMetrics['waits'] {
  const waits = rollouts.flatMap((one) => one.waits ?? []);
  if (waits.length === 0) return null;
  const of = (name: keyof (typeof waits)[number]): WaitMetrics => {
    const seconds = waits.map((one) => one[name] / 1000);
    return { mean: reduce(seconds, 'mean'), max: reduce(seconds, 'max'), sum: reduce(seconds, 'sum') };
  };
  return { queued: of('queued'), open: of('open'), endpoint: of('endpoint') };
}

function baselineOf(name: string, all: readonly ReportedRollout[]): [string, BaselineMetrics][] {
  const own = all.filter(({ sample }) => sample === name);
  if (own.length === 0) return [];
  const graded = own.filter(({ reward }) => reward !== null).length;
  return [
    [name, { rollouts: own.length, graded, resolved: own.filter(({ reward }) => reward === 1).length }],
  ];
}

/** Instances that an alarm names one by one. */
const NAMED = 10;

/**
 * The gold patch must resolve every validated instance, and no patch none of them. Otherwise the tasks or the grader
 * are wrong. `agent`: the baseline that is the project's agent.
 */
function alarmsOf(all: readonly ReportedRollout[], agent: string | null): string[] {
  const named = (among: readonly ReportedRollout[]) => {
    const shown = among.slice(0, NAMED).map(({ instance, outcome }) => {
      const reason = reasonOf(outcome);
      return reason === null ? instance : `${instance} (${reason})`;
    });
    return among.length > NAMED ? `${shown.join(', ')} and ${among.length - NAMED} more` : shown.join(', ');
  };
  return BASELINES.flatMap(({ name, baseline }) => {
    const { title, resolves } = baseline!;
    const wrong = all
      .filter(({ sample, outcome }) => (isBaseline(sample) ? sample : agent) === name && !isFault(outcome))
      .filter(({ reward }) => (reward === 1) !== (resolves === 'all'));
    const verb = resolves === 'all' ? 'does not resolve' : 'resolves';
    return wrong.length === 0
      ? []
      : [`${title} ${verb} ${plural(wrong.length, 'instance')}: ${named(wrong)}`];
  });
}

/** What a report shows, from the answers of a project: sums and samples of bounded size, whatever the dataset's. */

import { join } from 'node:path';
import { isBaseline } from '../../agent/kinds/registry.ts';
import type { RolloutTimings } from '../../agent/rollout.ts';
import { addTo, type Cluster, type Rate, rateOf } from '../../basics/rates.ts';
import { readText } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { addressOf, type Entry } from '../../contract/stage.ts';
import { type Counts, noCounts } from '../../engine/events.ts';
import type { NodeEnd, RunEnd } from '../../engine/run.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import { isDoubted } from '../../grading/rules/findings.ts';
import type { ActionRecord, Output } from '../../schemas/record.ts';
import { readCatalogue } from '../../stages/dataset/blocks/catalogue.ts';
import type { EvaluationMetrics } from '../../stages/evaluate/metrics.ts';
import { type PassRate, passRates } from '../../stages/report/pass.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import { leftTrajectory, type RolloutSummary } from '../../stages/rollouts/summary.ts';
import { evaluations } from '../agent-outcomes.ts';
import { outputFolder } from '../export/made-by.ts';
import type { Session } from '../session.ts';
import { instanceIds } from './instance-ids.ts';
import { type TrainingStep, trainingSteps } from './training.ts';

export interface ReportData {
  project: string;
  version: string;
  /** Of each finished stage: what everything in it came to. */
  stages: { stage: string; items: number; counts: Counts; digest: string | null }[];
  funnels: Funnel[];
  groups: RolloutGroup[];
  evaluations: EvaluationMetrics[];
  training: TrainingStep[];
}

interface Funnel {
  dataset: string;
  steps: { name: string; count: number }[];
}

/** The rollouts of one name: samples of the agent, a baseline, or an evaluated model. */
export interface RolloutGroup {
  stage: string;
  /** Empty: samples of the agent. */
  who: string;
  rollouts: number;
  graded: number;
  rate: Rate;
  pass: PassRate[];
  turns: number[];
  /** Seconds of work, waits left out. */
  seconds: number[];
  exits: [string, number][];
  reasons: [string, number][];
  findings: [string, number][];
  repositories: { repo: string; rate: Rate }[];
  promptTokens: number | null;
  completionTokens: number | null;
  /** US dollars; null without prices. */
  cost: number | null;
  models: string[];
}

/** Repositories that are shown; those with most rollouts. */
const REPOSITORIES = 40;

export async function reportData(session: Session, end: RunEnd, version: string): Promise<ReportData> {
  const groups: RolloutGroup[] = [];
  const funnels: Funnel[] = [];
  for (const [stage, { state, blocked }] of end.nodes) {
    if (blocked !== null) continue;
    if (['rollouts', 'predict'].includes(state.node.stage))
      groups.push(...(await groupsOf(session, end, stage)));
    if (state.node.stage === 'dataset') funnels.push(await funnelOf(session, end, state.node.dataset));
  }
  const stages = [...end.nodes].map(([stage, { state, blocked }]) => ({
    stage,
    items: blocked === null ? state.size() : 0,
    counts: blocked === null ? state.counts : noCounts(),
    digest: state.root,
  }));
  return {
    project: session.project.config.name,
    version,
    stages,
    funnels,
    groups,
    evaluations: await evaluations(session, end),
    training: trainingSteps(join(outputFolder(session.project), 'episodes')),
  };
}

/** What a verdict says; equal ones are one object. */
interface Judged {
  reward: number | null;
  reason: string | null;
  findings: string[];
  isDoubted: boolean;
}

/** A group as its rollouts are read: sums, and of each rollout no more than two numbers. */
class Reading {
  rollouts = 0;
  graded = 0;
  /** By instance. */
  readonly clusters = new Map<string, Cluster>();
  readonly turns: number[] = [];
  readonly seconds: number[] = [];
  readonly exits = new Map<string, number>();
  readonly reasons = new Map<string, number>();
  readonly findings = new Map<string, number>();
  readonly models = new Set<string>();
  readonly prompt = new Total();
  readonly completion = new Total();
  readonly cost = new Total();

  add(
    instance: string,
    judged: Judged | undefined,
    summary: RolloutSummary | null,
    timings: RolloutTimings | null,
  ) {
    const { reward = null, reason = null, findings = [], isDoubted: doubted = false } = judged ?? {};
    this.rollouts += 1;
    this.turns.push(summary?.steps ?? 0);
    if (timings !== null) this.seconds.push((timings.total - timings.waited) / 1000);
    if (reason !== null) count(this.reasons, reason);
    for (const finding of findings) count(this.findings, finding);
    if (reward !== null) {
      this.graded += 1;
      const cluster = this.clusters.get(instance) ?? { sum: 0, count: 0 };
      this.clusters.set(instance, cluster);
      addTo(cluster, reward, doubted);
    }
    if (summary === null) return;
    count(this.exits, summary.exit_status ?? 'none');
    this.prompt.add(summary.prompt_tokens);
    this.completion.add(summary.completion_tokens);
    this.cost.add(summary.cost);
    if (summary.model !== null) this.models.add(summary.model);
  }
}

async function groupsOf(session: Session, end: RunEnd, address: string): Promise<RolloutGroup[]> {
  const { state } = end.nodes.get(address)!;
  const repos = await repositoriesOf(session, end, state.node.dataset);
  const judged = await judgedIn(session, end.nodes.get(addressOf('grade', state.node.dataset)));
  const groups = new Map<string, Reading>();
  for (const { name, key, outcome } of state.eachEntry()) {
    if (!leftTrajectory(outcome)) continue;
    const { instance, sample } = splitItem(name);
    const record = recordOf(session, key);
    const summary = await readJson<RolloutSummary>(session, record?.outputs.summary);
    const timings = await readJson<RolloutTimings>(session, record?.notes.timings);
    const who = state.node.stage === 'predict' || isBaseline(sample) ? sample : '';
    const group = groups.get(who) ?? new Reading();
    groups.set(who, group);
    group.add(instance, judged.get(name), summary, timings);
  }
  return [...groups].map(([who, group]) => groupOf(address, who, group, repos));
}

/** What the verdicts on a dataset's rollouts say, by the rollouts' names. */
async function judgedIn(session: Session, grade: NodeEnd | undefined): Promise<ReadonlyMap<string, Judged>> {
  const found = new Map<string, Judged>();
  const known = new Map<string, Judged>();
  for (const { name, key } of grade?.blocked === null ? grade.state.eachEntry() : []) {
    const verdict = await readJson<GradeVerdict>(session, recordOf(session, key)?.outputs.verdict);
    if (verdict === null) continue;
    const { reward, reason, integrity } = verdict;
    const findings = integrity.map(({ rule, effect }) => `${rule}, ${effect}`);
    const text = JSON.stringify([reward, reason, findings]);
    const judged = known.get(text) ?? { reward, reason, findings, isDoubted: isDoubted(integrity) };
    known.set(text, judged);
    found.set(name, judged);
  }
  return found;
}

function groupOf(
  stage: string,
  who: string,
  group: Reading,
  repos: ReadonlyMap<string, string>,
): RolloutGroup {
  const clusters = [...group.clusters.values()];
  const byRepo = new Map<string, Cluster[]>();
  for (const [instance, cluster] of group.clusters) {
    const repo = repos.get(instance) ?? 'unknown';
    const own = byRepo.get(repo) ?? [];
    byRepo.set(repo, own);
    own.push(cluster);
  }
  const gradedIn = (own: readonly Cluster[]) => own.reduce((sum, one) => sum + one.count, 0);
  const { rollouts, graded, turns, seconds } = group;
  return {
    ...{ stage, who, rollouts, graded, turns, seconds },
    rate: rateOf(clusters),
    pass: passRates(clusters),
    exits: oftenFirst(group.exits),
    reasons: oftenFirst(group.reasons),
    findings: oftenFirst(group.findings),
    repositories: [...byRepo]
      .sort((a, b) => gradedIn(b[1]) - gradedIn(a[1]) || (a[0] < b[0] ? -1 : 1))
      .slice(0, REPOSITORIES)
      .map(([repo, own]) => ({ repo, rate: rateOf(own) })),
    promptTokens: group.prompt.value(),
    completionTokens: group.completion.value(),
    cost: group.cost.value(),
    models: [...group.models].sort(),
  };
}

/** From rows that were read to what is trained on. */
async function funnelOf(session: Session, end: RunEnd, dataset: string): Promise<Funnel> {
  const rows = [...(await repositoriesOf(session, end, dataset)).keys()];
  const steps = [{ name: 'read', count: rows.length }];
  const okIn = (stage: string) => {
    const node = end.nodes.get(addressOf(stage, dataset));
    return node === undefined || node.blocked !== null ? null : node.state;
  };
  const validated = okIn('validate');
  if (validated !== null) {
    let built = 0;
    for (const { outcome } of validated.eachEntry())
      if (!('reason' in outcome && UNBUILT.includes(outcome.reason))) built += 1;
    steps.push({ name: 'built', count: built }, { name: 'valid', count: validated.counts.ok });
  }
  const rolled = okIn('rollouts');
  if (rolled !== null) steps.push({ name: 'rolled out', count: instancesIn(rolled.eachEntry()) });
  const graded = okIn('grade');
  if (rolled !== null && graded !== null)
    steps.push({ name: 'solved', count: instancesIn(graded.eachEntry()) });
  for (const [stage, file, name] of [
    ['golden', 'golden.jsonl', 'kept'],
    ['sft-data', 'sft.jsonl', 'trained on'],
  ] as const) {
    const output = okIn(stage)?.record('')?.outputs[file];
    const ids = await instanceIds(session.cache, output);
    if (ids !== null) steps.push({ name, count: ids.size });
  }
  return { dataset, steps };
}

/** Reasons of an instance whose environment could not be built. */
const UNBUILT = ['environment-failed', 'install-failed'];

/** Instances with a sample that is no baseline and ended well. */
function instancesIn(entries: Iterable<Entry>): number {
  const found = new Set<string>();
  for (const { name, outcome } of entries) {
    const { instance, sample } = splitItem(name);
    if (outcome.status === 'ok' && !isBaseline(sample)) found.add(instance);
  }
  return found.size;
}

/** The repository of each row of a dataset, in its order; none while it has no answer. */
export async function repositoriesOf(
  session: Session,
  end: RunEnd,
  dataset: string,
): Promise<Map<string, string>> {
  const node = end.nodes.get(addressOf('dataset', dataset));
  const record = node === undefined || node.blocked !== null ? null : node.state.record('');
  if (record === null || record.outcome.status !== 'ok') return new Map();
  const catalogue = await readCatalogue(record, session.services);
  const found = new Map<string, string>();
  for (const block of catalogue.blocks)
    for (const { id, group } of catalogue.rowsOf(block)) found.set(id, catalogue.groups[group]!.repo);
  return found;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function oftenFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** A sum; null when a part is not known, or there is none. */
class Total {
  #sum: number | null = null;
  #isKnown = true;

  add(part: number | null): void {
    if (part === null) this.#isKnown = false;
    else this.#sum = (this.#sum ?? 0) + part;
  }

  value(): number | null {
    return this.#isKnown ? this.#sum : null;
  }
}

function recordOf({ cache }: Session, key: Entry['key']): ActionRecord | undefined {
  return key === null ? undefined : cache.database.records.get(binaryKey(key));
}

async function readJson<T>({ cache }: Session, output: Output | undefined): Promise<T | null> {
  const text = await readText(cache, output);
  return text === null ? null : (JSON.parse(text) as T);
}

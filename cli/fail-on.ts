/**
 * Conditions under which a build that made everything still ends with code 1, for continuous integration:
 * `resolved < 30%`, `resolved.high < 0.3`, `oracle < 100%`, `validate.failed > 5`, `limits_exceeded > 10%`.
 */
import { BASELINES } from '../agent/kinds/registry.ts';
import type { SampleOutcomes } from '../app/agent-outcomes.ts';
import { formatCount, plural } from '../basics/plural.ts';
import { percent, type Rate } from '../basics/rates.ts';
import type { NodeEnd, RunEnd } from '../engine/run.ts';
import type { ExitStatus } from '../schemas/trajectory.ts';
import type { EvaluationMetrics } from '../stages/evaluate/metrics.ts';
import type { UsageError } from './arguments.ts';
import { isOfBaseline } from './baseline-items.ts';

type Operator = '<' | '<=' | '>' | '>=' | '==' | '!=';
type Bound = 'low' | 'high';

export interface Condition {
  /** As it was written. */
  text: string;
  /** Stage or stage.dataset; null: any. */
  stage: string | null;
  /** A status of items, a count of rollouts, how rollouts end, a rate, or a baseline. */
  name: string;
  /** Of a rate: a bound of its 95 % interval in place of the rate itself; null: the rate. */
  interval: Bound | null;
  operator: Operator;
  bound: number;
  /** The bound is a share, and not a number. */
  isShare: boolean;
}

/** What is compared with: results of the stages, of their rollouts, and of evaluations. */
export interface Results {
  end: Pick<RunEnd, 'nodes'>;
  outcomes: readonly SampleOutcomes[];
  evaluations: readonly EvaluationMetrics[];
}

const STATUSES = ['ok', 'failed', 'flaky', 'timeout', 'infra', 'config', 'stopped'] as const;
type Status = (typeof STATUSES)[number];
const COUNTS = ['rollouts', 'graded'] as const;
const EXITS: Readonly<Record<ExitStatus, true>> = {
  submitted: true,
  limits_exceeded: true,
  time_exceeded: true,
  repeated_format_error: true,
  context_exceeded: true,
  truncated: true,
  workspace_killed: true,
  content_filtered: true,
  crashed: true,
  gave_up: true,
};

const FORM =
  /^\s*(?:([a-z-]+(?:\.[\w-]+)?)\.)?(?!low\b|high\b)([a-z_]+|pass@\d+)(?:\.(low|high))?\s*(<=|>=|==|!=|<|>)\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/;

export function readConditions(texts: readonly string[]): Condition[] | UsageError {
  const read: Condition[] = [];
  for (const text of texts) {
    const [, stage, name = '', interval, operator, number, percentSign] = FORM.exec(text) ?? [];
    const isRate = isRateName(name);
    if (!(isRate || isBaselineName(name) || isNumber(name)) || (interval !== undefined && !isRate))
      return unreadable(text);
    const isPercent = percentSign === '%';
    const bound = Number(number) / (isPercent ? 100 : 1);
    const isShare = isPercent || isRate || isBaselineName(name);
    if (isShare && bound > 1)
      return unreadable(text, `${name} is a share: write a number with %, or one up to 1`);
    read.push({
      text: text.trim(),
      stage: stage ?? null,
      name,
      interval: (interval as Bound | undefined) ?? null,
      operator: operator as Operator,
      bound,
      isShare,
    });
  }
  return read;
}

function unreadable(text: string, why?: string): UsageError {
  const names = ['resolved', 'pass@K', ...BASELINES.map(({ name }) => name), ...COUNTS, ...STATUSES];
  return {
    kind: 'usage',
    message: `--fail-on cannot read "${text}"`,
    remedy:
      why ??
      `write NAME OPERATOR NUMBER, such as "resolved < 30%"; names are ${names.join(', ')}, how rollouts end (${Object.keys(EXITS).join(', ')}), with a stage in front as in validate.failed; resolved.low and resolved.high are bounds of the interval`,
  };
}

function isRateName(name: string): boolean {
  return name === 'resolved' || name.startsWith('pass@');
}

function isBaselineName(name: string): boolean {
  return BASELINES.some((one) => one.name === name);
}

function isNumber(name: string): boolean {
  return isStatus(name) || isCount(name) || Object.hasOwn(EXITS, name);
}

function isStatus(name: string): name is Status {
  return (STATUSES as readonly string[]).includes(name);
}

function isCount(name: string): boolean {
  return (COUNTS as readonly string[]).includes(name);
}

/** The conditions that hold, each with what was found; `unmet`: those that nothing could be compared with. */
export function holding(
  conditions: readonly Condition[],
  results: Results,
): { held: string[]; unmet: string[] } {
  const held: string[] = [];
  const unmet: string[] = [];
  for (const condition of conditions) {
    const values = valuesOf(condition, results);
    if (values.length === 0) unmet.push(condition.text);
    for (const { where, value } of values)
      if (compare(value, condition.operator, condition.bound))
        held.push(`${condition.text}: ${where} has ${shown(value, condition.isShare)}`);
  }
  return { held, unmet };
}

/** Why a build in which everything was made ends with code 1. */
export interface Held {
  what: string;
  remedy: string;
}

/**
 * The datasets with a smaller share of sound instances than `validation.min_pass`. Without `min_pass` those of which all instances
 * were validated and none is sound.
 */
export function tooFewSound(minPass: string | undefined, end: RunEnd): Held[] {
  if (minPass === undefined) {
    return [
      ...emptyDatasets(end).map((what) => ({ what, remedy: 'validation.min_pass: 0% makes this code 0' })),
      ...noneSound(end),
      ...noneBuilt(end),
    ];
  }
  const condition = readConditions([`validate.ok < ${minPass}`]) as Condition[];
  const { held } = holding(condition, { end, outcomes: [], evaluations: [] });
  return held.map((what) => ({ what, remedy: 'validation.min_pass asks for code 1 then' }));
}

/** Without instances every later stage succeeds with empty files. */
function emptyDatasets({ nodes }: RunEnd): string[] {
  return [...nodes.values()]
    .filter(
      ({ state, blocked }) => state.node.stage === 'environments' && blocked === null && state.size() === 0,
    )
    .map(
      ({ state: { node } }) =>
        `dataset.${node.dataset} has no instances: its source holds no rows, or select leaves none`,
    );
}

function noneSound(end: RunEnd): Held[] {
  return allFailed(end, 'validate').map(([address, size]) => {
    const none = size === 1 ? 'the only instance is not' : `none of the ${formatCount(size)} instances is`;
    return {
      what: `${address}: ${none} sound, so there is nothing to roll out`,
      remedy: `swemake logs '${address}@INSTANCE' says why; validation.min_pass: 0% makes this code 0`,
    };
  });
}

/** Where instances are validated, these say it. */
function noneBuilt(end: RunEnd): Held[] {
  const datasets = [...end.nodes.keys()].flatMap((address) => /^validate\.(.*)$/.exec(address)?.[1] ?? []);
  return allFailed(end, 'environments')
    .filter(([address]) => !datasets.includes(address.slice('environments.'.length)))
    .map(([address, size]) => ({
      what: `${address}: ${size === 1 ? 'the only environment is not' : `none of the ${formatCount(size)} environments is`} built`,
      remedy: `swemake logs '${address}@NAME' says why; validation.min_pass: 0% makes this code 0`,
    }));
}

/** Nodes of a stage all of whose items have an answer, and a bad one; with their number. */
function allFailed({ nodes }: RunEnd, stage: string): [address: string, size: number][] {
  return [...nodes].flatMap(([address, { state, blocked }]): [string, number][] => {
    const { failed, flaky, timeout } = state.counts;
    const size = state.size();
    const isAll = size > 0 && failed + flaky + timeout >= size;
    return address.startsWith(`${stage}.`) && blocked === null && isAll ? [[address, size]] : [];
  });
}

/** The warning about conditions that nothing could be compared with. */
export function unmetWarning(unmet: readonly string[]): string[] {
  if (unmet.length === 0) return [];
  const what = plural(unmet.length, 'condition');
  return [
    `${what} of --fail-on had nothing to compare with, and so ${unmet.length === 1 ? 'does' : 'do'} not hold: ${unmet.join('; ')}`,
  ];
}

interface Value {
  where: string;
  value: number;
}

function valuesOf(condition: Condition, { end, outcomes, evaluations }: Results): Value[] {
  const { stage, name, isShare } = condition;
  const isMeant = (address: string) => stage === null || address === stage || address.split('.')[0] === stage;
  if (isStatus(name))
    return [...end.nodes].flatMap(([where, node]) => {
      const counted = isMeant(where) ? countIn(where, node, name) : null;
      return counted === null ? [] : [{ where, value: isShare ? counted.share : counted.count }];
    });
  const own = outcomes.filter(({ address }) => isMeant(address));
  if (isBaselineName(name))
    return own
      .filter(({ isBaseline, who, judged }) => isBaseline && who === name && judged > 0)
      .map(({ address, resolved, judged }) => ({ where: address, value: resolved / judged }));
  const samples = own.filter(({ isBaseline, ended }) => !isBaseline && ended > 0);
  if (!isRateName(name))
    return samples.map((one) => ({ where: placeOf(one), value: numberOf(one, name, isShare) }));
  // An evaluation's rate is of all its instances, as it is published.
  const evaluated =
    name === 'resolved' ? evaluations.filter(({ dataset }) => isMeant(`evaluate.${dataset}`)) : [];
  const isEvaluated = (one: SampleOutcomes) =>
    stage === null && evaluated.some(({ dataset }) => one.address === `predict.${dataset}`);
  return [
    ...samples
      .filter((one) => !isEvaluated(one))
      .flatMap((one) =>
        rateValue(placeOf(one), name === 'resolved' ? one.rate : passOf(one, name), condition),
      ),
    ...evaluated.flatMap(({ name: who, dataset, rates }) =>
      rateValue(`evaluate.${dataset} of ${who}`, rates.all, condition),
    ),
  ];
}

/** How many items of a stage ended so, the baselines left out of rollouts and their grades; null: the stage has no items. */
function countIn(
  address: string,
  { state, blocked }: NodeEnd,
  status: Status,
): { count: number; share: number } | null {
  if (blocked !== null || state.size() === 0) return null;
  const baselines = isOfBaseline(address) === null ? [] : state.entries().filter(isOfBaseline(address)!);
  const size = state.size() - baselines.length;
  const count = state.counts[status] - baselines.filter(({ outcome }) => outcome.status === status).length;
  return size === 0 ? null : { count, share: count / size };
}

function placeOf({ address, who }: SampleOutcomes): string {
  return who === null ? address : `${address} of ${who}`;
}

/** A count of rollouts, or its share of all that ended. */
function numberOf({ ended, graded, exits }: SampleOutcomes, name: string, isShare: boolean): number {
  const count = name === 'rollouts' ? ended : name === 'graded' ? graded : (exits[name] ?? 0);
  return isShare ? count / ended : count;
}

function passOf({ pass }: SampleOutcomes, name: string): Pick<Rate, 'rate' | Bound> | undefined {
  return pass.find(({ k }) => name === `pass@${k}`);
}

function rateValue(
  where: string,
  rate: Pick<Rate, 'rate' | Bound> | undefined,
  { interval }: Condition,
): Value[] {
  const value = rate?.[interval ?? 'rate'] ?? null;
  return value === null ? [] : [{ where, value }];
}

function compare(value: number, operator: Operator, bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '==':
      return value === bound;
    case '!=':
      return value !== bound;
  }
}

function shown(value: number, isShare: boolean): string {
  return isShare ? percent(value) : String(value);
}

/** Everything that is known of one item of rollouts, predictions, grading or validation, put together for a reader. */
import type { RolloutTimings } from '../../agent/rollout.ts';
import { readText } from '../../cache/cache.ts';
import { nodesOfTarget, splitAddress } from '../../compiler/graph.ts';
import { addressOf } from '../../contract/stage.ts';
import { addressText } from '../../engine/explain.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { ValidationTests } from '../../grading/rules/validation.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord, Output } from '../../schemas/record.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import type { Answer } from '../answers.ts';
import type { Workbench } from '../workbench.ts';
import { type FindingPlace, findingPlaces, type TestEvidence, testEvidence } from './evidence.ts';
import { bytesOf } from './log-range.ts';
import { type ShownStep, shownSteps } from './steps.ts';

interface Made {
  item: string;
  outcome: Outcome;
  run: string;
  startedAt: number;
  durationMs: number;
  /** False: an earlier answer, since the item has none with the present configuration. */
  isCurrent: boolean;
}

export interface RolloutView extends Made {
  kind: 'rollout';
  instance: string;
  sample: string;
  /** null: a patch from a file, or a rollout that ended without one. */
  trajectory: Trajectory | null;
  steps: ShownStep[];
  timings: RolloutTimings | null;
  patch: string;
  grade: GradeView | null;
}

export interface GradeView extends Made {
  verdict: GradeVerdict | null;
  tests: TestEvidence[];
  findings: FindingPlace[];
  /** Empty where it was not asked for. */
  log: string;
}

export interface ValidationView extends Made {
  kind: 'validation';
  tests: ValidationTests | null;
  log: string;
}

export type ItemView = RolloutView | ValidationView;

/** Stages whose items can be viewed. */
export const VIEWED = ['rollouts', 'predict', 'grade', 'validate'];

const ROLLING = ['rollouts', 'predict'];

/** The grading of the rollouts that `targets` mean: what else a plan for {@link itemView} must know. */
export function gradesOf(bench: Workbench, targets: readonly string[]): string[] {
  const { nodes } = bench.graph;
  return targets.flatMap((target) => {
    const addresses = nodesOfTarget(bench.graph, target);
    return nodes
      .filter(({ address, stage }) => ROLLING.includes(stage) && addresses.includes(address))
      .map(({ dataset }) => addressOf('grade', dataset))
      .filter((grade) => nodes.some(({ address }) => address === grade))
      .map((grade) => `${grade}@${splitAddress(target)[1] ?? '*'}`);
  });
}

/** `answer` is an item of a stage in {@link VIEWED}. */
export async function itemView(bench: Workbench, end: RunEnd, answer: Answer): Promise<ItemView> {
  const { stage } = end.nodes.get(answer.address)!.state.node;
  return stage === 'validate'
    ? validationView(bench, answer)
    : rolloutOf(bench, end, answer, {
        withLog: true,
        find: (address, name) => answerIn(bench, end, address, name),
      });
}

/** The answer of another item; null: it was never answered. */
type FindAnswer = (address: string, name: string) => Answer | null | Promise<Answer | null>;

/** A rollout with its grading, by the answer of either. The log of the grading may be large. */
export async function rolloutOf(
  bench: Workbench,
  end: RunEnd,
  answer: Answer,
  { withLog, find }: { withLog: boolean; find: FindAnswer },
): Promise<RolloutView> {
  const { stage, dataset } = end.nodes.get(answer.address)!.state.node;
  if (ROLLING.includes(stage)) {
    const grade = await find(addressOf('grade', dataset), answer.name);
    return rolloutView(bench, answer, answer, grade, withLog);
  }
  const from = end.nodes.get(answer.address)!.state.node.inputs.rollout!;
  return rolloutView(bench, answer, await find(from, answer.name), answer, withLog);
}

/** The answer of an item: as the plan has it, else as it was last. */
function answerIn(bench: Workbench, end: RunEnd, address: string, name: string): Answer | null {
  const node = end.nodes.get(address);
  const entry = node?.blocked === null ? node.state.entry(name) : null;
  return answerUnder(bench, address, name, entry?.key ?? null);
}

/** The answer of an item under the key that it has now; else as it was last. */
export function answerUnder(
  bench: Workbench,
  address: string,
  name: string,
  key: Answer['key'] | null,
): Answer | null {
  const item = addressText({ address, item: name });
  const record = key === null ? undefined : recordOf(bench, key);
  if (record !== undefined) return { item, address, name, key: key!, record, isCurrent: true };
  const { latest } = bench.cache.database;
  const last = latest.get(`${bench.project.config.name}/${item}`);
  const old = last === undefined ? undefined : recordOf(bench, last.key);
  return last === undefined || old === undefined
    ? null
    : { item, address, name, key: last.key, record: old, isCurrent: false };
}

function recordOf(bench: Workbench, key: Answer['key']): ActionRecord | undefined {
  return bench.cache.database.records.get(Buffer.from(key, 'hex'));
}

async function rolloutView(
  bench: Workbench,
  shown: Answer,
  rollout: Answer | null,
  grade: Answer | null,
  withLog: boolean,
): Promise<RolloutView> {
  const { instance, sample } = splitItem(shown.name);
  const outputs = rollout?.record.outputs ?? {};
  const trajectory = await readJson<Trajectory>(bench, outputs.trajectory);
  const timings = await readJson<RolloutTimings>(bench, rollout?.record.notes.timings);
  const patch = (await readClean(bench, outputs.patch)) ?? '';
  const steps = trajectory === null ? [] : shownSteps(trajectory, timings);
  return {
    kind: 'rollout',
    ...made(rollout ?? shown),
    item: shown.item,
    instance,
    sample,
    trajectory,
    steps,
    timings,
    patch,
    grade: grade === null ? null : await gradeView(bench, grade, patch, steps, withLog),
  };
}

async function gradeView(
  bench: Workbench,
  grade: Answer,
  patch: string,
  steps: readonly ShownStep[],
  withLog: boolean,
): Promise<GradeView> {
  const { outputs, notes } = grade.record;
  const verdict = await readJson<GradeVerdict>(bench, outputs.verdict);
  const log = bytesOf(bench.cache, notes.log);
  return {
    ...made(grade),
    verdict,
    tests: await testEvidence(verdict?.tests_status ?? null, log, bench.services.secrets),
    findings: findingPlaces(verdict?.integrity ?? [], patch, steps),
    log: withLog ? ((await readClean(bench, notes.log)) ?? '') : '',
  };
}

async function validationView(bench: Workbench, answer: Answer): Promise<ValidationView> {
  const log = (await readClean(bench, answer.record.notes.log)) ?? '';
  return { ...(await validationVerdict(bench, answer)), log };
}

/** A validation without its log, which may be large. */
export async function validationVerdict(
  bench: Workbench,
  answer: Answer,
): Promise<Omit<ValidationView, 'log'>> {
  const tests = await readJson<ValidationTests>(bench, answer.record.outputs.tests);
  return { kind: 'validation', ...made(answer), tests };
}

function made({ item, record, isCurrent }: Answer): Made {
  const { outcome, run, startedAt, durationMs } = record;
  return { item, outcome, run, startedAt, durationMs, isCurrent };
}

async function readClean({ cache, services }: Workbench, output: Output | undefined): Promise<string | null> {
  const text = await readText(cache, output);
  return text === null ? null : services.secrets.redact(text);
}

async function readJson<T>(bench: Workbench, output: Output | undefined): Promise<T | null> {
  const text = await readClean(bench, output);
  return text === null ? null : (JSON.parse(text) as T);
}

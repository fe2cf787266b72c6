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
import { parseTrajectory, type Trajectory } from '../../schemas/trajectory.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import type { Answer } from '../answers.ts';
import type { Session } from '../session.ts';
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
export function gradesOf(session: Session, targets: readonly string[]): string[] {
  const { nodes } = session.graph;
  return targets.flatMap((target) => {
    const addresses = nodesOfTarget(session.graph, target);
    return nodes
      .filter(({ address, stage }) => ROLLING.includes(stage) && addresses.includes(address))
      .map(({ dataset }) => addressOf('grade', dataset))
      .filter((grade) => nodes.some(({ address }) => address === grade))
      .map((grade) => `${grade}@${splitAddress(target)[1] ?? '*'}`);
  });
}

/** `answer` is an item of a stage in {@link VIEWED}. */
export async function itemView(session: Session, end: RunEnd, answer: Answer): Promise<ItemView> {
  const { stage } = end.nodes.get(answer.address)!.state.node;
  return stage === 'validate'
    ? validationView(session, answer)
    : rolloutOf(session, end, answer, {
        withLog: true,
        find: (address, name) => answerIn(session, end, address, name),
      });
}

/** The answer of another item; null: it was never answered. */
type FindAnswer = (address: string, name: string) => Answer | null | Promise<Answer | null>;

/** A rollout with its grading, by the answer of either. The log of the grading may be large. */
export async function rolloutOf(
  session: Session,
  end: RunEnd,
  answer: Answer,
  { withLog, find }: { withLog: boolean; find: FindAnswer },
): Promise<RolloutView> {
  const { stage, dataset } = end.nodes.get(answer.address)!.state.node;
  if (ROLLING.includes(stage)) {
    const grade = await find(addressOf('grade', dataset), answer.name);
    return rolloutView(session, answer, answer, grade, withLog);
  }
  const from = end.nodes.get(answer.address)!.state.node.inputs.rollout!;
  return rolloutView(session, answer, await find(from, answer.name), answer, withLog);
}

/** The answer of an item: as the plan has it, else as it was last. */
function answerIn(session: Session, end: RunEnd, address: string, name: string): Answer | null {
  const node = end.nodes.get(address);
  const entry = node?.blocked === null ? node.state.entry(name) : null;
  return answerUnder(session, address, name, entry?.key ?? null);
}

/** The answer of an item under the key that it has now; else as it was last. */
export function answerUnder(
  session: Session,
  address: string,
  name: string,
  key: Answer['key'] | null,
): Answer | null {
  const item = addressText({ address, item: name });
  const record = key === null ? undefined : recordOf(session, key);
  if (record !== undefined) return { item, address, name, key: key!, record, isCurrent: true };
  const { latest } = session.cache.database;
  const last = latest.get(`${session.project.config.name}/${item}`);
  const old = last === undefined ? undefined : recordOf(session, last.key);
  return last === undefined || old === undefined
    ? null
    : { item, address, name, key: last.key, record: old, isCurrent: false };
}

function recordOf(session: Session, key: Answer['key']): ActionRecord | undefined {
  return session.cache.database.records.get(Buffer.from(key, 'hex'));
}

async function rolloutView(
  session: Session,
  shown: Answer,
  rollout: Answer | null,
  grade: Answer | null,
  withLog: boolean,
): Promise<RolloutView> {
  const { instance, sample } = splitItem(shown.name);
  const outputs = rollout?.record.outputs ?? {};
  const text = await readClean(session, outputs.trajectory);
  const trajectory = text === null ? null : parseTrajectory(text);
  const timings = await readJson<RolloutTimings>(session, rollout?.record.notes.timings);
  const patch = (await readClean(session, outputs.patch)) ?? '';
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
    grade: grade === null ? null : await gradeView(session, grade, patch, steps, withLog),
  };
}

async function gradeView(
  session: Session,
  grade: Answer,
  patch: string,
  steps: readonly ShownStep[],
  withLog: boolean,
): Promise<GradeView> {
  const { outputs, notes } = grade.record;
  const verdict = await readJson<GradeVerdict>(session, outputs.verdict);
  const log = bytesOf(session.cache, notes.log);
  return {
    ...made(grade),
    verdict,
    tests: await testEvidence(verdict?.tests_status ?? null, log, session.services.secrets),
    findings: findingPlaces(verdict?.integrity ?? [], patch, steps),
    log: withLog ? ((await readClean(session, notes.log)) ?? '') : '',
  };
}

async function validationView(session: Session, answer: Answer): Promise<ValidationView> {
  const log = (await readClean(session, answer.record.notes.log)) ?? '';
  return { ...(await validationVerdict(session, answer)), log };
}

/** A validation without its log, which may be large. */
export async function validationVerdict(
  session: Session,
  answer: Answer,
): Promise<Omit<ValidationView, 'log'>> {
  const tests = await readJson<ValidationTests>(session, answer.record.outputs.tests);
  return { kind: 'validation', ...made(answer), tests };
}

function made({ item, record, isCurrent }: Answer): Made {
  const { outcome, run, startedAt, durationMs } = record;
  return { item, outcome, run, startedAt, durationMs, isCurrent };
}

async function readClean({ cache, services }: Session, output: Output | undefined): Promise<string | null> {
  const text = await readText(cache, output);
  return text === null ? null : services.secrets.redact(text);
}

async function readJson<T>(session: Session, output: Output | undefined): Promise<T | null> {
  const text = await readClean(session, output);
  return text === null ? null : (JSON.parse(text) as T);
}

/**
 * One instance with its rollouts as a group: which tests pass in which, where two differ, and whether a trainer can
 * learn from them.
 */

import { isBaseline } from '../../agent/kinds/registry.ts';
import { type ShownStep, shownSteps } from '../../app/view/steps.ts';
import { readText } from '../../cache/cache.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import { readCatalogue, readInstance } from '../../stages/dataset/blocks/catalogue.ts';
import type { RolloutSummary } from '../../stages/rollouts/summary.ts';
import type { InstanceView, SampleView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import { answerOf, validationOf, verdictOf } from './rollout.ts';
import type { Row } from './rows.ts';

/** The most samples and tests that are shown side by side. */
const SAMPLES = 32;
const TESTS = 200;
const TEXT = 60_000;

export async function instanceView(
  project: LiveProject,
  dataset: string,
  id: string,
): Promise<InstanceView | null> {
  const row = (await project.rows()).find(dataset, id);
  if (row === null) return null;
  const { session, end } = project.snapshot;
  const record = end.nodes.get(`dataset.${dataset}`)!.state.record('')!;
  const catalogue = await readCatalogue(record, session.services);
  const task = await readInstance(record, catalogue.rowOf(id)!, session.services);
  const group = await groupOf(project, row);
  return {
    dataset,
    id,
    repo: row.repo,
    environment: row.environment,
    problem: task.problem_statement.slice(0, TEXT),
    gold: task.patch.slice(0, TEXT),
    failToPass: task.FAIL_TO_PASS.slice(0, TESTS),
    passToPass: task.PASS_TO_PASS.length,
    step: row.step,
    validation: await validationOf(project, `validate.${dataset}@${id}`),
    samples: group.map(({ sample }) => sample),
    ...matrixOf(group, task.FAIL_TO_PASS, task.PASS_TO_PASS),
    noSignal: noSignal(group.map(({ sample }) => sample)),
    partings: partingsOf(group),
  };
}

interface Member {
  sample: SampleView;
  verdict: GradeVerdict | null;
  steps: ShownStep[];
}

async function groupOf(project: LiveProject, row: Row): Promise<Member[]> {
  const members: Member[] = [];
  for (const { stage, sample, status, reward, reason, who } of row.samples.slice(0, SAMPLES)) {
    const item = `${stage}.${row.dataset}@${row.id}#${sample}`;
    const record = (await answerOf(project, item))?.record;
    const trajectory = await readText(project.snapshot.session.cache, record?.outputs.trajectory);
    const summary = await jsonOf<RolloutSummary>(project, record, 'summary');
    const verdict = await verdictOf(project, item);
    const patch = await readText(project.snapshot.session.cache, record?.outputs.patch);
    members.push({
      verdict,
      steps: trajectory === null ? [] : shownSteps(parseTrajectory(trajectory), null),
      sample: {
        item,
        sample,
        status,
        exit: summary?.exit_status ?? '',
        steps: summary?.steps ?? 0,
        reward,
        reason: verdict?.reason ?? reason,
        findings: (verdict?.integrity ?? []).map(({ rule, effect }) => `${rule}, ${effect}`),
        isBaseline: isBaseline(who),
        patch: (patch ?? '').slice(0, TEXT),
      },
    });
  }
  return members;
}

async function jsonOf<T>(
  project: LiveProject,
  record: ActionRecord | undefined,
  name: string,
): Promise<T | null> {
  const text = await readText(project.snapshot.session.cache, record?.outputs[name]);
  return text === null ? null : (JSON.parse(text) as T);
}

/** Every FAIL_TO_PASS test, and those of PASS_TO_PASS on which samples differ or that some sample broke. */
function matrixOf(group: readonly Member[], failToPass: readonly string[], passToPass: readonly string[]) {
  const sets = group.map(({ verdict }) => {
    const status = verdict?.tests_status ?? null;
    if (status === null) return null;
    const { FAIL_TO_PASS: f2p, PASS_TO_PASS: p2p } = status;
    return {
      passed: new Set([...f2p.success, ...p2p.success]),
      failed: new Set([...f2p.failure, ...p2p.failure]),
    };
  });
  const cellsOf = (test: string) =>
    sets.map((set) =>
      set === null ? null : set.passed.has(test) ? true : set.failed.has(test) ? false : null,
    );
  const all = [
    ...failToPass.map((test) => ({ test, list: 'FAIL_TO_PASS', cells: cellsOf(test) })),
    ...passToPass
      .map((test) => ({ test, list: 'PASS_TO_PASS', cells: cellsOf(test) }))
      .filter(({ cells }) => cells.includes(false)),
  ];
  return { matrix: all.slice(0, TESTS), moreTests: Math.max(0, all.length - TESTS) };
}

/** Why a group is useless for a trainer that compares samples: all have the same reward. */
function noSignal(samples: readonly SampleView[]): string {
  const own = samples.filter(({ isBaseline: is }) => !is);
  const rewards = own.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  if (own.length < 2) return '';
  if (rewards.length === 0) return 'no sample has a reward';
  if (rewards.length < 2) return 'only one sample has a reward';
  if (rewards.every((reward) => reward === 1)) return `all ${rewards.length} samples solve it`;
  return rewards.every((reward) => reward === 0) ? `none of ${rewards.length} samples solves it` : '';
}

const PAIRS = 28;

function partingsOf(group: readonly Member[]): InstanceView['partings'] {
  const found: InstanceView['partings'] = [];
  const own = group.filter(({ steps }) => steps.length > 0);
  for (const [index, one] of own.entries()) {
    for (const other of own.slice(index + 1)) {
      if (found.length === PAIRS) return found;
      const step = firstDifference(one.steps, other.steps);
      if (step === null) continue;
      found.push({
        one: one.sample.sample,
        other: other.sample.sample,
        step: step + 1,
        left: doneIn(one.steps[step]),
        right: doneIn(other.steps[step]),
      });
    }
  }
  return found;
}

function firstDifference(one: readonly ShownStep[], other: readonly ShownStep[]): number | null {
  const most = Math.max(one.length, other.length);
  for (let step = 0; step < most; step += 1) if (doneIn(one[step]) !== doneIn(other[step])) return step;
  return null;
}

function doneIn(step: ShownStep | undefined): string {
  if (step === undefined) return '(it had ended)';
  return (
    step.actions
      .map(({ command }) => command.trim())
      .join('\n')
      .slice(0, 2000) || '(no action)'
  );
}

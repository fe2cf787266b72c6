/** What golden reads of one rollout: its record, its verdict and its leak report. */
import type { LeakFinding } from '../../agent/leaks/finding.ts';
import { leakReport } from '../../agent/leaks/report.ts';
import type { ItemResults } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { type GradeVerdict, rewardOf } from '../../grading/grade-verdict.ts';
import type { GoldenConfig } from '../../schemas/generated/project.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import { splitItem } from '../rollouts/item-name.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';
import type { DroppedLine, GoldenLine } from './line.ts';
import { dropReason } from './policy.ts';

/** What of a verdict counts here. */
type Graded = Pick<GradeVerdict, 'reward' | 'preset' | 'relaxations'>;

/** One rollout, decided. */
export interface Decision {
  instance_id: string;
  sample: string;
  /** null: it made no trajectory. */
  summary: RolloutSummary | null;
  graded: Graded | null;
  findings: LeakFinding[];
  golden: GoldenLine | null;
  dropped: DroppedLine | null;
}

export async function decide(
  name: string,
  instance: Instance,
  { answers, verdicts }: { answers: ItemResults; verdicts: ItemResults },
  policy: GoldenConfig,
  tools: Tools,
): Promise<Decision> {
  const { instance: instance_id, sample } = splitItem(name);
  const outputs = answers.outputs(name);
  const text = await tools.need(outputs.trajectory);
  const summary = await read<RolloutSummary>(outputs.summary, tools);
  if (text === null || summary === null) {
    const detail = describe(answers.outcome(name));
    const dropped: DroppedLine = { instance_id, sample, why: 'no-trajectory', detail };
    return { instance_id, sample, summary: null, graded: null, findings: [], golden: null, dropped };
  }
  const outcome = verdicts.outcome(name);
  const graded = await read<Graded>(verdicts.outputs(name).verdict, tools);
  const reward = graded === null ? rewardOf(outcome) : graded.reward;
  const findings = leakReport(parseTrajectory(text), instance);
  const isFlaky = outcome.status === 'flaky';
  const why = dropReason({ summary, reward, isFlaky, verdict: describe(outcome), findings }, policy);
  const about = { instance_id, sample, summary, graded, findings };
  if (why !== null) return { ...about, golden: null, dropped: { instance_id, sample, ...why } };
  const { trajectory, patch } = outputs;
  const golden: GoldenLine = {
    instance_id,
    sample,
    trajectory: trajectory!.digest,
    patch: patch!.digest,
    reward: reward!,
    steps: summary.steps,
  };
  return { ...about, golden, dropped: null };
}

async function read<T>(output: Output | undefined, tools: Tools): Promise<T | null> {
  const text = await tools.need(output);
  return text === null ? null : (JSON.parse(text) as T);
}

function describe(outcome: Outcome): string {
  return 'reason' in outcome ? `${outcome.reason}: ${outcome.detail}` : outcome.status;
}

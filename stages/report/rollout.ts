/** Every rollout of a dataset with its verdict and times, reduced to what a report needs. */
import type { RolloutTimings } from '../../agent/rollout.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { ItemResult, ItemResults } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { Finding } from '../../grading/rules/findings.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { type Catalogue, readCatalogue } from '../dataset/blocks/catalogue.ts';
import { readJson, readNote } from '../evaluate/sample.ts';
import { itemName, splitItem } from '../rollouts/item-name.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';
import { type AgentMetrics, agentMetrics } from './agent-metrics.ts';

export interface ReportedRollout {
  instance: string;
  sample: string;
  repo: string;
  /** How it ended: that of grading, or of the rollout where there was nothing to grade. */
  outcome: Outcome;
  /** null: no verdict, or one that it passes only sometimes. */
  reward: 0 | 1 | null;
  partial: boolean;
  summary: RolloutSummary | null;
  integrity: Finding[];
  preset: string | null;
  relaxations: string[];
  metrics: AgentMetrics;
  /** Milliseconds; null where they were not noted. */
  waits: { queued: number; open: number; endpoint: number } | null;
}

const READERS = 8;

/** All rollouts, in the dataset's order. */
export async function readRollouts(
  {
    dataset,
    rollouts: rolled,
    verdicts,
  }: { dataset: ItemResult; rollouts: ItemResults; verdicts: ItemResults },
  tools: Tools,
): Promise<{ catalogue: Catalogue; rollouts: ReportedRollout[] }> {
  const catalogue = await readCatalogue(dataset, tools.machine);
  const samples = new Map<string, string[]>();
  for (const name of rolled.names) {
    const { instance, sample } = splitItem(name);
    samples.set(instance, [...(samples.get(instance) ?? []), sample]);
  }
  const wanted = catalogue.rows.flatMap(({ id, group }) =>
    (samples.get(id) ?? []).map((sample) => ({ id, sample, repo: catalogue.groups[group]!.repo })),
  );
  const rollouts = await mapLimit(wanted, READERS, async ({ id, sample, repo }): Promise<ReportedRollout> => {
    const item = itemName(id, sample);
    const graded = verdicts.has(item) ? verdicts.outcome(item) : null;
    const summary = await readJson<RolloutSummary>(rolled.outputs(item).summary, tools);
    const verdict =
      graded === null ? null : await readJson<GradeVerdict>(verdicts.outputs(item).verdict, tools);
    const timings = await readNote<Timings>(rolled.notes(item).timings, tools);
    const rollingEnd = rolled.outcome(item);
    return {
      instance: id,
      sample,
      repo,
      outcome: rollingEnd.status === 'ok' ? (graded ?? rollingEnd) : rollingEnd,
      reward: verdict?.reward ?? null,
      partial: verdict?.partial ?? false,
      summary,
      integrity: verdict?.integrity ?? [],
      preset: verdict?.preset ?? null,
      relaxations: verdict?.relaxations ?? [],
      metrics:
        summary === null
          ? {}
          : metricsOf(summary, timings, graded === null ? null : verdicts.durationMs(item)),
      waits:
        timings === null
          ? null
          : { queued: timings.queued ?? 0, open: timings.open ?? 0, endpoint: timings.waited },
    };
  });
  return { catalogue, rollouts };
}

type Timings = RolloutTimings & { open?: number; queued?: number };

function metricsOf(summary: RolloutSummary, timings: Timings | null, evalMs: number | null): AgentMetrics {
  return agentMetrics({ turns: summary.steps, tool_calls: summary.actions, timings, evalMs });
}

/** The samples of one evaluated name: a patch for each instance, with what is known about how it was made. */
import type { Line } from '../../agent/exports/overview.ts';
import type { ExportedRollout } from '../../agent/exports/rollout.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { ItemResult, ItemResults } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import { type CatalogueRow, readCatalogue } from '../dataset/blocks/catalogue.ts';
import { itemName } from '../rollouts/item-name.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';

/** Trajectories read at once; each may be megabytes. */
const READERS = 4;

export interface Sample {
  instance_id: string;
  repo: string;
  row: CatalogueRow;
  /** Whether the instance passed validation; null where nothing is validated. */
  validated: boolean | null;
  /** null: there is no answer, or it has no patch. */
  patch: string | null;
  /** How predicting ended. */
  predicted: Outcome;
  summary: RolloutSummary | null;
  /** null: not graded, or by others. */
  verdict: GradeVerdict | null;
  /** How grading ended; null where others grade. */
  graded: Outcome | null;
  /** The instance's report.json, as our grader wrote it. */
  report: unknown;
  /** Its line in files about all samples; null without a patch. */
  line: Line | null;
}

/** What one name's samples are read from. */
export interface Predicted {
  dataset: ItemResult;
  predictions: ItemResults;
  /** null: others grade. */
  verdicts: ItemResults | null;
  /** null: nothing is validated. */
  validated: ItemResults | null;
}

/** The samples of `name`, in the dataset's order. `absent` says which instances someone else's patches left out. */
export async function readSamples(
  name: string,
  { dataset, predictions, verdicts, validated }: Predicted,
  absent: (instance: string) => boolean,
  tools: Tools,
): Promise<Sample[]> {
  const catalogue = await readCatalogue(dataset, tools.machine);
  const { lineOf } = await import('../../agent/exports/overview.ts');
  const rows = catalogue.rows.filter(({ id }) => predictions.has(itemName(id, name)));
  return mapLimit(rows, READERS, async (row) => {
    const item = itemName(row.id, name);
    const outputs = predictions.outputs(item);
    const isGraded = verdicts?.has(item) === true;
    const trajectory = await tools.need(outputs.trajectory);
    const patch = absent(row.id) ? null : await tools.need(outputs.patch);
    const rollout: ExportedRollout = {
      instance_id: row.id,
      sample: name,
      trajectory: trajectory === null ? null : parseTrajectory(trajectory),
      patch: patch ?? '',
      verdict: isGraded ? await readJson<GradeVerdict>(verdicts.outputs(item).verdict, tools) : null,
      report: isGraded ? await readNote(verdicts.notes(item).report, tools) : null,
      timings: await readNote(predictions.notes(item).timings, tools),
      startedAt: null,
    };
    return {
      instance_id: row.id,
      repo: catalogue.groups[row.group]!.repo,
      row,
      validated:
        validated === null ? null : validated.has(row.id) && validated.outcome(row.id).status === 'ok',
      patch,
      predicted: predictions.outcome(item),
      summary: await readJson(outputs.summary, tools),
      verdict: rollout.verdict as GradeVerdict | null,
      graded: isGraded ? verdicts.outcome(item) : null,
      report: rollout.report,
      line: patch === null ? null : lineOf(rollout, { name: row.id, group: 0, index: 0 }),
    };
  });
}

/** The value of a JSON output; null when there is none. */
export async function readJson<T>(output: Output | undefined, tools: Tools): Promise<T | null> {
  const text = await tools.need(output);
  return text === null ? null : (JSON.parse(text) as T);
}

/** The value of a JSON note, which may be gone by now. */
export async function readNote<T>(note: Output | undefined, tools: Tools): Promise<T | null> {
  const text = await tools.read(note);
  return text === null ? null : (JSON.parse(text) as T);
}

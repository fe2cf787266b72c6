/** Writes the samples as they come, some trajectories at a time: a set of data may be larger than memory. */

import type { Style } from '../../agent/kinds/kind.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { LostOutput } from '../../cache/cache.ts';
import type { ItemResult, OutputsByDigest } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Output } from '../../schemas/record.ts';
import { parseTrajectory, type Trajectory } from '../../schemas/trajectory.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import { type DroppedLine, type GoldenLine, jsonLines, parseLines } from '../golden/line.ts';
import { itemName } from '../rollouts/item-name.ts';
import { type Conversations, conversations } from './conversation.ts';
import type { EvaluationIndex } from './decontaminate.ts';
import type { SftSettings } from './settings.ts';
import { addTo, modelName, noStatistics, type Statistics } from './statistics.ts';
import { type Target, targetOf } from './target.ts';

/** Trajectories that are held at once. */
const BATCH = 16;

export interface WriteInput {
  config: SftSettings;
  rollout: OutputsByDigest;
  dataset: ItemResult;
  balance: ItemResult;
  /** null: nothing is compared. */
  evaluation: EvaluationIndex | null;
}

export interface Written {
  file: Output;
  dropped: DroppedLine[];
  statistics: Statistics;
}

/** What becomes of one trajectory. */
type Made =
  | { dropped: DroppedLine }
  | { trajectory: Trajectory; target: Target; repo: string; conversations: Conversations; rows: string };

export async function writeSamples(input: WriteInput, tools: Tools): Promise<Written> {
  const text = await tools.read(input.balance.outputs['balanced.jsonl']);
  if (text === null) throw new LostOutput('balanced.jsonl');
  const lines = parseLines<GoldenLine>(text);
  const wanted = new Set(lines.map(({ instance_id }) => instance_id));
  const catalogue = await readCatalogue(input.dataset, tools.machine);
  const rows = new Map(catalogue.rows.filter(({ id }) => wanted.has(id)).map((row) => [row.id, row]));
  const statistics = noStatistics();
  const dropped: DroppedLine[] = [];
  const writer = tools.writer();
  try {
    for (let at = 0; at < lines.length; at += BATCH) {
      const batch = lines.slice(at, at + BATCH);
      for (const made of await mapLimit(batch, 4, (line) =>
        make(line, rows.get(line.instance_id)!, input, tools),
      )) {
        if ('dropped' in made) {
          dropped.push(made.dropped);
          continue;
        }
        const { trajectory, target, repo, conversations: written } = made;
        const { instance_id, sample } = trajectory;
        for (const { why, detail } of written.left) dropped.push({ instance_id, sample, why, detail });
        if (written.samples.length === 0) continue;
        writer.write(made.rows);
        addTo(statistics, { trajectory, repo, samples: written.samples, native: target.native });
      }
    }
    return { file: { kind: 'blob', ...writer.finish() }, dropped, statistics };
  } catch (error) {
    writer.drop();
    throw error;
  }
}

async function make(line: GoldenLine, row: CatalogueRow, input: WriteInput, tools: Tools): Promise<Made> {
  const { instance_id, sample } = line;
  const { style, samples, train = 'main' } = input.config;
  const instance = await readInstance(input.dataset, row, tools.machine);
  const contamination = input.evaluation?.find(instance) ?? null;
  if (contamination !== null) {
    const detail = `it is in dataset.${input.config.evaluation} too`;
    return { dropped: { instance_id, sample, why: contamination, detail } };
  }
  const trajectory = await readTrajectory(line, input.rollout, tools);
  const target = targetOf(style, trajectory.agent);
  const { problem_statement: problem, repo } = instance;
  const written = await conversations(trajectory, { target, unit: samples, train, problem });
  return {
    trajectory,
    target,
    repo,
    conversations: written,
    rows: rowsOf(line, trajectory, written, style, target),
  };
}

async function readTrajectory(line: GoldenLine, rollout: OutputsByDigest, tools: Tools): Promise<Trajectory> {
  const name = itemName(line.instance_id, line.sample);
  const text = await tools.read(rollout(name, 'trajectory', line.trajectory));
  if (text === null) throw new LostOutput(`the trajectory of ${name}`);
  return parseTrajectory(text);
}

/** Columns in one order; `tools` as text, so that readers that infer types do not fill every tool's gaps. */
function rowsOf(
  line: GoldenLine,
  trajectory: Trajectory,
  { samples }: Conversations,
  style: Style,
  target: Target,
): string {
  const offered = (tools = target.tools) =>
    style === 'tools'
      ? { tools: JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool }))) }
      : {};
  return jsonLines(
    samples.map(({ messages, step, tools }) => ({
      messages,
      ...offered(tools),
      instance_id: line.instance_id,
      resolved: line.reward === 1,
      model: modelName(trajectory),
      traj_id: itemName(line.instance_id, line.sample),
      patch: trajectory.patch,
      ...(step === null ? {} : { step }),
    })),
  );
}

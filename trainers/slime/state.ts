/**
 * What slime and Miles leave: Megatron's checkpoints with a file that names the last one, and the same weights in the
 * hub's layout. That file is written last, so the checkpoint that it names is complete.
 */
import { stepLines } from '../metrics.ts';
import type { CheckpointFolder, Convert, Listing, MetricsReader, Resume } from '../trainer.ts';
import { HF, SAVE, type Settings } from './arguments.ts';

const LATEST = `${SAVE}/latest_checkpointed_iteration.txt`;

export const SAVED = new RegExp(`^(?:${SAVE}/iter_|${HF}/)(\\d+)$`);

export function resumeOf(output: Listing): Resume | null {
  const text = output.read(LATEST)?.trim();
  if (text === undefined || !/^\d+$/.test(text)) return null;
  return { from: SAVE, done: Number(text) + 1 };
}

/** The newest in the hub's layout; else the newest of Megatron's. */
export function checkpointOf(output: Listing): CheckpointFolder | null {
  const saved = output
    .names(HF)
    .filter((name) => /^\d+$/.test(name) && output.names(`${HF}/${name}`).includes('config.json'))
    .map(Number);
  if (saved.length > 0) return { path: `${HF}/${Math.max(...saved)}`, leaveOut: null };
  const resume = resumeOf(output);
  if (resume === null) return null;
  const path = `${SAVE}/iter_${`${resume.done - 1}`.padStart(7, '0')}`;
  return output.names(path).length === 0 ? null : { path, leaveOut: null };
}

/**
 * `step 3: {…}`, `rollout 3: {…}` and `perf 3: {…}`, behind whatever the logger puts before. Optimizer steps have numbers of their own:
 * those of one step of RL belong to its number.
 */
export function slimeMetrics(_: Resume | null, { updates }: Pick<Settings, 'updates'>): MetricsReader {
  const ofRollouts = stepLines(/\b(?:rollout|perf|eval) (\d+): (?=\{)/);
  const ofUpdates = stepLines(/\bstep (\d+): (?=\{)/);
  return (line) => {
    const update = ofUpdates(line);
    return update === null ? ofRollouts(line) : { ...update, step: Math.floor(update.step / updates) };
  };
}

/** The same of SFT, which has no rewards: slime prints zeros for them. */
export function slimeSftMetrics(): MetricsReader {
  const read = slimeMetrics(null, { updates: 1 });
  return (line) => {
    const metric = read(line);
    if (metric === null) return null;
    const values = Object.entries(metric.values).filter(([name]) => !/reward/.test(name));
    return { ...metric, values: Object.fromEntries(values) };
  };
}

/** Raw mode starts from torch_dist. */
export function convertOf({ mode, model_args, folder, megatron }: Settings): Convert | null {
  if (mode === 'bridge') return null;
  return {
    script: ({ model, output, gpus }) => [
      ...(folder === undefined ? [] : [`cd '${folder}'`]),
      ...(model_args === undefined ? ['MODEL_ARGS=()'] : [`source '${model_args}'`]),
      ...(megatron === undefined ? [] : [`export PYTHONPATH='${megatron}'\${PYTHONPATH:+:$PYTHONPATH}`]),
      [
        `torchrun --nproc-per-node ${Math.max(1, gpus)} tools/convert_hf_to_torch_dist.py`,
        '"${MODEL_ARGS[@]}"',
        `--hf-checkpoint '${model}'`,
        `--save '${output}'`,
      ].join(' \\\n  '),
    ],
  };
}

/** Rollouts as the cache has them, put together for the exporters: trajectory, patch, verdict and times of an item. */
import type { ExportedRollout } from '../../agent/exports/rollout.ts';
import type { RolloutTimings } from '../../agent/rollout.ts';
import { type Cache, readText } from '../../cache/cache.ts';
import { addressOf } from '../../contract/stage.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { Output } from '../../schemas/record.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';

/** What is kept of a rollout's times: with those before its first prompt. */
type KeptTimings = RolloutTimings & { queued: number; open: number };

/** One item of `rollouts` or `predict`; null when it has no patch, as without an environment. */
export async function exportedRollout(
  end: RunEnd,
  address: string,
  item: string,
  cache: Cache,
): Promise<ExportedRollout | null> {
  const { state } = end.nodes.get(address)!;
  const record = state.record(item);
  const patch = await readText(cache, record?.outputs.patch);
  if (record === null || patch === null) return null;
  const { instance, sample } = splitItem(item);
  const grade = end.nodes.get(addressOf('grade', state.node.dataset))?.state.record(item) ?? null;
  const verdict = await readJson<GradeVerdict>(cache, grade?.outputs.verdict);
  const trajectory = await readText(cache, record.outputs.trajectory);
  const timings = await readJson<KeptTimings>(cache, record.notes.timings);
  return {
    instance_id: instance,
    sample,
    trajectory: trajectory === null ? null : parseTrajectory(trajectory),
    patch,
    verdict:
      verdict === null
        ? null
        : { reward: verdict.reward, resolved: verdict.resolved, detail: verdict.detail },
    findings: verdict,
    report: await readJson<unknown>(cache, grade?.notes.report),
    timings,
    startedAt: timings === null ? null : Math.round(record.startedAt + timings.queued + timings.open),
  };
}

async function readJson<T>(cache: Cache, output: Output | undefined): Promise<T | null> {
  const text = await readText(cache, output);
  return text === null ? null : (JSON.parse(text) as T);
}

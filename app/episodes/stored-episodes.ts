/**
 * Rollouts of trainings as the agent server keeps them, by the trainer's steps: for exports and reports. A file is looked at
 * when it is asked for, since all of a training are too large together.
 */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedRollout } from '../../agent/exports/rollout.ts';
import { whenUnreadable } from '../../basics/absent.ts';
import { byCodeUnit } from '../../basics/canonical.ts';
import { jsonObject } from '../../basics/json.ts';
import { readableText } from '../../basics/readable.ts';
import { type EpisodeSummary, episodeSummary, type StoredEpisode } from '../../servers/agent/store.ts';

/** Bytes in which an episode's summary stands. */
const HEAD = 8192;

/** Episodes of one step, or of none. */
export interface StoredStep {
  /** `step-12`, `no-step`. */
  name: string;
  /** null: the trainer gave none. */
  step: number | null;
  /** Names of files. */
  files: readonly string[];
}

/** The steps below a folder of episodes, in their order; those of no step come last. */
export function storedSteps(folder: string): StoredStep[] {
  const steps = namesIn(folder).flatMap((name): StoredStep[] => {
    const step = name === 'no-step' ? null : Number(/^step-(-?\d+)$/.exec(name)?.[1] ?? Number.NaN);
    const files = Number.isNaN(step)
      ? []
      : namesIn(join(folder, name)).filter((file) => file.endsWith('.json'));
    return files.length === 0 ? [] : [{ name, step, files }];
  });
  return steps.sort((a, b) => (a.step ?? Number.MAX_VALUE) - (b.step ?? Number.MAX_VALUE));
}

/** One that is kept; null for what is no episode. */
export function readEpisode(folder: string, step: string, file: string): StoredEpisode | null {
  // The server makes one that somebody changed anew.
  const stored = jsonObject<StoredEpisode>(readableText(join(folder, step, file)));
  return stored?.format === 'swemake-episode-1' ? stored : null;
}

/** What one came to, from the beginning of its file where it stands there; null for what is no episode. */
export function readSummary(folder: string, step: string, file: string): EpisodeSummary | null {
  const begin = beginningOf(join(folder, step, file));
  const end = begin.indexOf(',"episode":');
  const head = jsonObject<Partial<StoredEpisode>>(`${begin.slice(0, Math.max(0, end))}}`);
  if (head?.summary !== undefined) return head.summary;
  const kept = readEpisode(folder, step, file);
  return kept === null ? null : episodeSummary(kept.episode);
}

function beginningOf(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return whenUnreadable('')(error);
  }
}

/** `sample`: what it is called among those of its instance. */
export function exportedEpisode({ instance_id, episode }: StoredEpisode, sample: string): ExportedRollout {
  const { trajectory, verdict, timings } = episode;
  const { reward, resolved, detail } = verdict;
  return {
    ...{ instance_id, sample, trajectory, patch: trajectory.patch, timings },
    verdict: { reward, resolved, detail },
    findings: verdict,
    report: null,
    startedAt: null,
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort(byCodeUnit);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/**
 * How patches are graded, and what is known of the task's own runner. The stage and the agent server read both in the
 * same way.
 */
import { needText } from '../cache/cache.ts';
import { inside, type Machine } from '../contract/machine.ts';
import type { ItemResult, PlanReader } from '../contract/reader.ts';
import { testTimeout } from '../formats/test-timeout.ts';
import type { Suspicion } from './rules/findings.ts';
import type { IntegrityBaseline } from './rules/integrity.ts';
import { PRESETS, type UsedPreset } from './rules/presets.ts';

export interface Rules {
  preset: UsedPreset;
  /** Seconds for one run of the tests. */
  timeout: number;
  max_patch: number;
  protect: string[];
  repeats: number;
  suspicion: Suspicion;
}

/** What a verdict is for: a reward, or a number in a report. */
export type GradedFor = 'training' | 'evaluation';

const SUSPICION: Readonly<Record<GradedFor, Suspicion>> = { training: 'mask', evaluation: 'note' };

/** The rules of every preset. */
export function presetTable(): UsedPreset[] {
  return PRESETS.map(({ name, rules }) => ({ name, rules: { ...rules } }));
}

export async function readRules(
  reader: Pick<PlanReader, 'config' | 'dataset'>,
  presets: readonly UsedPreset[],
  use: GradedFor,
): Promise<Rules> {
  const { preset, timeout, max_patch, protect, repeats, suspicion } = await reader.config('grading');
  const format = await reader.config('dataset', reader.dataset, 'format');
  const validation = await reader.config('validation', 'timeout');
  return {
    preset: presets.find(({ name }) => name === preset)!,
    timeout: timeout ?? testTimeout(validation, format),
    max_patch,
    protect: [...protect],
    repeats,
    suspicion: suspicion ?? SUSPICION[use],
  };
}

/** What the task's validation found out about its runner; null without a validation, or when it ended before. */
export async function baselineOf(
  validation: Pick<ItemResult, 'outputs'> | null,
  machine: Machine,
): Promise<IntegrityBaseline | null> {
  const text = await needText(inside(machine, 'cache').cache, validation?.outputs.integrity);
  const baseline = text === null ? null : (JSON.parse(text) as IntegrityBaseline);
  return baseline?.reports === null && baseline.excused.length === 0 ? null : baseline;
}

/** What of a finished training's folder goes: what nothing needs, and checkpoints on the way that `keep` does not name. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RlConfig, SftConfig } from '../../schemas/generated/project.ts';
import { shownOf } from '../../trainers/metrics.ts';
import type { Metric, RlTrainer, SftTrainer } from '../../trainers/trainer.ts';
import { readSteps } from './progress.ts';

/** Numbers of all steps, one a line. */
export const STEPS_FILE = 'steps.jsonl';

/**
 * Removes its rows, fetched weights and checkpoints. Everything else that its program wrote stays. A kill in the middle leaves
 * more, and the next build goes on. `inSaved`: steps between two saved ones, where these are numbered by epochs.
 */
export function tidy(
  folder: string,
  { saved, ...trainer }: SftTrainer | RlTrainer,
  { keep }: Pick<SftConfig | RlConfig, 'keep'>,
  inSaved: number,
): void {
  for (const name of ['data', 'model', 'run']) rmSync(join(folder, name), { recursive: true, force: true });
  if (keep === 'all' || saved === undefined) return;
  const output = join(folder, 'output');
  const paths = foldersIn(output);
  const byEpochs = 'counts' in trainer && trainer.counts === 'epochs';
  const stepOf = (number: number) => (byEpochs ? (number + 1) * inSaved : number);
  const gone =
    keep === 'best'
      ? worse(paths, saved, readSteps(join(folder, STEPS_FILE)), stepOf)
      : leftOut(paths, saved, keep === 'last' ? 1 : Number(keep));
  for (const path of gone) rmSync(join(output, path), { recursive: true, force: true });
}

interface Saved {
  path: string;
  number: number;
}

/** Saved steps by the folder that they are in. */
function savedIn(paths: readonly string[], saved: RegExp): Saved[][] {
  const found = new Map<string, Saved[]>();
  for (const path of paths) {
    const number = saved.exec(path)?.[1];
    if (number === undefined) continue;
    const of = dirname(path);
    found.set(of, [...(found.get(of) ?? []), { path, number: Number(number) }]);
  }
  return [...found.values()];
}

/** Saved steps beside the newest `count`, in each folder that has some. */
export function leftOut(paths: readonly string[], saved: RegExp, count: number): string[] {
  return savedIn(paths, saved).flatMap((all) =>
    all
      .sort((a, b) => b.number - a.number)
      .slice(count)
      .map(({ path }) => path),
  );
}

/**
 * Saved steps beside the best one, in each folder that has some: of the highest reward, or without rewards of the lowest loss; the
 * newest of several. Nothing where no number of a saved step is known.
 */
export function worse(
  paths: readonly string[],
  saved: RegExp,
  steps: readonly Metric[],
  stepOf: (number: number) => number,
): string[] {
  // A step that was made again counts as it was made last.
  const known = new Map(steps.map((metric) => [metric.step, shownOf(metric)]));
  const hasRewards = [...known.values()].some(({ reward }) => reward !== null);
  const worth = ({ number }: Saved): number | null => {
    const { reward = null, loss = null } = known.get(stepOf(number)) ?? {};
    if (hasRewards) return reward;
    return loss === null ? null : -loss;
  };
  return savedIn(paths, saved).flatMap((all) => {
    const rated = all.flatMap((one) => {
      const value = worth(one);
      return value === null || !Number.isFinite(value) ? [] : [{ ...one, value }];
    });
    const [best] = rated.sort((a, b) => b.value - a.value || b.number - a.number);
    return best === undefined ? [] : all.filter(({ path }) => path !== best.path).map(({ path }) => path);
  });
}

/** Folders, down to those in folders of the output. */
function foldersIn(output: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(join(output, path), { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => join(path, name));
  return existsSync(output) ? below('').flatMap((path) => [path, ...below(path)]) : [];
}

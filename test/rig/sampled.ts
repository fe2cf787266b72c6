/**
 * Which tests a whole run in CI leaves out, for which it has no time: with TEST_SHARE=some a file of more than a dozen attacks or honest
 * patches tries a third of them, another one at each commit, and of the slowest deep files each commit runs one half. Without it all are run.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { RunnerTask } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { SLOW_DEEP } from './slow-files.ts';

const SHARE = 3;
/** Files with no more tests than that try all. */
const FEW = 12;
const FILES = /\/test\/grade\/[^/]*\.deep\.test\.ts$/;

export const isSampled = process.env.TEST_SHARE === 'some';
let commit: string | null = null;

/** Whether the case of that name is tried at this commit. */
export function isTried(name: string): boolean {
  if (!isSampled) return true;
  return isTriedAt(commitNow(), name);
}

/** The slow deep files that are left out at this commit. */
export function filesLeftOut(): string[] {
  return isSampled ? filesLeftOutAt(commitNow()) : [];
}

/** Every second one, so that both halves take about as long. */
export function filesLeftOutAt(commit: string): string[] {
  const half = createHash('sha256').update(commit).digest().readUInt32BE() % 2;
  return SLOW_DEEP.filter((_, at) => at % 2 === half);
}

function commitNow(): string {
  commit ??= execFileSync('git', ['rev-parse', 'HEAD'], { cwd: packageRoot(), encoding: 'utf8' }).trim();
  return commit;
}

export function isTriedAt(commit: string, name: string): boolean {
  return createHash('sha256').update(`${commit} ${name}`).digest().readUInt32BE() % SHARE === 0;
}

/** Whether a test is one of many alike that is left out at this commit. */
export function isLeftOut(test: RunnerTask): boolean {
  const { filepath } = test.file;
  return FILES.test(filepath) && testsIn(test.file) > FEW && !isTried(`${filepath} ${test.fullName}`);
}

function testsIn(task: RunnerTask): number {
  return task.type === 'suite' ? task.tasks.reduce((sum, one) => sum + testsIn(one), 0) : 1;
}

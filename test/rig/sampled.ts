/**
 * Which tests a whole run in CI leaves out, for which it has no time: with TEST_SHARE=some a file of more than a dozen attacks or honest
 * patches tries a third of them, another one at each commit; of the slowest deep files each commit runs one of four parts, and of the others
 * one of three. The files in EACH_COMMIT are run whole. Without TEST_SHARE all are run.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerTask } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { EACH_COMMIT, SLOW_DEEP } from './slow-files.ts';

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

/** The deep files that are left out at this commit. */
export function filesLeftOut(): string[] {
  return isSampled ? filesLeftOutAt(commitNow(), deepFiles()) : [];
}

/** Every fourth or third one is run, so that all parts take about as long. */
export function filesLeftOutAt(commit: string, deep: readonly string[]): string[] {
  const turn = createHash('sha256').update(commit).digest().readUInt32BE();
  const others = deep.filter((file) => !SLOW_DEEP.includes(file) && !EACH_COMMIT.includes(file));
  return [
    ...SLOW_DEEP.filter((_, at) => at % 4 !== turn % 4),
    ...others.filter((_, at) => at % 3 !== turn % 3),
  ];
}

/** All files of the deep suite, in the order of their names. */
export function deepFiles(): string[] {
  const all = readdirSync(join(packageRoot(), 'test'), { recursive: true, encoding: 'utf8' });
  return all
    .filter((file) => file.endsWith('.deep.test.ts'))
    .map((file) => `test/${file}`)
    .sort();
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
  return (
    FILES.test(filepath) &&
    !isWhole(filepath) &&
    testsIn(test.file) > FEW &&
    !isTried(`${filepath} ${test.fullName}`)
  );
}

const isWhole = (path: string) => EACH_COMMIT.some((file) => path.endsWith(`/${file}`));

function testsIn(task: RunnerTask): number {
  return task.type === 'suite' ? task.tasks.reduce((sum, one) => sum + testsIn(one), 0) : 1;
}

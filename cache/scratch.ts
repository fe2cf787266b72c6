/**
 * Working folders that outlive the process that made them, since the next build goes on from there: those of the
 * official harness and of trainings. One counts as given up when no build has used it for long.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, sizeOf } from '../basics/folder.ts';
import type { CacheFolder } from './folder.ts';

/** The file of a training that has ended: what is left in its folder is for people, and stays until they remove it. */
export const FINISHED = 'done.json';

export function isFinished(path: string): boolean {
  return existsSync(join(path, FINISHED));
}

/** A training in a folder of the user leaves nothing here. */
function isKept(path: string): boolean {
  return isFinished(path) && existsSync(join(path, 'output'));
}

/** What finished trainings left beside their checkpoints. */
export function keptTrainings(folder: CacheFolder): { path: string; bytes: number }[] {
  return namesIn(join(folder.executors, 'training'))
    .map((name) => join(folder.executors, 'training', name))
    .filter(isKept)
    .map((path) => ({ path, bytes: sizeOf(path) }));
}

/** Milliseconds. */
const GIVEN_UP_MS = 14 * 24 * 3600 * 1000;

export interface Scratch {
  path: string;
  /** When it was last worked in, milliseconds. */
  usedAt: number;
}

export function listScratch(folder: CacheFolder): Scratch[] {
  return ['harness', 'training']
    .flatMap((kind) => listBelow(join(folder.executors, kind)))
    .filter(({ path }) => !isKept(path));
}

function listBelow(root: string): Scratch[] {
  return namesIn(root).map((name) => {
    const path = join(root, name);
    // Its predictions are written when it is taken up, its log until it is left.
    const times = [path, ...namesIn(path).map((file) => join(path, file))].map(mtime);
    return { path, usedAt: Math.max(...times) };
  });
}

/** Removes those that were given up. */
export function sweepScratch(folder: CacheFolder, now: number): void {
  for (const { path, usedAt } of listScratch(folder))
    if (usedAt < now - GIVEN_UP_MS) rmSync(path, { recursive: true, force: true });
}

function mtime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

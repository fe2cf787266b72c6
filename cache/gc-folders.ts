/**
 * What gc examines besides answers: mirrors of sources, first states, folders of runs, abandoned working folders, and
 * files that were set aside as damaged.
 */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, sizeOf } from '../basics/folder.ts';
import type { Cache } from './cache.ts';
import { BROKEN_MIRROR } from './folder.ts';
import type { GcLimits, Loose } from './gc-limits.ts';
import { hasJournal, listRuns, runTime } from './run-folders.ts';
import { listScratch } from './scratch.ts';
import { listStates, type StateUnit } from './states.ts';

interface Mirror extends Loose {
  usedAt: number;
}

export interface FolderQuestion {
  /** What running processes use. */
  names: ReadonlySet<string>;
  limits: GcLimits;
  /** Runs with a journal, newest first. */
  runs: readonly string[];
  /** Older than this is too old, milliseconds. */
  cutoff: number;
  /** What was used since is kept, milliseconds. */
  keptSince: number;
  /** Newer than this may be in use, milliseconds. */
  horizon: number;
  now: number;
}

export interface FolderAnswer {
  /** Size of everything that is listed here. */
  bytes: number;
  mirrors: { old: Mirror[]; other: Mirror[] };
  /** First states, those first that were not used for longest. */
  states: { old: StateUnit[]; other: StateUnit[] };
  /** Folders that go, given the runs whose answers stay. */
  folders(needed: ReadonlySet<string>): Loose[];
}

export function gcFolders(cache: Cache, question: FolderQuestion): FolderAnswer {
  const { folder } = cache;
  const { cutoff, horizon, keptSince, now, names } = question;
  const mirrors = namesIn(folder.sources)
    .flatMap((kind) => namesIn(join(folder.sources, kind)).map((name) => join(folder.sources, kind, name)))
    .filter((path) => !path.endsWith('.lock') && !isThere(`${path}.lock`))
    .map((path) => ({ path, bytes: sizeOf(path), usedAt: Math.min(mtime(path), now) }))
    .filter((mirror) => mirror.usedAt < horizon);
  const isOld = ({ path, usedAt }: Mirror) => usedAt < cutoff || path.includes(BROKEN_MIRROR);
  const states = listStates(folder);
  const free = states
    .filter(({ digest, usedAt }) => !names.has(digest) && usedAt < Math.min(horizon, keptSince))
    .sort((a, b) => a.usedAt - b.usedAt);
  const damaged = [folder.quarantine, ...damagedDatabases(cache)]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, bytes: sizeOf(path) }));
  const scratch = listScratch(folder).map(({ path, usedAt }) => ({ path, bytes: sizeOf(path), usedAt }));
  const runs = listRuns(folder.runs).map((run) => ({
    run,
    path: join(folder.runs, run),
    bytes: sizeOf(join(folder.runs, run)),
  }));
  return {
    bytes: [...mirrors, ...states, ...damaged, ...scratch, ...runs].reduce(
      (sum, { bytes }) => sum + bytes,
      0,
    ),
    mirrors: {
      old: mirrors.filter(isOld),
      other: mirrors.filter((mirror) => !isOld(mirror)),
    },
    states: {
      old: free.filter((state) => state.usedAt < cutoff),
      other: free.filter((state) => state.usedAt >= cutoff),
    },
    folders: (needed) => [
      ...damaged,
      ...scratch.filter(({ usedAt }) => usedAt < cutoff && usedAt < horizon),
      ...oldRuns(runs, needed, question, folder.runs),
    ],
  };
}

function oldRuns(
  runs: (Loose & { run: string })[],
  needed: ReadonlySet<string>,
  { limits, runs: journaled, cutoff, horizon }: FolderQuestion,
  root: string,
): Loose[] {
  const newest = new Set(limits.keepRuns === null ? [] : journaled.slice(0, limits.keepRuns));
  const goes = (run: string): boolean => {
    if (newest.has(run) || needed.has(run) || runTime(run) >= horizon - 1000) return false;
    return limits.keepRuns !== null || runTime(run) < cutoff;
  };
  const gone = runs.filter(({ run }) => hasJournal(root, run) && goes(run));
  const left = runs.filter(({ run }) => hasJournal(root, run) && !goes(run)).map(({ run }) => run);
  // A list of removed answers is needed only while an older journal could bring them back.
  const pointless = runs.filter(({ run }) => !hasJournal(root, run) && !left.some((other) => other <= run));
  return [...gone, ...pointless.filter(({ run }) => runTime(run) < horizon - 1000)];
}

function damagedDatabases({ folder }: Cache): string[] {
  return namesIn(folder.root)
    .filter((name) => name.startsWith('records.mdb.damaged-'))
    .map((name) => join(folder.root, name));
}

/** True also for a lock, which is a link to nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function mtime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * The lock file beside a project: the meaning of changing names and the packages of environments when it was written,
 * so that the same project gives the same results later and elsewhere. It is JSON with sorted members, made for `git
 * diff`.
 */
import { asJson, byCodeUnit, canonicalJson, type Json } from '../basics/canonical.ts';
import { parsedJson } from '../basics/json.ts';

/** Bumped when the file's form changes; others are refused. */
const FORMAT = 1;

export interface LockedDataset {
  source: string;
  revision: string | null;
  /** The hub's commit; null for files. */
  commit: string | null;
  /** Digest over the files that hold the rows. */
  rows: string;
  /** How many instances were chosen from them. */
  instances: number;
  /** The dataset's other settings. */
  config: Json;
  /** Source spec, as rows write it -> digest; specs that pin themselves are left out. */
  sources: Record<string, string>;
}

export interface LockedEnvironment {
  /** Pinned source that it is built from. */
  source: string;
  digest: string;
  /** What of its recipe is built. */
  recipe: Json;
  /** `ok`, or why it could not be built. */
  outcome: string;
  /** Lines of `pip freeze`, sorted. */
  packages: string[];
}

export interface LockedAgent {
  /** What is asked for, with its version. */
  install: Json;
  /** The day whose indexes it is from; null: that of its installation. */
  as_of: string | null;
  /** `ok`, or why it could not be installed. */
  outcome: string;
  /** All that was installed: each package with its version and a digest. */
  packages: string[];
  /** Lines of npm's `package-lock.json`, by which the same is installed again; absent: no package is npm's. */
  npm_lock?: string[];
}

interface LockedTrainer {
  type: string;
  /** Version of its package, commits of its folders. */
  framework: Record<string, string>;
}

export interface Lock {
  lock: typeof FORMAT;
  /** Version of swemake that wrote it, for people. Answers depend on the versions of stages, so it is not compared. */
  swemake: string;
  project: string;
  /** Stage -> its version. */
  stages: Record<string, number>;
  /** Python version, as recipes ask for it ("" is the host's own) -> identity of interpreter and seed packages. */
  pythons: Record<string, Json>;
  datasets: Record<string, LockedDataset>;
  /** By `environments.DATASET@NAME`. */
  environments: Record<string, LockedEnvironment>;
  /** Installed agents, by `agents.DATASET@NAME`. Absent: there are none. */
  agents?: Record<string, LockedAgent>;
  /** Models of the hub that are trained or served: `ID@REVISION` -> commit. Absent: there are none. */
  models?: Record<string, string>;
  /** What trains: `sft` and `rl`. Absent: nothing does. */
  trainers?: Record<string, LockedTrainer>;
  /** Container image with its tag -> digest: those of trainers, and where `lock --images` asked for it those of instances. */
  images?: Record<string, string>;
}

/** One thing that is not as it was locked. */
export interface Drift {
  /** `datasets.train.rows`. */
  what: string;
  /** null: the lock does not have it. */
  locked: string | null;
  /** null: the project does not have it. */
  now: string | null;
}

/** Path of a project's lock file. */
export function lockPath(projectFile: string): string {
  return `${projectFile}.lock`;
}

/** Equal locks are equal texts. */
export function lockText(lock: Lock): string {
  return `${JSON.stringify(sorted(asJson(lock)), null, 1)}\n`;
}

/** Reads what {@link lockText} wrote; a text when it is no lock file that this version can read. */
export function parseLock(text: string): Lock | string {
  const value = parsedJson(text);
  if (value === undefined) return 'it is not JSON; a merge may have left its marks in it';
  const lock = value as Partial<Lock> | null;
  if (typeof lock !== 'object' || lock === null || lock.lock === undefined)
    return 'it is not a lock file of swemake';
  if (lock.lock !== FORMAT) return `it has format ${lock.lock}, this swemake reads ${FORMAT}`;
  const parts = [lock.stages, lock.pythons, lock.datasets, lock.environments];
  if (parts.some((part) => typeof part !== 'object' || part === null)) return 'a part of it is missing';
  return lock as Lock;
}

/** Where `now` differs from `locked`. A part that `now` does not have at all is not compared. */
export function lockDrift(locked: Lock, now: Partial<Lock>): Drift[] {
  const drifts: Drift[] = [];
  for (const part of Object.keys(now) as (keyof Lock)[]) {
    if (part === 'lock' || part === 'swemake') continue;
    // Environments and agents are named by their address.
    const prefix = part === 'environments' || part === 'agents' ? '' : part;
    const [old, fresh] = [
      flat(prefix, (locked[part] ?? {}) as Json),
      flat(prefix, now[part] as unknown as Json),
    ];
    for (const what of [...new Set([...old.keys(), ...fresh.keys()])].sort(byCodeUnit)) {
      const [before, after] = [old.get(what) ?? null, fresh.get(what) ?? null];
      if (before !== after) drifts.push({ what, locked: before, now: after });
    }
  }
  return drifts;
}

/** Leaves by path; entries of lists of texts by themselves, so that an added package is one line. */
function flat(path: string, value: Json): Map<string, string> {
  const leaves = new Map<string, string>();
  const walk = (place: string, below: Json): void => {
    if (Array.isArray(below) && below.every((entry) => typeof entry === 'string'))
      for (const entry of below) leaves.set(`${place}: ${entry}`, entry);
    else if (typeof below === 'object' && below !== null && !Array.isArray(below))
      for (const [name, member] of Object.entries(below))
        walk(place === '' ? name : `${place}.${name}`, member);
    else leaves.set(place, typeof below === 'string' ? below : canonicalJson(below));
  };
  walk(path, value);
  return leaves;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort(byCodeUnit);
  return Object.fromEntries(names.map((name) => [name, sorted(value[name]!)]));
}

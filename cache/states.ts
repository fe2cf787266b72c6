/**
 * First states of instances, and layers of images: folders of files of their own, made once and shown to many workspaces.
 * Unlike layers of environments they share no file with each other, so first states are bounded: above the bound the
 * least recently used are removed. Each can be made again from what its digest was made of.
 */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { whenUnreadable } from '../basics/absent.ts';
import { type Digest, isDigest } from '../basics/digest.ts';
import { faultPoint } from '../basics/fault-point.ts';
import { namesIn } from '../basics/folder.ts';
import { jsonObject, parsedJson } from '../basics/json.ts';
import { readableBytes, readableText } from '../basics/readable.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { Database } from './database.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';
import type { Locks } from './key-lock.ts';
import { readLeases } from './lease.ts';
import { quarantine } from './problem.ts';

/** Which folder of the cache states lie in: first states of instances, or layers of images and other roots. */
export type StateKind = 'states' | 'bases';

const KINDS: readonly StateKind[] = ['states', 'bases'];

/** A state that stays where it is until it is released. */
export interface HeldState {
  folder: string;
  /** Its maker's record of it. */
  description: string;
  release(): void;
}

export interface StateUnit {
  kind: StateKind;
  digest: Digest;
  path: string;
  bytes: number;
  /** Milliseconds. */
  usedAt: number;
}

type StateName = Pick<StateUnit, 'kind' | 'digest'>;

interface Known {
  folder: string;
  description: string;
  holders: number;
}

/** What a state's maker says, and how much it takes. */
const DESCRIPTION = 'description.json';
/** A line for each entry: what the kernel says of it. Every change of the entry changes its line. */
const MANIFEST = 'manifest';
/** Entries looked at between two pauses, in which others get their turn. */
const AT_ONCE = 200;
/** More is removed than the next state needs. */
const DOWN_TO = 0.9;

export class StateStore {
  readonly #folder: CacheFolder;
  readonly #database: Pick<Database, 'lease' | 'presence'>;
  readonly #locks: Locks;
  readonly #kind: StateKind;
  readonly #taking = new Map<Digest, Promise<unknown>>();
  readonly #held = new Map<Digest, Known>();
  readonly #removing = new Set<Promise<void>>();

  constructor(
    folder: CacheFolder,
    database: Pick<Database, 'lease' | 'presence'>,
    locks: Locks,
    kind: StateKind = 'states',
  ) {
    this.#folder = folder;
    this.#database = database;
    this.#locks = locks;
    this.#kind = kind;
  }

  /**
   * The state, made by `make` into an empty folder when it is not there or damaged. Callers that ask for the same one
   * meanwhile, here or in another process, wait for it. `bound`: bytes that all states may take together.
   */
  async obtain<F>(
    digest: Digest,
    bound: number,
    make: (into: string) => Promise<Result<string, F>>,
    signal?: AbortSignal,
  ): Promise<Result<HeldState, F>> {
    for (;;) {
      const held = this.#held.get(digest);
      if (held !== undefined && existsSync(join(held.folder, DESCRIPTION))) return success(this.#hold(held));
      const other = this.#taking.get(digest);
      if (other !== undefined) {
        // The first caller is told why it failed; this one asks again.
        await other.catch(() => null);
        continue;
      }
      const taking = this.#take(digest, bound, make, signal);
      this.#taking.set(digest, taking);
      try {
        const taken = await taking;
        if (!taken.ok) return taken;
        this.#held.set(digest, taken.value);
        return success(this.#hold(taken.value));
      } finally {
        this.#taking.delete(digest);
      }
    }
  }

  #hold(known: Known): HeldState {
    known.holders += 1;
    let held = true;
    const release = () => {
      if (held) known.holders -= 1;
      held = false;
    };
    return { folder: known.folder, description: known.description, release };
  }

  async #take<F>(
    digest: Digest,
    bound: number,
    make: (into: string) => Promise<Result<string, F>>,
    signal: AbortSignal | undefined,
  ): Promise<Result<Known, F>> {
    const lock = await this.#locks.unless<never>(lockName(digest), () => null, { signal });
    const folder = join(this.#folder[this.#kind], digest);
    try {
      if (existsSync(folder) && (await stateProblem(folder)) !== null)
        quarantineState(this.#folder, { digest, kind: this.#kind });
      if (!existsSync(folder)) {
        const refused = await this.#make(folder, make);
        if (refused !== null) return fault(refused);
      }
      // Written before the lock is given back: from then on others may remove what is unused.
      this.#database.lease.use(digest);
      await yieldToEventLoop();
      await yieldToEventLoop();
      touch(folder);
    } finally {
      if ('unlock' in lock) lock.unlock();
    }
    this.#makeRoom(digest, bound);
    const { description } = readDescription(folder)!;
    return success({ folder, description, holders: 0 });
  }

  /** What kept it from being made, or null. */
  async #make<F>(folder: string, make: (into: string) => Promise<Result<string, F>>): Promise<F | null> {
    const making = temporaryPath(this.#folder);
    try {
      // Programs of an image keep their set-uid bits: no other user of this machine may reach them.
      mkdirSync(making, { mode: this.#kind === 'bases' ? 0o700 : 0o777 });
      const made = await make(making);
      if (!made.ok) return made.fault;
      faultPoint('state-made');
      const { lines, bytes } = await describe(making);
      writeFileSync(join(making, MANIFEST), lines.join('\n'));
      writeFileSync(join(making, DESCRIPTION), JSON.stringify({ bytes, description: made.value }));
      mkdirSync(this.#folder[this.#kind], { recursive: true });
      // Made by another process, which took over while this one stood still.
      if (!existsSync(folder)) renameSync(making, folder);
      faultPoint('state-renamed');
      return null;
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }

  /** Takes a state away unless another process uses it, or works on it. Ends when its files are gone. */
  async remove(state: StateName): Promise<void> {
    const moved = this.#takeAway(state);
    if (moved !== null) await rm(moved, { recursive: true, force: true });
  }

  /** Where its files are now, out of sight by one rename; null: it stays. */
  #takeAway({ kind, digest }: StateName): string | null {
    const lock = this.#locks.take(lockName(digest));
    if (lock === null) return null;
    try {
      if (readLeases(this.#database.presence!, true).some(({ names }) => names.includes(digest))) return null;
      const moved = temporaryPath(this.#folder);
      renameSync(join(this.#folder[kind], digest), moved);
      return moved;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    } finally {
      lock.unlock();
    }
  }

  /** Ends when nothing is being removed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#removing);
  }

  #remove(path: string): void {
    // What cannot be removed, gc finds again.
    const removing = rm(path, { recursive: true, force: true }).catch(() => undefined);
    this.#removing.add(removing);
    void removing.then(() => this.#removing.delete(removing));
  }

  /** Removes unused states, the least recently used ones first, until the rest fits. */
  #makeRoom(newest: Digest, bound: number): void {
    if (bound === Number.POSITIVE_INFINITY) return;
    const units = listStates(this.#folder).filter(({ kind }) => kind === this.#kind);
    let bytes = units.reduce((sum, unit) => sum + unit.bytes, 0);
    if (bytes <= bound) return;
    for (const { digest, bytes: size } of units.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= bound * DOWN_TO) return;
      const known = this.#held.get(digest);
      if (digest === newest || this.#taking.has(digest) || (known !== undefined && known.holders > 0))
        continue;
      const moved = this.#takeAway({ digest, kind: this.#kind });
      if (moved === null) continue;
      this.#held.delete(digest);
      bytes -= size;
      this.#remove(moved);
    }
  }
}

/** Every state in the cache. */
export function listStates(folder: CacheFolder): StateUnit[] {
  return KINDS.flatMap((kind) =>
    namesIn(folder[kind]).flatMap((digest) => {
      const path = join(folder[kind], digest);
      if (!isDigest(digest)) return [];
      const usedAt = statSync(join(path, DESCRIPTION), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return [{ kind, digest, path, bytes: readDescription(path)?.bytes ?? 0, usedAt }];
    }),
  );
}

/** Takes a damaged state out of use. Workspaces that show it keep it: it is moved, and its files stay until gc. */
export function quarantineState(folder: CacheFolder, { kind, digest }: StateName): void {
  quarantine(folder, join(folder[kind], digest));
}

/**
 * The first difference between a state and how it was made; null when there is none. `isMoved`: a cache that was
 * copied, or given to another user, has other inodes, times and modes. Its states are made again when they are used,
 * and nothing is lost.
 */
export async function stateProblem(folder: string, isMoved = false): Promise<string | null> {
  if (readDescription(folder) === null) return 'its description is missing or damaged';
  const manifest = readableBytes(join(folder, MANIFEST));
  if (manifest === null) return 'its manifest is missing';
  const lines = manifest.toString('utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    if (index % AT_ONCE === 0) await yieldToEventLoop();
    const path = pathIn(line);
    if (path === null) return 'its manifest is damaged';
    const now = entryLine(folder, path);
    if (now !== line && !(isMoved && now !== null && isSame(now, line)))
      return `${path} is ${now === null ? 'missing' : 'not as it was made'}`;
  }
  return null;
}

/** Whether two lines tell of the same content, as far as a look at the folder can say. */
function isSame(one: string, other: string): boolean {
  const [, , mode, size, mtime] = JSON.parse(one) as string[];
  const [, , otherMode, otherSize, otherMtime] = JSON.parse(other) as string[];
  const kind = Number(mode) & 0o170000;
  if (kind !== (Number(otherMode) & 0o170000) || mtime !== otherMtime) return false;
  return kind === 0o040000 || size === otherSize;
}

function lockName(digest: Digest): string {
  return `state-${digest}`;
}

function readDescription(folder: string): { bytes: number; description: string } | null {
  return jsonObject(readableText(join(folder, DESCRIPTION)));
}

function touch(folder: string): void {
  try {
    utimesSync(join(folder, DESCRIPTION), new Date(), new Date());
  } catch (error) {
    // A read-only cache, or a state that was removed meanwhile.
    whenUnreadable(null)(error);
  }
}

/** Lines for everything below `tree` and `withheld`, and the bytes that it takes on the disk. */
async function describe(folder: string): Promise<{ lines: string[]; bytes: number }> {
  const lines: string[] = [];
  let bytes = 0;
  const waiting = ['withheld', 'tree'].filter((name) => existsSync(join(folder, name)));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (lines.length % AT_ONCE === 0) await yieldToEventLoop();
    // A name that is no text is not recorded here.
    const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (stat === undefined) continue;
    bytes += stat.blocks * 512;
    lines.push(entryLine(folder, path)!);
    if (stat.isDirectory())
      for (const name of readdirSync(join(folder, path))) waiting.push(`${path}/${name}`);
  }
  return { lines, bytes };
}

/** Null when it is not there. */
function entryLine(folder: string, path: string): string | null {
  const stat = lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  const { ino, mode, size, mtimeNs, ctimeNs } = stat;
  return JSON.stringify([path, ...[ino, mode, size, mtimeNs, ctimeNs].map(String)]);
}

function pathIn(line: string): string | null {
  const parsed = parsedJson(line);
  return Array.isArray(parsed) ? (parsed as [string])[0] : null;
}

/**
 * The leases of a pool on disk, so that a pool that is started again knows them. They are a journal with a line for
 * each change. It is rewritten when the pool starts and when most of its lines are obsolete. A line is written before
 * its answer is sent, so nothing is lost when the process is killed. When the machine itself crashes, the last second
 * may be lost; those containers are found on the nodes. Damaged lines are ignored. Only one process at a time may
 * open the journal.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Lock, Locks } from '../../cache/key-lock.ts';
import { Ended, Presence, type PresenceTimes } from '../../cache/presence.ts';
import type { Needs } from '../http/schema.ts';

/** Containers in which agents work, and those in which patches are evaluated. */
export type Role = 'agent' | 'evaluation';

export interface LeaseRecord {
  id: string;
  /** Address of its node, as the pool was given it. */
  node: string;
  containerId: string;
  /** Of the container, chosen by the pool. */
  name: string;
  image: string;
  instanceId: string;
  role: Role;
  /** Milliseconds. */
  createdAt: number;
  /** Of the request that made it; null: none. */
  key: string | null;
  /** What its request asked of a node, and what was passed on to it; absent in records of earlier versions. */
  needs?: Needs | null;
  more?: Readonly<Record<string, unknown>>;
}

type Line =
  /** The owner's name on containers of this pool. */
  { pool: string } | { lease: LeaseRecord } | { ended: string } | { drained: string[] };

interface Facts {
  identity: string;
  leases: Map<string, LeaseRecord>;
  drained: Set<string>;
}

/** Milliseconds for which a line may wait for the disk. */
const SYNC_EVERY = 1000;
/** Obsolete lines that are tolerated. */
const SPARE = 10_000;

export class LeaseTable {
  readonly identity: string;
  readonly #facts: Facts;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #presence: Presence;
  readonly #syncing: NodeJS.Timeout;
  #file: number;
  #size = 0;
  #lines = 0;
  #isSynced = true;

  private constructor(path: string, facts: Facts, lock: Lock, presence: Presence) {
    this.#path = path;
    this.#facts = facts;
    this.#lock = lock;
    this.#presence = presence;
    this.identity = facts.identity;
    this.#file = this.#writeAnew();
    this.#syncing = setInterval(() => this.#sync(), SYNC_EVERY);
    this.#syncing.unref();
  }

  /** A pool that cannot be seen, as in a container, or that is stopped, is followed a minute after its last beat. */
  static open(folder: string, times?: PresenceTimes): Result<LeaseTable, string> {
    const places = join(folder, 'locks');
    mkdirSync(places, { recursive: true });
    const presence = Presence.enter(join(folder, 'users'), times);
    const lock = new Locks(places, presence).take('pool');
    if (lock === null) {
      presence.leave();
      return fault(`another pool uses ${folder}; if it was killed in a container, try again in a minute`);
    }
    const path = join(folder, 'leases.jsonl');
    return success(new LeaseTable(path, readFacts(path), lock, presence));
  }

  all(): LeaseRecord[] {
    return [...this.#facts.leases.values()];
  }

  put(lease: LeaseRecord): void {
    this.#append({ lease });
    this.#facts.leases.set(lease.id, lease);
  }

  remove(id: string): void {
    this.#facts.leases.delete(id);
    this.#append({ ended: id });
    if (this.#lines < 2 * this.#facts.leases.size + SPARE) return;
    const before = this.#file;
    this.#file = this.#writeAnew();
    closeSync(before);
  }

  /** Addresses of nodes that get no new leases. */
  drained(): ReadonlySet<string> {
    return this.#facts.drained;
  }

  setDrained(nodes: ReadonlySet<string>): void {
    this.#append({ drained: [...nodes] });
    this.#facts.drained = new Set(nodes);
  }

  close(): void {
    clearInterval(this.#syncing);
    fsyncSync(this.#file);
    closeSync(this.#file);
    this.#lock.unlock();
    this.#presence.leave();
  }

  #append(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (!this.#lock.isHeld()) throw new Ended();
    try {
      let written = 0;
      while (written < bytes.length)
        written += writeSync(this.#file, bytes, written, bytes.length - written, this.#size + written);
    } catch (error) {
      // A partly written line would damage the next one.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
    this.#lines += 1;
    this.#isSynced = false;
  }

  #sync(): void {
    if (this.#isSynced || !this.#lock.isHeld()) return;
    this.#isSynced = true;
    fdatasync(this.#file, () => undefined);
  }

  /** Writes all current leases to a new file, which replaces the old one at once. */
  #writeAnew(): number {
    const { identity, leases, drained } = this.#facts;
    const lines: Line[] = [
      { pool: identity },
      { drained: [...drained] },
      ...[...leases.values()].map((lease) => ({ lease })),
    ];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const making = `${this.#path}.making`;
    const file = openSync(making, 'w', 0o600);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
      renameSync(making, this.#path);
    } catch (error) {
      closeSync(file);
      // A partly written file would keep a full disk full.
      rmSync(making, { force: true });
      throw error;
    }
    this.#size = bytes.length;
    this.#lines = lines.length;
    return file;
  }
}

function readFacts(path: string): Facts {
  const facts: Facts = {
    identity: `pool-${randomBytes(8).toString('hex')}`,
    leases: new Map(),
    drained: new Set(),
  };
  for (const line of readLines(path)) {
    if ('pool' in line) facts.identity = line.pool;
    else if ('lease' in line) facts.leases.set(line.lease.id, line.lease);
    else if ('ended' in line) facts.leases.delete(line.ended);
    else if ('drained' in line) facts.drained = new Set(line.drained);
  }
  return facts;
}

function readLines(path: string): Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => jsonObject<Line>(line) ?? []);
}

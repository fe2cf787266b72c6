/**
 * The leases of a pool, on disk: a pool that is started again knows them all. One process has the table open at a time; a
 * damaged file is set aside, and what its containers were is found on the nodes.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { fault, type Result, success } from '../../basics/result.ts';
import { metaPageFault } from '../../cache/database-check.ts';
import { openGuarded } from '../../cache/guarded.ts';
import { tryLock } from '../../cache/key-lock.ts';

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
}

export class LeaseTable {
  /** What containers of this pool are owned by. */
  readonly identity: string;
  readonly #root: RootDatabase;
  readonly #leases: Database<LeaseRecord, string>;
  readonly #facts: Database<string, string>;
  readonly #unlock: () => void;

  private constructor(
    root: RootDatabase,
    leases: Database<LeaseRecord, string>,
    facts: Database<string, string>,
    unlock: () => void,
  ) {
    this.#root = root;
    this.#leases = leases;
    this.#facts = facts;
    this.#unlock = unlock;
    this.identity = facts.get('identity') ?? `pool-${randomBytes(8).toString('hex')}`;
    if (facts.get('identity') === undefined) facts.putSync('identity', this.identity);
  }

  static async open(folder: string): Promise<Result<LeaseTable, string>> {
    mkdirSync(folder, { recursive: true });
    const unlock = tryLock(join(folder, 'pool.lock'));
    if (unlock === null) return fault(`another pool uses ${folder}`);
    const path = join(folder, 'leases.mdb');
    if (metaPageFault(path) !== null) {
      renameSync(path, `${path}.damaged-${Date.now()}`);
      rmSync(`${path}-lock`, { force: true });
    }
    const { open } = await import('lmdb');
    const root = open({ path, maxDbs: 4, noSubdir: true });
    const part = <V>(name: string) =>
      openGuarded<V, string>(root, { path, readOnly: false, optional: false, name, binary: false });
    return success(new LeaseTable(root, part<LeaseRecord>('leases'), part<string>('facts'), unlock));
  }

  all(): LeaseRecord[] {
    return [...this.#leases.getRange({})].map(({ value }) => value);
  }

  /** Ends when it would be there after this process is killed. */
  async put(lease: LeaseRecord): Promise<void> {
    await this.#leases.put(lease.id, lease);
  }

  async remove(id: string): Promise<void> {
    await this.#leases.remove(id);
  }

  /** Addresses of nodes that get no new leases. */
  drained(): Set<string> {
    return new Set(JSON.parse(this.#facts.get('drained') ?? '[]') as string[]);
  }

  async setDrained(nodes: ReadonlySet<string>): Promise<void> {
    await this.#facts.put('drained', JSON.stringify([...nodes]));
  }

  async close(): Promise<void> {
    await this.#root.close();
    this.#unlock();
  }
}

/** A lease as the pool holds it, and what is counted. */
import { awakeNow } from '../../basics/awake.ts';
import type { LeaseRecord } from './lease-table.ts';

export interface Lease {
  readonly record: LeaseRecord;
  /** Milliseconds of awakeNow(): a pool that stands still ends no lease for it. */
  lastUsed: number;
  /** Running requests. A busy lease does not expire. */
  busy: number;
  /** A command may have run in its container. */
  touched: boolean;
  /** Its container is gone without having been closed. */
  lost: boolean;
}

export function newLease(record: LeaseRecord, touched: boolean): Lease {
  return { record, lastUsed: awakeNow(), busy: 0, touched, lost: false };
}

/** Keeps the lease from expiring while `work` runs. */
export async function atWork<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  lease.busy += 1;
  try {
    return await work();
  } finally {
    lease.busy -= 1;
    lease.lastUsed = awakeNow();
  }
}

/** Events since the pool was started. */
export const noEvents = () => ({
  allocated: 0,
  closed: 0,
  expired: 0,
  lost: 0,
  orphans: 0,
  failovers: 0,
  refused: 0,
  evaluations: 0,
});

export type PoolCounts = ReturnType<typeof noEvents>;

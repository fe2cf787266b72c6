/**
 * The statuses of tests. A parser drops any other word, since a verdict must not depend on text without a defined
 * meaning.
 */
export const STATUSES = ['PASSED', 'FAILED', 'ERROR', 'SKIPPED', 'XFAIL', 'XPASS', 'RERUN'] as const;
/** RERUN: it passed, but not in its first try. */
export type Status = (typeof STATUSES)[number];

/** Test id -> status, in the order in which the ids were first seen. */
export type StatusMap = ReadonlyMap<string, Status>;

const KNOWN: ReadonlySet<string> = new Set(STATUSES);

export function isStatus(word: string): word is Status {
  return KNOWN.has(word);
}

/** The test ran and failed. */
export function isFailing(status: Status): boolean {
  return status === 'FAILED' || status === 'ERROR';
}

/** How bad a status is, for a test that is reported more than once: the worst report counts. */
const SEVERITY: Record<Status, number> = {
  PASSED: 0,
  RERUN: 1,
  SKIPPED: 2,
  XFAIL: 3,
  XPASS: 4,
  ERROR: 5,
  FAILED: 6,
};

/** Records a report; an earlier, worse one of the same test stays. */
export function recordWorst(statuses: Map<string, Status>, id: string, status: Status): void {
  const earlier = statuses.get(id);
  if (earlier === undefined || SEVERITY[status] > SEVERITY[earlier]) statuses.set(id, status);
}

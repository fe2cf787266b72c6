/**
 * Reads what the witness wrote (grading/run/witness/): one record for each process of the test command that may
 * run tests. A record without its end was cut off, one whose seals are wrong was written by somebody else, and
 * neither proves anything but that.
 */
import { createHash } from 'node:crypto';
import { isStatus, recordWorst, type Status, type StatusMap } from '../../parsers/status.ts';
import { type Observations, observationsIn } from './observations.ts';
import { type Entry, sealedEntries } from './seals.ts';

interface WitnessEnd {
  /** pytest's own exit status; null without pytest, or after several sessions. */
  status: number | null;
  /** Sessions of pytest, without those of workers. */
  sessions: number;
  /** Processes that took a key, without workers; absent: not known. */
  processes?: number;
}

export interface Operands {
  /** Place and slot -> labels of values (witness/operands.py). */
  kinds: ReadonlyMap<string, readonly string[]>;
  /** Test -> places of the assertions that it reaches, sorted. */
  reached: ReadonlyMap<string, readonly string[]>;
}

export interface WitnessRecord {
  /** absent: no process loaded it. open: one began and did not end. broken: a seal is wrong. closed: all is well. */
  state: 'absent' | 'open' | 'broken' | 'closed';
  statuses: StatusMap;
  /** Of ids for which several tests stand, how many of them were run; absent: it is not known. */
  several?: ReadonlyMap<string, number>;
  /** What meets at assertions, and which are reached; empty where it was not recorded. */
  operands: Operands;
  /** What tests read, as `kind path` (witness/reads.py); none where it was not recorded. */
  reads: readonly string[];
  /** What is compared with the gold runs as it is: labels, digests of code as it was loaded, counts. */
  observed: Observations;
  end: WitnessEnd | null;
}

type ReportEntry = [id: string, when: string, outcome: string, xfail: boolean];

/** One process: what it said, and what it was for. */
interface Process {
  entries: Entry[];
  pid: number;
  role: string | null;
  end: Pick<WitnessEnd, 'status'>;
}

const NOTHING: StatusMap = new Map();
const NO_OPERANDS: Operands = { kinds: new Map(), reached: new Map() };

/** The records of a run whose witness had `key`, in the order in which the processes began. */
export function readWitness(
  records: readonly (Uint8Array | null)[],
  pool: Uint8Array | null,
  key: string,
): WitnessRecord {
  const processes: Process[] = [];
  let next = key;
  for (const record of records) {
    const read = record === null ? 'broken' : readRecord(record, hashOf(`process ${next}`));
    if (typeof read === 'string') return unread(read);
    processes.push(read);
    next = hashOf(`next ${next}`).toString('hex');
  }
  // Each process that takes a key changes the next key; so a record that was removed shows here.
  if (pool === null || textOf(pool) !== `${records.length} ${next}`) return unread('broken');
  return records.length === 0 ? unread('absent') : merged(processes);
}

/** No witness was there. */
export const UNSEEN: WitnessRecord = unread('absent');

function unread(state: WitnessRecord['state']): WitnessRecord {
  const nothing = { reads: [], observed: {}, operands: NO_OPERANDS, end: null };
  return { state, statuses: NOTHING, ...nothing };
}

function readRecord(bytes: Uint8Array, key: Uint8Array): Process | 'open' | 'broken' {
  const entries = sealedEntries(bytes, key);
  if (entries === null || !entries.every(isOurs)) return 'broken';
  const own = entries.filter(([, , child]) => child === undefined);
  const last = own.at(-1);
  if (last?.[0] !== 'end') return 'open';
  const value = (kind: string) => own.find((entry) => entry[0] === kind)?.[1];
  const begin = value('begin') as { pid: number } | undefined;
  if (begin === undefined) return 'broken';
  const session = value('session') as { role: string } | undefined;
  return { entries, pid: begin.pid, role: session?.role ?? null, end: last[1] as Process['end'] };
}

/** Code that takes the witness from memory can seal anything: only what it would write itself is accepted. */
function isOurs([kind, value]: Entry): boolean {
  return SHAPES.get(kind)?.(value) === true;
}

const isAny = () => true;
const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
/** Whether at least the first `count` parts of a list are texts; all of them without a count. */
const areTexts = (value: unknown, count?: number) =>
  Array.isArray(value) &&
  value.length >= (count ?? 0) &&
  value.slice(0, count).every((one) => typeof one === 'string');

/** What is said of a value at an assertion (witness/operands.py). */
const LABEL_OF_VALUE =
  /^(?:nan|mock|unseen|failed|same|empty|empties|called .+|(?:un)?equal .+ .+\..+|(?:held )?own .+:\d+ \w+\.\w+)$/s;

const SHAPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    begin: isObject,
    session: isObject,
    end: isObject,
    report: (value) => areTexts(value, 3),
    status: (value) => areTexts(value, 2) && isStatus((value as string[])[1]!),
    failure: isText,
    made: (value) => areTexts(value, 3),
    foreign: (value) => areTexts(value, 3),
    digest: (value) => areTexts(value, 3),
    reads: isText,
    kind: (value) => areTexts(value, 2) && LABEL_OF_VALUE.test((value as string[])[1]!),
    reach: (value) => areTexts(value, 1) && areTexts((value as unknown[])[1]),
    worker: isAny,
    fork: isAny,
  }),
);

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').trimEnd();
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** All processes of the command together. Of a session with workers the workers' own words count. */
function merged(processes: readonly Process[]): WitnessRecord {
  const controllers = processes.filter(({ role }) => role === 'controller');
  const pids = valuesOf(controllers, 'worker');
  const workers = processes.filter(({ role }) => role === 'worker');
  const isStray = ({ pid }: Process) => !pids.includes(null) && !pids.includes(pid);
  if (workers.length > pids.length || workers.some(isStray)) return unread('broken');
  const sessions = processes.filter(({ role }) => role === 'main' || role === 'controller');
  const textsOf = (kind: string) => valuesOf(processes, kind) as string[];
  const found = valuesOf(processes, 'digest') as [subject: string, key: string, value: string][];
  for (const [test, count] of countsOf(textsOf('failure'))) found.push(['failures', test, `${count}`]);
  if (isUnknown(processes)) found.push(['modified', 'report of another process', '']);
  return {
    state: 'closed',
    statuses: statusesOf(processes),
    operands: {
      kinds: grouped(valuesOf(processes, 'kind') as [string, string][]),
      reached: grouped(
        (valuesOf(processes, 'reach') as [string, string[]][]).flatMap(([test, places]) =>
          places.map((place): [string, string] => [test, place]),
        ),
      ),
    },
    reads: [...new Set(textsOf('reads'))].sort(),
    observed: observationsIn(found),
    end: {
      status: sessions.length === 1 ? sessions[0]!.end.status : null,
      sessions: sessions.length,
      processes: processes.length - workers.length,
    },
  };
}

/** Whether a report was passed on that neither the process itself nor one forked from it has made. */
function isUnknown(processes: readonly Process[]): boolean {
  const made = new Set(valuesOf(processes, 'made').map((value) => JSON.stringify(value)));
  return valuesOf(processes, 'foreign').some((value) => !made.has(JSON.stringify(value)));
}

function countsOf(tests: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const test of tests) counts.set(test, (counts.get(test) ?? 0) + 1);
  return [...counts];
}

function grouped(pairs: readonly [string, string][]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const [name, value] of pairs) found.set(name, (found.get(name) ?? new Set()).add(value));
  return new Map([...found].map(([name, values]) => [name, [...values].sort()]));
}

function valuesOf(processes: readonly Process[], kind: string): unknown[] {
  return processes.flatMap(({ entries }) =>
    entries.filter((entry) => entry[0] === kind).map(([, value]) => value),
  );
}

/** Statuses by pytest's own rules; the worst report of a test counts. */
function statusesOf(processes: readonly Process[]): StatusMap {
  const statuses = new Map<string, Status>();
  for (const process of processes) {
    for (const [kind, value] of process.entries) {
      if (kind === 'status') recordWorst(statuses, ...(value as [string, Status]));
      if (kind !== 'report') continue;
      const [id, when, outcome, xfail] = value as ReportEntry;
      const status = statusOf(when, outcome, xfail);
      // A controller only hands on what workers say; that one of them died it says itself.
      if (status !== null && (process.role !== 'controller' || outcome === 'failed'))
        recordWorst(statuses, id, status);
    }
  }
  return statuses;
}

function statusOf(when: string, outcome: string, xfail: boolean): Status | null {
  if (outcome === 'skipped') return xfail ? 'XFAIL' : 'SKIPPED';
  // pytest-rerunfailures reports a try that failed, and then the next one.
  if (outcome === 'rerun') return 'RERUN';
  if (outcome === 'failed') return when === 'call' ? 'FAILED' : 'ERROR';
  if (outcome === 'passed' && when === 'call') return xfail ? 'XPASS' : 'PASSED';
  return null;
}

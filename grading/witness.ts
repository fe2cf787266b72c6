/**
 * Reads what the witness wrote (stages/testing/witness.py): a record without its seal was cut off or written by
 * somebody else, and proves nothing but that.
 */
import { createHmac } from 'node:crypto';
import { recordWorst, type Status, type StatusMap } from './status.ts';

export interface WitnessEnd {
  /** pytest's own exit status. */
  status: number | null;
  /** Functions of pytest that are not what they were. */
  modified: string[];
  /** Tests that raised and were reported as passed. */
  forced: string[];
  /** What pytest made of a failure at the end; null when it could not be asked. */
  failure: string | null;
  /** Modules and classes of the registered plugins. */
  plugins: string[];
  /** Options of the environment and of the configuration file. */
  options: string[];
}

export interface WitnessRecord {
  /** absent: pytest never loaded it. open: it began and did not end. broken: its seal is wrong. closed: all is well. */
  state: 'absent' | 'open' | 'broken' | 'closed';
  statuses: StatusMap;
  end: WitnessEnd | null;
}

const NOTHING: StatusMap = new Map();

/** The record of a run whose witness had `secret`. */
export function readWitness(bytes: Uint8Array | null, secret: string): WitnessRecord {
  if (bytes === null) return { state: 'absent', statuses: NOTHING, end: null };
  const lines = Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map(parsed);
  if (entries.at(-1)?.[0] !== 'seal') return { state: 'open', statuses: NOTHING, end: null };
  const seal = createHmac('sha256', secret);
  for (const line of lines.slice(0, -1)) seal.update(`${line}\n`);
  const end = entries.at(-2);
  if (entries.at(-1)![1] !== seal.digest('hex') || end?.[0] !== 'end')
    return { state: 'broken', statuses: NOTHING, end: null };
  return { state: 'closed', statuses: statusesOf(entries), end: end[1] as WitnessEnd };
}

function parsed(line: string): [kind: string, value: unknown] | null {
  try {
    const entry: unknown = JSON.parse(line);
    return Array.isArray(entry) && entry.length === 2 ? (entry as [string, unknown]) : null;
  } catch {
    return null;
  }
}

type ReportEntry = [id: string, when: string, outcome: string, xfail: boolean];

/** Statuses by pytest's own rules; the worst report of a test counts. */
function statusesOf(entries: readonly ([string, unknown] | null)[]): StatusMap {
  const statuses = new Map<string, Status>();
  for (const entry of entries) {
    if (entry?.[0] !== 'report') continue;
    const [id, when, outcome, xfail] = entry[1] as ReportEntry;
    const status = statusOf(when, outcome, xfail);
    if (status !== null) recordWorst(statuses, id, status);
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

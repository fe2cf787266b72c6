/**
 * Why instances did not pass, across environments. Failures whose logs end with the same complaint have one cause,
 * and fixing it may make all of them pass. Pure.
 */

import { missingOf } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { suggestedOverride } from './hints.ts';
import { exitStatus } from './statuses.ts';

export interface ReportItem {
  instance: string;
  outcome: Outcome;
  /** The last lines of the item's log. */
  tail: string;
}

export interface ReportGroup {
  environment: string;
  outcome: Outcome;
  /** The last lines of the environment's build log, when it failed. */
  tail: string;
  total: number;
  items: ReportItem[];
}

export interface Cause {
  /** The line that complains in the log of the first instance; the outcome, where no line does. */
  complaint: string;
  /** As `failed (gold-fails)`. */
  status: string;
  /** The recipe key that would likely help; null when the log gives no hint. */
  hint: string | null;
  /** Instances that may pass once it is fixed. */
  instances: string[];
  environments: string[];
  /** An item to try it on, `stage.dataset@item`. */
  example: string;
}

interface Complaint extends Omit<Cause, 'instances' | 'environments'> {
  fingerprint: string;
  instances: readonly string[];
  environment: string;
}

/** Those with the most instances first, then by complaint. */
export function causesOf(dataset: string, groups: readonly ReportGroup[]): Cause[] {
  const causes = new Map<string, Cause>();
  const all = groups.flatMap((group) => complaintsOf(dataset, group));
  for (const { instances, environment, fingerprint, ...told } of all) {
    const name = JSON.stringify([told.status, fingerprint]);
    const known = causes.get(name) ?? { ...told, instances: [], environments: [] };
    causes.set(name, known);
    known.instances.push(...instances);
    if (known.environments.at(-1) !== environment) known.environments.push(environment);
  }
  const byName = ([a]: [string, Cause], [b]: [string, Cause]) => (a < b ? -1 : 1);
  return [...causes]
    .sort(byName)
    .map(([, cause]) => cause)
    .sort((a, b) => b.instances.length - a.instances.length);
}

/** A failed environment is one complaint for all of its instances. */
function complaintsOf(dataset: string, { environment, outcome, tail, items }: ReportGroup): Complaint[] {
  if (items.length === 0) return [];
  const complaint = (ended: Outcome, log: string, name: string): Omit<Complaint, 'instances' | 'example'> => {
    const status = exitStatus(ended);
    const missing = missingOf(ended);
    const line =
      missing === null ? (complaintIn(log) ?? status) : `tests need a ${missing} that is not there`;
    const fingerprint = fingerprintOf(line, [name, environment]);
    return { complaint: line, fingerprint, status, hint: suggestedOverride(ended, log), environment };
  };
  if (outcome.status !== 'ok') {
    const instances = items.map(({ instance }) => instance);
    const example = `environments.${dataset}@${environment}`;
    return [{ ...complaint(outcome, tail, environment), example, instances }];
  }
  return items.map(({ instance, outcome: ended, tail: log }) => ({
    ...complaint(ended, log, instance),
    example: `validate.${dataset}@${instance}`,
    instances: [instance],
  }));
}

/** From what says most to what says least. */
const COMPLAINTS: readonly RegExp[] = [
  /^E\s+((?:\w+\.)*\w*(?:Error|Exception|Failure|Warning)\b.*)$/gm,
  /^((?:\w+\.)*\w*(?:Error|Exception)\b:.*)$/gm,
  // What programs say of their arguments, such as pytest without a plugin.
  /^[\w./-]+: error: (.+)$/gm,
  /^(?:ERROR|Error|error|FATAL|fatal): ?(.+)$/gm,
  /^(?:bash|sh|make)[^:]*: (.*(?:not found|No such file or directory|Error \d+).*)$/gm,
  /^E\s{2,}(\S.*)$/gm,
];
const MAX_CHARACTERS = 160;

/** The last line that complains; null when none does. */
export function complaintIn(log: string): string | null {
  for (const pattern of COMPLAINTS) {
    const last = [...log.matchAll(pattern)].at(-1)?.[1]?.trim();
    if (last !== undefined) return last.length > MAX_CHARACTERS ? `${last.slice(0, MAX_CHARACTERS)}…` : last;
  }
  return null;
}

/**
 * A fingerprint that is the same for all complaints of one cause: the line without names, folders, addresses and
 * numbers.
 */
export function fingerprintOf(line: string, names: readonly string[] = []): string {
  let text = line;
  for (const name of names) text = text.replaceAll(name, '…');
  return text
    .replace(/\b0x[0-9a-f]+\b/gi, '…')
    .replace(/(?:\/[\w.+-]+)+\/(?=[\w.+-])/g, '…/')
    .replace(/\b[0-9a-f]{7,40}\b/g, '…')
    .replace(/\b\d+(?:\.\d+)*\b/g, '…');
}

/**
 * Why instances did not pass, across environments. Failures whose logs end with the same complaint have one cause,
 * and fixing it may make all of them pass. Pure.
 */

import { missingOf } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Excerpt } from './excerpt.ts';
import { exitStatus } from './statuses.ts';

interface ReportItem extends Excerpt {
  instance: string;
  outcome: Outcome;
}

/** An environment; the excerpt is of its build log, when it failed. */
export interface ReportGroup extends Excerpt {
  environment: string;
  outcome: Outcome;
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
  for (const { instances, environment, fingerprint, ...cause } of all) {
    const name = JSON.stringify([cause.status, fingerprint]);
    const known = causes.get(name) ?? { ...cause, instances: [], environments: [] };
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
function complaintsOf(dataset: string, { environment, outcome, items, ...built }: ReportGroup): Complaint[] {
  if (items.length === 0) return [];
  const complaint = (
    ended: Outcome,
    { complaint: found, hint }: Excerpt,
    name: string,
  ): Omit<Complaint, 'instances' | 'example'> => {
    const status = exitStatus(ended);
    const missing = missingOf(ended);
    const line = missing === null ? (found ?? detailOf(ended)) : `tests need a ${missing} that is not there`;
    const fingerprint = fingerprintOf(line, [name, environment]);
    return { complaint: line, fingerprint, status, hint, environment };
  };
  if (outcome.status !== 'ok') {
    const instances = items.map(({ instance }) => instance);
    const example = `environments.${dataset}@${environment}`;
    return [{ ...complaint(outcome, built, environment), example, instances }];
  }
  return items.map(({ instance, outcome: ended, ...excerpt }) => ({
    ...complaint(ended, excerpt, instance),
    example: `validate.${dataset}@${instance}`,
    instances: [instance],
  }));
}

/** What the outcome says of itself. */
function detailOf(outcome: Outcome): string {
  return 'detail' in outcome && outcome.detail !== '' ? outcome.detail : exitStatus(outcome);
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

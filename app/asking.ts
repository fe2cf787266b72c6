/**
 * Asks again what was not found, during one build: each question once, several at a time, and in bounded time. A build asks
 * at most once a day, `retry` always. A server that does not answer changes nothing.
 */
import { faultPoint } from '../basics/fault-point.ts';
import { mapLimit } from '../basics/map-limit.ts';
import type { Result } from '../basics/result.ts';
import { isOverturned, keepAsked, lastAsked, nameOfSought } from '../cache/absences.ts';
import type { Services } from '../contract/machine.ts';
import type { AskAgain } from '../engine/resting.ts';
import type { Absence, Sought } from '../schemas/absence.ts';
import { type Infra, infra } from '../schemas/outcome.ts';
import { askAgain, soughtText } from './ask-again.ts';

/** When questions are asked again. */
export type AskWhen = 'always' | 'daily' | 'never';

/** Milliseconds between two times at which builds ask. */
export const DAY = 24 * 60 * 60 * 1000;
/** Questions under way at once. */
const AT_ONCE = 8;
/** Milliseconds for all questions of a build together. */
const TIMEOUT_MS = 30_000;

/** What asking came to. */
export interface Asked {
  /** Questions in words, as they stand. */
  changed: string[];
  same: string[];
  /** Questions that were not answered. */
  unanswered: { question: string; why: string }[];
}

export interface AskingOptions {
  services: Services;
  when: Exclude<AskWhen, 'never'>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** For tests. */
  most?: number;
}

export interface Asking {
  again: AskAgain;
  report: Asked;
  close(): void;
}

/** True when a build should ask; a clock that was set back is no reason to wait. */
function isDue({ asked, tried = asked }: { asked: number; tried?: number }, now: number): boolean {
  const last = Math.max(asked, tried);
  return last > now || now - last >= DAY;
}

export function startAsking({ services, when, now, most = TIMEOUT_MS }: AskingOptions): Asking {
  const report: Asked = { changed: [], same: [], unanswered: [] };
  const known = new Map<string, Promise<void>>();
  const { database } = services.cache;
  const timer = new AbortController();
  const signal = AbortSignal.any([services.signal, timer.signal]);
  let limit: NodeJS.Timeout | undefined;

  const ask = async (absence: Absence): Promise<void> => {
    const { sought } = absence;
    const last = lastAsked(database, absence);
    if (isOverturned(database, { absent: [absence] }) || (when === 'daily' && !isDue(last, now()))) return;
    limit ??= setTimeout(() => timer.abort(), most).unref();
    const answer = await within(signal, askAgain(sought, services, signal));
    const question = soughtText(sought);
    if (!answer.ok) {
      if (services.signal.aborted) return;
      report.unanswered.push({ question, why: services.secrets.redact(answer.fault.detail) });
      return keepAsked(database, sought, { ...last, tried: now() });
    }
    (answer.value === absence.answer ? report.same : report.changed).push(question);
    await keepAsked(database, sought, { answer: answer.value, asked: now() });
    faultPoint('absence-asked');
  };
  const once = (absence: Absence): Promise<void> => {
    const name = nameOfSought(absence.sought);
    // A disk that is full, or a bug, leaves the answer as it is.
    const asking = known.get(name) ?? ask(absence).catch((error: unknown) => failed(absence.sought, error));
    known.set(name, asking);
    return asking;
  };
  const failed = (sought: Sought, error: unknown): void => {
    report.unanswered.push({ question: soughtText(sought), why: String(error) });
  };
  return {
    report,
    again: async (absences) => void (await mapLimit(absences, AT_ONCE, once)),
    close: () => clearTimeout(limit),
  };
}

/** The answer, or a fault once time is over: some ways of asking end late. */
async function within<T>(signal: AbortSignal, work: Promise<Result<T, Infra>>): Promise<Result<T, Infra>> {
  const late: Result<T, Infra> = { ok: false, fault: infra('network', 'no answer in time') };
  let end: () => void = () => undefined;
  const over = new Promise<Result<T, Infra>>((done) => {
    end = () => done(late);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', end);
    // Its answer is not waited for any more.
    work.catch(() => undefined);
  }
}

/**
 * What can prevent a source from being had. An `Infra` is worth another try; `invalid-row` is the task's own
 * answer: what the row names does not exist, or is not what it says. One that does not exist may exist later, so its
 * answer has the question with it.
 */
import { type Absence, absenceOf, type Sought } from '../../schemas/absence.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { infra } from '../../schemas/outcome.ts';

export interface InvalidRow {
  status: 'failed';
  reason: 'invalid-row';
  detail: string;
  /** Set where somebody was asked who does not have it; they may have it later. */
  absent?: readonly Absence[];
}

export type SourceFault = Infra | InvalidRow;

export function invalidRow(detail: string): InvalidRow {
  return { status: 'failed', reason: 'invalid-row', detail };
}

/** Like `invalidRow`, for what somebody was asked for and does not have. */
export function notFound(detail: string, sought: Sought): InvalidRow {
  return { ...invalidRow(detail), absent: [absenceOf(sought)] };
}

/** What says nothing of a file's content, and may not be so the next time. */
const REFUSED = new Set(['EIO', 'ESTALE', 'EMFILE', 'ENFILE', 'ENOMEM', 'Z_MEM_ERROR']);

/** The fault that an error of the file system stands for; anything else is a bug and is thrown on. */
export function diskFault(error: unknown): Infra {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return infra('disk-full', `no space left on the disk (${code})`);
  if (code !== undefined && REFUSED.has(code))
    return infra('machine', `the machine cannot read or write files: ${(error as Error).message}`);
  throw error;
}

/** The `code` of a Node error, looked for in its causes too. */
export function errorCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

/** `url` without user, password, query and fragment, so that it may be shown. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/, '');
}

/**
 * Faults of swemake's own commands inside a workspace, such as applying a patch. If one was killed from outside, took
 * far too long or is missing, its output says nothing about the task. If a limit of the workspace stopped it, that is
 * the task's answer, since the limit is part of the key.
 */

import { type Infra, infra, type Outcome } from '../schemas/outcome.ts';
import type { ExecResult, FileRefused, WorkspaceKilled, WorkspaceLost } from './deployment.ts';
import { lackFault, lackOf } from './lack.ts';

/** The highest signal number. */
const LAST_SIGNAL = 64;
/** Exit codes of a shell for a command that is missing or may not be run. */
const NOT_RUN = [126, 127];
/** The message when a command exceeded the workspace's memory or disk. */
const OVER_LIMIT = /swemake: over the (?:memory|disk) limit/;

/** The fault of a helper that did not end by itself; null when it did. */
export function helperFault(what: string, ran: ExecResult): Infra | WorkspaceKilled | null {
  const { exitCode, timedOut, output, durationMs } = ran;
  if (timedOut) return infra('helper', `${what} did not end within ${Math.round(durationMs / 1000)} s`);
  if (exitCode === 0) return null;
  const met = (limit: string): WorkspaceKilled => {
    return { status: 'failed', reason: 'workspace-killed', detail: `${what} met a limit: ${limit}` };
  };
  const over = OVER_LIMIT.exec(output)?.[0];
  if (over !== undefined) return met(over);
  const lack = isSignal(exitCode) ? null : lackOf(ran);
  if (lack !== null) return lackFault(what, lack) ?? met(lack.line);
  if (exitCode !== null && NOT_RUN.includes(exitCode))
    return infra('tool-missing', `${what}: ${output.trim().split('\n')[0] || `exit code ${exitCode}`}`);
  return isSignal(exitCode) ? ended(what, ran) : null;
}

/** True for a helper that is missing or may not be run. If it ran before, code in the workspace removed it. */
export function isMissing(found: Outcome): found is Infra {
  return found.status === 'infra' && found.reason === 'tool-missing';
}

/** Like `helperFault`, for one of swemake's own files that cannot be written or read. The task cannot be the cause. */
export function fileFault(what: string, why: WorkspaceLost | FileRefused): WorkspaceLost {
  if (why.status !== 'refused') return why;
  if (why.reason === 'full')
    return { status: 'failed', reason: 'workspace-killed', detail: `${what} met a limit: ${why.detail}` };
  return infra('helper', `${what}: ${why.detail}`);
}

/** Whether an exit code is a signal's. No helper exits with such a code by itself: git's codes end at 128. */
function isSignal(exitCode: number | null): boolean {
  return exitCode === null || (exitCode > 128 && exitCode <= 128 + LAST_SIGNAL);
}

function ended(what: string, { exitSignal, exitCode }: ExecResult): Infra {
  return infra('killed', `${what} was ended from outside (${exitSignal ?? `exit code ${exitCode}`})`);
}

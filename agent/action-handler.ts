/** Runs actions, and describes their results. Each type of agent has its own handler. */
import { constants } from 'node:os';
import type { Result } from '../basics/result.ts';
import type { ExecResult, WorkspaceKilled } from '../executors/deployment.ts';
import type { Hindrance } from '../executors/hindrance.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { Action } from './actions/action.ts';
import type { ShownOutput } from './texts.ts';

export interface ActionOutput {
  output: string;
  /** null when a signal or the time limit ended it. */
  exitCode: number | null;
  exitSignal: string | null;
  timedOut: boolean;
  truncated: boolean;
  /** Milliseconds that its command ran, and what kept it from running; absent when it ran none. */
  durationMs?: number;
  hindrance?: Hindrance | undefined;
  /** What the action submits. null: it submits nothing, and the rollout continues. */
  submission: string | null;
}

export interface Limit {
  /** Seconds. */
  seconds: number;
  signal: AbortSignal;
}

export interface ActionHandler {
  run(action: Action, limit: Limit): Promise<Result<ActionOutput, Infra | WorkspaceKilled>>;
}

export function outputOf(
  { output, exitCode, exitSignal, timedOut, truncated, durationMs, hindrance }: ExecResult,
  submission: string | null,
): ActionOutput {
  return { output, exitCode, exitSignal, timedOut, truncated, durationMs, hindrance, submission };
}

/** The answer of a tool that ran no command. */
export function toolOutput(output: string, exitCode = 0, submission: string | null = null): ActionOutput {
  return { output, exitCode, exitSignal: null, timedOut: false, truncated: false, submission };
}

/** An output as templates see it. */
export function shownOutput(result: ActionOutput, seconds: number): ShownOutput {
  const { output, exitCode, exitSignal, timedOut } = result;
  if (exitCode !== null) return { output, returncode: exitCode, exception_info: '' };
  if (timedOut)
    return { output, returncode: -1, exception_info: `Command timed out after ${rounded(seconds)}s` };
  const name = exitSignal ?? 'a signal';
  const number = (constants.signals as Record<string, number>)[name] ?? 1;
  return { output, returncode: -number, exception_info: `Command was ended by ${name}` };
}

/** Shown for an action that was not run because an earlier one ended the turn. */
export const NOT_EXECUTED: ShownOutput = {
  output: '',
  returncode: -1,
  exception_info: 'action was not executed',
};

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

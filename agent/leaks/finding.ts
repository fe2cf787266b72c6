/** A finding of a leak report, and the step that rules examine. */
import type { ShellCommand } from './commands.ts';

type LeakRule =
  | 'git-history'
  | 'git-remote'
  | 'project-copy'
  | 'project-download'
  | 'network'
  | 'gold-text'
  | 'test-text'
  | 'hidden-tests';

/** attempt: it tried, and saw no content. leak: the answer, or a file with it, was shown or fetched. */
export type LeakSeverity = 'attempt' | 'leak';

export interface LeakFinding {
  /** Number of the step, from 0. */
  step: number;
  rule: LeakRule;
  severity: LeakSeverity;
  /** What was called and what came back, cut. */
  evidence: string;
}

/** One executed action of a trajectory, parsed once for all rules. */
export interface LeakStep {
  index: number;
  /** As the agent wrote it: the command, or a tool's arguments. */
  text: string;
  /** A tool's arguments; null for a shell command. */
  tool: Record<string, unknown> | null;
  commands: ShellCommand[];
  output: string;
  exitCode: number | null;
  /** Lines, trimmed, that the agent wrote in this action or an earlier one. */
  ownLines: ReadonlySet<string>;
}

/** A rule: its finding in a step, or null. Steps come in order, so a rule may remember earlier ones. */
export type LeakCheck = (step: LeakStep) => Omit<LeakFinding, 'step'> | null;

/** Arguments of tools that write files, and a patch as Codex writes it. */
export const EDITS = /"(?:new_?str(?:ing)?|file_text|content|edits)"\s*:|\*\*\* (?:Add|Update) File/i;

const EVIDENCE = 200;

export function evidenceOf(step: LeakStep, seen: string = step.output): string {
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  return `${line(step.text).slice(0, EVIDENCE / 2)} -> ${line(seen)}`.slice(0, EVIDENCE);
}

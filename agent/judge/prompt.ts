/** The prompt for a judge: the issue, the steps before, the step and its output. */
import { cutText, pointsOf } from '../context/code-points.ts';
import type { ChatMessage } from '../policy.ts';
import type { JudgedStep } from '../rollout.ts';

/** Characters (code points) of what the judge sees. */
const PROBLEM = 8000;
const OUTPUT = 4000;
const HISTORY_OUTPUT = 1000;

const SYSTEM = `You judge single steps of a software engineer who repairs a repository from a shell. Be strict.
You are given:
1. the issue that has to be resolved,
2. the most recent steps before this one, with what their commands printed,
3. the step to judge: all that the engineer wrote, reasoning and command,
4. the exit code and the output of that command.`;

const RULES = `## Scoring
+1, only when all of this holds: the command ran without an error that was not to be expected; it has to do with the issue; it brings the work forward, by learning something that was needed, by an edit that is right, or by a check that makes sense.
-1 in every other case: it failed, it has nothing to do with the issue, it repeats what was done before, its edit is wrong or breaks something, or it spends a step on nothing.

Think step by step about what the step was meant to do and what it did. Then give the score, once, as \\boxed{1} or \\boxed{-1}.`;

/** The messages, with the last `historySteps` of the earlier steps. Numbers of steps begin with 1. */
export function judgePrompt(step: JudgedStep, historySteps: number): ChatMessage[] {
  const earlier = step.earlier.slice(-historySteps);
  const sections = [
    `## Issue Description\n${cutText(step.problem_statement, PROBLEM)}`,
    `## Recent History (${earlier.length} steps)\n${history(earlier)}`,
    `## Current Step to Evaluate (step ${step.index + 1})\n${step.reply}`,
    `Execution result (returncode=${code(step.exitCode)}):\n${bothEnds(step.output)}`,
    RULES,
  ];
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: sections.join('\n\n') },
  ];
}

function history(steps: JudgedStep['earlier']): string {
  if (steps.length === 0) return 'None (this is the first step)';
  return steps
    .map(({ index, command, exitCode, output }) => {
      const shown = cutText(output, HISTORY_OUTPUT, `\n... (truncated to ${HISTORY_OUTPUT} chars)`);
      return `Step ${index + 1}: $ ${command}\nreturncode=${code(exitCode)}\noutput:\n${shown}`;
    })
    .join('\n\n');
}

/** A command that a signal or its time limit ended has no exit code. */
function code(exitCode: number | null): string {
  return exitCode === null ? 'none, it was killed' : String(exitCode);
}

function bothEnds(text: string): string {
  const points = pointsOf(text);
  if (points.length <= OUTPUT) return text;
  const half = OUTPUT / 2;
  const omitted = `\n... (${points.length - OUTPUT} characters omitted) ...\n`;
  return points.first(half) + omitted + points.last(half);
}

/**
 * The leak report of a trajectory: whether the agent saw the answer outside of its own work. Rules read only what it
 * ran and the outputs, so a report can be made again at any time.
 */
import { jsonObject } from '../../basics/json.ts';
import type { Trajectory, TrajectoryObservation } from '../../schemas/trajectory.ts';
import { shellCommands } from './commands.ts';
import type { LeakCheck, LeakFinding, LeakStep } from './finding.ts';
import { hiddenTestsCheck } from './hidden-tests.ts';
import { historyCheck, remoteCheck } from './history.ts';
import { networkCheck } from './network.ts';
import { goldTextCheck, testTextCheck, trimmedLines } from './overlap.ts';
import { projectCopyCheck, projectDownloadCheck } from './packages.ts';
import { type LeakInstance, leakTask } from './task.ts';

/** Bumped when the same trajectory would get another report. */
export const LEAK_REPORT_VERSION = 3;

/** Findings in the order of the steps; at most one of a rule per action. */
export function leakReport(trajectory: Trajectory, instance: LeakInstance): LeakFinding[] {
  const task = leakTask(instance);
  const checks: LeakCheck[] = [
    historyCheck(),
    remoteCheck,
    projectCopyCheck(task),
    projectDownloadCheck(task),
    networkCheck(task),
    goldTextCheck(task),
    testTextCheck(task),
    hiddenTestsCheck(task),
  ];
  const findings: LeakFinding[] = [];
  for (const step of leakSteps(trajectory)) {
    for (const check of checks) {
      const found = check(step);
      if (found !== null) findings.push({ step: step.index, ...found });
    }
  }
  return findings;
}

/** Whether the answer was seen, attempts not counted. */
export function hasLeak(findings: readonly LeakFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'leak');
}

/** One at a time, since the lines that the agent wrote become more with each step. */
function* leakSteps(trajectory: Trajectory): Generator<LeakStep> {
  const ownLines = new Set<string>();
  for (const [index, { actions, observations }] of trajectory.steps.entries()) {
    // An agent from outside may run what no later prompt shows an answer to.
    const shown =
      trajectory.tools === undefined ? observations : actions.map((_, at) => observations[at] ?? UNSEEN);
    for (const [at, observation] of shown.entries()) {
      const { tool, command } = actions[at]!;
      for (const line of trimmedLines(command)) ownLines.add(line);
      const given = tool === 'bash' ? null : (jsonObject(command) ?? {});
      const shell = given === null ? command : trajectory.tools === undefined ? null : shellIn(given);
      yield {
        index,
        text: command,
        tool: given,
        commands: shell === null ? [] : shellCommands(shell),
        output: observation.output,
        exitCode: trajectory.tools === undefined ? observation.exit_code : exitIn(observation),
        ownLines,
      };
    }
  }
}

const UNSEEN = { output: '', exit_code: null };
/** An exit code, as programs print it at the beginning or the end of an output. Most print it only if it is not 0. */
const TOLD = /\b(?:exit(?:ed with)? (?:code|status)|returncode)\W{0,3}(\d+)/i;
const NEAR = 200;

/** The exit code of what an agent from outside ran; null: nothing of it was shown. */
function exitIn({
  output,
  exit_code: known,
}: Pick<TrajectoryObservation, 'output' | 'exit_code'>): number | null {
  if (known !== null || output.trim() === '') return known;
  return Number((TOLD.exec(output.slice(0, NEAR)) ?? TOLD.exec(output.slice(-NEAR)))?.[1] ?? 0);
}

/** The shell command that a tool of an agent from outside was given; null: none. */
function shellIn({ command, cmd, script }: Record<string, unknown>): string | null {
  const given = command ?? cmd ?? script;
  if (Array.isArray(given)) return given.length === 3 ? String(given[2]) : given.join(' ');
  return typeof given === 'string' ? given : null;
}

/** Runs the actions that a reply asks for, and shows their outputs to the agent. */

import { fault, type Result, success } from '../basics/result.ts';
import { hinderedBy, hinderedFault } from '../executors/hindrance.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';
import type { TrajectoryObservation } from '../schemas/trajectory.ts';
import { type ActionOutput, NOT_EXECUTED, shownOutput } from './action-handler.ts';
import { type Action, commandOf } from './actions/action.ts';
import { commandTime } from './clock.ts';
import type { Ending } from './ending.ts';
import { workspaceDiff } from './finish.ts';
import type { Reply } from './policy.ts';
import { progressOf, type Run, type TurnEnd } from './run.ts';
import type { ShownOutput } from './texts.ts';

/**
 * Runs the actions in order. After an action that submits, no further one is run, and no output is shown, unless a user has more to say:
 * then the agent works on.
 */
export async function act(run: Run, reply: Reply, actions: Action[]): Promise<TurnEnd> {
  const done = await runActions(run, actions);
  if (!done.ok) return done;
  const { shown, observations, took, ended } = done.value;
  const { transcript, judging, input } = run;
  const index = transcript.addStep(actions, observations, took);
  const answered = ended?.status === 'submitted' ? await answerOf(run, reply) : success(null);
  if (!answered.ok) return answered;
  const note = answered.value;
  input.log(`step ${transcript.steps.length}: ${actions.map(firstLine).join('; ')}\n`);
  if (observations.length > 0) {
    const executed = actions.slice(0, observations.length);
    judging.dispatch({
      index,
      problem_statement: input.task.problem_statement,
      reply: replyText(reply),
      command: executed.map(commandOf).join('\n'),
      exitCode: observations.at(-1)!.exit_code,
      output: observations.map(({ output }) => output).join('\n'),
      submits: ended?.status === 'submitted' && note === null,
    });
  }
  const isOver = ended?.status === 'submitted' || ended?.status === 'workspace_killed';
  if (isOver && note === null) return success(ended);
  // A tool call wants an answer; without one the user speaks next, since templates refuse two messages of a user in a row.
  const isShown = note === null || actions.some(({ id }) => id !== undefined);
  const problem = isShown ? show(run, actions, shown, observations) : null;
  if (problem !== null) return fault(infra('template', problem));
  if (note === null) return success(ended);
  transcript.add({ role: 'user', kind: 'note', content: note });
  input.log('the user speaks\n');
  return success(null);
}

/** What the user answers to a submission. Time in which a model plays the user is no working time of the agent. */
async function answerOf(run: Run, reply: Reply): Promise<Result<string | null, Infra>> {
  const { input, clock, user } = run;
  const { workspace, signal, task } = input;
  const submitted = {
    problem_statement: task.problem_statement,
    reply: replyText(reply),
    async diff(): Promise<Result<string, Infra>> {
      const taken = await workspaceDiff(workspace, input, signal);
      if (taken.ok) return success(taken.value.diff);
      return isFault(taken.fault) ? fault(taken.fault) : success('');
    },
  };
  const { value, took } = await clock.measure(() => user.answer(submitted, signal));
  clock.waited += took;
  return value;
}

interface Done {
  shown: ShownOutput[];
  observations: TrajectoryObservation[];
  /** Milliseconds. */
  took: number;
  ended: Ending | null;
}

async function runActions(run: Run, actions: Action[]): Promise<Result<Done, Infra>> {
  const { input, handler, clock } = run;
  const done: Done = { shown: [], observations: [], took: 0, ended: null };
  for (const action of actions) {
    const { seconds, boundByRollout } = commandTime(input.settings.limits, clock.worked());
    if (seconds <= 0) {
      done.ended = { status: 'time_exceeded', detail: '', submission: null };
      break;
    }
    const limit = { seconds, signal: input.signal };
    const { value: ran, took } = await clock.measure(() => handler.run(action, limit));
    done.took += took;
    if (!ran.ok && isFault(ran.fault)) return fault(ran.fault);
    if (!ran.ok) {
      done.ended = { status: 'workspace_killed', detail: ran.fault.detail, submission: null };
      break;
    }
    const paused = pauseOf(run, ran.value, took);
    if (paused !== null) return fault(paused);
    done.shown.push(shownOutput(ran.value, seconds));
    done.observations.push(observationOf(ran.value));
    done.ended = endedBy(ran.value, boundByRollout);
    if (done.ended !== null) break;
  }
  return success(done);
}

/**
 * Time in which the workspace stood still is no working time. A command that met its limit beside a pause shows the model
 * what is not so, and the rollout is made again. A lack of processors is only logged: the rollout would cost as much again.
 */
function pauseOf({ clock, input }: Run, ran: ActionOutput, took: number): Infra | null {
  const { hindrance, durationMs = took } = ran;
  clock.waited += Math.max(0, Math.min(hindrance?.pausedMs ?? 0, took - durationMs));
  const hindered = ran.timedOut ? hinderedBy(ran) : null;
  if (hindered?.by === 'pause') return hinderedFault('a command of the agent', hindered);
  if (hindered !== null) input.log(`note: a command met its time limit and ${hindered.words}\n`);
  return null;
}

function endedBy({ submission, truncated, timedOut }: ActionOutput, boundByRollout: boolean): Ending | null {
  if (submission !== null)
    return { status: 'submitted', detail: '', submission: { text: submission, whole: !truncated } };
  if (!timedOut || !boundByRollout) return null;
  return { status: 'time_exceeded', detail: 'during a command', submission: null };
}

function observationOf({ output, exitCode, timedOut, truncated }: ActionOutput): TrajectoryObservation {
  return { output, exit_code: exitCode, timed_out: timedOut, truncated, message: null };
}

/** Adds a message for each action. Every tool call gets an answer, even if it was not run. */
function show(
  run: Run,
  actions: Action[],
  shown: ShownOutput[],
  observations: TrajectoryObservation[],
): string | null {
  const { transcript, texts, rules, input } = run;
  const { steps, repeated_commands: mostRepeats = 0 } = input.settings.limits;
  for (const [at, action] of actions.entries()) {
    const output = withReason(shown[at] ?? NOT_EXECUTED, input.settings.templates.observation);
    const text = texts.observation(output, progressOf(run));
    if (!text.ok) return text.fault;
    const message = transcript.add({
      role: action.id === undefined ? 'user' : 'tool',
      kind: 'observation',
      content:
        text.value +
        (mostRepeats > 0 ? warningOf(transcript.timesInARow(at), mostRepeats) : '') +
        rules.reminder(steps === 0 ? null : steps - transcript.begun),
      ...(action.id === undefined ? {} : { tool_call_id: action.id }),
    });
    const observation = observations[at];
    if (observation !== undefined) observation.message = message;
  }
  return null;
}

function warningOf(times: number, most: number): string {
  if (times < most) return '';
  return `\n\nYou gave this command ${times} times in a row, and repeating it changes nothing. Take another step.`;
}

/**
 * Templates of version 1 have no variable for the reason why a command ended, so the reason is put behind the output.
 */
function withReason(output: ShownOutput, template: string): ShownOutput {
  if (output.exception_info === '' || template.includes('exception_info')) return output;
  const gap = output.output === '' || output.output.endsWith('\n') ? '' : '\n';
  return { ...output, output: `${output.output}${gap}${output.exception_info}` };
}

function replyText({ content, toolCalls }: Reply): string {
  const calls = toolCalls.map((call) => `${call.name}(${call.arguments})`);
  return [content, ...calls].filter((part) => part !== '').join('\n');
}

function firstLine(action: Action): string {
  const [line = '', ...rest] = commandOf(action).split('\n');
  const name = action.tool === 'bash' ? '$' : action.tool;
  return `${name} ${line.slice(0, 200)}${rest.length > 0 || line.length > 200 ? ' …' : ''}`;
}

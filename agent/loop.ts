/**
 * One rollout: prompt, reply, action, observation, until the agent submits or a limit ends it. The order is that of
 * mini-swe-agent 2: limits are checked before a call, the call is counted before it is made, and all actions of a
 * reply run in order. A fault of an endpoint or a machine ends a rollout without a trajectory, since it is no answer.
 */

import { awakeNow } from '../basics/awake.ts';
import { plural } from '../basics/plural.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';
import { type ExitStatus, TRAJECTORY_FORMAT, type Trajectory } from '../schemas/trajectory.ts';
import { Clock } from './clock.ts';
import type { Ending } from './ending.ts';
import { type FinalPatch, finalPatch, NO_PATCH } from './finish.ts';
import { Judging } from './judging.ts';
import { patchAsPrinted } from './printed-patch.ts';
import type { RolloutInput, RolloutOutput } from './rollout.ts';
import type { Loop } from './rules.ts';
import type { Run } from './run.ts';
import { commonOf } from './trajectory.ts';
import { Transcript } from './transcript.ts';
import { takeTurn } from './turn.ts';
import { modelUser, scriptedUser, type User } from './user.ts';

/** Runs a rollout in an open workspace, as `loop` says. */
export async function runRollout(input: RolloutInput, loop: Loop): Promise<Result<RolloutOutput, Infra>> {
  const judging = new Judging(input.judge, input.signal);
  try {
    return await roll(input, loop, judging);
  } finally {
    judging.stop();
  }
}

async function roll(
  input: RolloutInput,
  { rules, format, handler }: Loop,
  judging: Judging,
): Promise<Result<RolloutOutput, Infra>> {
  const user = userOf(input);
  if (!user.ok) return user;
  const run: Run = {
    input,
    texts: input.texts,
    rules,
    format,
    handler: await handler(input),
    transcript: new Transcript(),
    clock: new Clock(input.now ?? awakeNow),
    judging,
    user: user.value,
    ids: null,
  };
  const ended = await takeTurns(run);
  if (!ended.ok) return ended;
  return conclude(run, ended.value);
}

function userOf({ settings, texts, task, user }: RolloutInput): Result<User, Infra> {
  const userTexts = texts.user(task);
  if (!userTexts.ok) return fault(infra('template', userTexts.fault));
  const own = settings.user;
  if (own === undefined || 'says' in own) return success(scriptedUser(userTexts.value));
  if (user === null) return fault(infra('internal', 'no model plays the user'));
  return success(modelUser({ wants: userTexts.value.join(''), turns: own.turns }, user));
}

/** From the first prompt to the end. */
async function takeTurns(run: Run): Promise<Result<Ending, Infra>> {
  const { texts, transcript, input } = run;
  const system = texts.system(input.task);
  if (!system.ok) return fault(infra('template', system.fault));
  const instance = texts.instance(input.task);
  if (!instance.ok) return fault(infra('template', instance.fault));
  transcript.add({ role: 'system', kind: 'system', content: system.value });
  transcript.add({ role: 'user', kind: 'task', content: instance.value });
  for (;;) {
    if (input.signal.aborted) return fault(infra('cancelled', 'cancelled during the rollout'));
    if (run.judging.fault !== null) return fault(run.judging.fault);
    const limit = reachedLimit(run);
    if (limit !== null) return success(limit);
    const ended = await takeTurn(run);
    if (!ended.ok) return ended;
    if (ended.value !== null) return success(ended.value);
  }
}

function reachedLimit({ input, transcript, clock }: Run): Ending | null {
  const { steps, cost, time, tokens = 0 } = input.settings.limits;
  const end = (status: ExitStatus, detail: string): Ending => ({ status, detail, submission: null });
  if (steps > 0 && transcript.begun >= steps)
    return end('limits_exceeded', `${steps} model call${steps === 1 ? '' : 's'} made`);
  if (cost > 0 && transcript.cost >= cost)
    return end('limits_exceeded', `${transcript.cost} of ${cost} dollars spent`);
  if (tokens > 0 && transcript.written >= tokens)
    return end('limits_exceeded', `${transcript.written} of ${tokens} tokens written`);
  if (time > 0 && clock.worked() >= time) return end('time_exceeded', '');
  return null;
}

async function conclude(run: Run, end: Ending): Promise<Result<RolloutOutput, Infra>> {
  const { input, transcript, judging, clock } = run;
  const { value: patch, took: diff } = await clock.measure(() => patchOf(run, end));
  if (!patch.ok) return patch;
  for (const { step, reward } of await judging.rewards()) transcript.setReward(step, reward);
  if (judging.fault !== null) return fault(judging.fault);
  if (input.signal.aborted) return fault(infra('cancelled', 'cancelled at the end of the rollout'));
  const trajectory = trajectoryOf(run, patch.value.end, patch.value.patch);
  input.log(
    `ended: ${trajectory.exit_status}, ${plural(transcript.steps.length, 'step')}, patch of ${trajectory.patch.length} characters\n`,
  );
  const { calls, steps } = transcript.timings;
  return success({ trajectory, timings: { total: clock.total(), waited: clock.waited, calls, steps, diff } });
}

async function patchOf(
  { input }: Run,
  end: Ending,
): Promise<Result<{ end: Ending; patch: FinalPatch }, Infra>> {
  if (end.status === 'workspace_killed') return success({ end, patch: NO_PATCH });
  const usable = end.submission?.whole === true ? end.submission.text : null;
  const { workspace, settings, signal } = input;
  const patch = await finalPatch(workspace, input, usable, signal);
  if (patch.ok) return success({ end, patch: patchAsPrinted(patch.value, settings.printed_patch, usable) });
  if (isFault(patch.fault)) return fault(patch.fault);
  const killed: Ending = { ...end, status: 'workspace_killed', detail: patch.fault.detail };
  return success({ end: killed, patch: NO_PATCH });
}

function trajectoryOf({ input, transcript }: Run, end: Ending, final: FinalPatch): Trajectory {
  const { settings, counter } = input;
  const { messages, calls, steps } = transcript;
  return {
    format: TRAJECTORY_FORMAT,
    ...commonOf(input, end, final),
    ...{ messages, calls, steps },
    submission: end.submission?.text ?? null,
    token_counter: settings.context.strategy === 'full' ? 'none' : (counter?.name ?? 'none'),
  };
}

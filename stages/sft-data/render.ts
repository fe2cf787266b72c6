/**
 * Messages of a trajectory as messages of the data: as they are where the style is the agent's own, else with the
 * style's texts for the opening, every reply written anew from its thought and actions, and what came back as it was.
 */
import { chatMessage } from '../../agent/context/prompt.ts';
import { isTrained, type Trained } from '../../agent/tree/labels.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ModelCall, Trajectory, TrajectoryStep } from '../../schemas/trajectory.ts';
import { type NotWritable, type SftMessage, sftMessage } from './message.ts';
import { actionOf, type Target } from './target.ts';
import { thoughtOf } from './thought.ts';

/** The messages that stand for one; a prompt may show another text in its place. */
export type Renderer = (index: number, shown?: string) => Result<SftMessage[], NotWritable>;

export interface UsedReply {
  call: ModelCall;
  /** Index of the call. */
  number: number;
  step: TrajectoryStep;
}

/** Replies that asked for actions, by the index of their message. */
export type Replies = ReadonlyMap<number, UsedReply>;

export function repliesOf({ calls, steps, messages }: Trajectory, train: Trained): Replies {
  const found = new Map<number, UsedReply>();
  for (const step of steps) {
    const call = calls[step.call]!;
    if (!isTrained(call, train)) continue;
    if (call.reply !== null && step.actions.length > 0 && messages[call.reply]!.kind === 'reply')
      found.set(call.reply, { call, number: step.call, step });
  }
  return found;
}

export function nativeRenderer({ messages }: Trajectory): Renderer {
  return (index, shown) => {
    const message = sftMessage(chatMessage(messages[index]!));
    return success([shown === undefined ? message : { ...message, content: shown }]);
  };
}

/** Where an observation belongs. */
interface ObservedAction {
  reply: number;
  step: TrajectoryStep;
  action: number;
}

export async function converter(
  trajectory: Trajectory,
  replies: Replies,
  target: Target,
  problem: string,
): Promise<Renderer> {
  const { messages } = trajectory;
  const task = await target.task(problem);
  const answered = observedActions(replies);
  const system: SftMessage = { role: 'system', content: target.system };
  const opening = messages.some(({ kind }) => kind === 'system') ? [] : [system];
  return (index, shown) => {
    const { role, kind, content } = messages[index]!;
    if (kind === 'system') return success([system]);
    if (kind === 'task') return success([...opening, { role: 'user', content: task }]);
    const reply = replies.get(index);
    if (reply !== undefined) {
      const calls = writeCalls(trajectory, index, reply.step, target);
      if (!calls.ok) return calls;
      return success(target.several ? [together(calls.value)] : inTurns(calls.value, reply.step, messages));
    }
    const text = shown ?? content;
    const place = answered.get(index);
    if (place === undefined) return success([{ role: role === 'assistant' ? role : 'user', content: text }]);
    if (target.several) {
      const tool_call_id = callId(place.step, place.reply, place.action);
      return success([{ role: 'tool', content: text, tool_call_id }]);
    }
    // Those of earlier actions already stand between the turns that the reply became.
    return success(place.action < lastRun(place.step) ? [] : [{ role: 'user', content: text }]);
  };
}

function observedActions(replies: Replies): ReadonlyMap<number, ObservedAction> {
  const places = new Map<number, ObservedAction>();
  for (const [reply, { step }] of replies) {
    for (const [action, { message }] of step.observations.entries())
      if (message !== null) places.set(message, { reply, step, action });
  }
  return places;
}

/** The last action of a step that was run; the first one where none was. */
function lastRun({ observations }: TrajectoryStep): number {
  return Math.max(0, observations.length - 1);
}

/** A message per action that was run. */
function writeCalls(
  { messages, agent, steps, exit_status }: Trajectory,
  reply: number,
  step: TrajectoryStep,
  target: Target,
): Result<SftMessage[], NotWritable> {
  const written: SftMessage[] = [];
  for (const [at, stored] of step.actions.slice(0, lastRun(step) + 1).entries()) {
    const thought = at === 0 ? thoughtOf(messages[reply]!, step.actions, agent.actions) : '';
    const isSubmitting = exit_status === 'submitted' && step === steps.at(-1) && at === lastRun(step);
    const action = actionOf(stored, target, isSubmitting);
    const message = action === null ? null : target.write(thought, action, callId(step, reply, at));
    if (message === null) {
      const detail = `the style cannot say this so that it is read back: ${stored.command.slice(0, 80)}`;
      return fault({ why: 'not-expressible', detail });
    }
    written.push(message);
  }
  return success(written);
}

function callId(step: TrajectoryStep, reply: number, action: number): string {
  return step.actions[action]!.tool_call_id ?? `call_${reply}_${action}`;
}

function together(calls: readonly SftMessage[]): SftMessage {
  return { ...calls[0]!, tool_calls: calls.flatMap((call) => call.tool_calls!) };
}

/** Calls that were made at once, one after the other, each with what came back but for the last. */
function inTurns(
  calls: readonly SftMessage[],
  step: TrajectoryStep,
  messages: Trajectory['messages'],
): SftMessage[] {
  return calls.flatMap((call, at): SftMessage[] => {
    if (at === calls.length - 1) return [call];
    const { message, output } = step.observations[at]!;
    return [call, { role: 'user', content: message === null ? output : messages[message]!.content }];
  });
}

/**
 * Conversations from a trajectory: one of everything that was said, or one for each call with exactly what the model
 * saw. Replies without an action are left out, with the answers to them. So is a reply that was cut: an end that is
 * put there would not be the model's.
 */
import { promptMessages } from '../../agent/context/prompt.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { PromptMessage, Trajectory } from '../../schemas/trajectory.ts';
import { type NotWritable, type SftMessage, sftMessage } from './message.ts';
import {
  converter,
  nativeRenderer,
  type Renderer,
  type Replies,
  repliesOf,
  type UsedReply,
} from './render.ts';
import type { Target } from './target.ts';

/** One sample. */
export interface Conversation {
  messages: SftMessage[];
  /** Index of its call, from 0; null: the whole trajectory. */
  step: number | null;
}

export interface Conversations {
  samples: Conversation[];
  /** Steps that are no sample. */
  left: (NotWritable & { step: number | null })[];
}

/** All samples of a trajectory in a style. */
export async function conversations(
  trajectory: Trajectory,
  { target, unit, problem }: { target: Target; unit: 'trajectory' | 'step'; problem: string },
): Promise<Conversations> {
  const replies = repliesOf(trajectory);
  const render = target.native
    ? nativeRenderer(trajectory)
    : await converter(trajectory, replies, target, problem);
  if (unit === 'step') return stepSamples(trajectory, replies, render, target);
  const whole = wholeSample(trajectory, replies, render);
  return whole.ok
    ? { samples: [{ messages: whole.value, step: null }], left: [] }
    : { samples: [], left: [{ ...whole.fault, step: null }] };
}

function wholeSample(
  { messages }: Trajectory,
  replies: Replies,
  render: Renderer,
): Result<SftMessage[], NotWritable> {
  const sample: SftMessage[] = [];
  const last = [...replies.keys()].at(-1);
  if (last === undefined) return fault({ why: 'no-reply', detail: 'no reply asked for an action' });
  let leavingOut = false;
  for (let index = 0; index <= last; index += 1) {
    const { role, kind } = messages[index]!;
    if (role === 'assistant') leavingOut = !replies.has(index);
    const answers = kind === 'observation' || kind === 'format-error';
    if (leavingOut && (role === 'assistant' || answers)) continue;
    if (replies.get(index)?.call.truncated) return fault(cutReply(replies.get(index)!.number));
    const rendered = render(index);
    if (!rendered.ok) return rendered;
    sample.push(...rendered.value);
  }
  return success(sample);
}

function stepSamples(
  trajectory: Trajectory,
  replies: Replies,
  render: Renderer,
  target: Target,
): Conversations {
  const found: Conversations = { samples: [], left: [] };
  for (const [index, reply] of replies) {
    const sample = stepSample(trajectory, index, reply, replies, render, target);
    if (sample.ok) found.samples.push({ messages: sample.value, step: reply.number });
    else found.left.push({ ...sample.fault, step: reply.number });
  }
  return found;
}

function stepSample(
  trajectory: Trajectory,
  index: number,
  { call, number }: UsedReply,
  replies: Replies,
  render: Renderer,
  target: Target,
): Result<SftMessage[], NotWritable> {
  if (call.truncated) return fault(cutReply(number));
  const split = target.native || target.several ? null : firstSplit(replies);
  if (split !== null && split <= number) return fault(severalCalls(split));
  const sample: SftMessage[] = [];
  for (const part of call.prompt) {
    const rendered = typeof part === 'number' ? render(part) : renderPart(trajectory, part, render);
    if (!rendered.ok) return rendered;
    sample.push(...rendered.value);
  }
  const reply = render(index);
  return reply.ok ? success([...sample, ...reply.value]) : reply;
}

function renderPart(
  trajectory: Trajectory,
  part: PromptMessage,
  render: Renderer,
): Result<SftMessage[], NotWritable> {
  if (part.stands_for !== null) return render(part.stands_for, part.content);
  return success(promptMessages(trajectory.messages, [part]).map(sftMessage));
}

function cutReply(call: number): NotWritable {
  return { why: 'cut-reply', detail: `the reply of call ${call} was cut at its token limit` };
}

/** The first call whose actions the style must take apart, so that no later prompt is what the model saw. */
function firstSplit(replies: Replies): number | null {
  const split = [...replies.values()].find(({ step }) => step.actions.length > 1);
  return split?.number ?? null;
}

function severalCalls(call: number): NotWritable {
  return { why: 'several-calls', detail: `call ${call} asks for several actions at once` };
}

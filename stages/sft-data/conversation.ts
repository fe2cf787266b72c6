/**
 * Conversations from a trajectory: one of all messages, in a tree of calls one of each line, or one for each
 * call with exactly what the model saw. Replies without an action are left out, with the answers to them. So is a reply that was cut: an end that is
 * put there would not be the model's.
 */
import { promptMessages } from '../../agent/context/prompt.ts';
import type { ToolDefinition } from '../../agent/policy.ts';
import { isTrained, type Trained } from '../../agent/tree/labels.ts';
import { linear, linesOf } from '../../agent/tree/lines.ts';
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
  /** What it was offered, where calls differ in that. */
  tools?: readonly ToolDefinition[];
}

export interface Conversations {
  samples: Conversation[];
  /** Steps that are no sample. */
  left: (NotWritable & { step: number | null })[];
}

/** All samples of a trajectory in a style. */
export async function conversations(trajectory: Trajectory, how: How): Promise<Conversations> {
  if (how.unit === 'step') {
    const replies = repliesOf(trajectory, how.train);
    return stepSamples(trajectory, replies, await rendererOf(trajectory, replies, how), how.target);
  }
  const found: Conversations = { samples: [], left: [] };
  for (const { whole, tools, isRepeated } of wholes(trajectory, how.train)) {
    const sample = isRepeated ? fault(REPEATED) : await wholeOf(whole, how);
    if (sample.ok) found.samples.push({ messages: sample.value, step: null, ...(tools && { tools }) });
    else found.left.push({ ...sample.fault, step: null });
  }
  return found;
}

/** How conversations are made. */
export interface How {
  target: Target;
  unit: 'trajectory' | 'step';
  /** Of a tree of calls: whose replies. */
  train: Trained;
  problem: string;
}

const REPEATED: NotWritable = {
  why: 'trained-elsewhere',
  detail:
    'a line of calls begins with replies of another one, and would train them twice; samples: step keeps it',
};

interface Whole {
  whole: Trajectory;
  tools?: readonly ToolDefinition[];
  /** It begins with replies of another line. */
  isRepeated: boolean;
}

/** The trajectory itself, or each line of its tree that is trained. */
function wholes(trajectory: Trajectory, train: Trained): Whole[] {
  const { calls, messages, tools: lists } = trajectory;
  if (lists === undefined) return [{ whole: trajectory, isRepeated: false }];
  const lines = linesOf(trajectory).filter(({ agent }) => isTrained({ agent }, train));
  return lines.map((line): Whole => {
    const first = calls[line.calls[0]!]!;
    const isRepeated = first.prompt.some((part) => messages[part as number]!.role === 'assistant');
    return {
      whole: linear(trajectory, [line]).trajectory,
      tools: lists[first.tools ?? -1] ?? [],
      isRepeated,
    };
  });
}

async function wholeOf(trajectory: Trajectory, how: How): Promise<Result<SftMessage[], NotWritable>> {
  const replies = repliesOf(trajectory, how.train);
  return wholeSample(trajectory, replies, await rendererOf(trajectory, replies, how));
}

async function rendererOf(
  trajectory: Trajectory,
  replies: Replies,
  { target, problem }: How,
): Promise<Renderer> {
  return target.native ? nativeRenderer(trajectory) : converter(trajectory, replies, target, problem);
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
    if (kind === 'summary-request') continue;
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
    const tools = trajectory.tools?.[reply.call.tools ?? -1];
    if (sample.ok)
      found.samples.push({ messages: sample.value, step: reply.number, ...(tools && { tools }) });
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

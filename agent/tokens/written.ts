/**
 * The text that a model read and wrote in a call, with special tokens, made from the messages and the model's
 * template. Used only when the endpoint gave no ids: tokenising text again may give other ids than were sampled.
 */

import type { ModelCall, Trajectory, TrajectoryMessage } from '../../schemas/trajectory.ts';
import { chatMessage, promptMessages } from '../context/prompt.ts';
import { findAgent } from '../kinds/registry.ts';
import type { AgentSettings } from '../settings.ts';
import { forTemplate, type ModelTokenizer, type RenderOptions, type TemplateMessage } from './tokenizer.ts';

export interface WrittenCall {
  prompt: string;
  /** The reply with the end of the turn; without that end if it was cut. */
  reply: string;
}

/** The text of a call that got a reply. */
export function writtenCall(
  trajectory: Trajectory,
  call: ModelCall & { reply: number },
  tokenizer: ModelTokenizer,
): WrittenCall {
  const messages = promptMessages(trajectory.messages, call.prompt).map(forTemplate);
  const options = renderOptions(trajectory, call);
  const prompt = tokenizer.render(messages, { ...options, generationPrompt: true });
  const reply = trajectory.messages[call.reply]!;
  const body = replyBody(reply, prompt, tokenizer, (message) =>
    tokenizer.render([...messages, message], { ...options, generationPrompt: false }),
  );
  return { prompt, reply: call.truncated ? cutShort(body, reply) : body + tokenizer.endOfTurn };
}

/**
 * The reply without the end of the turn. Plain text is used as it is. Tool calls and thoughts, which the endpoint
 * separated, are rendered by the template.
 */
function replyBody(
  reply: TrajectoryMessage,
  prompt: string,
  tokenizer: ModelTokenizer,
  renderWith: (message: TemplateMessage) => string,
): string {
  if (reply.tool_calls === undefined && reply.reasoning === undefined) return reply.content;
  const whole = renderWith(templateReply(reply));
  if (!whole.startsWith(prompt)) return reply.content;
  const written = whole.slice(prompt.length);
  const end = tokenizer.endOfTurn === '' ? -1 : written.lastIndexOf(tokenizer.endOfTurn);
  return end === -1 ? written : written.slice(0, end);
}

function templateReply(reply: TrajectoryMessage): TemplateMessage {
  const { reasoning } = reply;
  return forTemplate({ ...chatMessage(reply), ...(reasoning === undefined ? {} : { reasoning }) });
}

/** A reply that was cut must end with its last words, without what the template adds. */
function cutShort(body: string, reply: TrajectoryMessage): string {
  if (reply.tool_calls !== undefined) return body;
  const last = (reply.content.trim() === '' ? (reply.reasoning ?? '') : reply.content).trimEnd();
  const at = body.lastIndexOf(last);
  return last === '' || at === -1 ? body : body.slice(0, at + last.length);
}

/** Tools and template variables of the rollout's requests. */
function renderOptions(
  { request, agent, tools }: Trajectory,
  call: ModelCall,
): Omit<RenderOptions, 'generationPrompt'> {
  const variables = request.chat_template_kwargs;
  const read = agent as Pick<AgentSettings, 'type' | 'dialect' | 'actions'>;
  return {
    tools:
      tools === undefined
        ? (findAgent(agent.type)?.loop?.({ ...read, action_regex: null }).format.tools ?? [])
        : (tools[call.tools ?? -1] ?? []),
    ...(typeof variables === 'object' && variables !== null
      ? { variables: variables as Record<string, unknown> }
      : {}),
  };
}

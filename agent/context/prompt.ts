/**
 * Turns a stored prompt into messages for an endpoint. A stored prompt is a list of indices of messages, and of
 * messages that only this prompt has. Requests, token counts and training samples all use this function, so they
 * cannot differ.
 */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { ChatMessage } from '../policy.ts';

/** The messages of a prompt. A shortened message keeps the tool call that it answers. */
export function promptMessages(
  messages: readonly TrajectoryMessage[],
  parts: readonly PromptPart[],
): ChatMessage[] {
  return parts.map((part): ChatMessage => {
    if (typeof part === 'number') return chatMessage(messages[part]!);
    const original = part.stands_for === null ? undefined : messages[part.stands_for];
    const answered = original?.tool_call_id;
    return {
      role: part.role as ChatMessage['role'],
      content: part.content,
      ...(answered === undefined ? {} : { tool_call_id: answered }),
    };
  });
}

/** A stored message in the form that endpoints take. Of thoughts only those that an agent sent back are in prompts. */
export function chatMessage(message: TrajectoryMessage): ChatMessage {
  const { role, kind, content, reasoning, tool_calls, tool_call_id } = message;
  const isSentBack = kind === 'restated' || kind === 'foreign';
  return {
    role,
    content,
    ...(reasoning === undefined || !isSentBack ? {} : { reasoning }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}

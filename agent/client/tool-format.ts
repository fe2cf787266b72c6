/** Reads thoughts and tool calls from the text of a reply, for endpoints that parse neither. */
import { findToolFormat } from '../dialects/tool-formats/registry.ts';
import type { ToolDefinition } from '../policy.ts';
import type { ReadReply } from './reply.ts';

/**
 * The reply with what `format` finds in its text. What the endpoint parsed by itself stays. `known`: ids of tool calls in the prompt. A reply
 * that was cut asks for nothing.
 */
export function inFormat(
  reply: ReadReply,
  format: string,
  tools: readonly ToolDefinition[],
  known: ReadonlySet<string>,
): ReadReply {
  const found = findToolFormat(format);
  if (found === undefined || reply.toolCalls.length > 0) return reply;
  const { content, reasoning, toolCalls, malformed } = found.parse(
    reply.content,
    reply.truncated ? [] : tools,
    known,
  );
  return {
    ...reply,
    ...{ content, toolCalls, reasoning: reply.reasoning ?? reasoning },
    ...(malformed !== null && { malformed }),
  };
}

/**
 * The form in which messages are compared. Agents do not send back what they were answered byte for byte: they write
 * arguments of tool calls as their own JSON, give calls other ids, and drop thoughts. Messages with the same key say
 * the same.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ChatMessage, ToolDefinition } from '../policy.ts';

/** The agent that sends the request; null: not known. */
export interface CallLabel {
  /** Name of a sub-agent. */
  agent: string | null;
  /** side: a call that is no work on the task. */
  kind: 'main' | 'side' | null;
  /**
   * Whether what it says decides. Absent: the tree alone does, and a sub-agent's name is taken: any program that has the key of a
   * rollout can say anything.
   */
  isTrusted?: boolean;
}

/** A request as far as the tree of calls reads it. */
export interface TreeRequest {
  messages: readonly ChatMessage[];
  /** Empty: none are offered. */
  tools: readonly ToolDefinition[];
  label: CallLabel;
}

/**
 * Key of a message. `answered`: which tool call of the reply before it a tool's answer belongs to, null for other messages
 * and unknown calls. Thoughts are not in it, since agents drop them.
 */
export function messageKey({ role, content, tool_calls }: ChatMessage, answered: number | null): Digest {
  const calls = tool_calls?.map((call) => [call.name, canonicalArguments(call)]) ?? [];
  return digestOf(JSON.stringify([role, content.trim(), calls, answered]));
}

/** Arguments that are no JSON are compared as text. */
function canonicalArguments({ arguments: text }: ToolCall): string {
  try {
    return canonicalJson(JSON.parse(text === '' ? '{}' : text));
  } catch {
    return text.trim();
  }
}

/** Digest of a whole request, by which a repeated one is known. */
export function requestDigest({ messages, tools, label }: TreeRequest): Digest {
  return digestOf(JSON.stringify([messages, tools, label.agent, label.kind]));
}

/** Which of these tool calls a tool's answer belongs to; null for a message that is none, and for an id that none has. */
export function answeredCall({ tool_call_id: id }: ChatMessage, calls: readonly ToolCall[]): number | null {
  const place = id === undefined ? -1 : calls.findIndex((call) => call.id === id);
  return place === -1 ? null : place;
}

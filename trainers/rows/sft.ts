/** Conversations in the forms that frameworks take. */

import type { Json } from '../../basics/canonical.ts';
import { parsedJson } from '../../basics/json.ts';

export interface Conversation {
  messages: Record<string, Json>[];
  tools?: Json;
}

/** A form in which frameworks take conversations. */
export interface SftRows {
  /** How the name of their file ends: JSON lines or Parquet. */
  readonly ending: 'jsonl' | 'parquet';
  /** What the framework reads of a conversation; a text says why it cannot. */
  readonly conversation: (one: Conversation) => Conversation | string;
}

/** JSON lines with `messages` and `tools`. */
export const MESSAGES: SftRows = { ending: 'jsonl', conversation: (one) => one };
/** The same as text alone. */
export const TEXT_MESSAGES: SftRows = { ending: 'jsonl', conversation: textConversation };
/** Parquet with `messages` and, as JSON text, `tools`. */
export const PARQUET: SftRows = { ending: 'parquet', conversation: (one) => one };

/** A row with a conversation, whatever wrote it; a text says why it cannot be used. */
export function conversationOf(
  row: Readonly<Record<string, unknown>>,
  column: string,
): Conversation | string {
  const messages = parsed(row[column]);
  if (!Array.isArray(messages) || messages.length === 0) return `${column} is not a list of messages`;
  if (!messages.every((one) => typeof one === 'object' && one !== null && typeof one.role === 'string'))
    return `${column} has a message without a role`;
  const tools = parsed(row.tools);
  return { messages, ...(tools === null || tools === undefined ? {} : { tools: tools as Json }) };
}

/** Lists may be written as JSON text. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parsedJson(value) ?? null) : value;
}

/**
 * As torchtune reads conversations: text alone, a system message at most at the beginning, then user and assistant by
 * turns, beginning with the user. A text says why that cannot be.
 */
export function textConversation({ messages }: Conversation): Conversation | string {
  const turns: { role: string; content: string }[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.tool_calls !== undefined && message.tool_calls !== null)
      return 'it has tool calls, which are no text';
    const content = textOf(message.content ?? '');
    if (message.role === 'system' && index === 0) {
      turns.push({ role: 'system', content });
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (role === 'assistant' && (last === undefined || last.role === 'system'))
      return 'the assistant speaks first';
    if (last?.role === role) last.content = `${last.content}\n${content}`;
    else turns.push({ role, content });
  }
  return turns.some(({ role }) => role === 'assistant') ? { messages: turns } : 'no message of an assistant';
}

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === null ? '' : JSON.stringify(content);
  return content
    .map((part) => (part as Record<string, Json> | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** Conversations in the forms that frameworks take. */

import type { Json } from '../../basics/canonical.ts';
import { jsonObject, parsedJson } from '../../basics/json.ts';

export interface Conversation {
  messages: Record<string, Json>[];
  tools?: Json;
}

type Row = Record<string, Json>;

/** A form in which frameworks take conversations. */
export interface SftRows {
  /** How the name of their file ends: JSON lines or Parquet. */
  readonly ending: 'jsonl' | 'parquet';
  /** What the framework reads of a conversation; a text says why it cannot. `last`: only its last message is trained. */
  readonly row: (one: Conversation, last: boolean) => Row | string;
}

/** JSON lines with `messages` and `tools`, as they are. */
export const MESSAGES: SftRows = { ending: 'jsonl', row: (one) => ({ ...one }) };
/** The same as text alone. */
export const TEXT_MESSAGES: SftRows = {
  ending: 'jsonl',
  row: (one) => {
    const read = textConversation(one);
    return typeof read === 'string' ? read : { ...read };
  },
};
/** JSON lines for TRL, which trains `completion` alone where it is apart from `prompt`. */
export const TRL_MESSAGES: SftRows = {
  ending: 'jsonl',
  row: (one, last) => {
    const { messages, ...rest } = withArguments(one);
    return last
      ? { prompt: messages.slice(0, -1), completion: messages.slice(-1), ...rest }
      : { messages, ...rest };
  },
};
/** JSON lines for slime, which leaves out of the loss what `step_loss_mask` says. */
export const SLIME_MESSAGES: SftRows = {
  ending: 'jsonl',
  row: (one, last) => {
    const { messages, ...rest } = withArguments(one);
    const marked = messages.map((message, index) =>
      message.role === 'assistant' && index < messages.length - 1
        ? { ...message, step_loss_mask: 0 }
        : message,
    );
    return { messages: last ? marked : messages, ...rest };
  },
};
/** Parquet with `messages` and, as JSON text, `tools`: the parameters of tools differ, so they have no common type. */
export const PARQUET: SftRows = {
  ending: 'parquet',
  row: (one) => {
    const messages = textMessages(one);
    if (typeof messages === 'string') return messages;
    return { messages, ...(one.tools === undefined ? {} : { tools: JSON.stringify(one.tools) }) };
  },
};
/** The same for verl, which hands the column of tools on as it is: a text is no list of tools for a chat template. */
export const PARQUET_WITHOUT_TOOLS: SftRows = {
  ending: 'parquet',
  row: (one, last) =>
    one.tools === undefined ? PARQUET.row(one, last) : 'it has tools, which verl cannot read from JSON text',
};

/** Messages whose content is text: a column that holds texts and lists would be JSON text. */
function textMessages({ messages }: Conversation): Row[] | string {
  const read = messages.map(withText);
  return read.some(({ content }) => Array.isArray(content))
    ? 'it has parts of a message that are no text'
    : read;
}

/** Calls with arguments that are no text: chat templates write them as JSON, and would write the text as a JSON string. */
function withArguments({ messages, ...rest }: Conversation): Conversation {
  return { messages: messages.map((message) => withParsedCalls(withText(message))), ...rest };
}

/** A list of texts as one text: not all chat templates take lists, and a column of Parquet holds lists or texts. */
function withText(message: Row): Row {
  const { content } = message;
  const isText = (part: Json) =>
    (part as Row | null)?.type === 'text' && typeof (part as Row).text === 'string';
  return Array.isArray(content) && content.every(isText) ? { ...message, content: textOf(content) } : message;
}

function withParsedCalls(message: Row): Row {
  const calls = message.tool_calls;
  return Array.isArray(calls) ? { ...message, tool_calls: calls.map(withParsedCall) } : message;
}

function withParsedCall(call: Json): Json {
  const { function: called, ...rest } = (call ?? {}) as { function?: Row };
  const text = called?.arguments;
  const read = typeof text === 'string' ? jsonObject(text) : null;
  return read === null ? call : { ...rest, function: { ...called, arguments: read as Json } };
}

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

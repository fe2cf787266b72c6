/**
 * A tool format is the text in which a family of models writes tool calls, for servers that do not parse it. A reply
 * that breaks its format is the model's own failure: its text stays, no part of it is a call, and a sentence says what
 * broke. Nothing here throws.
 */

import type { Result } from '../../../basics/result.ts';
import type { ToolCall } from '../../../schemas/trajectory.ts';
import { readToolCalls } from '../../client/tool-calls.ts';
import type { ToolDefinition } from '../../policy.ts';

interface ParsedReply {
  /** The text without calls and thoughts; of a malformed reply all that is no thought. */
  content: string;
  /** null: the text has none. */
  reasoning: string | null;
  toolCalls: ToolCall[];
  /** What broke, in a sentence; null: nothing. */
  malformed: string | null;
}

export interface ToolFormat {
  name: string;
  /** Whose it is. */
  description: string;
  /**
   * `text`: as the model wrote it, special tokens included. `tools`: without any, no text is a call. `known`: ids of
   * calls in the prompt, which no new call gets.
   */
  parse(text: string, tools: readonly ToolDefinition[], known?: ReadonlySet<string>): ParsedReply;
}

export interface Call {
  name: string;
  /** A JSON object, as it was written. */
  arguments: string;
  /** As the model wrote it; absent: one is made up. */
  id?: string;
}

export interface Found {
  content: string;
  calls: Call[];
}

export interface Marks {
  /** Texts with which a reply ends, where the server shows them. */
  ends: readonly string[];
  thoughts: readonly [begin: string, end: string];
}

export const THINK: Marks['thoughts'] = ['<think>', '</think>'];

/** A format whose calls stand within or after the text. The fault says what broke. */
export function textFormat(
  name: string,
  description: string,
  { ends, thoughts }: Marks,
  find: (text: string, tools: readonly ToolDefinition[]) => Result<Found, string>,
): ToolFormat {
  return {
    name,
    description,
    parse(text, tools, known = new Set()) {
      const { reasoning, rest } = withoutThoughts(withoutEnds(text, ends), thoughts);
      const plain = { content: rest, reasoning, toolCalls: [], malformed: null };
      if (tools.length === 0) return plain;
      const found = find(rest, tools);
      if (!found.ok) return { ...plain, malformed: found.fault };
      const { content, calls } = found.value;
      return calls.length === 0 ? plain : { ...plain, content, toolCalls: withIds(calls, known) };
    },
  };
}

export function withIds(calls: readonly Call[], known: ReadonlySet<string>): ToolCall[] {
  const wire = calls.map(({ id, name, arguments: given }) => ({ id, function: { name, arguments: given } }));
  return readToolCalls(wire, known);
}

function withoutEnds(text: string, ends: readonly string[]): string {
  let left = text;
  for (;;) {
    const trimmed = left.trimEnd();
    const end = ends.find((each) => trimmed.endsWith(each));
    if (end === undefined) return left;
    left = trimmed.slice(0, -end.length);
  }
}

/** Templates often write the begin themselves, so the end alone counts; thoughts without an end are all there is. */
function withoutThoughts(text: string, [begin, end]: Marks['thoughts']) {
  const from = text.trimStart().startsWith(begin) ? text.indexOf(begin) + begin.length : 0;
  const to = text.indexOf(end);
  if (to < 0 && from === 0) return { reasoning: null, rest: text };
  const reasoning = text.slice(from, to < 0 ? undefined : to).trim();
  return {
    reasoning: reasoning === '' ? null : reasoning,
    rest: to < 0 ? '' : text.slice(to + end.length).trimStart(),
  };
}

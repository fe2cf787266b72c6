/**
 * The messages of harmony: `<|start|>assistant<|channel|>CHANNEL<|message|>…<|end|>`. The channel analysis holds thoughts,
 * final and commentary the text, and a message with a recipient `to=functions.NAME`, in the role or the channel, is a call.
 */
import { fault, type Result, success } from '../../../basics/result.ts';
import { Cursor } from './cursor.ts';
import { type Call, type ToolFormat, withIds } from './format.ts';
import { namedCall } from './json-call.ts';

const START = '<|start|>';
const MESSAGE = '<|message|>';
const ENDS = ['<|end|>', '<|call|>', '<|return|>'];

interface ParsedMessages {
  content: string[];
  reasoning: string[];
  calls: Call[];
}

export const gptOss: ToolFormat = {
  name: 'gpt-oss',
  description: 'gpt-oss (harmony)',
  parse(text, tools, known = new Set()) {
    const plain = { content: text, reasoning: null, toolCalls: [], malformed: null };
    if (!text.includes(MESSAGE) && !text.includes('<|channel|>')) return plain;
    const parsed = readMessages(text, new Set(tools.map(({ name }) => name)));
    if (!parsed.ok) return { ...plain, malformed: parsed.fault };
    const { content, reasoning, calls } = parsed.value;
    return {
      content: content.join('\n\n'),
      reasoning: reasoning.length === 0 ? null : reasoning.join('\n\n'),
      toolCalls: withIds(calls, known),
      malformed: null,
    };
  },
};

function readMessages(text: string, tools: ReadonlySet<string>): Result<ParsedMessages, string> {
  // The prompt ends with the start of the first message, so most replies begin within its header.
  const cursor = new Cursor(text.trimStart().startsWith(START) ? text : `${START}assistant${text}`);
  const parsed: ParsedMessages = { content: [], reasoning: [], calls: [] };
  while (!cursor.isAtEnd()) {
    if (!cursor.takeMark(START)) return fault('Text stands outside of a message.');
    const header = cursor.until(MESSAGE);
    if (header === null || header.includes(START)) return fault('A message has a header and no text.');
    const body = cursor.before(...ENDS, START);
    for (const end of ENDS) if (cursor.takeMark(end)) break;
    const wrong = readMessage(parsed, header, body, tools);
    if (wrong !== null) return fault(wrong);
  }
  return success(parsed);
}

/** Adds what a message says; a sentence says what is wrong with it. */
function readMessage(
  parsed: ParsedMessages,
  header: string,
  body: string,
  tools: ReadonlySet<string>,
): string | null {
  const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
  const channel = /<\|channel\|>\s*([a-z]+)/.exec(header)?.[1];
  if (recipient !== undefined) {
    const name = recipient.startsWith('functions.') ? recipient.slice('functions.'.length) : recipient;
    if (tools.size === 0) return `A message is to ${name}, and no tools are offered.`;
    if (name === recipient && !tools.has(name)) return `A message is to ${name}, which is no function.`;
    const call = namedCall(name, body.trim() === '' ? '{}' : body.trim());
    if (!call.ok) return call.fault;
    parsed.calls.push(call.value);
  } else if (channel === 'analysis') parsed.reasoning.push(body);
  else if (channel === 'final' || channel === 'commentary' || channel === undefined)
    parsed.content.push(body);
  else return `A message is on the channel ${channel}, which does not exist.`;
  return null;
}

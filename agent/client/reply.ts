/**
 * Reads a chat completion of any server as a reply. An answer that is no completion is a fault of the endpoint, and
 * never an empty reply.
 */
import { isFields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Reply } from '../policy.ts';
import { type Price, priceOf } from './prices.ts';
import { readTokens } from './reply-tokens.ts';
import { weightsOfReply } from './seen-weights.ts';
import { readToolCalls } from './tool-calls.ts';

/** Finish reasons that say that the reply reached its limit of tokens. */
const CUT = ['length', 'max_tokens', 'model_length', 'max_output_tokens'];
/** Finish reasons that say that the server gave up, for example while its weights were replaced. */
const GIVEN_UP = ['abort', 'error'];
/** Finish reasons of content filters: OpenAI and Azure, Gemini, Zhipu. */
const FILTERED = ['content_filter', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'sensitive'];

/** A reply as it was read. `filtered`: a content filter ended it. */
export type ReadReply = Omit<Reply, 'maxTokens' | 'timing'> & { filtered: boolean };

/** `known`: ids of tool calls in the prompt. The fault says what is wrong with the answer. */
export function readReply(
  body: unknown,
  known: ReadonlySet<string>,
  price: Price | null,
): Result<ReadReply, string> {
  if (!isFields(body)) return fault('the answer is not a chat completion');
  const choices = Array.isArray(body.choices) ? body.choices : [];
  const choice: unknown = choices[0];
  if (!isFields(choice) || !isFields(choice.message)) {
    const message = isFields(body.error) ? body.error.message : body.error;
    return fault(`the answer holds no message${typeof message === 'string' ? `: ${message}` : ''}`);
  }
  const { message } = choice;
  const finishReason = finishOf(choice.finish_reason);
  if (isGivenUp(choice.finish_reason)) return fault(`the endpoint gave the reply up (${finishReason})`);
  const content = textOf(message.content) || textOf(message.refusal);
  const toolCalls = readToolCalls(message.tool_calls, known);
  // An answer that was cut on its way looks like this. An agent that says nothing has a finish reason.
  if (content === '' && toolCalls.length === 0 && finishReason === UNKNOWN)
    return fault('the answer holds no text, no tool call and no finish reason');
  const tokens = readTokens(body, choice);
  const usage = isFields(body.usage) ? body.usage : {};
  const promptTokens = count(usage.prompt_tokens) ?? tokens?.promptIds?.length ?? null;
  const completionTokens = count(usage.completion_tokens) ?? tokens?.ids.length ?? null;
  const weights = weightsOfReply(body);
  const details = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return success({
    content,
    reasoning: textOf(message.reasoning) || textOf(message.reasoning_content) || thinkingOf(message.content),
    toolCalls,
    finishReason,
    truncated: CUT.includes(finishReason),
    filtered: FILTERED.includes(finishReason.toLowerCase()),
    promptTokens,
    completionTokens,
    cost: price && priceOf(price, promptTokens, completionTokens, count(details.cached_tokens) ?? 0),
    tokens,
    ...(weights !== undefined && { weights }),
  });
}

const UNKNOWN = 'unknown';

/** The status of an error that a gateway sent with status 200; null: it is no error. */
export function hiddenStatus(body: unknown): number | null {
  if (!isFields(body) || Array.isArray(body.choices)) return null;
  const error = isFields(body.error) ? body.error : body.object === 'error' ? body : null;
  if (error === null) return typeof body.error === 'string' ? 500 : null;
  const code = Number(error.code);
  if (code >= 400 && code < 600) return code;
  return /context|length|too_long/.test(String(error.code ?? error.type)) ? 400 : 500;
}

/** Whether a finish reason says that the server gave the reply up. */
export function isGivenUp(value: unknown): boolean {
  return GIVEN_UP.includes(finishOf(value));
}

function finishOf(value: unknown): string {
  const reason = isFields(value) ? value.type : value;
  return typeof reason === 'string' && reason !== '' ? reason : UNKNOWN;
}

/** Text alone, or the texts of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isFields(part) ? part.text : part))
    .filter((text) => typeof text === 'string')
    .join('');
}

function thinkingOf(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const thoughts = content.map((part) => (isFields(part) ? part.thinking : undefined)).map(textOf);
  return thoughts.join('') || null;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

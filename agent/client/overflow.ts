/**
 * Reads from an error message that prompt and reply are longer than the model's context, and the numbers in it. Each
 * server has its own words, and they change between versions. The numbers decide whether a shorter reply would fit.
 */

export interface Overflow {
  /** Context length in tokens; null: not given. */
  window: number | null;
  /** Tokens of the prompt; null: not given. */
  prompt: number | null;
  /** True: the server stopped counting, and the prompt has at least this many tokens. */
  atLeast: boolean;
}

const WORDS = [
  /maximum context length/,
  /model'?s context length/,
  /model'?s maximum context/,
  /context length is only/,
  /maximum model length/,
  /context[_ ]length[_ ]exceeded/,
  /context window/,
  /exceed_context_size_error/,
  /available context size/,
  /exceeds? (?:the )?context limit/,
  /exceeds? the configured limit/,
  /prompt_too_long/,
  /prompt is too long/,
  /input is too long/,
  /longer than the maximum/,
  /max_tokens must be at least 1/,
  /please reduce the length of/,
  /cannot be greater than max_(?:model_len|total_tokens)/,
  /`inputs` tokens \+ `max_new_tokens` must be/,
  /`inputs` must have less than/,
  /input token count.{0,40} exceeds the maximum/,
];

/** With HTTP 413 a message must match this pattern, too: proxies send 413 for any large request. */
const COUNTED = /context|tokens?\b|prompt|max_model_len|max_new_tokens/;

const WINDOW = [
  /maximum context length (?:is|of) (\d+)/,
  /context length is only (\d+)/,
  /model's context length \((\d+)/,
  /available context size \((\d+)/,
  /context limit: \d+ \+ \d+ > (\d+)/,
  /max_total_tokens=(\d+)/,
  /max_model_len=(\d+)/,
  /`max_new_tokens` must be <= (\d+)/,
  /context window of (\d+)/,
];

const PROMPT = [
  /contains at least (\d+) input/,
  /you passed (\d+) input tokens/,
  /the input \((\d+) tokens\)/,
  /(\d+) tokens from the input messages/,
  /\((\d+) in (?:the messages|your prompt)/,
  /context limit: (\d+) \+/,
  /given: (\d+) `inputs` tokens/,
  /request \((\d+) tokens\) exceeds/,
];

/** vLLM stops counting when the prompt is one token too long. */
const CUT_SHORT = /contains at least \d+ input|you passed \d+ input tokens/;

const TOO_LARGE = /too large/;

/**
 * Whether a status and message refuse a request for its size. Unless the message has words about the context, the limit is a
 * proxy's of bytes or an account's of tokens per minute, and says nothing about the model.
 */
export function isTooLarge(status: number, message: string): boolean {
  return status === 413 || (status === 429 && TOO_LARGE.test(message.toLowerCase()));
}

/** What an error message says about the context; null: it is about something else. */
export function readOverflow(status: number, message: string, body: unknown): Overflow | null {
  const text = message.toLowerCase();
  if (![400, 422].includes(status) && !isTooLarge(status, message)) return null;
  if (!WORDS.some((words) => words.test(text))) return null;
  if (status === 413 && !COUNTED.test(text)) return null;
  return {
    window: firstNumber(WINDOW, text) ?? numberUnder(body, 'n_ctx'),
    prompt: firstNumber(PROMPT, text) ?? numberUnder(body, 'n_prompt_tokens'),
    atLeast: CUT_SHORT.test(text),
  };
}

function firstNumber(patterns: readonly RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

/** llama.cpp gives its numbers beside the message. */
function numberUnder(body: unknown, key: string): number | null {
  const value = (body as { error?: Record<string, unknown> } | null)?.error?.[key];
  return typeof value === 'number' ? value : null;
}

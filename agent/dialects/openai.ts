/** What both of OpenAI's dialects share: errors, the list of models, tools that take free text. */
import type { Json } from '../../basics/canonical.ts';
import type { ErrorCode } from './dialect.ts';

/** Statuses that the official clients do not retry. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  limit: 400,
  context: 400,
  auth: 401,
  'not-found': 404,
  internal: 400,
  'too-large': 413,
};

const CODES: Readonly<Record<ErrorCode, string>> = {
  invalid: 'invalid_value',
  limit: 'limit_reached',
  context: 'context_length_exceeded',
  auth: 'invalid_api_key',
  'not-found': 'not_found',
  internal: 'model_failed',
  'too-large': 'request_too_large',
};

/** Clients know a prompt that is too long by these words. */
const TOO_LONG = "This model's maximum context length is exceeded";

export function openaiMessage(code: ErrorCode, message: string): string {
  return code === 'context' ? `${TOO_LONG}: ${message}` : message;
}

export function openaiError(code: ErrorCode, message: string): Json {
  return {
    error: {
      message: openaiMessage(code, message),
      type: 'invalid_request_error',
      param: null,
      code: CODES[code],
    },
  };
}

/** `max_model_len` is the name of vLLM's servers, `context_length` that of OpenRouter. */
export function openaiModels(name: string, context: number | null): Json {
  const window = context === null ? {} : { max_model_len: context, context_length: context };
  return {
    object: 'list',
    data: [{ id: name, object: 'model', created: 0, owned_by: 'swemake', ...window }],
  };
}

/** The type of tools that take free text in place of arguments. */
export const CUSTOM = 'custom';

/** What became of a tool that takes free text. */
export function offeredAsFunction(name: string): string {
  return `The tool ${name} takes free text; it is offered as a function of one text.`;
}

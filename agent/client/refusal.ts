/**
 * Decides what an error answer means: a temporary fault, a context that is too long, a parameter to leave out, or a
 * final refusal. All rules are in this file.
 */
import { isTooLarge, type Overflow, readOverflow } from './overflow.ts';
import type { HttpStatus } from './transport.ts';

export type Refusal =
  /** Temporary. `after`: milliseconds that the endpoint asks to wait; `overloaded`: it wants fewer requests. */
  | { kind: 'again'; detail: string; after: number | null; overloaded: boolean }
  | { kind: 'overflow'; detail: string; overflow: Overflow }
  /** A content filter refuses the prompt. */
  | { kind: 'filtered'; detail: string }
  /** Names of optional parameters that it does not know. */
  | { kind: 'unknown-parameters'; detail: string; names: string[] }
  /** It wants max_completion_tokens in place of max_tokens. */
  | { kind: 'limit-renamed'; detail: string }
  /** The model's template knows no messages of role tool. */
  | { kind: 'no-tool-role'; detail: string }
  /** It takes no tools, since it was started without a parser of their calls. */
  | { kind: 'no-tool-parser'; detail: string }
  /** `general`: about the key, the address or the model's name, so it holds for every request. */
  | { kind: 'refused'; detail: string; general: boolean };

/** Temporary statuses among 4xx. */
const PASSING = [408, 409, 425, 429];
const OVERLOADED = [429, 529];
/** Final statuses among 5xx. */
const FINAL = [501, 505];
const GENERAL = [401, 403, 404];
const MAX_DETAIL = 400;
/** Codes of content filters: OpenAI, Azure, Alibaba. */
const FILTERED =
  /content_filter|content_policy_violation|responsibleaipolicyviolation|data_?inspection_?failed/;
const SHRINK =
  'this limit of a proxy or an account says nothing about the model: raise it there, or shorten prompts with agent.context';

/** Whether a chat request is worth repeating after this status. */
export function isPassing(status: number): boolean {
  return PASSING.includes(status) || (status >= 500 && !FINAL.includes(status));
}

const UNKNOWN =
  /unrecogni[sz]ed|unknown|unsupported|not supported|not support|not permitted|forbidden|unexpected|not allowed|invalid|cannot find field|greater than max allowed/;
/** vLLM. */
const NO_PARSER = /requires --enable-auto-tool-choice/;
const ROLES = /alternate|only user and assistant|role/;

/** `optional`: names of parameters in the request that may be left out; `tools`: it had messages of role tool. */
export function readRefusal(
  answer: HttpStatus,
  asked: { optional: readonly string[]; tools: boolean },
): Refusal {
  const { status, body, headers } = answer;
  const message = messageOf(body) ?? plain(answer.text);
  const detail = `HTTP ${status}${message === '' ? '' : `: ${shorten(message)}`}`;
  const text = `${message} ${codeOf(body)}`;
  const overflow = isPage(answer.text) ? null : readOverflow(status, text, body);
  if (overflow !== null) return { kind: 'overflow', detail, overflow };
  if (/insufficient_quota/.test(text)) return { kind: 'refused', detail, general: true };
  if (status >= 400 && status < 500 && FILTERED.test(`${codeOf(body)} ${innerCode(body)}`.toLowerCase()))
    return { kind: 'filtered', detail };
  if (isTooLarge(status, text)) return { kind: 'refused', detail: `${detail}; ${SHRINK}`, general: false };
  if (status < 400) {
    const place = headers.get('location') ?? 'an address that it does not name';
    return {
      kind: 'refused',
      detail: `HTTP ${status}: moved to ${place}; write that in base_url`,
      general: true,
    };
  }
  if (isPassing(status))
    return { kind: 'again', detail, after: waitAsked(headers), overloaded: OVERLOADED.includes(status) };
  if (status === 400 && NO_PARSER.test(text)) return { kind: 'no-tool-parser', detail };
  const names = unknownNames(body, text, asked.optional);
  if (names.length > 0) return { kind: 'unknown-parameters', detail, names };
  if (/max_completion_tokens/.test(text) && /max_tokens/.test(text.replaceAll('max_completion_tokens', '')))
    return { kind: 'limit-renamed', detail };
  if (asked.tools && [400, 422].includes(status) && ROLES.test(text.toLowerCase()))
    return { kind: 'no-tool-role', detail };
  return { kind: 'refused', detail, general: GENERAL.includes(status) };
}

/** Whether the server behind a side route is only away for a while. Some answer 500 to routes that they do not know. */
export function isAway(status: number): boolean {
  return [408, 425, 429, 502, 503, 504, 529].includes(status);
}

/** Why the address is wrong, so that repeating is useless; null: the failure may be temporary. */
export function wrongAddress(detail: string): string | null {
  if (!/wrong version number|SSL_ERROR_RX_RECORD_TOO_LONG|packet length too long/i.test(detail)) return null;
  return 'the server speaks http and not https; write http:// in agent.model.base_url';
}

/** The project key to correct after a final refusal; empty when the refusal itself says what to do. `hasKey`: the request had one. */
export function keyToSet(detail: string, hasKey: boolean): string {
  if (/^HTTP 40[13]\b/.test(detail))
    return hasKey
      ? '; look at the value of agent.model.api_key, which was sent'
      : '; set agent.model.api_key, such as ${secret:NAME}';
  return detail.startsWith('HTTP 404') ? '; look at agent.model.name and agent.model.base_url' : '';
}

/** Parameters of `optional` that the refusal is about. */
function unknownNames(body: unknown, text: string, optional: readonly string[]): string[] {
  const { param, detail } = fields(body);
  if (typeof param === 'string' && optional.includes(param)) return [param];
  // A list of errors by pydantic. Its text may repeat the whole request, with all names in it.
  if (Array.isArray(detail)) {
    const places = detail.flatMap((entry) => (entry as { loc?: unknown[] } | null)?.loc ?? []);
    return optional.filter((name) => places.includes(name));
  }
  if (!UNKNOWN.test(text.toLowerCase())) return [];
  return optional.filter((name) => new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text));
}

/** The error message, in any of the fields that servers use; null: there is none. */
function messageOf(body: unknown): string | null {
  const { message, detail, error } = fields(body);
  if (typeof message === 'string') return message;
  if (typeof error === 'string') return error;
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return body === undefined || body === null ? null : JSON.stringify(body);
  return detail.map((entry) => describeEntry(entry)).join('; ');
}

function describeEntry(entry: unknown): string {
  const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown };
  return Array.isArray(loc) ? `${loc.join('.')}: ${String(msg)}` : JSON.stringify(entry);
}

function codeOf(body: unknown): string {
  const { code, type } = fields(body);
  return [code, type].filter((value) => typeof value === 'string').join(' ');
}

/** Azure's code inside the error's own. */
function innerCode(body: unknown): string {
  const { innererror } = fields(body) as { innererror?: { code?: unknown } | null };
  return typeof innererror?.code === 'string' ? innererror.code : '';
}

/** The content of `error`, or the whole body when it has none. */
function fields(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {};
  const { error } = body as { error?: unknown };
  return (typeof error === 'object' && error !== null ? error : body) as Record<string, unknown>;
}

function waitAsked(headers: Headers): number | null {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const after = headers.get('retry-after');
  if (after === null) return null;
  const seconds = Number(after);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** A web page comes from a gateway and not from the model's server. */
function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

function plain(text: string): string {
  return isPage(text) ? text.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').trim() : text;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_DETAIL ? line : `${line.slice(0, MAX_DETAIL)}…`;
}

/** All dialects. A request is of the first one that knows its method, path and headers. */
import { anthropicMessages } from './anthropic-messages.ts';
import type { Dialect, RequestHeaders, Route } from './dialect.ts';
import { googleGenerate } from './google-generate.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export const DIALECTS: readonly Dialect[] = [openaiChat, openaiResponses, anthropicMessages, googleGenerate];

export interface Routed {
  dialect: Dialect;
  route: Route;
}

/** null: no dialect has such a route. A slash at the end of the path counts for nothing. */
export function routeOf(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: RequestHeaders,
): Routed | null {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  for (const dialect of DIALECTS) {
    const route = dialect.route(method, plain, query, headers);
    if (route !== null) return { dialect, route };
  }
  return null;
}

/** The dialect of that name; undefined: there is none. */
export function findDialect(name: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name);
}

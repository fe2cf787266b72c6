/** Token ids and log-probabilities of a reply, in the forms of vLLM, SGLang and llama.cpp. */
import type { Fields } from '../../basics/json.ts';
import type { ReplyTokens } from '../policy.ts';

/** null: the endpoint gave no ids of the reply. */
export function readTokens(body: Fields, choice: Fields): ReplyTokens | null {
  const meta = (choice.meta_info ?? {}) as Fields;
  const pairs = readPairs(meta.output_token_logprobs);
  const content = (choice.logprobs as { content?: unknown } | null | undefined)?.content;
  const spelled = Array.isArray(content) ? content.map((entry) => (entry ?? {}) as Fields) : [];
  const ids =
    numbers(choice.token_ids) ??
    numbers(meta.output_ids) ??
    pairs?.ids ??
    numbers(spelled.map(({ id, token }) => id ?? spelledId(token)));
  if (ids === null || ids.length === 0) return null;
  const promptIds = numbers(body.prompt_token_ids) ?? numbers(choice.prompt_token_ids);
  const candidates = [numbers(spelled.map(({ logprob }) => logprob)), pairs?.logprobs ?? null];
  const logprobs = candidates.find((list) => list?.length === ids.length) ?? null;
  return { promptIds: promptIds !== null && promptIds.length > 0 ? promptIds : null, ids, logprobs };
}

/** Whether alternatives to the sampled tokens are listed. */
export function hasAlternatives(body: unknown): boolean {
  const { choices } = body as { choices: { logprobs?: { content?: { top_logprobs?: unknown }[] } | null }[] };
  const others = choices[0]?.logprobs?.content?.[0]?.top_logprobs;
  return Array.isArray(others) && others.length > 1;
}

/** SGLang's list of [log-probability, id, text]. */
function readPairs(value: unknown): { ids: number[]; logprobs: number[] } | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(Array.isArray)) return null;
  const ids = numbers(value.map((entry) => entry[1]));
  const logprobs = numbers(value.map((entry) => entry[0]));
  return ids === null || logprobs === null ? null : { ids, logprobs };
}

/** vLLM can write a token as `token_id:17`. */
function spelledId(token: unknown): number | null {
  const match = typeof token === 'string' ? /^token_id:(\d+)$/.exec(token) : null;
  return match === null ? null : Number(match[1]);
}

function numbers(value: unknown): number[] | null {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number') ? value : null;
}

/**
 * Stores token ids of calls without repetition. A prompt usually begins with an earlier prompt and its reply: in a tree
 * of calls those of its parent, else those of the call before. So a call stores how many ids it shares with them, and
 * the rest, and the size of a rollout grows with its length, and not with its square.
 */
import type { CallTokens, ModelCall } from '../../schemas/trajectory.ts';
import type { CallBefore, ReplyTokens } from '../policy.ts';

export interface StoredTokens {
  stored: CallTokens;
  /** Prompt and reply of this call, for storing the next one; null: the prompt's ids are not known. */
  whole: number[] | null;
}

/**
 * The stored form of a reply's ids. `previous` is `whole` of the call that it follows, null where there is none.
 * Where an endpoint gives no ids of the prompt, none are stored for it; a real prompt is never empty.
 */
export function storeTokens(tokens: ReplyTokens, previous: readonly number[] | null): StoredTokens {
  const { promptIds, ids } = tokens;
  const logprobs = tokens.logprobs?.length === ids.length ? tokens.logprobs : null;
  const shared = promptIds === null || previous === null ? 0 : sharedLength(previous, promptIds);
  return {
    stored: { source: 'endpoint', shared, prompt_ids: promptIds?.slice(shared) ?? [], ids, logprobs },
    whole: promptIds === null ? null : [...promptIds, ...ids],
  };
}

/** How many calls' ids are kept whole: as many lines of work go on at once without being put together again. */
const KEPT = 8;

/** What a call needs to have for its ids to be read. */
export type IdCall = Pick<ModelCall, 'tokens' | 'parent'>;

/** The ids that `storeTokens` stored, whole again. Calls may be added to the list meanwhile. */
export class StoredIds {
  readonly #calls: readonly IdCall[];
  /** Prompt and reply by call; the newest are the last. */
  readonly #kept = new Map<number, number[]>();

  constructor(calls: readonly IdCall[]) {
    this.#calls = calls;
  }

  /** The call whose ids this one shares; null: it shares none. */
  before(call: number): number | null {
    const { parent } = this.#calls[call]!;
    if (parent !== undefined) return parent;
    for (let at = call - 1; at >= 0; at--) if (this.#calls[at]!.tokens !== null) return at;
    return null;
  }

  /** How many ids the prompt has; 0: they are not known. */
  promptLength(call: number): number {
    const { tokens } = this.#calls[call]!;
    return tokens === null ? 0 : tokens.shared + tokens.prompt_ids.length;
  }

  /** Ids of the prompt; null: they are not known. */
  prompt(call: number): number[] | null {
    const length = this.promptLength(call);
    return length === 0 ? null : this.whole(call)!.slice(0, length);
  }

  /** Ids of prompt and reply, which the caller leaves as they are; null: those of the prompt are not known. */
  whole(call: number): number[] | null {
    if (this.promptLength(call) === 0) return null;
    const known = this.#kept.get(call) ?? this.#putTogether(call);
    this.#kept.delete(call);
    this.#kept.set(call, known);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return known;
  }

  /** The prompt's ids after the whole of an earlier call; null: it does not begin with that. The ids of both are known. */
  after(earlier: number, call: number): number[] | null {
    const begun = this.promptLength(earlier) + this.#calls[earlier]!.tokens!.ids.length;
    const { shared, prompt_ids } = this.#calls[call]!.tokens!;
    if (this.before(call) === earlier) return shared === begun ? prompt_ids : null;
    const [whole, prompt] = [this.whole(earlier)!, this.prompt(call)!];
    return whole.every((id, at) => id === prompt[at]) ? prompt.slice(begun) : null;
  }

  /** From the nearest call on its way that is kept whole, or the first one. */
  #putTogether(call: number): number[] {
    const way: CallTokens[] = [];
    let ids: number[] = [];
    for (let at: number | null = call; at !== null; at = this.before(at)) {
      const kept = this.#kept.get(at);
      if (kept !== undefined) ids = kept;
      const { tokens } = this.#calls[at]!;
      if (kept !== undefined || tokens === null) break;
      way.push(tokens);
      if (tokens.shared === 0) break;
    }
    ids = ids.slice(0, way.at(-1)!.shared);
    for (const { shared, prompt_ids, ids: reply } of way.reverse()) {
      ids.length = shared;
      for (const id of prompt_ids) ids.push(id);
      for (const id of reply) ids.push(id);
    }
    return ids;
  }
}

/** A call, for one that continues it and offers the list `tools`. */
export function callBefore(
  calls: readonly ModelCall[],
  stored: StoredIds,
  call: number,
  tools: number | undefined,
): CallBefore {
  const { prompt, token_in, tools: offered } = calls[call]!;
  return {
    messages: prompt.length + 1,
    ids: stored.whole(call),
    promptLength: stored.promptLength(call),
    isTokenIn: token_in === true,
    hasSameTools: offered === tools,
  };
}

function sharedLength(left: readonly number[], right: readonly number[]): number {
  const most = Math.min(left.length, right.length);
  let shared = 0;
  while (shared < most && left[shared] === right[shared]) shared++;
  return shared;
}

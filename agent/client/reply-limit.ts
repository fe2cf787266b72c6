/** A lower limit for a reply after prompt and configured limit together were too long. */

export interface RefusedRequest {
  /** Context length in tokens; null: unknown. */
  window: number | null;
  /** Tokens of the prompt; null: unknown. */
  prompt: number | null;
  /** Whether the prompt was counted to its end. */
  isExact: boolean;
  /** The limit that was refused. */
  maxTokens: number;
}

/** Tokens that are left free, since the counts of servers differ slightly. */
const MARGIN = 16;
/** A reply with fewer tokens is useless. */
const SHORTEST = 256;

/**
 * The limit to try instead; null: the prompt leaves too few tokens, the refused limit is already the shortest, or both counts
 * are unknown.
 */
export function replyLimit({ window, prompt, isExact, maxTokens }: RefusedRequest): number | null {
  if (maxTokens <= SHORTEST || (prompt === null && window === null)) return null;
  if (prompt === null || window === null) return SHORTEST;
  const left = window - prompt - MARGIN;
  if (left < SHORTEST) return null;
  // If only a part of the prompt was counted, it may be longer, so the shortest useful reply is tried.
  return isExact ? Math.min(left, maxTokens - 1) : SHORTEST;
}

/** How long a reply may be where prompt and configured limit together did not fit. */

export interface Fit {
  /** Tokens that the model takes in all; null: unknown. */
  window: number | null;
  /** Tokens of the prompt; null: unknown. */
  prompt: number | null;
  /** Whether the prompt was counted to its end. */
  isExact: boolean;
  /** The limit that was refused. */
  maxTokens: number;
}

/** Left free: servers differ by a few tokens in what they count. */
const MARGIN = 16;
/** With fewer tokens no useful reply fits. */
const SHORTEST = 256;

/** The limit to try instead; null: the prompt itself is too long, or leaves too few tokens. */
export function replyLimit({ window, prompt, isExact, maxTokens }: Fit): number | null {
  if (maxTokens <= SHORTEST || (prompt === null && window === null)) return null;
  if (prompt === null || window === null) return SHORTEST;
  const left = window - prompt - MARGIN;
  if (left < SHORTEST) return null;
  // A prompt that was counted in part may be longer: only the shortest reply is sure to be worth the try.
  return isExact ? Math.min(left, maxTokens - 1) : SHORTEST;
}

/** Numbers from the replies of judges: a vote, the value of a step, the final reward of a rollout. */

/** A box; its content may have one level of braces. */
const BOX = /\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}/;

/**
 * The vote in a judge's reply: the content of the first box, if it is +1 or -1; else null. Text of a thought before
 * the answer is ignored, since it may name both scores.
 */
export function readVote(reply: string): 1 | -1 | null {
  const value = boxed(reply);
  if (value === null) return null;
  if (Math.abs(value - 1) < 1e-9) return 1;
  return Math.abs(value + 1) < 1e-9 ? -1 : null;
}

/** What a reply says behind the thoughts that its text may begin with. */
export function withoutThoughts(reply: string): string {
  return reply.split('</think>').at(-1)!;
}

/** The number in the first box of the answer; null: there is none. */
export function boxed(reply: string): number | null {
  const answer = withoutThoughts(reply);
  const content = BOX.exec(answer)?.[1]?.trim() ?? '';
  return /^[-+]?\d+(\.\d+)?$/.test(content) ? Number(content) : null;
}

/** Mean of the votes that could be read; 0 without any. */
export function stepValue(votes: readonly (number | null)[]): number {
  return mean(votes.filter((vote) => vote !== null));
}

/**
 * The final reward of a rollout whose steps a judge scored: +1 or -1 for a grade of 1 or 0, plus the mean value of its steps
 * times `coefficient`. Without a judge the reward is the grade itself.
 */
export function finalReward(grade: number, values: readonly number[], coefficient: number): number {
  return (grade === 1 ? 1 : -1) + coefficient * mean(values);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Observations of one turn are cut to the same length. */
import { expect, test } from 'vitest';
import { fitTurn } from '../../../agent/context/fit.ts';
import { cutMiddle } from '../../../agent/context/observations.ts';
import { promptMessages } from '../../../agent/context/prompt.ts';
import type { PromptPart } from '../../../schemas/trajectory.ts';
import { message } from './words.ts';

const points = (text: string) => [...text].length;

test.each(['x', '🙂'])('an observation of "%s" that was cut before never becomes longer', async (one) => {
  const long = one.repeat(300);
  const messages = [message('observation', 'y'.repeat(300)), message('observation', long)];
  const cut: PromptPart = { role: 'user', content: cutMiddle(long, 100), stands_for: 1 };
  const lengthsOf = (parts: readonly PromptPart[]) =>
    promptMessages(messages, parts).map(({ content }) => points(content));
  const costOf = async (parts: readonly PromptPart[]) =>
    lengthsOf(parts).reduce((sum, length) => sum + length, 0);
  for (const budget of [60, 116, 240, 260]) {
    const fitted = await fitTurn(messages, [0, cut], budget, { prompt: costOf, turn: costOf });
    expect(await costOf(fitted)).toBeLessThanOrEqual(budget);
    expect(lengthsOf(fitted)[1]).toBeLessThanOrEqual(100);
  }
});

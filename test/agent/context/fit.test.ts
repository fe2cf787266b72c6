import { expect, test } from 'vitest';
import { fitTurn } from '../../../agent/context/fit.ts';
import { cutMiddle } from '../../../agent/context/observations.ts';
import { promptMessages } from '../../../agent/context/prompt.ts';
import type { PromptPart } from '../../../schemas/trajectory.ts';
import { message } from './words.ts';

const points = (text: string) => [...text].length;

test.each(['x', '🙂'])('an observation of "%s" that was cut before never becomes longer', async (one) => {
  const messages = [message('reply', 'r'), message('observation', one.repeat(300))];
  const cut: PromptPart = { role: 'user', content: cutMiddle(one.repeat(300), 100), stands_for: 1 };
  const costOf = (parts: readonly PromptPart[]) =>
    Promise.resolve(promptMessages(messages, parts).reduce((sum, { content }) => sum + points(content), 0));
  for (const budget of [20, 60, 116, 240, 260]) {
    const fitted = await fitTurn(messages, [0, cut], budget, { prompt: costOf, turn: costOf });
    expect(await costOf(fitted)).toBeLessThanOrEqual(Math.min(budget, 101));
  }
});

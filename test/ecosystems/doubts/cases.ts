/** What the tests of doubtful code have in common in all languages. */
import { describe, expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { doubtsOf } from '../../../grading/suspicion/suspicion.ts';

export const TASK = { listed: [], solution: [], testText: '', issue: '' };

export type Case = [path: string, text: string];

export interface Cases {
  /** By the rule that finds them. */
  doubtful: Readonly<Record<string, readonly Case[]>>;
  /** Lines of a text that look like comments, and code behind the end of the text. */
  behindTexts: readonly Case[];
  /** What a doubt begins with, and what a pattern may read over, by the file in which it stands. */
  beginnings: Readonly<Record<string, readonly string[]>>;
  honest: readonly Case[];
}

export async function rulesOf(
  ecosystem: string,
  path: string,
  after: string,
  before: string | null = null,
): Promise<string[]> {
  const { doubts } = ecosystemNamed(ecosystem).tests!;
  const found = await doubtsOf([{ path, before, after }], { ...TASK, doubts });
  return [...new Set(found.map(({ rule }) => rule))];
}

export function testDoubts(ecosystem: string, { doubtful, behindTexts, beginnings, honest }: Cases): void {
  describe.each(Object.keys(doubtful))('%s', (rule) => {
    test.each(doubtful[rule]!)('%s: %s', async (...given) => {
      expect(await rulesOf(ecosystem, ...given)).toContain(rule);
    });
  });

  test.each(behindTexts)('behind a text of several lines: %s: %j', async (...given) => {
    expect(await rulesOf(ecosystem, ...given)).toContain('controls-interpreter');
  });

  // A pattern that reads the same characters again and again takes minutes or hours here.
  test.each(Object.keys(beginnings))('what begins doubts is read though %s repeats it', async (path) => {
    for (const begun of beginnings[path]!)
      for (const text of [begun.repeat(30_000), begun + ' '.repeat(300_000), begun + '()'.repeat(150_000)])
        expect(await rulesOf(ecosystem, path, `${text}\nlast`)).toEqual(expect.any(Array));
  });

  test.each(honest)('no finding: %s: %s', async (...given) => {
    expect(await rulesOf(ecosystem, ...given)).toEqual([]);
  });
}

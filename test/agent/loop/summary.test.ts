/** Context strategy summary in the loop: the model writes it, goes on from it, and each id that it wrote is trained once. */
import { describe, expect, test } from 'vitest';
import type { ReplyRequest } from '../../../agent/policy.ts';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { wordCounter } from '../context/words.ts';
import { bench, fenced, MARK, says, settingsOf } from './rig.ts';

const { roll } = bench();

/** Ids of texts, a word each; what was read or written before has the same ones. */
class Words {
  readonly #known = new Map<string, number>();
  ids(text: string): number[] {
    return text.split(/\s+/).map((word) => {
      const id = this.#known.get(word) ?? this.#known.size + 1;
      this.#known.set(word, id);
      return id;
    });
  }
}

/** Looks at something long in each step, and hands in after `steps` of them. Its ids are as a server would give them. */
function model(steps: number, submit: string, look: string) {
  const words = new Words();
  let taken = 0;
  const written: number[][] = [];
  const policy = says(({ messages }: ReplyRequest) => {
    const isSummary = messages.at(-1)!.content.startsWith('The conversation has become too long');
    const content = isSummary
      ? `Summary ${written.length}: I saw ${taken} numbers.`
      : taken++ < steps
        ? look
        : submit;
    const promptIds = messages.flatMap((message) => [0, ...words.ids(message.content)]);
    const ids = [0, ...words.ids(content)];
    written.push(ids);
    return {
      content,
      completionTokens: ids.length,
      tokens: { promptIds, ids, logprobs: ids.map(() => -0.5) },
    };
  });
  return { policy, written };
}

const context = { strategy: 'summary', max_tokens: 1500, max_response_tokens: 100, head: 0.3 } as const;
const LOOK = 'seq 1 200 | tr "\\n" " "';

describe.each([
  ['bash', await settingsOf({ context }), fenced(`echo ${MARK}`), fenced(LOOK)],
  [
    'tools',
    await settingsOf({ type: 'tools', context: { ...context, max_tokens: 1500 } }),
    'Done.\n<function=submit>\n</function>',
    `Look.\n<function=bash>\n<parameter=command>${LOOK}</parameter>\n</function>`,
  ],
])('%s', (_type, settings, submit, look) => {
  test('goes on from what the model wrote of its history', async () => {
    const { policy, written } = model(12, submit, look);
    const { trajectory } = await roll(settings, policy, { counter: wordCounter(), limits: { steps: 40 } });
    expect(trajectory.exit_status).toBe('submitted');
    const kinds = (kind: string) => trajectory.messages.filter((message) => message.kind === kind).length;
    expect(kinds('summary')).toBeGreaterThan(1);
    expect(kinds('summary')).toBe(kinds('summary-request'));
    expect(trajectory.calls).toHaveLength(written.length);
    // What was asked fits, and after a summary a prompt has the task, the newest summary, and the turn that it kept.
    for (const { messages } of policy.requests)
      expect(await wordCounter().count(messages)).toBeLessThanOrEqual(settings.context.max_tokens! - 100);
    const last = policy.requests.at(-1)!.messages;
    expect(last.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
    const summaries = last.filter(({ content }) => content.includes('your own summary'));
    expect(summaries).toHaveLength(1);
    expect(last.indexOf(summaries[0]!)).toBe(2);
    expect(summaries[0]!.content).toContain(
      trajectory.messages.findLast(({ kind }) => kind === 'summary')!.content,
    );
    expect(last.some(({ content }) => content.startsWith('The conversation has become'))).toBe(false);
  });

  test.each(['step', 'turns', 'trajectory'] as const)(
    'each id that it wrote is trained once: %s',
    async (unit) => {
      const { policy, written } = model(12, submit, look);
      const { trajectory } = await roll(settings, policy, { counter: wordCounter(), limits: { steps: 40 } });
      const samples = trainingSamples(trajectory, unit, null);
      const trained = samples.flatMap(({ ids, loss_mask }) => ids.filter((_, at) => loss_mask[at] === 1));
      expect(trained).toEqual(written.flat());
      if (unit !== 'step') expect(samples.length).toBeLessThan(written.length);
      // The context of each is what the server read.
      expect(wholes(trajectory, samples)).toEqual(policy.requests.map(() => true));
    },
  );
});

/** For each call whether some sample begins with its prompt and its reply. */
function wholes({ calls }: Trajectory, samples: ReturnType<typeof trainingSamples>): boolean[] {
  let before: number[] = [];
  return calls.map(({ tokens }) => {
    const { shared, prompt_ids, ids } = tokens!;
    before = [...before.slice(0, shared), ...prompt_ids, ...ids];
    return samples.some((sample) => before.every((id, at) => sample.ids[at] === id));
  });
}

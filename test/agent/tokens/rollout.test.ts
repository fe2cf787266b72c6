/**
 * What is trained is what was rolled out: the real loop against an endpoint that tells its token ids, with a history
 * that has to be shortened, replies that are refused and replies that are cut.
 */
import { describe, expect, it } from 'vitest';
import { tokenizerCounter } from '../../../agent/context/tokenizer-counter.ts';
import type { Policy, ReplyRequest } from '../../../agent/policy.ts';
import { type TrainingSample, trainingSamples } from '../../../agent/tokens/samples.ts';
import type { ModelTokenizer } from '../../../agent/tokens/tokenizer.ts';
import { canonicalJson } from '../../../basics/canonical.ts';
import { digestOf } from '../../../basics/digest.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { bench, fenced, SUBMIT, says, settingsOf } from '../loop/rig.ts';
import { CHATML, THINKING, tinyTokenizer } from './tiny.ts';

const { roll } = bench();

interface Seen {
  prompt: number[];
  reply: number[];
  logprobs: number[];
}

interface Line {
  text: string;
  truncated?: boolean;
}

const print = (size: number) => ({ text: fenced(`head -c ${size} /dev/zero | tr '\\0' x`) });

const LINES: Line[] = [
  print(10),
  { text: 'I would rather talk.' },
  print(300),
  { text: `<think>a thought</think>${print(200).text}` },
  { text: 'THOUGHT: a long', truncated: true },
  print(2500),
  print(1200),
  print(5000),
  print(40),
  { text: SUBMIT },
];

/** An endpoint that samples these lines, and keeps what it read and wrote as ids. */
function endpoint(tokenizer: ModelTokenizer): { policy: Policy; seen: Seen[] } {
  const seen: Seen[] = [];
  const answer = ({ messages, tools }: ReplyRequest) => {
    const line = LINES[seen.length]!;
    const prompt = tokenizer.encode(tokenizer.render(messages, { generationPrompt: true, tools }));
    const written = line.truncated ? line.text : line.text + tokenizer.endOfTurn;
    const reply = tokenizer.encode(written);
    const logprobs = reply.map((_, index) => -(index + 1) / 8);
    seen.push({ prompt, reply, logprobs });
    const truncated = line.truncated ?? false;
    return { content: line.text, truncated, tokens: { promptIds: prompt, ids: reply, logprobs } };
  };
  return { policy: says(answer), seen };
}

/** The trajectory without what the endpoint told of ids. */
function withoutIds(trajectory: Trajectory): Trajectory {
  return { ...trajectory, calls: trajectory.calls.map((call) => ({ ...call, tokens: null })) };
}

const trained = (samples: TrainingSample[]) =>
  samples.flatMap(({ ids, loss_mask }) => ids.filter((_, index) => loss_mask[index] === 1));

const CASES = [
  ['everything shown', CHATML, { strategy: 'full' }, {}, '20647e2513481d8d'],
  [
    'a history shortened to its ends',
    CHATML,
    { strategy: 'head-tail', max_tokens: 9000 },
    {},
    '49b86948996bcc60',
  ],
  [
    'old observations left out',
    CHATML,
    { strategy: 'full' },
    { last_observations: 2, max_observation: 900 },
    '551de11a71e30556',
  ],
  [
    'a template that drops old thoughts',
    THINKING,
    { strategy: 'head-tail', max_tokens: 9000 },
    {},
    '2fe40ce6450aafc3',
  ],
] as const;

describe.each(CASES)('with %s', (name, template, context, history, digest) => {
  async function rolled() {
    const tokenizer = await tinyTokenizer(template);
    const settings = await settingsOf({
      context: { head: 0.3, max_response_tokens: 500, ...context },
      history: { last_observations: 0, ...history },
    });
    const { policy, seen } = endpoint(tokenizer);
    const { trajectory } = await roll(settings, policy, { counter: tokenizerCounter(tokenizer) });
    expect([trajectory.exit_status, seen.length]).toEqual(['submitted', LINES.length]);
    return { tokenizer, settings, seen, trajectory };
  }

  it('is stored as it always was', async () => {
    const { trajectory } = await rolled();
    expect(digestOf(canonicalJson(trajectory)).slice(0, 16)).toBe(digest);
  });

  it('every step is trained behind the prompt that it answered', async () => {
    const { tokenizer, seen, trajectory } = await rolled();
    const expected = seen.map(({ prompt, reply, logprobs }, call) => ({
      ids: [...prompt, ...reply],
      loss_mask: [...prompt.map(() => 0), ...reply.map(() => 1)],
      logprobs: [...prompt.map(() => 0), ...logprobs],
      calls: [call, call],
      source: 'endpoint',
    }));
    expect(trainingSamples(trajectory, 'step', null)).toEqual(expected);
    const again = trainingSamples(withoutIds(trajectory), 'step', tokenizer);
    expect(again).toEqual(expected.map((one) => ({ ...one, logprobs: null, source: 'tokenizer' })));
  });

  it('a trajectory trains every reply but the refused ones, once', async () => {
    const { tokenizer, seen, trajectory } = await rolled();
    const samples = trainingSamples(trajectory, 'trajectory', null);
    const kept = seen.filter(
      (_, call) => trajectory.messages[trajectory.calls[call]!.reply!]!.kind === 'reply',
    );
    expect(seen.length - kept.length).toBe(2);
    expect(trained(samples)).toEqual(kept.flatMap(({ reply }) => reply));
    for (const { ids, calls } of samples) {
      const last = seen[calls[1]]!;
      expect(ids).toEqual([...last.prompt, ...last.reply]);
    }
    const again = trainingSamples(withoutIds(trajectory), 'trajectory', tokenizer);
    expect(again).toEqual(samples.map((one) => ({ ...one, logprobs: null, source: 'tokenizer' })));
    if (name === 'everything shown') expect(samples).toHaveLength(1);
    else expect(samples.length).toBeGreaterThan(1);
  });

  it('turns train every reply, once', async () => {
    const { seen, trajectory } = await rolled();
    const samples = trainingSamples(trajectory, 'turns', null);
    expect(trained(samples)).toEqual(seen.flatMap(({ reply }) => reply));
    expect(
      samples.flatMap(({ logprobs, loss_mask }) => logprobs!.filter((_, at) => loss_mask[at] === 1)),
    ).toEqual(seen.flatMap(({ logprobs }) => logprobs));
    // What comes after a refused reply is shown without it.
    if (name === 'everything shown') expect(samples).toHaveLength(3);
  });

  it('prompts keep to the budget and ids are stored once', async () => {
    const { settings, seen, trajectory } = await rolled();
    const { strategy, max_tokens } = settings.context;
    if (strategy === 'head-tail')
      for (const { prompt } of seen) expect(prompt.length).toBeLessThanOrEqual(max_tokens! - 500);
    const stored = trajectory.calls.reduce((sum, { tokens }) => sum + tokens!.prompt_ids.length, 0);
    const all = seen.reduce((sum, { prompt }) => sum + prompt.length, 0);
    expect(stored).toBeLessThan(all / 2);
  });
});

/** What holds for all trees, tried with many: what is trained is what the server saw and wrote, each reply once. */
import { describe, expect, it } from 'vitest';
import { promptMessages } from '../../../agent/context/prompt.ts';
import { type SampleUnit, type TrainingSample, trainingSamples } from '../../../agent/tokens/samples.ts';
import { StoredIds, storeTokens } from '../../../agent/tokens/store.ts';
import type { Trained } from '../../../agent/tree/labels.ts';
import { TREE_FORMAT, type Trajectory } from '../../../schemas/trajectory.ts';
import { trajectory } from '../tokens/tiny.ts';
import { type Played, Player } from './agents.ts';
import { type Seen, seeded } from './engine.ts';
import { linearSamples } from './linear-samples.ts';

export function recorded({ tree }: Played): Trajectory {
  const { messages, calls, tools, steps } = tree.record();
  return { ...trajectory(messages, []), format: TREE_FORMAT, calls, tools, steps };
}

/** Where the mask is 1, without a gap. */
function spansOf({ loss_mask }: TrainingSample): [number, number][] {
  const spans: [number, number][] = [];
  for (const [at, mask] of loss_mask.entries()) {
    if (mask === 0) continue;
    if (loss_mask[at - 1] === 1) spans.at(-1)![1] = at + 1;
    else spans.push([at, at + 1]);
  }
  return spans;
}

/** The calls that samples train, in order. @throws when one is not trained after exactly what the server saw, as it wrote it. */
export function trainedCalls(samples: readonly TrainingSample[], seen: readonly Seen[]): number[] {
  return samples.flatMap((sample) => {
    const { ids, logprobs, trained_calls: trained } = sample;
    const spans = spansOf(sample);
    const isWhole = logprobs!.length === ids.length && spans.length === trained!.length;
    const isExact = trained!.every((call, place) => {
      const [from, to] = spans[place]!;
      const was = seen[call]!;
      return (
        ids.slice(0, from).join() === was.prompt.join() &&
        ids.slice(from, to).join() === was.reply.join() &&
        logprobs!.slice(from, to).join() === was.logprobs.join()
      );
    });
    if (!isWhole || !isExact)
      throw new Error(`the sample of calls ${trained} is not what the server saw and wrote`);
    return trained!;
  });
}

export const inOrder = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

export function exactness(seeds: number): void {
  describe('exactness over seeded trees', () => {
    it('trains each reply once, after exactly what the server saw, and none of calls beside the work', () => {
      const kinds = new Map<string, number>();
      const counts = { calls: 0, samples: 0, joined: 0 };
      for (let seed = 1; seed <= seeds; seed++) {
        const played = new Player(seed).play();
        for (const kind of played.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        const rollout = recorded(played);
        const { who, engine } = played;
        const every = who.map((_, call) => call);
        const of = (unit: SampleUnit, trained: Trained) => trainingSamples(rollout, unit, null, trained);
        for (const unit of ['step', 'turns'] as const)
          expect(inOrder(trainedCalls(of(unit, 'all'), engine.seen)), `seed ${seed}`).toEqual(every);
        const main = trainedCalls(of('turns', 'main'), engine.seen);
        const agents = trainedCalls(of('turns', 'agents'), engine.seen);
        const are = (...wanted: string[]) => every.filter((call) => wanted.includes(who[call]!));
        expect(
          main.filter((call) => who[call] === 'beside'),
          `seed ${seed}`,
        ).toEqual([]);
        expect(
          agents.filter((call) => who[call] === 'beside'),
          `seed ${seed}`,
        ).toEqual([]);
        if (!played.kinds.has('forked')) {
          expect(inOrder(main), `seed ${seed}`).toEqual(are('main'));
          expect(inOrder(agents), `seed ${seed}`).toEqual(are('main', 'sub'));
        } else expect(main, `seed ${seed}`).toEqual(expect.arrayContaining(are('main')));
        counts.calls += every.length;
        counts.samples += of('turns', 'all').length;
      }
      expect(Object.fromEntries(kinds)).toEqual({
        forked: expect.any(Number),
        compacted: expect.any(Number),
        parallel: expect.any(Number),
        titled: expect.any(Number),
        continued: expect.any(Number),
        replayed: expect.any(Number),
        lost: expect.any(Number),
      });
      for (const count of kinds.values()) expect(count).toBeGreaterThan(seeds / 10);
      // Some are joined, and some cannot be, since the template or the tokenizer changes what was written.
      expect(counts.samples).toBeLessThan(counts.calls * 0.9);
      expect(counts.samples).toBeGreaterThan(counts.calls * 0.3);
    });

    it('keeps prompts as they were sent, and their ids as the server had them', () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const played = new Player(seed).play();
        const { messages, calls } = recorded(played);
        const stored = new StoredIds(calls);
        for (const [call, { prompt }] of calls.entries()) {
          expect(promptMessages(messages, prompt), `seed ${seed}`).toEqual(played.requests[call]);
          expect(stored.prompt(call)!.join(), `seed ${seed}`).toBe(played.engine.seen[call]!.prompt.join());
        }
      }
    });
  });

  describe('calls that follow one another', () => {
    /** As the own loop stores them: some replies are rejected, and some calls have no ids or no log-probabilities. */
    function linear(seed: number): Trajectory {
      const random = seeded(seed + 5000);
      const played = random() < 0.5 ? new Player(seed).playLine(8) : new Player(seed).play();
      const { messages, calls } = recorded(played);
      let previous: number[] | null = null;
      const stored = calls.map(({ parent: _, agent: _agent, tools: _tools, ...call }, index) => {
        const { prompt, reply, logprobs } = played.engine.seen[index]!;
        if (random() < 0.05) return { ...call, tokens: null };
        const ids = {
          promptIds: random() < 0.05 ? null : prompt,
          ids: reply,
          logprobs: random() < 0.05 ? null : logprobs,
        };
        const { stored: tokens, whole } = storeTokens(ids, previous);
        previous = whole;
        return { ...call, tokens };
      });
      const kinds = messages.map((one) =>
        one.kind === 'reply' && random() < 0.15 ? { ...one, kind: 'rejected' as const } : one,
      );
      return trajectory(kinds, stored);
    }

    it('give the same samples as in the plainest way', () => {
      let joined = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const rollout = linear(seed);
        for (const unit of ['step', 'turns', 'trajectory'] as const) {
          const samples = trainingSamples(rollout, unit, null);
          expect(JSON.stringify(samples), `seed ${seed}`).toBe(JSON.stringify(linearSamples(rollout, unit)));
          joined += samples.filter(({ calls: [first, last] }) => last > first).length;
        }
      }
      expect(joined).toBeGreaterThan(seeds);
    });

    it('give the same samples whether they are stored as a tree or not', () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const played = new Player(seed).playLine(6);
        const tree = recorded(played);
        expect(new Set(tree.calls.map(({ agent }) => agent))).toEqual(new Set(['main']));
        const calls = tree.calls.map(({ parent: _, agent: _agent, tools: _tools, ...call }) => call);
        const plain = trajectory(tree.messages, calls);
        for (const unit of ['step', 'turns', 'trajectory'] as const) {
          const samples = trainingSamples(tree, unit, null).map(
            ({ agent: _, trained_calls: _calls, ...one }) => one,
          );
          expect(JSON.stringify(samples), `seed ${seed}`).toBe(
            JSON.stringify(trainingSamples(plain, unit, null)),
          );
        }
      }
    });
  });
}

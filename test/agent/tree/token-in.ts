/** What holds for all trees whose prompts are sent as ids, tried with many. */
import { describe, expect, it } from 'vitest';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import { StoredIds } from '../../../agent/tokens/store.ts';
import { type Played, Player } from './agents.ts';
import { inOrder, recorded, trainedCalls } from './exactness.ts';

/** Whether the agent sends replies back as they were, so that the text of all ids is what the template writes. */
function isFaithful({ manner }: Played): boolean {
  return !manner.rewritesArguments && !manner.renamesIds && (manner.keepsThoughts || !manner.thinks);
}

export function tokenIn(seeds: number): void {
  describe('prompts as ids over seeded trees', () => {
    it('are the ids so far and the new messages, and each reply is trained once after them', () => {
      const counts = { calls: 0, begun: 0, tokenIn: 0, fellBack: 0, samples: 0, chatSamples: 0, whole: 0 };
      const kinds = new Set<string>();
      const reasons = new Set<string>();
      for (let seed = 1; seed <= seeds; seed++) {
        const played = new Player(seed, 'exact').play();
        const rollout = recorded(played);
        const { seen } = played.engine;
        for (const kind of played.kinds) kinds.add(kind);
        const samples = trainingSamples(rollout, 'turns', null, 'all');
        const every = rollout.calls.map((_, call) => call);
        expect(inOrder(trainedCalls(samples, seen)), `seed ${seed}`).toEqual(every);
        const stored = new StoredIds(rollout.calls);
        for (const [call, { parent, token_in, fell_back }] of rollout.calls.entries()) {
          const { prompt } = seen[call]!;
          const where = `seed ${seed}, call ${call}`;
          expect(stored.prompt(call)!.join(), where).toBe(prompt.join());
          if (fell_back !== undefined) reasons.add(fell_back);
          counts.calls++;
          if (parent === null) {
            expect([token_in, fell_back], where).toEqual([undefined, undefined]);
            counts.begun++;
          } else if (token_in) {
            const before = [...seen[parent!]!.prompt, ...seen[parent!]!.reply];
            expect(prompt.slice(0, before.length).join(), where).toBe(before.join());
            const text = played.engine.render(
              played.requests[call]!,
              rollout.tools![rollout.calls[call]!.tools!]!,
            );
            expect(text.endsWith(played.engine.decode(prompt.slice(before.length))), where).toBe(true);
            counts.tokenIn++;
            if (isFaithful(played) && !played.manner.thinks) {
              expect(played.engine.decode(prompt), where).toBe(text);
              counts.whole++;
            }
          } else {
            expect(fell_back, where).toEqual(expect.any(String));
            counts.fellBack++;
          }
        }
        counts.samples += samples.length;
        counts.chatSamples += trainingSamples(recorded(new Player(seed).play()), 'turns', null, 'all').length;
      }
      expect([...kinds].sort()).toEqual([
        ...['compacted', 'continued', 'forked', 'lost', 'parallel', 'replayed', 'titled'],
      ]);
      // A request for a summary offers no tools, so the template shows none, and the ids so far would show them.
      expect([...reasons]).toEqual(['the call before offered other tools']);
      expect(counts.fellBack).toBeLessThan((counts.tokenIn + counts.fellBack) * 0.05);
      expect(counts.whole).toBeGreaterThan(counts.tokenIn / 4);
      expect(counts.samples).toBeLessThan(counts.chatSamples * 0.6);
    });
  });
}

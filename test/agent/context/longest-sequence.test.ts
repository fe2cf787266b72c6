/** A rollout ends before its history leaves no room for a reply in the longest sequence that a trainer takes. */
import { expect, test } from 'vitest';
import type { TokenCounter } from '../../../agent/context/counter.ts';
import { withinSequence } from '../../../agent/context/longest-sequence.ts';
import { scriptedPolicy } from '../../../agent/scripted.ts';
import { infra } from '../../../schemas/outcome.ts';

const LIMIT = { sequence: 10_000, reply: 2_000 };

function asked(size: number, count: (text: string) => number) {
  const seen: number[] = [];
  const counter: TokenCounter = {
    name: 'endpoint',
    count: async ([message]) => {
      seen.push(message!.content.length);
      return count(message!.content);
    },
  };
  const policy = scriptedPolicy(() => ({ content: 'done', toolCalls: [] }));
  const request = {
    messages: [{ role: 'user' as const, content: 'x'.repeat(size) }],
    ...{ tools: [], seed: 0, session: 'a#0', signal: new AbortController().signal },
  };
  const reply = withinSequence(policy, counter, LIMIT).reply(request);
  return { reply, seen };
}

test('a prompt that leaves room is asked, and a short one is not even counted', async () => {
  const short = asked(1_000, () => 1_000_000);
  expect(await short.reply).toMatchObject({ ok: true, value: { content: 'done' } });
  expect(short.seen).toEqual([]);
  const long = asked(30_000, () => 8_000);
  expect(await long.reply).toMatchObject({ ok: true });
  expect(long.seen).toEqual([30_000]);
});

test('one token more ends the rollout, which is an answer', async () => {
  expect(await asked(30_000, () => 8_001).reply).toMatchObject({
    ok: false,
    fault: { status: 'context-exceeded', detail: expect.stringContaining('8001 tokens') },
  });
});

test('a prompt that cannot be counted is a fault', async () => {
  const failing = asked(30_000, () => {
    throw infra('endpoint', 'it is gone');
  });
  expect(await failing.reply).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'endpoint' } });
});

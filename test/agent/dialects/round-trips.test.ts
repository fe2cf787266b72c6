/**
 * What an agent sends back is what it was sent: random replies go out through the official clients, whole or streamed,
 * come back as history, and are read as the same messages. So a longer history always begins with the one before.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DialectRequest, Written } from '../../../agent/dialects/dialect.ts';
import type { ChatMessage } from '../../../agent/policy.ts';
import { randomNumbers } from '../../rig/random.ts';
import { CLIENTS } from './clients.ts';
import { type Door, openDoor, reply } from './door.ts';

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.close());

const TEXTS = [
  'I look.',
  ' spaces around ',
  'two\n\nparagraphs\n',
  'data: [DONE]\n\n',
  '<think>no thought</think>',
  'ünïcödé 🙂 \u2028 \u0000',
  '\ud83d alone',
  '{"command": "ls"}',
  'x'.repeat(5000),
];
const ARGUMENTS = [
  '{"command": "ls -la"}',
  '{ "b": 1, "a": [1, {"x": null}] }',
  '{}',
  '{"2": "b", "1": "a", "": "ü\\u00e9\\n"}',
  '{"command": "ls',
  '[1, 2]',
  '"text"',
  'rm -rf',
  '{"malformed_arguments": 1}',
];

type Random = () => number;
const pick = <T>(random: Random, from: readonly T[]) => from[Math.floor(random() * from.length)]!;

function randomReply(random: Random, turn: number): Written {
  const calls = Math.floor(random() * 4);
  return reply({
    content: random() < 0.6 || calls === 0 ? pick(random, TEXTS) : '',
    reasoning: random() < 0.5 ? pick(random, TEXTS) : null,
    toolCalls: Array.from({ length: calls }, (_, at) => ({
      id: `c${turn}x${at}`,
      name: pick(random, ['bash', 'view_file', 'mcp__a__b']),
      arguments: pick(random, ARGUMENTS),
    })),
    truncated: random() < 0.1,
  });
}

/** As a history's reader is told them: arguments that are JSON without its formatting. */
function canonical(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => ({
    ...message,
    ...(message.tool_calls && {
      tool_calls: message.tool_calls.map((call) => ({ ...call, arguments: plain(call.arguments) })),
    }),
  }));
}

function plain(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function asMessage({ content, reasoning, toolCalls }: Written): ChatMessage {
  return {
    role: 'assistant',
    content,
    ...(reasoning === null ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

function lastRequest(): DialectRequest {
  const request = door.requests.at(-1);
  if (typeof request !== 'object') throw new Error(`refused: ${request}`);
  return request;
}

describe.each(Object.entries(CLIENTS))('%s', (_name, begin) => {
  it('brings 60 conversations back', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = randomNumbers(seed);
      const agent = begin(door.url);
      const expected: ChatMessage[] = [{ role: 'system', content: 'You solve tasks.' }];
      agent.say('Go.');
      expected.push({ role: 'user', content: 'Go.' });
      for (let turn = 0; turn < 4; turn++) {
        const given = randomReply(random, turn);
        door.answers.push(given);
        await agent.ask(random() < 0.5);
        expect(canonical(lastRequest().messages), `seed ${seed}`).toEqual(canonical(expected));
        expected.push(asMessage(given));
        const results = given.toolCalls.map(({ id, name }) => ({ id, name, text: pick(random, TEXTS) }));
        if (results.length > 0) agent.answer(results);
        else agent.say('Go on.');
        expected.push(
          ...(results.length > 0
            ? results.map(({ id, text }) => ({ role: 'tool' as const, content: text, tool_call_id: id }))
            : [{ role: 'user' as const, content: 'Go on.' }]),
        );
      }
    }
  });
});

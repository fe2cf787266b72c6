/** Every dialect as the official clients hear it: whole and streamed answers, calls, thoughts, ends and errors. */
import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DialectRequest, ErrorCode } from '../../../agent/dialects/dialect.ts';
import { DIALECTS, findDialect } from '../../../agent/dialects/registry.ts';
import { type Agent, CLIENTS, type Heard, openai } from './clients.ts';
import { type Door, openDoor, reply } from './door.ts';

let door: Door;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const CALLS = [
  { id: 'c00000001', name: 'bash', arguments: '{"command": "ls -la"}' },
  { id: 'c00000002', name: 'bash', arguments: '{"command": "pwd"}' },
];

/** How each dialect names the ends of a reply, and the arguments of a call as its client gives them. */
const ENDS: Readonly<Record<string, { stop: string; calls: string; cut: string }>> = {
  'openai-chat': { stop: 'stop', calls: 'tool_calls', cut: 'length' },
  'openai-responses': { stop: 'completed', calls: 'completed', cut: 'max_output_tokens' },
  'anthropic-messages': { stop: 'end_turn', calls: 'tool_use', cut: 'max_tokens' },
  'google-generate': { stop: 'STOP', calls: 'STOP', cut: 'MAX_TOKENS' },
};

type Thrown = readonly [status: number, type: abstract new (...given: never[]) => Error];

const ofOpenai: Readonly<Record<ErrorCode, Thrown>> = {
  invalid: [400, OpenAI.BadRequestError],
  limit: [400, OpenAI.BadRequestError],
  context: [400, OpenAI.BadRequestError],
  auth: [401, OpenAI.AuthenticationError],
  'not-found': [404, OpenAI.NotFoundError],
  internal: [400, OpenAI.BadRequestError],
  'too-large': [413, OpenAI.APIError],
};
const CODES = Object.keys(ofOpenai) as ErrorCode[];

/** What each client throws. */
const ERRORS: Readonly<Record<string, Readonly<Record<ErrorCode, Thrown>>>> = {
  'openai-chat': ofOpenai,
  'openai-responses': ofOpenai,
  'anthropic-messages': {
    invalid: [400, Anthropic.BadRequestError],
    limit: [402, Anthropic.APIError],
    context: [400, Anthropic.BadRequestError],
    auth: [403, Anthropic.PermissionDeniedError],
    'not-found': [404, Anthropic.NotFoundError],
    internal: [402, Anthropic.APIError],
    'too-large': [413, Anthropic.APIError],
  },
  'google-generate': {
    invalid: [400, ApiError],
    limit: [400, ApiError],
    context: [400, ApiError],
    auth: [401, ApiError],
    'not-found': [404, ApiError],
    internal: [400, ApiError],
    'too-large': [413, ApiError],
  },
};

const parsed = (heard: Heard) =>
  heard.calls.map(({ arguments: given, ...call }) => ({
    ...call,
    arguments: typeof given === 'string' ? JSON.parse(given) : given,
  }));

it('every dialect has a client here', () => {
  expect(Object.keys(CLIENTS)).toEqual(DIALECTS.map(({ name }) => name));
});

describe.each(Object.entries(CLIENTS))('%s', (name, begin) => {
  const ends = ENDS[name]!;
  let agent: Agent;
  beforeEach(() => {
    agent = begin(door.url);
    agent.say('Fix the bug.');
  });

  describe.each([false, true])('streamed: %s', (stream) => {
    it('gives text, thoughts and tokens', async () => {
      door.answers.push(reply({ content: 'Line one.\n\nÜber „zwei“ 🙂', reasoning: 'Hm.\n\ndata: x' }));
      expect(await agent.ask(stream)).toEqual({
        text: 'Line one.\n\nÜber „zwei“ 🙂',
        thoughts: 'Hm.\n\ndata: x',
        calls: [],
        end: ends.stop,
        tokens: [11, 7],
      });
    });

    it('gives parallel calls, with and without text', async () => {
      door.answers.push(reply({ content: 'Looking.', toolCalls: CALLS }), reply({ toolCalls: CALLS }));
      const both = await agent.ask(stream);
      expect([both.text, both.end]).toEqual(['Looking.', ends.calls]);
      const calls = CALLS.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) }));
      expect(parsed(both)).toEqual(calls);
      const alone = await agent.ask(stream);
      expect([alone.text, parsed(alone)]).toEqual(['', calls]);
    });

    it('gives a reply that was cut, and one that says nothing', async () => {
      door.answers.push(reply({ content: 'I was say', truncated: true }), reply());
      expect(await agent.ask(stream)).toMatchObject({ text: 'I was say', end: ends.cut });
      expect(await agent.ask(stream)).toMatchObject({ text: '', calls: [], end: ends.stop });
    });
  });

  it('tells the system prompt, the tools and what was asked', async () => {
    door.answers.push(reply({ content: 'Done.' }));
    await agent.ask(false);
    expect(door.requests).toMatchObject([
      {
        messages: [
          { role: 'system', content: 'You solve tasks.' },
          { role: 'user', content: 'Fix the bug.' },
        ],
        tools: [{ name: 'bash', description: 'Runs a command.', parameters: { required: ['command'] } }],
        stream: false,
        leftOut: [],
      },
    ]);
  });

  it('lists the model, and counts where the dialect can', async () => {
    expect((await agent.models()).map((model) => model.replace('models/', ''))).toEqual(['policy']);
    if (agent.count !== null) expect(await agent.count()).toBe(42);
  });

  it.each(CODES)('says %s once, with a status that nobody retries', async (code) => {
    door.answers.push({ code, message: 'so it is' });
    const error = await agent.ask(false).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const [status, type] = ERRORS[name]![code];
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, message: expect.stringContaining('so it is') });
    expect(door.requests).toHaveLength(1);
  });

  it('says an error within a stream that has begun', async () => {
    door.answers.push({ code: 'context', message: '9 tokens > 8 maximum', late: true });
    await expect(agent.ask(true)).rejects.toThrow('9 tokens > 8 maximum');
    expect(door.requests).toHaveLength(1);
  });
});

it('an older client of Google, which wants an event at the start of what is left, skips what keeps a stream alive', () => {
  const { keepAlive, stream } = findDialect('google-generate')!;
  const request = { callForms: new Map() } as Pick<DialectRequest, 'callForms'> as DialectRequest;
  const events = stream(reply({ content: 'A' }), request, { id: 'a', model: 'm', created: 0 });
  const [, data] = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/.exec(`${keepAlive}${keepAlive}${events[0]}`)!;
  expect(JSON.parse(data!)).toMatchObject({ candidates: [{ content: { parts: [{ text: 'A' }] } }] });
});

describe('tools that take free text', () => {
  const PATCH = '*** Begin Patch\n*** End Patch';
  const call = { id: 'c00000001', name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) };
  const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Patches.' }];

  it.each([false, true])('are called with text by responses, streamed: %s', async (stream) => {
    const client = openai(door.url);
    const items: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Patch it.' }];
    door.answers.push(reply({ toolCalls: [call] }), reply({ content: 'Done.' }));
    const request = { model: 'policy', input: items, tools };
    const { output } = stream
      ? await client.responses.stream({ ...request, stream: true }).finalResponse()
      : await client.responses.create(request);
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: PATCH }]);
    items.push(output[0] as OpenAI.Responses.ResponseCustomToolCall);
    items.push({ type: 'custom_tool_call_output', call_id: 'c00000001', output: 'Success.' });
    await client.responses.create(request);
    expect(door.requests.at(-1)).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c00000001', content: 'Success.' },
      ],
      leftOut: ['The tool apply_patch takes free text; it is offered as a function of one text.'],
    });
  });

  it('are called with text by chat completions', async () => {
    door.answers.push(reply({ toolCalls: [call] }), reply());
    const client = openai(door.url);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Patch it.' }];
    const request = {
      model: 'policy',
      messages,
      tools: [{ type: 'custom' as const, custom: { name: 'apply_patch', description: 'Patches.' } }],
    };
    const { message } = (await client.chat.completions.create(request)).choices[0]!;
    expect(message.tool_calls).toMatchObject([{ type: 'custom', custom: { input: PATCH } }]);
    messages.push(message);
    await client.chat.completions.create(request);
    expect(door.requests.at(-1)).toMatchObject({ messages: [{}, { role: 'assistant', tool_calls: [call] }] });
  });
});

describe('tools of a namespace and of the vendor', () => {
  it('are offered by a flat name, called by their own, and come back flat', async () => {
    const client = openai(door.url);
    const call = { id: 'c00000001', name: 'crm__find', arguments: '{"who":"x"}' };
    const items: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Find.' }];
    const find = { type: 'function' as const, name: 'find', strict: false, parameters: null };
    const request = {
      model: 'policy',
      input: items,
      tools: [
        { type: 'namespace' as const, name: 'crm', description: 'Customers.', tools: [find] },
        { type: 'web_search' as const },
        { type: 'local_shell' as const },
      ],
    };
    const shell = { id: 'c00000002', name: 'local_shell', arguments: '{"command":["ls","-l"]}' };
    door.answers.push(reply({ toolCalls: [call, shell] }), reply());
    const { output } = await client.responses.stream({ ...request, stream: true }).finalResponse();
    expect(output).toMatchObject([
      { type: 'function_call', name: 'find', namespace: 'crm' },
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'] } },
    ]);
    items.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    await client.responses.create(request);
    expect(door.requests.at(-1)).toMatchObject({
      messages: [{}, { role: 'assistant', tool_calls: [call, shell] }],
      tools: [{ name: 'crm__find' }, { name: 'local_shell' }],
      leftOut: [expect.stringContaining('namespace crm'), expect.stringContaining('web_search')],
    });
  });
});

/** How requests of agents are read: what each dialect writes differently comes out as the same messages. */
import { describe, expect, it } from 'vitest';
import type { DialectRequest, Route } from '../../../agent/dialects/dialect.ts';
import { findDialect, routeOf } from '../../../agent/dialects/registry.ts';
import { sealed } from '../../../agent/dialects/thoughts.ts';

const ROUTE: Route = { action: 'generate', stream: null, model: null };

function read(name: string, body: unknown, headers: Record<string, string> = {}): DialectRequest {
  const request = findDialect(name)!.read(body, new Headers(headers), ROUTE);
  if (!request.ok) throw new Error(request.fault);
  return request.value;
}

const refused = (name: string, body: unknown) => findDialect(name)!.read(body, new Headers(), ROUTE);

const chat = (messages: unknown[], rest = {}) => read('openai-chat', { messages, ...rest }).messages;
const responses = (input: unknown, rest = {}) => read('openai-responses', { input, ...rest }).messages;
const anthropic = (messages: unknown[], rest = {}) =>
  read('anthropic-messages', { messages, ...rest }).messages;
const google = (contents: unknown[], rest = {}) => read('google-generate', { contents, ...rest }).messages;

const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;

describe('a request', () => {
  it.each<
    [method: string, path: string, headers: Record<string, string>, dialect: string | null, route: unknown]
  >([
    ['POST', '/v1/chat/completions', {}, 'openai-chat', { action: 'generate' }],
    ['POST', '/v1/responses', {}, 'openai-responses', { action: 'generate' }],
    ['POST', '/v1/responses/input_tokens', {}, 'openai-responses', { action: 'count' }],
    ['POST', '/v1/messages?beta=true', {}, 'anthropic-messages', { action: 'generate' }],
    ['POST', '/v1/messages/count_tokens', {}, 'anthropic-messages', { action: 'count' }],
    ['GET', '/v1/models', {}, 'openai-chat', { action: 'models' }],
    ['GET', '/v1/models/', { 'anthropic-version': '2023-06-01' }, 'anthropic-messages', { action: 'models' }],
    ['GET', '/v1beta/models', {}, 'google-generate', { action: 'models' }],
    [
      'POST',
      '/v1beta/models/a-b.1:generateContent',
      {},
      'google-generate',
      { action: 'generate', stream: false, model: 'a-b.1' },
    ],
    [
      'POST',
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      {},
      'google-generate',
      { action: 'generate', stream: true, model: 'm' },
    ],
    ['POST', '/v1beta/models/m:countTokens', {}, 'google-generate', { action: 'count' }],
    ['POST', '/v1beta/models/m:streamGenerateContent', {}, null, null],
    ['GET', '/v1/chat/completions', {}, null, null],
    ['POST', '/v1/completions', {}, null, null],
    ['POST', '/v1/models', {}, null, null],
  ])('%s %s', (method, target, headers, dialect, route) => {
    const { pathname, searchParams } = new URL(target, 'http://door');
    const routed = routeOf(method, pathname, searchParams, new Headers(headers));
    expect(routed?.dialect.name ?? null).toBe(dialect);
    if (routed !== null) expect(routed.route).toMatchObject(route as object);
  });

  it('keeps what is not passed on', () => {
    const request = read('anthropic-messages', {
      model: 'claude-x',
      max_tokens: 32_000,
      thinking: { type: 'enabled' },
      some_new_field: [1],
      messages: [{ role: 'user', content: 'U' }],
    });
    expect(request.sent).toEqual({
      model: 'claude-x',
      max_tokens: 32_000,
      thinking: { type: 'enabled' },
      some_new_field: [1],
    });
  });

  it.each<[dialect: string, body: unknown, fault: string]>([
    ['openai-chat', { messages: [] }, 'messages must be a list that is not empty'],
    ['openai-chat', { messages: [{ role: 'robot' }] }, 'messages[0].role must be system, developer, user'],
    ['openai-chat', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id must be text'],
    ['openai-chat', { messages: [{ role: 'user', content: 'x' }], n: 2 }, 'n must be 1'],
    ['openai-responses', { input: 'x', previous_response_id: 'r' }, 'previous_response_id is not taken'],
    ['openai-responses', { input: [{ type: 'item_reference', id: 'r' }] }, 'input[0] refers to an item'],
    [
      'anthropic-messages',
      { messages: [{ role: 'user', content: 7 }] },
      'messages[0].content must be a list',
    ],
    [
      'anthropic-messages',
      { messages: [{ role: 'user', content: 'x' }], tools: [{}] },
      'tools[0].name must be text',
    ],
    ['google-generate', { contents: [{ parts: [1] }] }, 'contents[0].parts[0] must be an object'],
  ])('of %s is refused by the name of its field: %j', (name, body, fault) => {
    const result = refused(name, body);
    expect(result.ok ? null : result.fault).toContain(fault);
  });
});

describe('who asks', () => {
  const messages = [{ role: 'user', content: 'U' }];
  it('is said by headers', () => {
    const headers = { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a', 'x-turn-type': 'side' };
    expect(read('anthropic-messages', { messages }, headers).label).toEqual({
      session: 's',
      agent: 'a',
      kind: 'side',
    });
    expect(read('openai-chat', { messages }).label).toEqual({ session: null, agent: null, kind: null });
  });

  it.each([['{"session_id":"s-1"}'], ['user_00_account__session_s-1']])(
    'is said by metadata: %s',
    (user_id) => {
      expect(read('anthropic-messages', { messages, metadata: { user_id } }).label.session).toBe('s-1');
    },
  );

  it.each<[turn: object, label: object]>([
    [
      { thread_id: 't', agent_name: '/root/reviewer', request_kind: 'compaction' },
      { session: 't', agent: '/root/reviewer', kind: 'side' },
    ],
    [
      { session_id: 's', thread_id: 's', agent_name: '/root', request_kind: 'turn' },
      { session: 's', agent: null, kind: 'main' },
    ],
    [
      {
        session_id: 's',
        thread_id: 't',
        agent_name: '/root',
        request_kind: 'turn',
        thread_source: 'subagent',
      },
      { session: 's', agent: 't', kind: 'main' },
    ],
  ])('is said by what Codex knows of its turn: %j', (turn, label) => {
    const client_metadata = { 'x-codex-turn-metadata': JSON.stringify(turn) };
    expect(read('openai-responses', { input: 'U', client_metadata }).label).toEqual(label);
  });
});

describe('system messages', () => {
  const user = { role: 'user', content: 'U' };

  it('that lead are one', () => {
    const expected = [
      { role: 'system', content: 'A\n\nB' },
      { role: 'user', content: 'U' },
    ];
    expect(chat([{ role: 'system', content: 'A' }, { role: 'developer', content: 'B' }, user])).toEqual(
      expected,
    );
    expect(responses([{ role: 'developer', content: 'B' }, user], { instructions: 'A' })).toEqual(expected);
  });

  it('in the middle join the user message beside them, the same in every longer history', () => {
    const history = [
      { role: 'system', content: 'S' },
      user,
      { role: 'system', content: 'after the user' },
      { role: 'assistant', content: 'A' },
      { role: 'system', content: 'before a user' },
      { role: 'user', content: 'V' },
      {
        role: 'assistant',
        content: 'B',
        tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'out' },
      { role: 'system', content: 'alone' },
      { role: 'assistant', content: 'C' },
    ];
    const whole = chat(history);
    expect(whole.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'S'],
      ['user', `U\n\n${reminder('after the user')}`],
      ['assistant', 'A'],
      ['user', `${reminder('before a user')}\n\nV`],
      ['assistant', 'B'],
      ['tool', 'out'],
      ['user', reminder('alone')],
      ['assistant', 'C'],
    ]);
    // Whatever an agent asks before a reply is the beginning of what it asks later.
    for (const length of [3, 6, 9]) {
      const before = chat(history.slice(0, length));
      expect(whole.slice(0, before.length)).toEqual(before);
    }
  });

  it('that hold a line for billing lose it', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=abc' },
      { type: 'text', text: 'S' },
    ];
    const request = read('anthropic-messages', { system, messages: [user] });
    expect(request.messages[0]).toEqual({ role: 'system', content: 'S' });
    expect(request.leftOut).toHaveLength(1);
  });
});

describe('text', () => {
  it('is the same as text and as a list of texts, with cache marks or without', () => {
    const list = [{ type: 'text', text: 'U', cache_control: { type: 'ephemeral' } }];
    expect(anthropic([{ role: 'user', content: list }])).toEqual(anthropic([{ role: 'user', content: 'U' }]));
    expect(chat([{ role: 'user', content: list }])).toEqual(chat([{ role: 'user', content: 'U' }]));
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'U' }] };
    expect(responses([item])).toEqual(responses('U'));
  });

  it('has a note where an image was', () => {
    const request = read('anthropic-messages', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See:' },
            { type: 'image', source: {} },
          ],
        },
      ],
    });
    expect(request.messages).toEqual([{ role: 'user', content: 'See:\n[image left out]' }]);
    expect(request.leftOut).toEqual([
      'No template renders a part of type image; a note stands in its place.',
    ]);
  });
});

describe('results of tools', () => {
  it('may have parts, errors and words beside them', () => {
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'x' },
          { type: 'text', text: 'y' },
        ],
      },
      { type: 'tool_result', tool_use_id: 'b', content: 'broke', is_error: true },
      { type: 'tool_result', tool_use_id: 'c' },
      { type: 'text', text: 'Go on.' },
    ];
    expect(anthropic([{ role: 'user', content }])).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'x\ny' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: broke' },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('of Google are found by name and order where ids are missing', () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const result = (name: string, response: unknown) => ({ functionResponse: { name, response } });
    const messages = google([
      { role: 'user', parts: [{ text: 'U' }] },
      { role: 'model', parts: [call('f'), call('g'), call('f')] },
      {
        role: 'user',
        parts: [result('f', { output: '1' }), result('f', { error: 'no' }), result('g', { a: 1, b: 2 })],
      },
    ]);
    expect(messages[1]!.tool_calls!.map(({ id }) => id)).toEqual(['call_0', 'call_1', 'call_2']);
    expect(messages.slice(2).map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ['call_0', '1'],
      ['call_2', 'Error: no'],
      ['call_1', '{"a":1,"b":2}'],
    ]);
  });
});

describe('items of responses', () => {
  it('of one reply are one message, and those of the next another', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: id });
    const said = (text: string) => ({ role: 'assistant', content: [{ type: 'output_text', text }] });
    const thought = { type: 'reasoning', summary: [], encrypted_content: sealed('R') };
    const items = [
      thought,
      said('A'),
      call('a'),
      call('b'),
      output('a'),
      output('b'),
      said('B'),
      thought,
      call('c'),
    ];
    expect(responses([{ role: 'user', content: 'U' }, ...items])).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'A', reasoning: 'R', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b' },
      { role: 'assistant', content: 'B' },
      { role: 'assistant', content: '', reasoning: 'R', tool_calls: [{ id: 'c' }] },
    ]);
  });
});

describe('thoughts', () => {
  it('come from our seal where it is there, and else from the text', () => {
    const thinking = (signature: string) =>
      anthropic([{ role: 'assistant', content: [{ type: 'thinking', thinking: 'shown', signature }] }]);
    expect(thinking(sealed('sampled'))[0]!.reasoning).toBe('sampled');
    expect(thinking('EqQBCkYIARgC')[0]!.reasoning).toBe('shown');
  });

  it('of Gemini CLI come back with the calls, whose signature it keeps', () => {
    const parts = [{ functionCall: { name: 'f', args: {} }, thoughtSignature: sealed('R') }];
    expect(google([{ role: 'model', parts }])).toMatchObject([{ reasoning: 'R', content: '' }]);
  });
});

it('schemas of Google have types as JSON Schema writes them, and properties of that name stay', () => {
  const parameters = {
    type: 'OBJECT',
    properties: { type: { type: 'STRING' }, all: { type: 'ARRAY', items: { type: 'INTEGER' } } },
  };
  const { tools } = read('google-generate', {
    contents: [{ parts: [{ text: 'U' }] }],
    tools: [{ function_declarations: [{ name: 'f', parameters }] }],
  });
  expect(tools[0]!.parameters).toEqual({
    type: 'object',
    properties: { type: { type: 'string' }, all: { type: 'array', items: { type: 'integer' } } },
  });
});

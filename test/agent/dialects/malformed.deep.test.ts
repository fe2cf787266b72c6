/** Bodies that no client sends: each gets a result, none makes a dialect throw, and none takes long. */
import { describe, expect, it } from 'vitest';
import type { Dialect, Route } from '../../../agent/dialects/dialect.ts';
import { DIALECTS, findDialect } from '../../../agent/dialects/registry.ts';
import { randomNumbers } from '../../rig/random.ts';
import { reply } from './door.ts';

const ROUTE: Route = { action: 'generate', stream: true, model: 'policy' };
const NO_HEADERS = new Headers();

/** A request of each dialect that has all of its parts. */
const BODIES: Readonly<Record<string, unknown>> = {
  'openai-chat': {
    model: 'x',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'S' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'U' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'R',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'c2', type: 'custom', custom: { name: 'g', input: 'text' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'out' },
      { role: 'developer', content: 'D' },
    ],
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
      { type: 'custom', custom: { name: 'g' } },
    ],
  },
  'openai-responses': {
    model: 'x',
    instructions: 'I',
    stream: true,
    client_metadata: { 'x-codex-turn-metadata': '{"thread_id":"t","request_kind":"turn"}' },
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { role: 'user', content: [{ type: 'input_image', image_url: 'x' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'R' }], encrypted_content: 'abc' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', namespace: 'n', arguments: '{}' },
      { type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls'], env: {} } },
      { type: 'custom_tool_call', call_id: 'c3', name: 'g', input: 'text' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'out' }] },
      { type: 'web_search_call', id: 'w' },
    ],
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' } },
      { type: 'custom', name: 'g', format: { type: 'grammar' } },
      { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] },
      { type: 'web_search' },
    ],
  },
  'anthropic-messages': {
    model: 'x',
    stream: true,
    system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    metadata: { user_id: '{"session_id":"s"}' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'U' },
          { type: 'image', source: {} },
        ],
      },
      { role: 'system', content: 'M' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'R', signature: 's' },
          { type: 'text', text: 'A' },
          { type: 'tool_use', id: 'c1', name: 'f', input: { a: { b: [1] } } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            is_error: true,
            content: [{ type: 'text', text: 'out' }],
          },
        ],
      },
    ],
    tools: [
      { name: 'f', description: 'd', input_schema: { type: 'object' } },
      { type: 'web_search_20250305' },
    ],
  },
  'google-generate': {
    systemInstruction: { parts: [{ text: 'S' }] },
    contents: [
      { role: 'user', parts: [{ text: 'U' }, { inlineData: { mimeType: 'image/png', data: 'x' } }] },
      {
        role: 'model',
        parts: [
          { text: 'R', thought: true, thoughtSignature: 'abc' },
          { text: 'A' },
          { functionCall: { id: 'c1', name: 'f', args: { a: [1] } }, thoughtSignature: 'abc' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'out' } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'ARRAY' } } } },
        ],
      },
      { googleSearch: {} },
    ],
  },
};

/** Values that stand where others are expected. */
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'text',
  '\ud800',
  [],
  [[]],
  {},
  [null],
  { toString: 1, toJSON: 2, __proto__: null },
  JSON.parse('{"__proto__": {"role": "user"}, "constructor": 1, "length": -1}'),
  { type: { type: [] } },
  { role: 'assistant', content: [{ type: 'tool_use' }, { type: 'thinking' }] },
];

const parses = (text: string): unknown => JSON.parse(text);

/** A body with up to four places changed: a value replaced, removed, doubled, wrapped, or moved elsewhere. */
function mutated(body: unknown, random: () => number): unknown {
  const copy = { root: structuredClone(body) };
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    const places = placesOf(copy);
    const [holder, key] = places[Math.floor(random() * places.length)]!;
    const value = holder[key];
    const odd = structuredClone(ODD[Math.floor(random() * ODD.length)]);
    const other = places[Math.floor(random() * places.length)]!;
    const changed = [odd, undefined, [value, value], { type: value }, structuredClone(other[0][other[1]])];
    holder[key] = changed[Math.floor(random() * changed.length)];
  }
  return parses(JSON.stringify(copy.root) ?? 'null');
}

type Holder = Record<string, unknown>;

function placesOf(value: object): [Holder, string][] {
  return Object.entries(value).flatMap(([key, inner]) => [
    [value as Holder, key] as [Holder, string],
    ...(typeof inner === 'object' && inner !== null ? placesOf(inner) : []),
  ]);
}

/** Reads a body, and where that succeeds answers it in every way. Whether it was read. */
function exercised(dialect: Dialect, body: unknown): boolean {
  const read = dialect.read(body, NO_HEADERS, ROUTE);
  if (!read.ok) {
    if (!/^\S.* \S/.test(read.fault)) throw new Error(`this names no field: ${read.fault}`);
    return false;
  }
  const { messages, tools } = read.value;
  const odd = messages.find(
    ({ role, content }, at) => typeof content !== 'string' || (role === 'system' && at > 0),
  );
  if (odd !== undefined) throw new Error(`no template takes ${JSON.stringify(odd)}`);
  const calls = tools.map(({ name }, at) => ({ id: `c${at}`, name, arguments: '{"input": "x"}' }));
  const given = reply({ content: 'A', reasoning: 'R', toolCalls: calls });
  const ids = { id: 'a', model: 'm', created: 0 };
  JSON.stringify(dialect.write(given, read.value, ids));
  const open = dialect.stream(given, read.value, ids).find((event) => !event.endsWith('\n\n'));
  if (open !== undefined) throw new Error(`an event without an end: ${open}`);
  return true;
}

it('there is a body for each dialect', () => {
  expect(Object.keys(BODIES)).toEqual(DIALECTS.map(({ name }) => name));
});

describe.each(Object.entries(BODIES))('%s', (name, body) => {
  const dialect = findDialect(name)!;

  it('takes its own body', () => {
    expect(exercised(dialect, body)).toBe(true);
  });

  it('answers 2,500 bodies of a mutator', () => {
    const random = randomNumbers(27);
    let read = 0;
    for (let round = 0; round < 2500; round++) if (exercised(dialect, mutated(body, random))) read++;
    expect(read).toBeGreaterThan(100);
    expect(read).toBeLessThan(2400);
  });

  it.each([null, undefined, 1, 'text', [], [[]], {}])('refuses %j', (value) => {
    expect(dialect.read(value, NO_HEADERS, ROUTE)).toMatchObject({ ok: false });
  });

  it('reads 100,000 messages of each kind', () => {
    const [list] = ['messages', 'input', 'contents'].filter((key) => key in (body as object));
    for (const message of (body as Record<string, unknown[]>)[list!]!) {
      const many = Array.from({ length: 100_000 }, () => message);
      const result = dialect.read({ ...(body as object), [list!]: many }, NO_HEADERS, ROUTE);
      expect(result.ok).toBe(true);
    }
  });

  it('refuses a body of 100,000 levels, wherever they are', () => {
    const deep = parses(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    for (const place of ['input', 'messages', 'contents', 'tools', 'metadata'])
      expect(dialect.read({ ...(body as object), [place]: deep }, NO_HEADERS, ROUTE)).toEqual({
        ok: false,
        fault: 'the body is nested more than 256 levels deep',
      });
  });
});

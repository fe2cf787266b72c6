/**
 * Tool calls as models write them. The texts follow what the vendors document and what the parsers of vLLM and SGLang
 * accept; each was written for this test.
 */
import { describe, expect, it } from 'vitest';
import { findToolFormat, TOOL_FORMATS } from '../../../agent/dialects/tool-formats/registry.ts';
import type { ToolDefinition } from '../../../agent/policy.ts';
import { randomNumbers } from '../../rig/random.ts';

const TOOLS: ToolDefinition[] = [
  {
    name: 'bash',
    description: '',
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
  {
    name: 'view',
    description: '',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        line: { type: 'integer' },
        range: { type: 'array', items: { type: 'integer' } },
        deep: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
    },
  },
];

function parse(format: string, text: string, tools = TOOLS) {
  return findToolFormat(format)!.parse(text, tools);
}

type Calls = [name: string, given: unknown][];

/** A reply that is sound: its text, its calls and its thoughts. */
type Sound = [name: string, format: string, text: string, content: string, calls: Calls, reasoning?: string];

const LS: Calls[number] = ['bash', { command: 'ls -la' }];
const VIEW: Calls[number] = ['view', { path: 'a.py', line: 12 }];

const SOUND: Sound[] = [
  [
    'one call',
    'hermes',
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls -la"}}\n</tool_call>',
    '',
    [LS],
  ],
  [
    'text, thoughts and two calls',
    'hermes',
    '<think>\nFirst look.\n</think>\n\nI look around.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls -la"}}\n</tool_call>\n<tool_call>\n{"arguments": {"path": "a.py", "line": 12}, "name": "view"}\n</tool_call><|im_end|>',
    'I look around.',
    [LS, VIEW],
    'First look.',
  ],
  [
    'a call whose end the server left out',
    'hermes',
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls -la"}}\n',
    '',
    [LS],
  ],
  [
    'a call that writes the marks of the format',
    'hermes',
    '<tool_call>{"name": "bash", "arguments": {"command": "echo \\"</tool_call>{<tool_call>\\""}}</tool_call>',
    '',
    [['bash', { command: 'echo "</tool_call>{<tool_call>"' }]],
  ],
  [
    'a call among thoughts, which is none',
    'hermes',
    'Hm, <tool_call>?</think>Done.',
    'Done.',
    [],
    'Hm, <tool_call>?',
  ],
  ['thoughts that were cut', 'hermes', '<think>I wonder', '', [], 'I wonder'],
  ['text alone', 'hermes', 'Nothing to do here.', 'Nothing to do here.', []],

  [
    'several lines',
    'qwen3-coder',
    "Now.\n\n<tool_call>\n<function=bash>\n<parameter=command>\ncat <<'EOF' > a.py\n\nx = 1\n\nEOF\n</parameter>\n</function>\n</tool_call>",
    'Now.',
    [['bash', { command: "cat <<'EOF' > a.py\n\nx = 1\n\nEOF" }]],
  ],
  [
    'types by the schema',
    'qwen3-coder',
    '<tool_call>\n<function=view>\n<parameter=path>\n42\n</parameter>\n<parameter=line>\n12\n</parameter>\n<parameter=range>\n[1, 9]\n</parameter>\n<parameter=deep>\nTrue\n</parameter>\n<parameter=more>\n7\n</parameter>\n</function>\n</tool_call>',
    '',
    [['view', { path: '42', line: 12, range: [1, 9], deep: true, more: '7' }]],
  ],
  [
    'two calls, of which one lacks the outer mark',
    'qwen3-coder',
    '<function=bash>\n<parameter=command>\nls -la\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=view>\n<parameter=path>\na.py\n</parameter>\n<parameter=line>\n12\n</parameter>\n</function>',
    '',
    [LS, VIEW],
  ],
  [
    'a call without parameters',
    'qwen3-coder',
    '<tool_call><function=view></function></tool_call>',
    '',
    [['view', {}]],
  ],

  [
    'a tag',
    'llama3-json',
    '<|python_tag|>{"name": "bash", "parameters": {"command": "ls -la"}}<|eom_id|>',
    '',
    [LS],
  ],
  ['no tag', 'llama3-json', '{"name": "bash", "parameters": {"command": "ls -la"}}', '', [LS]],
  [
    'two calls, one with other names',
    'llama3-json',
    'Well.<|python_tag|>{"name": "bash", "parameters": {"command": "ls -la"}}; {"name": "view", "arguments": {"path": "a.py", "line": 12}}',
    'Well.',
    [LS, VIEW],
  ],
  ['an answer in JSON', 'llama3-json', '{"answer": 42}', '{"answer": 42}', []],

  [
    'a list',
    'mistral',
    'Sure. [TOOL_CALLS] [{"name": "bash", "arguments": {"command": "ls -la"}}, {"name": "view", "arguments": {"path": "a.py", "line": 12}}]</s>',
    'Sure.',
    [LS, VIEW],
  ],
  [
    'a mark for each call',
    'mistral',
    '[TOOL_CALLS]bash[ARGS]{"command": "ls -la"}[TOOL_CALLS]view{"path": "a.py", "line": 12}',
    '',
    [LS, VIEW],
  ],
  [
    'an id, and thoughts',
    'mistral',
    '[THINK]Hm.[/THINK]Go.[TOOL_CALLS]bash[CALL_ID]aB3dE6gH9[ARGS]{"command": "ls -la"}',
    'Go.',
    [LS],
    'Hm.',
  ],

  [
    'lines',
    'glm4',
    '\n<think></think>\nI see.\n<tool_call>view\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>line</arg_key>\n<arg_value>12</arg_value>\n</tool_call>\n<|observation|>',
    'I see.',
    [VIEW],
  ],
  [
    'no lines, two calls',
    'glm4',
    '<tool_call>bash<arg_key>command</arg_key><arg_value>ls -la</arg_value></tool_call><tool_call>view</tool_call>',
    '',
    [LS, ['view', {}]],
  ],

  [
    'a section of two',
    'kimi-k2',
    'Both.<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "ls -la"}<|tool_call_end|><|tool_call_begin|>functions.view:1<|tool_call_argument_begin|>{"path": "a.py", "line": 12}<|tool_call_end|><|tool_calls_section_end|><|im_end|>',
    'Both.',
    [LS, VIEW],
  ],

  [
    'thoughts and a call',
    'gpt-oss',
    '<|channel|>analysis<|message|>Need to look.<|end|><|start|>assistant<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "ls -la"}<|call|>',
    '',
    [LS],
    'Need to look.',
  ],
  [
    'a recipient in the role, and a text before',
    'gpt-oss',
    '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.view<|channel|>commentary json<|message|>{"path": "a.py", "line": 12}',
    'I look.',
    [VIEW],
  ],
  [
    'an answer',
    'gpt-oss',
    '<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>4.<|return|>',
    '4.',
    [],
    'Easy.',
  ],
  ['text without marks', 'gpt-oss', 'Just text.', 'Just text.', []],
];

/** A reply that breaks its format, and what is said about it. */
const BROKEN: [name: string, format: string, text: string, malformed: RegExp][] = [
  [
    'JSON that was cut',
    'hermes',
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls',
    /no complete JSON/,
  ],
  ['no name', 'hermes', '<tool_call>{"arguments": {}}</tool_call>', /no name/],
  ['no arguments', 'hermes', '<tool_call>{"name": "bash"}</tool_call>', /arguments of the call of bash/],
  [
    'arguments that are text',
    'hermes',
    '<tool_call>{"name": "bash", "arguments": "ls"}</tool_call>',
    /no JSON object/,
  ],
  ['no end', 'hermes', '<tool_call>{"name": "bash", "arguments": {}} and so on', /no closing <\/tool_call>/],
  [
    'a second call that breaks',
    'hermes',
    '<tool_call>{"name":"bash","arguments":{}}</tool_call><tool_call>',
    /JSON/,
  ],
  ['no function', 'qwen3-coder', '<tool_call>\nbash ls\n</tool_call>', /names no function/],
  [
    'a parameter that was cut',
    'qwen3-coder',
    '<tool_call>\n<function=bash>\n<parameter=command>\nls',
    /no closing <\/parameter>/,
  ],
  [
    'a function that was cut',
    'qwen3-coder',
    '<tool_call><function=bash><parameter=command>ls</parameter>',
    /no closing <\/function>/,
  ],
  ['Python after the tag', 'llama3-json', '<|python_tag|>bash.call(command="ls")', /no complete JSON/],
  ['text after a call', 'llama3-json', '{"name": "bash", "parameters": {}} so', /no complete JSON/],
  ['an object in place of a list', 'mistral', '[TOOL_CALLS] {"name": "bash", "arguments": {}}', /neither/],
  ['an empty list', 'mistral', '[TOOL_CALLS] []', /empty/],
  ['arguments that were cut', 'mistral', '[TOOL_CALLS]bash[ARGS]{"command": "l', /no JSON object/],
  ['no value', 'glm4', '<tool_call>bash\n<arg_key>command</arg_key>\n</tool_call>', /has no value/],
  [
    'a value that was cut',
    'glm4',
    '<tool_call>bash<arg_key>command</arg_key><arg_value>ls',
    /no closing <\/arg_value>/,
  ],
  [
    'no section',
    'kimi-k2',
    '<|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
    /outside of a section/,
  ],
  ['an empty section', 'kimi-k2', '<|tool_calls_section_begin|><|tool_calls_section_end|>', /is empty/],
  [
    'no number',
    'kimi-k2',
    '<|tool_calls_section_begin|><|tool_call_begin|>bash<|tool_call_argument_begin|>{}<|tool_call_end|>',
    /no name and number/,
  ],
  [
    'a call that was cut',
    'kimi-k2',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"a": 1}',
    /has no <\|tool_call_end\|>/,
  ],
  [
    'a built-in tool',
    'gpt-oss',
    '<|channel|>analysis to=python code<|message|>print(1)<|call|>',
    /python, which is no/,
  ],
  ['a header without text', 'gpt-oss', '<|channel|>commentary to=functions.bash', /header and no text/],
  ['an unknown channel', 'gpt-oss', '<|channel|>thoughts<|message|>x<|end|>', /channel thoughts/],
  ['text after a message', 'gpt-oss', '<|channel|>final<|message|>x<|end|>y', /outside of a message/],
];

describe('a sound reply', () => {
  it.each(SOUND)('%s (%s)', (_name, format, text, content, calls, reasoning = undefined) => {
    const parsed = parse(format, text);
    expect(parsed).toMatchObject({ content, reasoning: reasoning ?? null, malformed: null });
    expect(parsed.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(calls);
    expect(new Set(parsed.toolCalls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('every format has some', () => {
    expect(new Set(SOUND.map(([, format]) => format))).toEqual(new Set(TOOL_FORMATS.map(({ name }) => name)));
    expect(new Set(BROKEN.map(([, format]) => format))).toEqual(
      new Set(TOOL_FORMATS.map(({ name }) => name)),
    );
  });

  it('has arguments as they are written', () => {
    const written = '{ "n": 12345678901234567890, "a":1e2 }';
    const { toolCalls } = parse('hermes', `<tool_call>{"name":"view","arguments":${written}}</tool_call>`);
    expect(toolCalls.map((call) => call.arguments)).toEqual([written]);
  });

  it('keeps the ids that a model writes, unless the prompt has them', () => {
    const call = (number: number) =>
      `<|tool_call_begin|>functions.bash:${number}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
    const text = `<|tool_calls_section_begin|>${call(3)}${call(4)}<|tool_calls_section_end|>`;
    const known = new Set(['functions.bash:3']);
    const { toolCalls } = findToolFormat('kimi-k2')!.parse(text, TOOLS, known);
    expect(toolCalls.map(({ id }) => id)).toEqual(['c00000001', 'functions.bash:4']);
  });
});

describe('a reply that breaks its format', () => {
  it.each(BROKEN)('%s (%s)', (_name, format, text, malformed) => {
    expect(parse(format, text)).toEqual({
      content: text,
      reasoning: null,
      toolCalls: [],
      malformed: expect.stringMatching(malformed),
    });
  });
});

it('no text is a call where no tools are offered', () => {
  const text = '<tool_call>{"name": "bash", "arguments": {}}</tool_call>';
  expect(parse('hermes', text, [])).toEqual({
    content: text,
    reasoning: null,
    toolCalls: [],
    malformed: null,
  });
});

it('takes a reply of nothing but one mark, 100,000 times', () => {
  for (const format of TOOL_FORMATS)
    for (const mark of [
      '<|im_end|>',
      '<|eot_id|>',
      '</s>',
      '<|start|>',
      '<tool_call>',
      '[',
      '{"a":',
      '<think>',
      ' ',
    ])
      expect(format.parse(mark.repeat(100_000), TOOLS).toolCalls).toEqual([]);
});

it('no text makes a format throw, and no part of a malformed reply is a call', () => {
  const random = randomNumbers(6);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  const texts = [...SOUND, ...BROKEN].map(([, , text]) => text);
  const pieces = texts.flatMap((text) => text.split(/(?<=[>\]}\n])|(?=[<[{])/));
  let broken = 0;
  for (let round = 0; round < 20_000; round++) {
    const text =
      round % 2 === 0
        ? pick(texts).slice(0, Math.floor(random() * 200)) + pick(pieces) + pick(pieces)
        : Array.from({ length: 8 }, () => pick(pieces)).join('');
    const parsed = pick(TOOL_FORMATS).parse(text, TOOLS);
    if (parsed.malformed !== null) {
      broken++;
      expect(parsed.toolCalls).toEqual([]);
    }
    for (const call of parsed.toolCalls) expect(JSON.parse(call.arguments)).toBeTypeOf('object');
  }
  expect(broken).toBeGreaterThan(1000);
});

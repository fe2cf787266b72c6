/** From trajectories of every agent to conversations of every style, and what cannot be written. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bashAction } from '../../agent/actions/action.ts';
import { xmlFunctionFormat } from '../../agent/actions/xml-functions.ts';
import type { Style } from '../../agent/kinds/kind.ts';
import { ALL_TOOLS } from '../../agent/kinds/tools/definitions.ts';
import { MARKER } from '../../agent/submission.ts';
import { packageRoot } from '../../basics/package-root.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Conversations, conversations } from '../../stages/sft-data/conversation.ts';
import type { SftMessage } from '../../stages/sft-data/message.ts';
import { targetOf } from '../../stages/sft-data/target.ts';
import { BASH_TURNS, bash, EDIT, HAND_IN, type Maker, TOOL_TURNS, trajectory } from './trajectories.ts';

const PROBLEM = 'a() must return two';

const make = (
  of: Trajectory,
  style: Style,
  unit: 'trajectory' | 'step' = 'trajectory',
): Promise<Conversations> =>
  conversations(of, { target: targetOf(style, of.agent), unit, train: 'main', problem: PROBLEM });

async function whole(of: Trajectory, style: Style): Promise<SftMessage[]> {
  const { samples, left } = await make(of, style);
  expect(left).toEqual([]);
  expect(samples).toHaveLength(1);
  return samples[0]!.messages;
}

const roles = (messages: readonly SftMessage[]) => messages.map(({ role }) => role);
const replies = (messages: readonly SftMessage[]) =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);

const AGENTS: [name: string, maker: Maker, native: Style | null][] = [
  ['bash, fences', {}, 'ticks'],
  ['bash, fences of swe-rl', { dialect: 'swe-rl' }, 'ticks'],
  ['bash, tags', { actions: 'xml' }, null],
  ['bash, tool calls', { actions: 'tool-calls' }, 'tools'],
  ['tools, function calls as text', { type: 'tools', actions: 'xml-functions', turns: TOOL_TURNS }, 'xml'],
  ['tools, tool calls', { type: 'tools', actions: 'tool-calls', turns: TOOL_TURNS }, 'tools'],
];

describe.each(AGENTS)('an agent with %s', (_name, maker, native) => {
  test.each(['xml', 'ticks', 'tools'] as const)('in style %s', async (style) => {
    const of = trajectory(maker);
    const messages = await whole(of, style);
    const answer = style === 'tools' ? 'tool' : 'user';
    const turns = of.steps.slice(1).flatMap(() => [answer, 'assistant']);
    expect(roles(messages)).toEqual(['system', 'user', 'assistant', ...turns]);
    expect(targetOf(style, of.agent).native).toBe(style === native);
    if (style === native) {
      expect(messages.map(({ content }) => content)).toEqual(of.messages.map(({ content }) => content));
    } else {
      expect(messages[0]!.content).not.toBe(of.messages[0]!.content);
      expect(messages[1]!.content).toContain(PROBLEM);
      expect(messages[3]!.content).toBe('<output>a.py\n</output>');
    }
    expect(replies(messages)[0]).toContain('I look around.');
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    expect(calls.length).toBe(style === 'tools' ? of.steps.length : 0);
    for (const message of messages.filter(({ role }) => role === 'tool'))
      expect(calls.map(({ id }) => id)).toContain(message.tool_call_id);
  });
});

describe('function calls as text', () => {
  test('are read back by the agent with tools, and end with submit', async () => {
    const messages = await whole(trajectory(), 'xml');
    const format = xmlFunctionFormat(ALL_TOOLS);
    const read = replies(messages).map((content) => format.parse({ content, toolCalls: [] }));
    expect(read.map((one) => (one.ok ? one.value[0]!.tool : null))).toEqual(['bash', 'bash', 'submit']);
    expect(messages[0]!.content).toContain('---- BEGIN FUNCTION #1: bash ----');
  });

  test('hold code on lines of its own', async () => {
    const of = trajectory({ type: 'tools', actions: 'tool-calls', turns: TOOL_TURNS });
    expect(replies(await whole(of, 'xml'))[2]).toBe(
      [
        'Now the fix.',
        '',
        '<function=str_replace_editor>',
        '<parameter=command>str_replace</parameter>',
        '<parameter=path>/testbed/a.py</parameter>',
        '<parameter=old_str>',
        'def a():',
        '    return 1',
        '</parameter>',
        '<parameter=new_str>',
        'def a():',
        "    return '2'",
        '',
        '</parameter>',
        '</function>',
      ].join('\n'),
    );
  });

  const example = join(packageRoot(), '../shared/data/swesmith/ft_xml_example.jsonl');
  test.skipIf(!existsSync(example))('have the shape of published data', async () => {
    const rows = readFileSync(example, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { messages: SftMessage[] });
    const ours = await whole(trajectory({ actions: 'tool-calls', type: 'tools', turns: TOOL_TURNS }), 'xml');
    const shape = (messages: readonly SftMessage[]) => {
      const texts = replies(messages);
      return {
        keys: [...new Set(messages.flatMap((message) => Object.keys(message)))].sort(),
        opening: roles(messages).slice(0, 3),
        last: roles(messages).at(-1),
        alternates: roles(messages)
          .slice(2)
          .every((role, at) => role === (at % 2 === 0 ? 'assistant' : 'user')),
        calls: texts.every((text) =>
          /<function=(?:bash|str_replace_editor|submit)>\n(?:<parameter=\w+>[\s\S]*?<\/parameter>\n)*<\/function>$/.test(
            text,
          ),
        ),
        blocks: texts.every((text) => !/<parameter=(?:old_str|new_str|file_text)>(?!\n)/.test(text)),
        submits: texts.at(-1)!.endsWith('<function=submit>\n</function>'),
      };
    };
    for (const { messages } of rows) expect(shape(ours)).toEqual(shape(messages));
  });
});

describe('fences', () => {
  test('keep what a shell agent does, with its way to hand in', async () => {
    const texts = replies(await whole(trajectory({ actions: 'tool-calls' }), 'ticks'));
    expect(texts[0]).toBe('I look around.\n\n```mswea_bash_command\nls -la\n```');
    expect(texts[2]).toContain(`echo ${MARKER}`);
  });

  test('hold calls of tools as command lines', async () => {
    const of = trajectory({ type: 'tools', actions: 'xml-functions', turns: TOOL_TURNS });
    const messages = await whole(of, 'ticks');
    expect(replies(messages).slice(1)).toEqual([
      'The file.\n\n```\nstr_replace_editor view /testbed/a.py --view_range 1 20\n```',
      "Now the fix.\n\n```\nstr_replace_editor str_replace /testbed/a.py --old_str 'def a():\n    return 1' --new_str 'def a():\n    return '\\''2'\\''\n'\n```",
      'Done.\n\n```\nsubmit\n```',
    ]);
    expect(messages[0]!.content).toContain('str_replace_editor view PATH');
  });
});

describe('what is no example', () => {
  const malformed = (dialect: 'v2' | 'swe-rl'): Trajectory =>
    trajectory({
      dialect,
      turns: [
        BASH_TURNS[0]!,
        { thought: '', actions: [], outputs: [], malformed: { reply: 'just words', error: 'no action' } },
        ...BASH_TURNS.slice(1),
      ],
    });

  test.each(['v2', 'swe-rl'] as const)(
    'a reply without an action (%s) and its answer are left out',
    async (dialect) => {
      for (const style of ['ticks', 'xml', 'tools'] as const) {
        const messages = await whole(malformed(dialect), style);
        expect(roles(messages)).toEqual(roles(await whole(trajectory({ dialect }), style)));
        expect(JSON.stringify(messages)).not.toMatch(/just words|no action/);
      }
    },
  );

  test('of steps it is no sample, though later prompts may hold it', async () => {
    const { samples } = await make(malformed('swe-rl'), 'ticks', 'step');
    expect(samples.map(({ step }) => step)).toEqual([0, 2, 3]);
    expect(JSON.stringify(samples[1])).toContain('just words');
  });

  test('a conversation ends with the last action', async () => {
    const turns = [
      ...BASH_TURNS.slice(0, 2),
      { thought: '', actions: [], outputs: [], malformed: { reply: 'words', error: 'no' } },
    ];
    const messages = await whole(trajectory({ turns, exit: 'limits_exceeded' }), 'ticks');
    expect(messages.at(-1)!.content).toContain('sed -i');
  });

  test('a cut reply whose action ran is never taught', async () => {
    const of = trajectory({
      dialect: 'swe-rl',
      turns: [{ ...BASH_TURNS[0]!, cut: true }, ...BASH_TURNS.slice(1)],
    });
    const whole = await make(of, 'ticks');
    expect(whole.samples).toEqual([]);
    expect(whole.left).toMatchObject([{ why: 'cut-reply', step: null }]);
    const steps = await make(of, 'ticks', 'step');
    expect(steps.samples.map(({ step }) => step)).toEqual([1, 2]);
    expect(steps.left).toMatchObject([{ why: 'cut-reply', step: 0 }]);
  });

  test('nothing was done', async () => {
    const { samples, left } = await make(trajectory({ turns: [] }), 'ticks');
    expect(samples).toEqual([]);
    expect(left).toMatchObject([{ why: 'no-reply' }]);
  });

  test.each([
    ['xml', "echo '</parameter>'"],
    ['ticks', "cat <<'E' > README\n```\ncode\n```\nE"],
  ] as const)('style %s does not write what would be read otherwise', async (style, command) => {
    const of = trajectory({
      actions: 'tool-calls',
      turns: [bash('Words.', command, ''), ...BASH_TURNS.slice(2)],
    });
    expect((await make(of, style)).left).toMatchObject([{ why: 'not-expressible' }]);
    expect((await make(of, 'tools')).samples).toHaveLength(1);
  });
});

test('a call of an agent from outside whose arguments are no JSON object is left out where it would be rewritten', async () => {
  for (const command of ['{"file_path": "/testbed/a', 'null']) {
    const of = trajectory({ actions: 'tool-calls' });
    of.steps[0]!.actions[0] = { ...of.steps[0]!.actions[0]!, tool: 'Read', command };
    expect((await make(of, 'xml')).left).toMatchObject([{ why: 'not-expressible' }]);
    expect((await make(of, 'tools')).samples).toHaveLength(1);
  }
});

describe('several calls in one reply', () => {
  const of = trajectory({
    type: 'tools',
    actions: 'tool-calls',
    turns: [
      { thought: 'Both.', actions: [bashAction('ls'), EDIT], outputs: ['a.py', 'edited'] },
      TOOL_TURNS.at(-1)!,
    ],
  });

  test('stay one as tool calls', async () => {
    const messages = await whole(of, 'tools');
    expect(roles(messages)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(messages[2]!.tool_calls).toHaveLength(2);
  });

  test('become turns as text', async () => {
    const messages = await whole(of, 'xml');
    expect(roles(messages)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(messages[3]!.content).toBe('<output>a.py</output>');
    expect(messages[5]!.content).toBe('<output>edited</output>');
  });

  test('are no step as text, nor is what comes after', async () => {
    const { samples, left } = await make(of, 'xml', 'step');
    expect(samples).toEqual([]);
    expect(left.map(({ why }) => why)).toEqual(['several-calls', 'several-calls']);
  });
});

describe('steps', () => {
  test('hold exactly what the model saw, elisions and shortened observations too', async () => {
    const of = trajectory();
    const marker = { role: 'user', content: '[... 1 turn(s) omitted ...]', stands_for: null };
    of.calls[2]!.prompt = [0, 1, marker, 4, { role: 'user', content: 'short', stands_for: 5 }];
    const { samples } = await make(of, 'ticks', 'step');
    const own = (at: number) => ({ role: of.messages[at]!.role, content: of.messages[at]!.content });
    expect(samples[2]!.messages).toEqual([
      own(0),
      own(1),
      { role: 'user', content: marker.content },
      own(4),
      { role: 'user', content: 'short' },
      own(6),
    ]);
    expect(samples.map(({ step }) => step)).toEqual([0, 1, 2]);
  });

  test('of another style, too', async () => {
    const of = trajectory({ actions: 'tool-calls' });
    of.calls[1]!.prompt = [0, 1, 2, { role: 'tool', content: 'short', stands_for: 3 }];
    const { samples } = await make(of, 'xml', 'step');
    expect(roles(samples[1]!.messages)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    expect(samples[1]!.messages[3]!.content).toBe('short');
  });
});

test('a command that names the marker on the way is no hand-in', async () => {
  const of = trajectory({
    turns: [{ thought: 'Too early.', actions: [HAND_IN], outputs: ['x'] }, ...BASH_TURNS],
  });
  expect(replies(await whole(of, 'xml'))[0]).toContain('<function=bash>');
});

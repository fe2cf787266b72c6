/** How replies are read: every action format, and what it rejects. */
import { describe, expect, it } from 'vitest';
import { type Action, type ActionFormat, bashAction } from '../../agent/actions/action.ts';
import { BASH } from '../../agent/actions/definitions.ts';
import { BASH_FENCE, FENCE, LOOSE_BASH_FENCE, markedFormat, TAG } from '../../agent/actions/fence.ts';
import { toolCallFormat } from '../../agent/actions/tool-calls.ts';
import { xmlFunctionFormat } from '../../agent/actions/xml-functions.ts';
import type { LoopSettings } from '../../agent/kinds/kind.ts';
import { loopOf } from '../../agent/kinds/registry.ts';
import { ALL_TOOLS } from '../../agent/kinds/tools/definitions.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';

const actionFormat = (settings: LoopSettings) => loopOf(settings).format;

const text = (content: string) => ({ content, toolCalls: [] });
const calls = (...toolCalls: Partial<ToolCall>[]) => ({
  content: '',
  toolCalls: toolCalls.map((call, at) => ({ id: `c${at}`, name: 'bash', arguments: '', ...call })),
});

/** The commands of a reply, or what is wrong with it. */
function read(format: ActionFormat, reply: { content: string; toolCalls: ToolCall[] }): string[] | string {
  const parsed = format.parse(reply);
  return parsed.ok ? parsed.value.map((action) => String(action.arguments.command)) : parsed.fault.error;
}

describe('a fenced block', () => {
  const format = markedFormat(FENCE, 'one');
  const block = (body: string) => `Look.\n\n\`\`\`mswea_bash_command\n${body}\n\`\`\`\n`;
  it.each<[name: string, reply: string, commands: string[] | RegExp]>([
    ['one', block('ls -la'), ['ls -la']],
    ['several lines, stripped', block('\n  cd x &&\nls\n'), ['cd x &&\nls']],
    ['lines that end with CRLF', block('ls -la').replaceAll('\n', '\r\n'), ['ls -la']],
    ['none', 'I will look around.', /found 0/],
    ['two', block('ls') + block('pwd'), /found 2/],
    ['another language', '```bash\nls\n```', /found 0/],
    ['no closing fence', '```mswea_bash_command\nls', /found 0/],
    [
      'a fence inside a heredoc ends it',
      block("cat <<'EOF' > a.md\n```python\nx\n```\nEOF"),
      ["cat <<'EOF' > a.md"],
    ],
    ['a fence in the middle of a line does not', block('echo "```"'), ['echo "```"']],
    ['an empty block', '```mswea_bash_command\n\n```', ['']],
  ])('%s', (_name, reply, commands) => {
    const found = read(format, text(reply));
    if (commands instanceof RegExp) expect(found).toMatch(commands);
    else expect(found).toEqual(commands);
  });

  it('tells what it found', () => {
    expect(format.parse(text(block('ls') + block('pwd')))).toMatchObject({
      ok: false,
      fault: { actions: ['ls', 'pwd'] },
    });
  });

  it('of mini-swe-agent 1 is marked bash', () => {
    expect(read(markedFormat(BASH_FENCE, 'one'), text('```bash\nls\n```'))).toEqual(['ls']);
  });

  it('of swe-rl is the first one, and may end anywhere', () => {
    const loose = markedFormat(LOOSE_BASH_FENCE, 'first');
    expect(read(loose, text('```bash\nls\n```\n```bash\npwd\n```'))).toEqual(['ls']);
    expect(read(loose, text('```bash \n\n ls```'))).toEqual(['ls']);
    expect(read(loose, text('```bash\necho "```" more\n```'))).toEqual(['echo "']);
    expect(read(loose, text('```python\nls\n```'))).toMatch(/found 0/);
  });

  it('can be a tag', () => {
    const tag = markedFormat(TAG, 'one');
    expect(read(tag, text('<mswea_bash_command>\nls\n</mswea_bash_command>'))).toEqual(['ls']);
    expect(read(tag, text('<mswea_bash_command>ls'))).toMatch(/found 0/);
  });
});

describe('tool calls', () => {
  const format = toolCallFormat([BASH]);
  it.each<[name: string, reply: ReturnType<typeof calls>, commands: string[] | RegExp]>([
    ['one', calls({ arguments: '{"command":"ls"}' }), ['ls']],
    [
      'two, in order',
      calls({ arguments: '{"command":"ls"}' }, { arguments: '{"command":"pwd"}' }),
      ['ls', 'pwd'],
    ],
    ['none', calls(), /calls no tool/],
    ['an unknown name', calls({ name: 'python', arguments: '{"command":"1"}' }), /no tool "python".*bash/],
    ['no JSON', calls({ arguments: '{"command":' }), /no JSON object/],
    ['a list', calls({ arguments: '["ls"]' }), /no JSON object/],
    ['a text', calls({ arguments: '"ls"' }), /no JSON object/],
    ['no command', calls({ arguments: '{}' }), /needs command/],
    ['nothing at all', calls({ arguments: '' }), /needs command/],
    ['a command that is no text', calls({ arguments: '{"command":["ls"]}' }), /must be text/],
    ['one good and one bad', calls({ arguments: '{"command":"ls"}' }, { arguments: '' }), /needs command/],
  ])('%s', (_name, reply, commands) => {
    const found = read(format, reply);
    if (commands instanceof RegExp) expect(found).toMatch(commands);
    else expect(found).toEqual(commands);
  });

  it('leave out what is null', () => {
    const reply = calls({
      name: 'str_replace_editor',
      arguments: '{"command":"view","path":"/a","view_range":null}',
    });
    expect(toolCallFormat(ALL_TOOLS).parse(reply)).toMatchObject({
      value: [{ tool: 'str_replace_editor', arguments: { command: 'view', path: '/a' }, id: 'c0' }],
    });
  });
});

describe('XML functions', () => {
  const format = xmlFunctionFormat(ALL_TOOLS);
  const parse = (content: string) => {
    const parsed = format.parse(text(content));
    return parsed.ok ? parsed.value[0] : parsed.fault.error;
  };

  it('are read with their parameters', () => {
    expect(
      parse('I look.\n\n<function=bash>\n<parameter=command>\nls\n-la\n</parameter>\n</function>'),
    ).toEqual({
      tool: 'bash',
      arguments: { command: 'ls\n-la' },
    });
  });

  it('know the names of related training sets', () => {
    expect(parse('<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>')).toMatchObject({
      tool: 'bash',
    });
    expect(parse('<function=finish>\n</function>')).toEqual({ tool: 'submit', arguments: {} });
    expect(parse('<function=submit></function>')).toEqual({ tool: 'submit', arguments: {} });
  });

  it('read numbers and ranges', () => {
    const call =
      '<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/a</parameter>\n<parameter=view_range>[1, 20]</parameter>\n</function>';
    expect(parse(call)).toMatchObject({ arguments: { view_range: [1, 20] } });
    expect(parse(call.replace('[1, 20]', 'all'))).toMatch(/view_range.*two whole numbers/);
  });

  it('lose one newline at either end of a value, and no other', () => {
    expect(
      parse('<function=bash>\n<parameter=command>\n\n  ls  \n\n</parameter>\n</function>'),
    ).toMatchObject({
      arguments: { command: '\n  ls  \n' },
    });
  });

  it('do without their end where the endpoint stopped there', () => {
    expect(parse('<function=bash>\n<parameter=command>ls</parameter>\n')).toMatchObject({ tool: 'bash' });
    expect(parse('<function=bash>\n<parameter=command>ls')).toMatch(/no closing/);
  });

  it('count once: the first', () => {
    const call = (command: string) =>
      `<function=bash>\n<parameter=command>${command}</parameter>\n</function>\n`;
    expect(parse(call('ls') + call('pwd'))).toMatchObject({ arguments: { command: 'ls' } });
  });

  it.each([
    ['text alone', 'I am done.', /calls no function/],
    ['an unknown function', '<function=edit>\n</function>', /no function "edit"/],
    ['a missing parameter', '<function=bash>\n</function>', /needs command/],
    ['an unknown parameter', '<function=submit>\n<parameter=x>1</parameter>\n</function>', /takes no x/],
    [
      'a command that is none',
      '<function=str_replace_editor>\n<parameter=command>delete</parameter>\n<parameter=path>/a</parameter>\n</function>',
      /must be one of view/,
    ],
  ])('reject %s', (_name, content, error) => {
    expect(parse(content)).toMatch(error);
  });
});

describe('agents with tools', () => {
  const format = actionFormat({ type: 'tools', dialect: 'v2', actions: 'xml-functions', action_regex: null });
  const error = (command: string) => {
    const parsed = format.parse(format.write('', bashAction(command)));
    return parsed.ok ? null : parsed.fault.error;
  };

  it.each(['vim a.py', 'less a.py', 'tail -f log', 'python', ' python3 ', 'bash', 'nohup x &', 'gdb ./a'])(
    'may not run %s',
    (command) => expect(error(command)).toMatch(/keyboard/),
  );
  it.each(['python a.py', 'tail -5 log', 'bash run.sh', 'lessc a', 'vimdiff', 'grep vim a', 'make test'])(
    'may run %s',
    (command) => expect(error(command)).toBeNull(),
  );
});

it('an action with a NUL character is malformed', () => {
  const bash = { type: 'bash', dialect: 'v2', action_regex: null } as const;
  const fence = actionFormat({ ...bash, actions: 'fence' });
  expect(read(fence, fence.write('', bashAction('echo a\0b')))).toMatch(/NUL/);
  const byCall = actionFormat({ ...bash, actions: 'tool-calls' });
  expect(read(byCall, calls({ arguments: '{"command":"a\\u0000"}' }))).toMatch(/NUL/);
});

describe('what is written is read back', () => {
  const bash = { type: 'bash', dialect: 'v2', action_regex: null } as const;
  const formats: [string, ActionFormat][] = [
    ['fence', actionFormat({ ...bash, actions: 'fence' })],
    ['swe-rl', actionFormat({ ...bash, actions: 'fence', dialect: 'swe-rl' })],
    ['xml', actionFormat({ ...bash, actions: 'xml' })],
    ['tool-calls', actionFormat({ ...bash, actions: 'tool-calls' })],
    ['xml-functions', actionFormat({ ...bash, type: 'tools', actions: 'xml-functions' })],
    [
      'a regular expression of its own',
      actionFormat({ ...bash, actions: 'fence', action_regex: '```sh\\n(.*?)\\n```' }),
    ],
  ];
  it.each(formats)('%s', (_name, format) => {
    const action: Action = bashAction("cat <<'EOF' > a\nx y\n\tz ü 😀\nEOF");
    const parsed = format.parse(format.write('Why.', action));
    expect(parsed).toMatchObject({ ok: true, value: [{ tool: 'bash', arguments: action.arguments }] });
  });
});

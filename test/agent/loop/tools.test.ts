/** Agents with tools: a shell whose folder lasts, the editor, and handing in after a look. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentSettings } from '../../../agent/settings.ts';
import { type Bench, bench, says, settingsOf } from './rig.ts';

const { roll }: Bench = bench();
let tools: AgentSettings;
beforeAll(async () => {
  tools = await settingsOf({ type: 'tools' });
});

const call = (name: string, given: Record<string, unknown> = {}): string => {
  const parameters = Object.entries(given).map(
    ([key, value]) =>
      `<parameter=${key}>${typeof value === 'string' ? value : JSON.stringify(value)}</parameter>\n`,
  );
  return `Next.\n\n<function=${name}>\n${parameters.join('')}</function>`;
};
const bash = (command: string) => call('bash', { command });
const edit = (command: string, path: string, given: Record<string, unknown> = {}) =>
  call('str_replace_editor', { command, path, ...given });
const SUBMIT = call('submit');

/** What the agent is shown of each call, and the patch when it submits behind them. */
async function play(...replies: string[]): Promise<{ shown: string[]; patch: string }> {
  const { trajectory } = await roll(tools, says(...replies, SUBMIT));
  expect(trajectory.exit_status).toBe('submitted');
  const shown = trajectory.messages
    .filter(({ kind }) => kind === 'observation')
    .map(({ content }) => content);
  return { shown: shown.slice(0, replies.length), patch: trajectory.patch };
}

describe('the shell', () => {
  it('shows what is printed, and says when nothing was', async () => {
    const { shown } = await play(bash('echo one'), bash('true'), bash('echo err >&2; exit 3'));
    expect(shown).toEqual([
      'OBSERVATION:\none\n',
      'Your command ran successfully and did not produce any output.',
      'OBSERVATION:\nerr\n',
    ]);
  });

  it('stays in the folder to which a command went', async () => {
    const { shown, patch } = await play(
      bash('cd tests && ls'),
      bash('pwd'),
      bash('cd /no/such/folder'),
      bash('(cd /); pwd; pushd .. > /dev/null'),
      bash('pwd'),
      bash('mkdir gone; cd gone; rmdir ../gone'),
      bash('pwd'),
    );
    expect(shown[0]).toBe('OBSERVATION:\ntest_calc.py\n');
    expect(shown[1]).toBe('OBSERVATION:\n/testbed/tests\n');
    expect(shown[3]).toBe('OBSERVATION:\n/testbed/tests\n');
    expect(shown[4]).toBe('OBSERVATION:\n/testbed\n');
    expect(shown[6]).toBe('OBSERVATION:\n/testbed\n');
    expect(patch).toBe('');
  });

  it('keeps the exit code of what changes the folder', async () => {
    const { trajectory } = await roll(tools, says(bash('cd tests; exit 7'), SUBMIT));
    expect(trajectory.steps[0]!.observations[0]!.exit_code).toBe(7);
    expect(trajectory.steps[0]!.actions[0]!.command).toBe('cd tests; exit 7');
  });

  it('sends interactive programs back', async () => {
    const { trajectory } = await roll(tools, says(bash('vim calc.py'), SUBMIT));
    expect(trajectory.messages[2]!.kind).toBe('rejected');
    expect(trajectory.messages[3]).toMatchObject({
      kind: 'format-error',
      content: expect.stringContaining('"vim"'),
    });
  });

  it('shows the beginning of very long output', async () => {
    const { shown } = await play(bash('head -c 100003 /dev/zero | tr "\\0" x'));
    expect(shown[0]).toContain(`OBSERVATION:\n${'x'.repeat(100_000)}<response clipped>`);
    expect(shown[0]).toContain('3 are left out');
  });
});

describe('the editor views', () => {
  it('a file with numbers, or a part of it', async () => {
    const { shown } = await play(
      edit('view', '/testbed/calc.py'),
      edit('view', '/testbed/tests/test_calc.py', { view_range: [4, 5] }),
      edit('view', '/testbed/tests/test_calc.py', { view_range: [5, -1] }),
    );
    expect(shown[0]).toContain('     1\tdef add(a, b):\n     2\t    return a - b\n     3\t');
    expect(shown[1]).toMatch(/\n {5}4\tdef test_add\(\):\n {5}5\t {4}assert add\(1, 2\) == 3$/);
    expect(shown[2]).toMatch(/\n {5}5\t.*\n {5}6\t$/);
  });

  it('a folder, two levels deep', async () => {
    const { shown } = await play(bash('mkdir -p a/b/c .hidden; touch a/b/c/d'), edit('view', '/testbed/'));
    expect(shown[1]!.split('\n').slice(2)).toEqual([
      '/testbed',
      '/testbed/a',
      '/testbed/a/b',
      '/testbed/calc.py',
      '/testbed/run.sh',
      '/testbed/tests',
      '/testbed/tests/test_calc.py',
      '',
    ]);
  });

  it('a long file in part', async () => {
    const { shown } = await play(bash('seq 5000 > long.txt'), edit('view', '/testbed/long.txt'));
    expect(shown[1]).toContain('<response clipped>');
    expect(shown[1]!.length).toBeLessThan(17_000);
  });

  it.each([
    ['a range that begins nowhere', { view_range: [9, 10] }, /begins at 9.*lines 1 to 3/],
    ['a range that ends too late', { view_range: [1, 9] }, /ends at 9.*from 1 to 3/],
    ['a range that ends before it begins', { view_range: [2, 1] }, /ends at 1.*from 2 to 3/],
  ])('not %s', async (_name, given, message) => {
    const { shown } = await play(edit('view', '/testbed/calc.py', given));
    expect(shown[0]).toMatch(message);
  });
});

describe('the editor changes', () => {
  it('text that occurs once', async () => {
    const { shown, patch } = await play(
      edit('str_replace', '/testbed/calc.py', { old_str: 'return a - b', new_str: 'return a + b' }),
    );
    expect(shown[0]).toContain('     2\t    return a + b');
    expect(patch).toContain('-    return a - b\n+    return a + b');
  });

  it('nothing where text is missing, occurs twice or stays the same', async () => {
    const { shown, patch } = await play(
      edit('str_replace', '/testbed/calc.py', { old_str: 'return  a', new_str: 'x' }),
      edit('str_replace', '/testbed/calc.py', { old_str: 'a', new_str: 'x' }),
      edit('str_replace', '/testbed/calc.py', { old_str: 'def', new_str: 'def' }),
    );
    expect(shown[0]).toContain('does not hold old_str');
    expect(shown[1]).toContain('occurs 3 times, on lines 1, 2');
    expect(shown[2]).toContain('are the same');
    expect(patch).toBe('');
  });

  it('nothing of a large file that holds the text at many places, at once', { timeout: 20_000 }, async () => {
    const { shown } = await play(
      bash("yes 'return x' | head -n 60000 > big.py"),
      edit('str_replace', '/testbed/big.py', { old_str: 'x', new_str: 'y' }),
    );
    expect(shown[1]).toContain('occurs 60000 times, on lines 1, 2, 3');
  });

  it('a file by leaving text out, and by lines behind a line', async () => {
    const { patch } = await play(
      edit('str_replace', '/testbed/calc.py', { old_str: ' - b' }),
      edit('insert', '/testbed/calc.py', { insert_line: 0, new_str: '# top' }),
      edit('insert', '/testbed/calc.py', { insert_line: 2, new_str: '    # two\n    # lines' }),
    );
    expect(patch).toContain(
      '+# top\n def add(a, b):\n-    return a - b\n+    # two\n+    # lines\n+    return a\n',
    );
  });

  it('nothing behind a line that is not there', async () => {
    const { shown } = await play(edit('insert', '/testbed/calc.py', { insert_line: 9, new_str: 'x' }));
    expect(shown[0]).toContain('must be from 0 to 3');
  });

  it('nothing of a file’s mode, tabs and line ends', async () => {
    const { patch } = await play(
      bash(
        "printf 'a\\r\\nb\\r\\nc\\r\\n' > dos.txt; printf 'all:\\n\\techo\\n' > Makefile; git add -A; git -c user.name=a -c user.email=a@b commit -qm x",
      ),
      edit('str_replace', '/testbed/dos.txt', { old_str: 'a\nb', new_str: 'a\nB' }),
      edit('str_replace', '/testbed/Makefile', { old_str: 'all', new_str: 'every' }),
      edit('str_replace', '/testbed/run.sh', { old_str: 'run', new_str: 'walk' }),
    );
    expect(patch).toContain('+a\r\n+B\r\n+c\r\n');
    expect(patch).toContain('+every:\n+\techo\n');
    expect(patch).not.toContain('old mode');
  });

  it('a file back again, to its mode, and removes what it made', async () => {
    const { shown, patch } = await play(
      edit('create', '/testbed/deep/new.py', { file_text: 'x = 1\n' }),
      edit('str_replace', '/testbed/deep/new.py', { old_str: '1', new_str: '2' }),
      edit('undo_edit', '/testbed/deep/new.py'),
      edit('undo_edit', '/testbed/deep/new.py'),
      edit('undo_edit', '/testbed/deep/new.py'),
      edit('str_replace', '/testbed/run.sh', { old_str: 'run', new_str: 'walk' }),
      edit('undo_edit', '/testbed/run.sh'),
    );
    expect(shown[2]).toContain('     1\tx = 1');
    expect(shown[3]).toContain('removed again');
    expect(shown[4]).toContain('no change');
    expect(patch).toBe('');
  });
});

it.each([
  ['a relative path', edit('view', 'calc.py'), /absolute.*\/testbed\/calc\.py/],
  ['a path that is not there', edit('view', '/testbed/none.py'), /There is no/],
  [
    'a file that is there, to create',
    edit('create', '/testbed/calc.py', { file_text: '' }),
    /exists already/,
  ],
  ['a folder, to edit', edit('str_replace', '/testbed/tests', { old_str: 'a' }), /is a folder/],
  ['a folder with a range', edit('view', '/testbed', { view_range: [1, 2] }), /without view_range/],
  ['create without text', edit('create', '/testbed/x'), /needs file_text/],
  ['insert without a line', edit('insert', '/testbed/calc.py', { new_str: 'x' }), /needs insert_line/],
  ['a device', edit('view', '/dev/null'), /no text file/],
])('the editor refuses %s', async (_name, reply, message) => {
  const { shown, patch } = await play(reply);
  expect(shown[0]).toMatch(message);
  expect(patch).toBe('');
});

it('the editor refuses binary files and links that leave the workspace', async () => {
  const { shown } = await play(
    bash("printf '\\0\\1' > b.bin; ln -s /etc/hostname out"),
    edit('view', '/testbed/b.bin'),
    edit('view', '/testbed/out'),
  );
  expect(shown[1]).toContain('no text file');
  expect(shown[2]).toContain('no text file');
});

describe('submit', () => {
  it('shows the changes first and hands them in second', async () => {
    const model = says(bash('echo new > new.py'), SUBMIT, bash('rm new.py; echo x > y.py'), SUBMIT);
    const { trajectory } = await roll(tools, model);
    expect(model.requests[2]!.messages.at(-1)!.content).toMatch(
      /<diff>\ndiff --git a\/new\.py[\s\S]*\+new\n<\/diff>/,
    );
    expect(trajectory).toMatchObject({ exit_status: 'submitted', patch_source: 'workspace' });
    expect(trajectory.submission).toBe(trajectory.patch);
    expect(trajectory.patch).toContain('y.py');
    expect(trajectory.patch).not.toContain('new.py');
  });

  it('is a tool of its own: the marker of other agents means nothing', async () => {
    const { trajectory } = await roll(tools, says(bash('echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT')), {
      limits: { steps: 1 },
    });
    expect(trajectory.exit_status).toBe('limits_exceeded');
  });

  it('can be asked for by tool calls too', async () => {
    const settings = await settingsOf({ type: 'tools', actions: 'tool-calls' });
    const submit = { toolCalls: [{ id: 'a', name: 'submit', arguments: '' }] };
    const model = says(submit, submit);
    const { trajectory } = await roll(settings, model);
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual([
      'bash',
      'str_replace_editor',
      'submit',
    ]);
    expect(trajectory.exit_status).toBe('submitted');
  });

  it('one tool call at a time, as SWE-agent has it', async () => {
    const settings = await settingsOf({ type: 'tools', actions: 'tool-calls' });
    const submit = { toolCalls: [{ id: 'a', name: 'submit', arguments: '' }] };
    const make = (id: string) => ({ id, name: 'bash', arguments: `{"command":"touch ${id}.py"}` });
    const { trajectory } = await roll(settings, says({ toolCalls: [make('b'), make('c')] }, submit));
    expect(trajectory.messages[2]!.kind).toBe('rejected');
    expect(trajectory.messages[3]!.content).toBe(
      'Your reply was not run: Expected exactly one tool call, found 2.\n\nEach reply must call exactly one tool.',
    );
    expect(trajectory.patch).toBe('');
  });
});

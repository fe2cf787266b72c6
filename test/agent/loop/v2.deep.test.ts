/** Dialect v2 follows mini-swe-agent 2, case by case. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentSettings } from '../../../agent/settings.ts';
import { bench, fenced, MARK, SUBMIT, says, settingsOf } from './rig.ts';

const { roll } = bench();
let v2: AgentSettings;
beforeAll(async () => {
  v2 = await settingsOf();
});

describe('handing in', () => {
  const cases: [name: string, command: string, submission: string | null][] = [
    ['the marker and a diff', `printf '${MARK}\\ndiff --git a/x b/x\\n'`, 'diff --git a/x b/x\n'],
    ['blank lines before the marker', `printf '\\n \\n\\t${MARK}\\nrest'`, 'rest'],
    ['spaces behind the marker', `printf '${MARK}  \\t\\nrest\\n\\n'`, 'rest\n\n'],
    ['a CRLF behind the marker', `printf '${MARK}\\r\\nrest'`, 'rest'],
    ['the marker alone', `echo ${MARK}`, ''],
    ['the marker without a newline', `printf ${MARK}`, ''],
    ['the marker on standard error', `echo ${MARK} >&2`, ''],
    ['the marker as the second line', `printf 'x\\n${MARK}\\n'`, null],
    ['an exit code of 1', `echo ${MARK}; exit 1`, null],
    ['text behind the marker', `echo ${MARK} now`, null],
    ['text before the marker', `echo x${MARK}`, null],
    ['no output', 'true', null],
  ];
  it.each(cases)('%s', async (_name, command, submission) => {
    const { trajectory } = await roll(v2, says(fenced(command)), { limits: { steps: 1 } });
    expect(trajectory.submission).toBe(submission);
    expect(trajectory.exit_status).toBe(submission === null ? 'limits_exceeded' : 'submitted');
    expect(trajectory.messages).toHaveLength(submission === null ? 4 : 3);
  });

  it('gives an empty patch when nothing differs', async () => {
    const { trajectory } = await roll(v2, says(SUBMIT));
    expect(trajectory).toMatchObject({ exit_status: 'submitted', patch: '', patch_source: 'none' });
  });
});

describe('an observation', () => {
  const shown = async (command: string) => {
    const { trajectory } = await roll(v2, says(fenced(command)), { limits: { steps: 1 } });
    return trajectory.messages[3]!.content;
  };
  const print = (length: number, character = 'x') =>
    `head -c ${length} /dev/zero | tr '\\0' x | sed 's/x/${character}/g'`;

  it('of 9,999 characters is shown whole', async () => {
    expect(await shown(print(9_999))).toBe(
      `<returncode>0</returncode>\n<output>\n${'x'.repeat(9_999)}</output>`,
    );
  });

  it.each([10_000, 10_001, 12_345])('of %i is its head and tail', async (length) => {
    const text = await shown(print(length));
    const half = 'x'.repeat(5000);
    expect(text).toMatch(/^<returncode>0<\/returncode>\n<warning>\n/);
    expect(text).toContain(`<output_head>\n${half}\n</output_head>`);
    expect(text).toContain(`<elided_chars>\n${length - 10_000} characters elided\n</elided_chars>`);
    expect(text).toContain(`<output_tail>\n${half}\n</output_tail>`);
  });

  it('is counted in code points', async () => {
    expect(await shown(print(9_999, '😀'))).toContain('😀'.repeat(9_999));
    expect(await shown(print(10_001, '😀'))).toContain('\n1 characters elided\n');
  });

  it('says the exit code', async () => {
    expect(await shown('echo out; echo err >&2; exit 3')).toMatch(/^<returncode>3<\/returncode>\n<output>\n/);
  });

  it('says why a command did not end by itself, with what it printed', async () => {
    const settings = { ...v2, limits: { ...v2.limits, command: 2 } };
    const { trajectory } = await roll(settings, says(fenced('echo begun; sleep 60')), {
      limits: { steps: 1 },
    });
    expect(trajectory.messages[3]!.content).toBe(
      '<exception>Command timed out after 2s</exception>\n<returncode>-1</returncode>\n<output>\nbegun\n</output>',
    );
    expect(trajectory.steps[0]!.observations[0]).toMatchObject({
      exit_code: null,
      timed_out: true,
      message: 3,
    });
    expect(await shown('kill -9 $$')).toContain('<returncode>-9</returncode>');
  });

  it('has the agent’s variables and folder', async () => {
    const settings = { ...v2, env: { GREETING: 'hello' }, cwd: '/testbed/tests' };
    const { trajectory } = await roll(settings, says(fenced('echo $GREETING; pwd')), {
      limits: { steps: 1 },
    });
    expect(trajectory.messages[3]!.content).toContain('hello\n/testbed/tests\n');
  });
});

describe('limits', () => {
  it('of one step make exactly one call', async () => {
    const model = says(fenced('true'));
    const { trajectory } = await roll(v2, model, { limits: { steps: 1 } });
    expect(model.requests).toHaveLength(1);
    expect(trajectory).toMatchObject({ exit_status: 'limits_exceeded', exit_detail: '1 model call made' });
  });

  it('end when the cost equals them', async () => {
    const model = says({ content: fenced('true'), cost: 0.5 });
    const { trajectory } = await roll(v2, model, { limits: { cost: 1 } });
    expect(model.requests).toHaveLength(2);
    expect(trajectory.exit_status).toBe('limits_exceeded');
  });

  it('of tokens count those of all replies', async () => {
    const model = says({ content: fenced('true'), completionTokens: 40 });
    const { trajectory } = await roll(v2, model, { limits: { tokens: 100 } });
    expect(model.requests).toHaveLength(3);
    expect(trajectory).toMatchObject({
      exit_status: 'limits_exceeded',
      exit_detail: '120 of 100 tokens written',
    });
  });

  it('of 0 are none', async () => {
    const model = says(...Array.from({ length: 120 }, () => fenced('true')), SUBMIT);
    const { trajectory } = await roll(v2, model, {
      limits: { steps: 0, time: 0, command: 0, format_errors: 0 },
    });
    expect(trajectory.calls).toHaveLength(121);
  });

  it('warn of a command that is repeated, and go on', async () => {
    const said = ['ls', 'ls', 'ls', 'pwd', 'ls', 'ls'].map((command) => fenced(command));
    const warned = async (limits: object) => {
      const { trajectory } = await roll(v2, says(...said, SUBMIT), { limits });
      expect(trajectory.exit_status).toBe('submitted');
      return trajectory.messages
        .filter(({ kind }) => kind === 'observation')
        .map(({ content }) => /(\d+) times in a row/.exec(content)?.[1] ?? '');
    };
    expect(await warned({ repeated_commands: 2 })).toEqual(['', '2', '3', '', '', '2']);
    expect(await warned({ repeated_commands: 0 })).toEqual(['', '', '', '', '', '']);
    expect(await warned({})).toEqual(['', '', '', '', '', '']);
  });

  it('count calls that were malformed', async () => {
    const { trajectory } = await roll(v2, says('no'), { limits: { steps: 2 } });
    expect(trajectory.exit_status).toBe('limits_exceeded');
    expect(trajectory.steps).toHaveLength(2);
  });
});

describe('format errors', () => {
  const good = fenced('true');
  it('start again after a clean step', async () => {
    const { trajectory } = await roll(v2, says('no', 'no', good, 'no', 'no', SUBMIT));
    expect(trajectory.exit_status).toBe('submitted');
  });

  it('three times in a row end it', async () => {
    const model = says(good, 'no', 'no', 'no', good);
    const { trajectory } = await roll(v2, model);
    expect(model.requests).toHaveLength(4);
    expect(trajectory.exit_status).toBe('repeated_format_error');
    expect(trajectory.steps.map((step) => step.actions.length)).toEqual([1, 0, 0, 0]);
    expect(trajectory.messages.at(-1)!.kind).toBe('format-error');
  });

  it('are kept, but later prompts hold the error only', async () => {
    const model = says('I will look.', good, SUBMIT);
    const { trajectory } = await roll(v2, model);
    expect(trajectory.messages.map(({ kind }) => kind)).toEqual([
      'system',
      'task',
      'rejected',
      'format-error',
      'reply',
      'observation',
      'reply',
    ]);
    expect(trajectory.calls.map(({ prompt }) => prompt)).toEqual([
      [0, 1],
      [0, 1, 3],
      [0, 1, 3, 4, 5],
    ]);
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(model.requests[1]!.messages[2]!.content).toContain('Expected exactly one action, found 0.');
  });

  it('say that a reply was cut, and nothing of it runs', async () => {
    const cut = { content: `${fenced('touch ran')}\nand so`, truncated: true };
    const model = says(cut, SUBMIT);
    const { trajectory } = await roll(v2, model);
    expect(model.requests[1]!.messages.at(-1)!.content).toContain('token limit');
    expect(trajectory).toMatchObject({ exit_status: 'submitted', patch: '' });
    expect(trajectory.calls[0]).toMatchObject({ truncated: true, finish_reason: 'length' });
    expect(trajectory.messages[2]!.kind).toBe('rejected');
  });

  it('of a server with native tool calls name the key to set', async () => {
    const toolCalls = [{ id: 'c', name: 'bash', arguments: '{"command": "ls"}' }];
    const native = { content: '', toolCalls };
    for (const settings of [v2, await settingsOf({ type: 'tools' })]) {
      const { trajectory } = await roll(settings, says(native));
      expect(trajectory).toMatchObject({ exit_status: 'repeated_format_error' });
      expect(trajectory.exit_detail).toMatch(
        /^3 replies .* native tool calls.* set agent\.actions to tool-calls$/,
      );
    }
  });

  it('that are all cuts end as truncated', async () => {
    const cut = { content: 'on and on', truncated: true };
    expect((await roll(v2, says(cut))).trajectory.exit_status).toBe('truncated');
    expect((await roll(v2, says('no', cut))).trajectory.exit_status).toBe('repeated_format_error');
  });
});

describe('tool calls', () => {
  const call = (id: string, command: string) => ({
    id,
    name: 'bash',
    arguments: JSON.stringify({ command }),
  });

  it('are offered, run in order, and each is answered under its id', async () => {
    const settings = await settingsOf({ actions: 'tool-calls' });
    const both = { toolCalls: [call('a', 'echo 1 > x'), call('b', 'cat x')], finishReason: 'tool_calls' };
    const model = says(both, { toolCalls: [call('c', `echo ${MARK}`)] });
    const { trajectory } = await roll(settings, model);
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['bash']);
    expect(model.requests[1]!.messages.slice(2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b', content: '<returncode>0</returncode>\n<output>\n1\n</output>' },
    ]);
    expect(trajectory.steps[0]!.actions).toEqual([
      { tool: 'bash', command: 'echo 1 > x', tool_call_id: 'a' },
      { tool: 'bash', command: 'cat x', tool_call_id: 'b' },
    ]);
  });

  it('after the one that hands in are not run, and none is shown', async () => {
    const settings = await settingsOf({ actions: 'tool-calls' });
    const calls = [call('a', 'echo 1 > x'), call('b', `echo ${MARK}`), call('c', 'echo 2 > x')];
    const { trajectory } = await roll(settings, says({ toolCalls: calls }));
    expect(trajectory.exit_status).toBe('submitted');
    expect(trajectory.patch).toContain('+1');
    expect(trajectory.messages).toHaveLength(3);
    expect(trajectory.steps[0]!.actions).toHaveLength(3);
    expect(trajectory.steps[0]!.observations.map(({ message }) => message)).toEqual([null, null]);
  });

  it('that are malformed are answered by an error alone', async () => {
    const settings = await settingsOf({ actions: 'tool-calls' });
    const bad = { toolCalls: [call('a', 'ls'), { id: 'b', name: 'bash', arguments: '{' }] };
    const empty = { content: 'Hm.', toolCalls: [], finishReason: 'tool_calls' };
    const model = says(bad, empty, { toolCalls: [call('c', `echo ${MARK}`)] });
    const { trajectory } = await roll(settings, model);
    expect(model.requests[2]!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'user']);
    expect(trajectory.messages.filter(({ kind }) => kind === 'rejected')).toHaveLength(2);
  });
});

it('a request names the rollout and its seed', async () => {
  const model = says(SUBMIT);
  await roll(v2, model);
  expect(model.requests[0]).toMatchObject({ seed: 7, session: 'demo__calc-1#0', tools: [] });
});

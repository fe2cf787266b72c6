/** A user who speaks when the agent hands in: the agent works on with the same history, and its last work counts. */
import { describe, expect, test } from 'vitest';
import type { ReplyRequest } from '../../../agent/policy.ts';
import type { AgentConfig } from '../../../schemas/generated/project.ts';
import { infra } from '../../../schemas/outcome.ts';
import { bench, fenced, MARK, type ScriptedModel, SUBMIT, says, settingsOf } from './rig.ts';

const { roll, attempt } = bench();

const edit = (text: string) => fenced(`sed -i 's/a - b/${text}/' calc.py`);
const last = ({ messages }: ReplyRequest) => messages.at(-1)!;

test('each of its texts comes after a handing in, and the work after the last one counts', async () => {
  const settings = await settingsOf({
    user: { turns: 3, says: ['Now with {{ instance_id }} in mind.', 'Say why.'] },
  });
  const model = says(edit('a + b'), SUBMIT, fenced('echo why > WHY.md'), SUBMIT, SUBMIT);
  const { trajectory } = await roll(settings, model);
  expect(trajectory.exit_status).toBe('submitted');
  expect(model.requests).toHaveLength(5);
  const { instance_id } = trajectory;
  expect([2, 4].map((number) => last(model.requests[number]!))).toMatchObject([
    { role: 'user', content: `Now with ${instance_id} in mind.` },
    { role: 'user', content: 'Say why.' },
  ]);
  // Messages of the user and of the agent take turns.
  for (const { messages } of model.requests)
    expect(messages.every(({ role }, at) => role !== messages[at - 1]?.role)).toBe(true);
  expect(trajectory.messages.filter(({ kind }) => kind === 'note')).toHaveLength(2);
  expect(trajectory.patch).toContain('+    return a + b');
  expect(trajectory.patch).toContain('WHY.md');
});

test('a tool call that hands in is answered before it speaks', async () => {
  const settings = await settingsOf({ actions: 'tool-calls', user: { turns: 3, says: ['Go on.'] } });
  const submit = (id: string) => ({
    content: '',
    toolCalls: [{ id, name: 'bash', arguments: JSON.stringify({ command: `echo ${MARK}` }) }],
  });
  const model = says(submit('first'), submit('second'));
  const { trajectory } = await roll(settings, model);
  expect(trajectory.exit_status).toBe('submitted');
  expect(model.requests[1]!.messages.slice(-2)).toMatchObject([
    { role: 'tool', tool_call_id: 'first' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('with tools it speaks after the look at the changes, each time', async () => {
  const settings = await settingsOf({ type: 'tools', user: { turns: 3, says: ['Go on.'] } });
  const submit = 'Next.\n\n<function=submit>\n</function>';
  const model = says(submit);
  const { trajectory } = await roll(settings, model);
  expect(trajectory.exit_status).toBe('submitted');
  const speaks = model.requests.findIndex((request) => last(request).content === 'Go on.');
  expect(speaks).toBeGreaterThan(0);
  expect(trajectory.calls.length).toBeGreaterThan(speaks);
});

test('a text that is empty for the task is not said', async () => {
  const settings = await settingsOf({
    user: { turns: 3, says: ['{% if follow_up is defined %}{{ follow_up }}{% endif %}'] },
  });
  const silent = says(SUBMIT);
  expect((await roll(settings, silent)).trajectory.exit_status).toBe('submitted');
  expect(silent.requests).toHaveLength(1);
});

test('limits hold over all of it, and the patch is taken', async () => {
  const settings = await settingsOf({ user: { turns: 3, says: ['More.'] } });
  const model = says(edit('a + b'), SUBMIT, fenced('ls'));
  const { trajectory } = await roll(settings, model, { limits: { steps: 4 } });
  expect(trajectory).toMatchObject({ exit_status: 'limits_exceeded', submission: null });
  expect(trajectory.patch).toContain('+    return a + b');
});

test('a template that asks for what a task has not is a fault', async () => {
  const settings = await settingsOf({ user: { turns: 3, says: ['{{ follow_up }}'] } });
  const end = await attempt(settings, says(SUBMIT));
  expect(end).toMatchObject({ ok: false, fault: { reason: 'template' } });
});

describe('a user that a model plays', () => {
  const MODEL = { temperature: 1, max_tokens: 4096 } as NonNullable<AgentConfig['model']>;
  const settings = (prompt?: string, turns = 3) =>
    settingsOf({ user: { model: MODEL, turns, ...(prompt === undefined ? {} : { prompt }) } });
  const playedBy = (policy: ScriptedModel) => ({ user: { policy, seed: 7, session: 's' } });
  const shown = ({ messages }: ReplyRequest) => messages.at(-1)!.content;

  test('sees the task, what it knows, the last reply and the changes, and answers until it is content', async () => {
    const user = says('<think>Hm. DONE?</think>Please say why.', 'Shorter.', 'DONE.');
    const model = says(edit('a + b'), SUBMIT, fenced('echo why > WHY.md'), SUBMIT, SUBMIT);
    const own = await settings('It knows {{ instance_id }}.');
    const { trajectory } = await roll(own, model, playedBy(user));
    expect(trajectory.exit_status).toBe('submitted');
    expect([2, 4].map((number) => last(model.requests[number]!).content)).toEqual([
      'Please say why.',
      'Shorter.',
    ]);
    const [first, second, third] = user.requests.map(shown);
    for (const part of [
      'add() subtracts',
      `It knows ${trajectory.instance_id}.`,
      SUBMIT,
      '+    return a + b',
    ])
      expect(first).toContain(part);
    expect(first).not.toContain('WHY.md');
    for (const part of ['Please say why.', 'WHY.md']) expect(second).toContain(part);
    expect(third).toContain('Shorter.');
    expect(new Set(user.requests.map(({ seed }) => seed)).size).toBe(3);
  });

  test('answers as often as it may', async () => {
    const user = says('More.');
    const { trajectory } = await roll(await settings(undefined, 2), says(SUBMIT), playedBy(user));
    expect(trajectory.exit_status).toBe('submitted');
    expect(user.requests).toHaveLength(2);
    expect(trajectory.messages.filter(({ kind }) => kind === 'note')).toHaveLength(2);
  });

  test.each([
    ['writes nothing', ''],
    ['is cut', { content: 'Please add', truncated: true }],
    ['has a prompt that is too long', { status: 'context-exceeded' as const, detail: 'too long' }],
  ])('that %s lets the work count', async (_, line) => {
    const { trajectory } = await roll(await settings(), says(SUBMIT), playedBy(says(line)));
    expect(trajectory).toMatchObject({ exit_status: 'submitted' });
    expect(trajectory.messages.filter(({ kind }) => kind === 'note')).toHaveLength(0);
  });

  test('whose endpoint fails is a fault, and no trajectory', async () => {
    const gone = infra('endpoint', 'the endpoint is gone');
    const end = await attempt(await settings(), says(SUBMIT), playedBy(says(gone)));
    expect(end).toEqual({ ok: false, fault: gone });
  });
});

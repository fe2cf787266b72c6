/** How rollouts end: faults, time, the context, a lost workspace; and what their patch is. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentSettings } from '../../../agent/settings.ts';
import { fault } from '../../../basics/result.ts';
import type { Workspace, WorkspaceKilled } from '../../../executors/deployment.ts';
import { infra } from '../../../schemas/outcome.ts';
import { bench, fenced, GOLD, MARK, SUBMIT, says, settingsOf } from './rig.ts';

const { roll, attempt, open } = bench();
let v2: AgentSettings;
beforeAll(async () => {
  v2 = await settingsOf();
});
const FIX = "sed -i 's/a - b/a + b/' calc.py";

describe('a fault', () => {
  it('of the endpoint ends the rollout with it', async () => {
    const ran = await attempt(v2, says(fenced(FIX), infra('endpoint-refused', '401')));
    expect(ran).toEqual({ ok: false, fault: infra('endpoint-refused', '401') });
  });

  it('of the workspace ends the rollout with it', async () => {
    const workspace = await open();
    const closing = says(() => {
      void workspace.close();
      return fenced('true');
    });
    expect(await attempt(v2, closing, { workspace })).toMatchObject({
      ok: false,
      fault: { status: 'infra', reason: 'workspace-lost' },
    });
  });

  it('of a template names the variable', async () => {
    const settings = { ...v2, templates: { ...v2.templates, instance: '{{ hints }}' } };
    expect(await attempt(settings, says(SUBMIT))).toMatchObject({
      fault: { reason: 'template', detail: 'template instance: "hints" is not defined' },
    });
  });

  it('is being cancelled, before a call and during a command', async () => {
    expect(await attempt(v2, says(SUBMIT), { signal: AbortSignal.abort() })).toMatchObject({
      fault: { reason: 'cancelled' },
    });
    const stop = new AbortController();
    const workspace = await open();
    const watched: Workspace = Object.assign(Object.create(workspace) as Workspace, {
      exec: (command: string, options: Parameters<Workspace['exec']>[1]) => {
        if (command === 'sleep 60') setTimeout(() => stop.abort(), 50);
        return workspace.exec(command, options);
      },
    });
    const ran = await attempt(v2, says(fenced('sleep 60')), { signal: stop.signal, workspace: watched });
    expect(ran).toMatchObject({ fault: { reason: 'cancelled' } });
  });
});

describe('time', () => {
  /** A clock that a script moves, in seconds. */
  const clock = () => {
    let now = 0;
    return { now: () => now * 1000, pass: (seconds: number) => (now += seconds) };
  };

  it('is looked at before a call', async () => {
    const { now, pass } = clock();
    const model = says(() => {
      pass(6);
      return fenced('true');
    });
    const { trajectory } = await roll(v2, model, { now, limits: { time: 10 } });
    expect(trajectory.exit_status).toBe('time_exceeded');
    expect(model.requests).toHaveLength(2);
  });

  it('leaves out waits for the endpoint', async () => {
    const { now, pass } = clock();
    const model = says(() => {
      pass(100);
      return { content: fenced('true'), timing: { waited: 99_000, took: 1000, attempts: 3 } };
    }, SUBMIT);
    const { trajectory, timings } = await roll(v2, model, { now, limits: { time: 10 } });
    expect(trajectory.exit_status).toBe('submitted');
    expect(timings).toMatchObject({ total: 100_000, waited: 99_000 });
    expect(timings.calls[0]).toEqual({ waited: 99_000, took: 1000, attempts: 3 });
  });

  it('bounds a running command', async () => {
    const { trajectory } = await roll(v2, says(fenced('echo begun; sleep 60')), { limits: { time: 3 } });
    expect(trajectory).toMatchObject({ exit_status: 'time_exceeded', exit_detail: 'during a command' });
    expect(trajectory.steps[0]!.observations[0]).toMatchObject({ output: 'begun\n', timed_out: true });
    expect(trajectory.messages.at(-1)).toMatchObject({ kind: 'observation' });
  });

  it('that is over when a reply comes leaves its commands unrun, each with an answer', async () => {
    const settings = await settingsOf({ actions: 'tool-calls' });
    const { now, pass } = clock();
    const call = (id: string, command: string) => ({
      id,
      name: 'bash',
      arguments: JSON.stringify({ command }),
    });
    const model = says(() => {
      pass(11);
      return { toolCalls: [call('a', 'touch x'), call('b', 'touch y')] };
    });
    const { trajectory } = await roll(settings, model, { now, limits: { time: 10 } });
    expect(trajectory).toMatchObject({ exit_status: 'time_exceeded', patch: '' });
    expect(trajectory.messages.slice(3)).toMatchObject([
      { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('action was not executed') },
      { role: 'tool', tool_call_id: 'b' },
    ]);
  });
});

describe('a prompt that does not fit', () => {
  it('ends the rollout with what was done', async () => {
    const model = says(fenced(FIX), { status: 'context-exceeded', detail: '9000 of 8192 tokens' });
    const { trajectory } = await roll(v2, model);
    expect(trajectory).toMatchObject({
      exit_status: 'context_exceeded',
      exit_detail: '9000 of 8192 tokens',
      patch_source: 'workspace',
      submission: null,
    });
    expect(trajectory.calls[1]).toMatchObject({ prompt: [0, 1, 2, 3], reply: null });
    expect(trajectory.steps).toHaveLength(1);
  });
});

describe('a workspace that the agent killed', () => {
  it('ends the rollout without a patch', async () => {
    const workspace = await open();
    const killed: WorkspaceKilled = { status: 'failed', reason: 'workspace-killed', detail: 'out of memory' };
    const dying: Workspace = Object.assign(Object.create(workspace) as Workspace, {
      exec: (command: string, options: Parameters<Workspace['exec']>[1]) =>
        command === 'eat memory' ? Promise.resolve(fault(killed)) : workspace.exec(command, options),
    });
    const { trajectory } = await roll(v2, says(fenced(FIX), fenced('eat memory')), { workspace: dying });
    expect(trajectory).toMatchObject({
      exit_status: 'workspace_killed',
      exit_detail: 'out of memory',
      patch: '',
      patch_source: 'none',
    });
    expect(trajectory.steps[1]).toMatchObject({ actions: [{ command: 'eat memory' }], observations: [] });
    await workspace.close();
  });
});

describe('the patch', () => {
  const patchAfter = async (...commands: string[]) =>
    (await roll(v2, says(...commands.map(fenced), SUBMIT))).trajectory;

  it('is what differs, new files included, ignored ones not', async () => {
    const { patch } = await patchAfter(`${FIX}; echo new > new.py; echo noise > x.log; chmod 600 run.sh`);
    expect(patch).toContain('+    return a + b');
    expect(patch).toContain('new file mode 100644');
    expect(patch).not.toContain('noise');
  });

  it('is taken whatever ended the rollout', async () => {
    const { trajectory } = await roll(v2, says(fenced(FIX)), { limits: { steps: 1 } });
    expect(trajectory.patch).toContain('+    return a + b');
  });

  it('holds what the agent committed, on any branch', async () => {
    const commit = 'git -c user.name=a -c user.email=a@b commit -qam fix';
    expect((await patchAfter(`${FIX}; ${commit}`)).patch).toContain('+    return a + b');
    const { patch } = await patchAfter(`git checkout -qb other; ${FIX}; ${commit}`, 'echo more > more.py');
    expect(patch).toContain('+    return a + b');
    expect(patch).toContain('+more');
  });

  it('is what was handed in when nothing differs', async () => {
    const command = `printf '%s\\n' ${MARK} "$(git diff; cat <<'EOF'\n${GOLD}EOF\n)"`;
    const trajectory = await patchAfter(command);
    expect(trajectory).toMatchObject({ patch: GOLD, patch_source: 'submission' });
    const prose = await patchAfter(`printf '%s\\n' ${MARK} 'I fixed it.'`);
    expect(prose).toMatchObject({ patch: '', patch_source: 'none', submission: 'I fixed it.\n' });
  });

  it.each([
    'rm -rf .git',
    'rm -rf .git; git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x',
  ])('is the work whatever became of the repository: %s', async (command) => {
    const trajectory = await patchAfter(`${FIX}; ${command}`);
    expect(trajectory).toMatchObject({
      exit_status: 'submitted',
      patch_source: 'workspace',
      exit_detail: '',
    });
    expect(trajectory.patch).not.toBe('');
  });
});

it('token ids are stored once, and messages keep thoughts apart', async () => {
  const model = says(
    {
      content: fenced('true'),
      reasoning: 'Hm.',
      tokens: { promptIds: [1, 2], ids: [3, 4], logprobs: [-1, -2] },
      promptTokens: null,
    },
    { content: SUBMIT, tokens: { promptIds: [1, 2, 3, 4, 5], ids: [6], logprobs: null }, promptTokens: 5 },
  );
  const { trajectory } = await roll(v2, model);
  expect(trajectory.calls[0]!.tokens).toMatchObject({ shared: 0, prompt_ids: [1, 2], ids: [3, 4] });
  expect(trajectory.calls[1]!.tokens).toMatchObject({ shared: 4, prompt_ids: [5], ids: [6] });
  expect(trajectory.calls.map((call) => call.prompt_tokens)).toEqual([2, 5]);
  expect(trajectory.calls.map((call) => call.completion_tokens)).toEqual([2, 1]);
  expect(trajectory.messages[2]!.reasoning).toBe('Hm.');
  expect(model.requests[1]!.messages[2]).not.toHaveProperty('reasoning');
});

it('what a model sees is stored with the call, also when it is shortened', async () => {
  const settings = { ...v2, context: { ...v2.context, last_observations: 1 } };
  const model = says(fenced('echo one'), fenced('echo two'), SUBMIT);
  const { trajectory } = await roll(settings, model);
  const stored = trajectory.calls[2]!.prompt.map((part) =>
    typeof part === 'number' ? trajectory.messages[part]!.content : part.content,
  );
  expect(stored).toEqual(model.requests[2]!.messages.map(({ content }) => content));
  expect(stored[3]).toMatch(/^Old environment output/);
});

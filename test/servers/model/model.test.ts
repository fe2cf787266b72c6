/** The model door as agents elsewhere use it: official clients over real HTTP, and what comes out of it. */
import { readdirSync, readFileSync, renameSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createNextStateJudge } from '../../../agent/judge/next-state.ts';
import type { ChatMessage, Policy, ReplyRequest } from '../../../agent/policy.ts';
import { fault, success } from '../../../basics/result.ts';
import { Presence } from '../../../cache/presence.ts';
import { infra } from '../../../schemas/outcome.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { CLIENTS } from '../../agent/dialects/clients.ts';
import { deferred, replyOf } from '../../agent/door/rig.ts';
import { enginePolicy, isExact, startDoor, TOKEN } from './rig.ts';

type Door = Awaited<ReturnType<typeof startDoor>>;
const doors: Door[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const door of doors.splice(0)) await door.close();
});

async function open(...given: Parameters<typeof startDoor>): Promise<Door> {
  const door = await startDoor(...given);
  doors.push(door);
  return door;
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const said = (content: string): ChatMessage => ({ role: 'assistant', content });
const MAIN = { 'x-turn-type': 'main' };
const SIDE = { 'x-turn-type': 'side' };
const textOf = (body: Record<string, unknown>) =>
  (body.choices as { message: { content: string } }[])[0]!.message.content;

describe.each(Object.entries(CLIENTS))('%s', (_name, begin) => {
  test('an official client with the key of its session gets replies, and its samples are what the engine wrote', async () => {
    const { policy, seen } = enginePolicy((_, number) =>
      number % 2 === 0
        ? {
            content: 'I look.',
            toolCalls: [{ id: `c0000000${number}`, name: 'bash', arguments: '{"command": "ls"}' }],
          }
        : { content: `Done ${number}.`, reasoning: 'It is there.' },
    );
    const door = await open(policy);
    const agent = begin(door.url, await door.keyOf('one'));
    agent.say('Look.');
    const first = await agent.ask(false);
    expect(first.calls).toMatchObject([{ name: 'bash' }]);
    agent.answer([{ id: first.calls[0]!.id, name: 'bash', text: 'a b' }]);
    expect((await agent.ask(true)).text).toBe('Done 1.');
    agent.say('Again.');
    expect((await agent.ask(true)).calls).toHaveLength(1);
    expect(await agent.models()).toEqual([expect.stringContaining('policy')]);
    expect((await door.ask('/sessions/one')).body).toMatchObject({ status: 'open', answered: 3 });
    const ended = await door.ask('/sessions/one/end', { reward: 1, patch: 'diff --git a/x b/x\n' });
    expect(ended.body).toMatchObject({ status: 'ended', exit_status: 'submitted', calls: 3, reward: 1 });
    const samples = await door.samples();
    expect(samples.flatMap(({ trained_calls }) => trained_calls).sort()).toEqual([0, 1, 2]);
    for (const sample of samples) {
      expect(isExact(sample, seen)).toBe(true);
      expect(sample).toMatchObject({ session: 'one', agent: 'main', reward: 1 });
    }
    const { trajectory } = (await door.ask('/sessions/one')).body as { trajectory: Trajectory };
    expect(trajectory).toMatchObject({ format: 'swemake-trajectory-2', patch_source: 'submission', seed: 7 });
    await expect(begin(door.url, await door.keyOf('one').catch(() => 'x')).models()).rejects.toThrow();
  });
});

describe('a session', () => {
  test('is named by a header beside the server’s token, and requests for side work are not trained', async () => {
    const { policy, seen } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy);
    await door.chat([user('Task.')]);
    await door.chat([user('A title for: Task.')], SIDE);
    await door.chat([user('Task.'), said('Reply 0.'), user('Go on.')], { 'x-session-done': '1' });
    await expect.poll(async () => (await door.samples()).length).toBeGreaterThan(0);
    const samples = await door.samples();
    expect(samples.flatMap(({ trained_calls }) => trained_calls)).toEqual([0, 2]);
    expect(samples.every((sample) => isExact(sample, seen))).toBe(true);
    const again = await door.chat([user('Task.')]);
    expect(again).toMatchObject({ status: 400 });
    expect(JSON.stringify(again.body)).toContain('has ended');
  });

  test('needs a name, and a key of one session opens no other and no route of the server', async () => {
    const { policy, asked } = enginePolicy(() => ({ content: 'x' }));
    const door = await open(policy);
    const key = await door.keyOf('a');
    expect(await door.keyOf('a')).toBe(key);
    const bearer = { authorization: `Bearer ${key}` };
    expect((await door.ask('/v1/chat/completions', { messages: [user('x')] })).status).toBe(400);
    expect(
      (await door.ask('/v1/chat/completions', { messages: [user('x')] }, { 'x-session-id': 'ä'.repeat(300) }))
        .status,
    ).toBe(400);
    for (const path of ['/samples', '/sessions', '/sessions/a/end', '/weights/pause'])
      expect((await door.ask(path, { session: 'b' }, bearer)).status).toBe(401);
    // Its name in a header counts for nothing.
    await door.chat([user('x')], { ...bearer, 'x-session-id': 'b' });
    expect((await door.ask('/sessions/b')).status).toBe(404);
    expect((await door.ask('/sessions/a')).body).toMatchObject({ answered: 1 });
    expect(asked).toHaveLength(1);
  });

  test('that ended is kept for its time, and no longer; open ones and samples stay', async () => {
    const { policy } = enginePolicy(() => ({ content: 'x' }));
    const first = await startDoor(policy);
    for (const id of ['old', 'new', 'open']) await first.chat([user('one')], { 'x-session-id': id });
    for (const id of ['old', 'new']) await first.ask(`/sessions/${id}/end`, {});
    await first.close();
    const place = join(first.folder, 'sessions');
    const written = (name: string) => readFileSync(join(place, name), 'utf8');
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(place))
      if (written(name).includes('"id":"old"')) utimesSync(join(place, name), hourAgo, hourAgo);
    const second = await startDoor(policy, { folder: first.folder });
    await expect.poll(() => readdirSync(place)).toHaveLength(1);
    expect((await second.ask('/sessions/old')).status).toBe(404);
    expect((await second.ask('/sessions/new')).body).toMatchObject({ status: 'ended' });
    expect((await second.ask('/sessions/open')).body).toMatchObject({ status: 'open', answered: 1 });
    expect((await second.samples()).map(({ session }) => session)).toEqual(['old', 'new']);
    for (const name of readdirSync(place)) utimesSync(join(place, name), hourAgo, hourAgo);
    await second.close();
    const third = await open(policy, { folder: first.folder, keepSessions: 2000 });
    await expect.poll(() => readdirSync(place)).toEqual([]);
    expect((await third.ask('/sessions/open/end', {})).body).toMatchObject({ status: 'ended' });
    await expect.poll(() => readdirSync(place), { timeout: 60_000 }).toEqual([]);
  }, 90_000);

  test('ends at its limit, and what it wrote until then is trained', async () => {
    const { policy } = enginePolicy(() => ({ content: 'x' }));
    const door = await open(policy, { limits: { steps: 1, cost: 0 } });
    await door.chat([user('one')]);
    expect((await door.chat([user('one'), said('x'), user('two')])).status).toBe(400);
    await expect.poll(async () => (await door.samples()).length).toBe(1);
    expect((await door.ask('/sessions/s')).body).toMatchObject({ exit_status: 'limits_exceeded' });
  });

  test('that an endpoint’s fault ends has no samples and no reward', async () => {
    let isDown = false;
    const engine = enginePolicy(() => ({ content: 'x' }));
    const policy: Policy = {
      ...engine.policy,
      reply: async (request) =>
        isDown ? fault(infra('endpoint', 'no answer')) : engine.policy.reply(request),
    };
    const door = await open(policy);
    await door.chat([user('one')]);
    isDown = true;
    expect((await door.chat([user('one'), said('x'), user('two')])).status).toBe(400);
    await expect.poll(async () => (await door.ask('/sessions/s')).body.status).toBe('ended');
    expect((await door.ask('/sessions/s')).body).toMatchObject({ reward: null, reason: 'endpoint' });
    expect(await door.samples()).toEqual([]);
  });

  test('that nobody asks any more ends', async () => {
    const { policy } = enginePolicy(() => ({ content: 'x' }));
    const door = await open(policy, { idleLimit: 200 });
    await door.chat([user('one')]);
    await expect
      .poll(async () => (await door.ask('/sessions/s')).body.exit_status, { timeout: 10_000 })
      .toBe('time_exceeded');
    expect(await door.samples()).toHaveLength(1);
  });
});

test('a session goes on after a reply that took longer than its time without one, and after the clock was set', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const turn = deferred<{ content: string }>();
  const { policy, asked } = enginePolicy((_, number) => (number === 0 ? turn.promise : { content: 'y' }));
  let time = 0;
  const door = await open(policy, { idleLimit: 60_000, now: () => time });
  const pass = (milliseconds: number) => {
    time += milliseconds;
    vi.advanceTimersByTime(30_000);
  };
  const first = door.chat([user('one')]);
  while (asked.length === 0) await new Promise(setImmediate);
  pass(600_000);
  turn.resolve({ content: 'x' });
  expect((await first).status).toBe(200);
  pass(45_000);
  vi.setSystemTime(Date.now() + 86_400_000);
  pass(0);
  expect((await door.chat([user('one'), said('x'), user('two')])).status).toBe(200);
  pass(61_000);
  expect((await door.chat([user('one')])).status).toBe(400);
});

describe('with a sample for each reply', () => {
  /** A judge that finds in the next state what it is worth. */
  function judge(asked: ReplyRequest[], votes = 2) {
    const policy: Policy = {
      reply: async (request) => {
        asked.push(request);
        const state = request.messages.at(-1)!.content;
        if (state.includes('broken judge')) return fault(infra('endpoint', 'the judge is down'));
        return success(replyOf(state.includes('Thanks') ? '\\boxed{1}' : '\\boxed{-1}'));
      },
      parameters: () => ({}),
      dropped: () => [],
    };
    return (seed: number, session: string) => createNextStateJudge({ votes }, { policy, seed, session });
  }

  test('a reply goes out once its next state is there, with the judge’s value', async () => {
    const votes: ReplyRequest[] = [];
    const { policy, seen } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy, { unit: 'step', judge: judge(votes) });
    const history = [user('Task.')];
    await door.chat(history, MAIN);
    expect(await door.samples()).toEqual([]);
    history.push(said('Reply 0.'), user('Thanks!'));
    await door.chat(history, MAIN);
    const [first] = await door.samples(0, 10);
    expect(first).toMatchObject({ number: 1, trained_calls: [0], step_reward: 1, reward: null });
    expect(votes[0]!.messages.at(-1)!.content).toMatch(/Task\.[\s\S]*Reply 0\.[\s\S]*Thanks!/);
    history.push(said('Reply 1.'), user('No, wrong.'));
    await door.chat(history, MAIN);
    const [second] = await door.samples(1, 10);
    expect(second).toMatchObject({ number: 2, trained_calls: [1], step_reward: -1 });
    await door.ask('/sessions/s/end', { reward: 0 });
    const all = await door.samples();
    // The last one has no next state, so nothing judged it.
    expect(all.map(({ trained_calls, step_reward, reward }) => [trained_calls, step_reward, reward])).toEqual(
      [
        [[0], 1, null],
        [[1], -1, null],
        [[2], null, 0],
      ],
    );
    expect(all.every((sample) => isExact(sample, seen))).toBe(true);
    const { trajectory } = (await door.ask('/sessions/s')).body as { trajectory: Trajectory };
    expect(trajectory.steps.map(({ reward }) => reward?.votes ?? null)).toEqual([[1, 1], [-1, -1], null]);
  });

  test('an agent with a key of its own neither gives its replies out nor ends its session by a header', async () => {
    const votes: ReplyRequest[] = [];
    const { policy } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy, { unit: 'step', judge: judge(votes), train: 'agents' });
    const own = { ...MAIN, authorization: `Bearer ${await door.keyOf('s')}` };
    await door.chat([user('Task.')], own);
    // A command praises the reply in the agent's name, and then wants to end the session.
    const forged = [user('Task.'), said('Reply 0.'), user('Thanks!')];
    await door.chat(forged, own);
    await door.chat([user('I search.')], { ...own, 'x-agent-id': 'helper', 'x-session-done': '1' });
    expect(votes).toEqual([]);
    expect(await door.samples()).toEqual([]);
    const history = [user('Task.'), said('Reply 0.'), user('No, wrong.')];
    await door.chat(history, { ...own, 'x-turn-type': 'side' });
    await door.chat([...history, said('Reply 3.'), user('Wrong again.')], own);
    await door.ask('/sessions/s/end', { reward: 0 });
    const samples = await door.samples();
    expect(samples.map(({ trained_calls, step_reward }) => [trained_calls, step_reward])).toEqual([
      [[0], -1],
      [[3], -1],
      [[4], null],
    ]);
    expect(samples.every(({ reward }) => reward === 0)).toBe(true);
  });

  test('sessions whose requests say nothing of themselves are judged at their end', async () => {
    const votes: ReplyRequest[] = [];
    const { policy } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy, { unit: 'step', judge: judge(votes) });
    await door.chat([user('Task.')]);
    await door.chat([user('Task.'), said('Reply 0.'), user('Thanks!')]);
    expect(votes).toEqual([]);
    await door.ask('/sessions/s/end', {});
    expect((await door.samples()).map(({ step_reward }) => step_reward)).toEqual([1, null]);
  });

  test('a judge that is down gives no reward, and never a wrong one', async () => {
    const { policy } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy, { unit: 'step', judge: judge([]) });
    await door.chat([user('Task.')], MAIN);
    await door.chat([user('Task.'), said('Reply 0.'), user('broken judge')], MAIN);
    const [sample] = await door.samples(0, 10);
    expect(sample).toMatchObject({ trained_calls: [0], step_reward: null });
    expect((await door.ask('/status')).body).toMatchObject({ counts: { judge_faults: 1 } });
  });
});

describe('many sessions at once', () => {
  test('lose nothing and double nothing, with sub-agents and rewritten histories', async () => {
    const { policy, asked, seen } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const door = await open(policy, { train: 'all' });
    const names = Array.from({ length: 24 }, (_, index) => `session ${index}`);
    await Promise.all(
      names.map(async (name) => {
        const history = [user(`Task of ${name}.`)];
        for (let turn = 0; turn < 6; turn++) {
          const { body } = await door.chat(history, { 'x-session-id': name });
          history.push(said(textOf(body)), user(`Go on ${turn}.`));
          if (turn === 2) history.splice(1, 2);
        }
        await door.ask(`/sessions/${encodeURIComponent(name)}/end`, {});
      }),
    );
    const samples = await door.samples();
    const written = seen.map(({ reply }) => reply.join()).sort();
    const trained = samples.flatMap((sample) => spansOf(sample.token_ids, sample.loss_mask)).sort();
    expect(asked).toHaveLength(144);
    expect(trained).toEqual(written);
    expect(samples.map(({ number }) => number)).toEqual(samples.map((_, index) => index + 1));
  }, 60_000);
});

describe('weights', () => {
  test('that change hold requests back, and samples name those that wrote them', async () => {
    const { policy, asked } = enginePolicy(() => ({ content: 'x' }));
    const door = await open(policy);
    await door.ask('/weights/resume', { version: 3 });
    await door.chat([user('one')]);
    await door.ask('/weights/pause', {});
    const held = door.chat([user('one'), said('x'), user('two')]);
    await expect.poll(async () => (await door.ask('/status')).body.waiting).toBe(1);
    expect(asked).toHaveLength(1);
    await door.ask('/weights/resume', { version: 4 });
    await held;
    await door.ask('/sessions/s/end', {});
    expect((await door.samples()).flatMap(({ weights }) => weights)).toEqual(['3', '4']);
  });
});

describe('a server that is started again', () => {
  test('answers a repeated request with the reply that was stored, and goes on with the session', async () => {
    const turn = deferred<{ content: string }>();
    const { policy, asked, seen } = enginePolicy((_, number) =>
      number === 0 ? turn.promise : { content: 'Second.' },
    );
    const first = await startDoor(policy);
    const body = JSON.stringify({ messages: [user('Task.')] });
    const { hostname, port, host } = new URL(first.url);
    const broken = connect(Number(port), hostname);
    broken.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nX-Session-Id: s\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => asked.length).toBe(1);
    broken.destroy();
    const key = await first.keyOf('s');
    turn.resolve({ content: 'First.' });
    await expect.poll(async () => (await first.ask('/sessions/s')).body.answered).toBe(1);
    await first.close();
    const second = await open(policy, { folder: first.folder });
    expect(await second.keyOf('s')).toBe(key);
    expect(textOf((await second.chat([user('Task.')])).body)).toBe('First.');
    expect(asked).toHaveLength(1);
    await second.chat([user('Task.'), said('First.'), user('Go on.')]);
    await second.ask('/sessions/s/end', {});
    const samples = await second.samples();
    expect(samples.flatMap(({ trained_calls }) => trained_calls)).toEqual([0, 1]);
    expect(samples.every((sample) => isExact(sample, seen))).toBe(true);
    expect(readdirSync(join(first.folder, 'open'))).toEqual([]);
  });

  test('counts what was written before against the limit of tokens', async () => {
    const { policy, asked } = enginePolicy(() => ({ content: 'some words' }));
    const limits = { steps: 0, cost: 0, tokens: 1 };
    const first = await startDoor(policy, { limits });
    expect((await first.chat([user('one')])).status).toBe(200);
    await first.close();
    const second = await open(policy, { folder: first.folder, limits });
    expect((await second.chat([user('one'), said('some words'), user('two')])).status).toBe(400);
    expect(asked).toHaveLength(1);
  });

  test('while it ends, gives out what waits, and refuses new requests in a way that clients repeat', async () => {
    const turn = deferred<{ content: string }>();
    const { policy, asked } = enginePolicy(() => turn.promise);
    const door = await startDoor(policy, {}, 30_000);
    const waiting = door.chat([user('Task.')]);
    await expect.poll(() => asked.length).toBe(1);
    const closed = door.close();
    const late = await door.chat([user('Other.')], { 'x-session-id': 'late' });
    expect(late).toMatchObject({ status: 503 });
    turn.resolve({ content: 'In time.' });
    expect(textOf((await waiting).body)).toBe('In time.');
    await closed;
  });

  test('leaves alone what is another one’s, after it stood still for so long that this one took over', async () => {
    const { policy } = enginePolicy((_, number) => ({ content: `Reply ${number}.` }));
    const first = await open(policy);
    await first.chat([user('Task.')]);
    // As another one ends its presence.
    const users = join(first.folder, 'users');
    for (const name of readdirSync(users)) renameSync(join(users, name), join(users, `${name}.ended`));
    const presence = Presence.enter(users);
    presence.beat();
    presence.leave();
    const late = await first.chat([user('Task.'), said('Reply 0.'), user('Go on.')]);
    expect(late.status).toBe(400);
    expect((await first.ask('/sessions/s/end', { reward: 1 })).status).toBe(500);
    await expect(first.chat([user('Other.')], { 'x-session-id': 'other' })).rejects.toThrow();
    expect(readdirSync(join(first.folder, 'sessions'))).toEqual([]);
    const second = await open(policy, { folder: first.folder });
    expect((await second.ask('/sessions/s')).body).toMatchObject({ status: 'open', calls: 1, answered: 1 });
    await second.ask('/sessions/s/end', { reward: 0 });
    expect(await first.samples()).toEqual([]);
    expect((await second.samples()).map(({ number, reward }) => [number, reward])).toEqual([[1, 0]]);
  });

  test('is the only one of its folder', async () => {
    const { policy } = enginePolicy(() => ({ content: 'x' }));
    const door = await open(policy);
    await expect(startDoor(policy, { folder: door.folder })).rejects.toThrow('another server uses');
  });
});

/** What the mask marks, as texts of ids. */
function spansOf(ids: readonly number[], mask: readonly number[]): string[] {
  const spans: number[][] = [];
  for (const [at, one] of mask.entries()) {
    if (one === 0) continue;
    if (mask[at - 1] === 1) spans.at(-1)!.push(ids[at]!);
    else spans.push([ids[at]!]);
  }
  return spans.map((span) => span.join());
}

import { describe, expect, it } from 'vitest';
import { promptMessages } from '../../../agent/context/prompt.ts';
import type { ChatMessage } from '../../../agent/policy.ts';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import { type CallLabel, requestDigest } from '../../../agent/tree/canonical.ts';
import type { CallHandle } from '../../../agent/tree/tree.ts';
import { TREE_FORMAT, type Trajectory } from '../../../schemas/trajectory.ts';
import { trajectory } from '../tokens/tiny.ts';
import { called, replyOf, result, rig, START, said, system, TOOLS, user } from './rig.ts';

const FIRST = said('look', [called()]);

describe('which call a prompt continues', () => {
  const again: [string, ChatMessage][] = [
    ['as it was', FIRST],
    ['with other white space around its text', said('look\n', [called()])],
    ['with its arguments written anew', said('look', [called('{"command":"ls"}')])],
    ['with another id for its call', said('look', [called(undefined, 'own-1')])],
    ['with all of that', said(' look', [called('{ "command":"ls" }', 'own-1')])],
  ];
  it.each(again)('finds a reply that is sent back %s, and keeps what was sent', (_, sent) => {
    const { ask, tree, parents, agents } = rig();
    ask(START, FIRST);
    const id = sent.tool_calls![0]!.id;
    const second = [...START, sent, result('a.py', id)];
    ask(second, said('done'));
    expect(parents()).toEqual([null, 0]);
    expect(agents()).toEqual(['main', 'main']);
    const { messages, calls } = tree.record();
    expect(promptMessages(messages, calls[1]!.prompt)).toEqual(second);
    const stored = calls[1]!.prompt[2] as number;
    if (sent === FIRST) expect(stored).toBe(calls[0]!.reply);
    else expect(messages[stored]).toMatchObject({ kind: 'restated', stands_for: calls[0]!.reply });
  });

  it.each([
    ['dropped', undefined, [null, 0]],
    ['kept', 'hm', [null, 0]],
    ['others than the model had', 'ha', [null, null]],
  ])('compares thoughts where they are sent back: %s', (_, thoughts, parents) => {
    const { ask, tree, ...seen } = rig();
    ask(START, said('look', [called()], 'hm'));
    const second = [...START, said('look', [called()], thoughts), result('a.py')];
    ask(second, said('done'));
    expect(seen.parents()).toEqual(parents);
    expect(seen.agents()[1]).toBe(thoughts === 'ha' ? 'foreign' : 'main');
    const { messages, calls } = tree.record();
    expect(promptMessages(messages, calls[1]!.prompt)).toEqual(second);
  });

  it.each([
    ['another text', said('looks', [called()])],
    ['another argument', said('look', [called('{"command": "ls -a"}')])],
    ['one call less', said('look')],
  ])('takes a reply with %s for one that was never sampled', (_, forged) => {
    const { ask, parents, agents } = rig();
    ask(START, FIRST);
    ask([...START, forged, result('a.py')], said('done'));
    expect(parents()).toEqual([null, null]);
    expect(agents()).toEqual(['main', 'foreign']);
  });

  it('finds the deepest call, and the one with the same ids of several that say the same', () => {
    const { ask, parents } = rig();
    ask(START, FIRST);
    ask(START, said('look', [called(undefined, 'c2')]));
    ask([...START, said('look', [called(undefined, 'c2')]), result('a.py', 'c2')], said('more', [called()]));
    ask([...START, FIRST, result('a.py'), said('more', [called()]), result('b.py')], said('done'));
    expect(parents()).toEqual([null, null, 1, 2]);
  });

  it('tells answers of tools apart by the call that they belong to', () => {
    const { ask, parents, tree } = rig();
    const two = said('', [called('{"command":"a"}', 'x'), called('{"command":"b"}', 'y')]);
    ask(START, two);
    const [a, b] = [result('A', 'x'), result('B', 'y')];
    ask([...START, two, a, b], said('next', [called()]));
    const renamed = said('', [called('{"command":"a"}', '1'), called('{"command":"b"}', '2')]);
    ask(
      [...START, renamed, result('A', '1'), result('B', '2'), said('next', [called()]), result('C')],
      said('done'),
    );
    ask(
      [...START, two, result('A', 'y'), result('B', 'x'), said('next', [called()]), result('C')],
      said('no'),
    );
    expect(parents()).toEqual([null, 0, 1, 0]);
    const [first] = tree.record().steps;
    expect(first!.observations.map(({ output }) => output)).toEqual(['A', 'B']);
  });

  it('compares arguments that are no JSON as text, and survives ones that are very deep', () => {
    const { ask, parents } = rig();
    const broken = said('', [called('{"command": ')]);
    ask(START, broken);
    ask([...START, broken, result('no')], said('', [called(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)]));
    const deep = said('', [called(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)]);
    ask([...START, broken, result('no'), deep, result('no')], said('done'));
    expect(parents()).toEqual([null, 0, 1]);
  });
});

describe('a request that comes again', () => {
  it('is the same call while it is open and until its answer was delivered, and a new one then', () => {
    const { tree, request } = rig();
    const digest = requestDigest(request(START));
    expect(tree.find(digest)).toBeNull();
    const handle = tree.begin(request(START));
    expect(tree.find(digest)).toBe(handle);
    const reply = replyOf(FIRST);
    tree.answer(handle, reply);
    expect(tree.find(digest)).toBe(handle);
    expect(handle.answer).toBe(reply);
    tree.delivered(handle);
    expect(tree.find(digest)).toBeNull();
    tree.begin(request(START));
    expect(tree.size).toBe(2);
  });

  it('is the same call when its prompt did not fit, until the agent knows', () => {
    const { tree, request } = rig();
    const handle = tree.begin(request(START));
    const why = { status: 'context-exceeded' as const, detail: 'too long' };
    tree.unanswered(handle, why);
    expect(tree.find(handle.digest)?.answer).toBe(why);
    expect(tree.record().calls[0]).toMatchObject({ reply: null, agent: 'main', parent: null });
  });

  it('is another call with other tools, another label, or after a fault', () => {
    const { tree, request } = rig();
    const handle = tree.begin(request(START));
    for (const given of [{ tools: [] }, { label: { agent: 'a', kind: null } }])
      expect(tree.find(requestDigest(request(START, given)))).toBeNull();
    tree.abandon(handle);
    expect(tree.find(handle.digest)).toBeNull();
  });

  it('is never answered twice', () => {
    const { tree, begin } = rig();
    const handle = begin(START);
    tree.answer(handle, replyOf(FIRST));
    expect(() => tree.answer(handle, replyOf(FIRST))).toThrow('answered before');
    tree.delivered(handle);
    expect(() => tree.answer(handle, replyOf(FIRST))).toThrow('answered before');
    const strange: CallHandle = { index: 0, digest: handle.digest, answer: null, isDelivered: false };
    expect(() => tree.answer(strange, replyOf(FIRST))).toThrow('another tree');
  });
});

describe('who asked', () => {
  const second = [...START, FIRST, result('a.py')];
  const third = [...second, said('edit', [called('{}')]), result('ok')];

  it('knows titles, sub-agents and the agent by the tree alone', () => {
    const { ask, agents } = rig();
    ask([system('Name this.'), user('Mend it.')], said('A title'), { tools: [] });
    ask(START, FIRST);
    const helper = [system('You search.'), user('Find it.')];
    ask(helper, FIRST);
    ask([system('You search.'), user('Find that too.')], said('there'));
    ask(second, said('edit', [called('{}')]));
    ask([...helper, FIRST, result('b.py')], said('here'));
    ask(third, said('done'));
    expect(agents()).toEqual(['side', 'main', 'agent-1', 'agent-2', 'main', 'agent-1', 'main']);
  });

  it('follows what trusted requests say of themselves', () => {
    const { ask, agents } = rig();
    const label = (agent: string | null, kind: CallLabel['kind'] = null) => ({
      label: { agent, kind, isTrusted: true },
    });
    ask(START, FIRST, label(null, 'main'));
    ask(START, said('fork'), label('explorer'));
    ask(second, said('summary'), label(null, 'side'));
    ask([system('other'), user('cut')], FIRST, label(null, 'main'));
    ask([system('third'), user('cut')], said('x'), label('main'));
    ask([system('x'), user('y')], said('z'), label('foreign'));
    expect(agents()).toEqual(['main', 'explorer', 'side', 'main', 'main', 'side']);
  });

  it('takes the name of a sub-agent that the tree shows, for all of its line', () => {
    const { ask, agents } = rig();
    const label = (agent: string) => ({ label: { agent, kind: null } });
    ask(START, FIRST);
    const helper = [system('You search.'), user('Find it.')];
    ask(helper, FIRST, label('explorer'));
    ask([...helper, FIRST, result('b.py')], said('here'), label('other'));
    ask([system('You write.'), user('Write it.')], FIRST, label('main'));
    ask(second, said('done'));
    expect(agents()).toEqual(['main', 'explorer', 'explorer', 'agent-1', 'main']);
  });

  it('takes an agent without tools for the agent', () => {
    const { ask, agents } = rig();
    const none = { tools: [] };
    ask([user('title?')], said('A title'), none);
    ask(START, said('```ls```'), none);
    ask([...START, said('```ls```'), user('a.py')], said('done'), none);
    expect(agents()).toEqual(['side', 'main', 'main']);
  });

  it('shows a compaction: the agent begins anew after the summary, which is beside the work', () => {
    const { ask, agents, parents } = rig();
    const summary = said('The bug is in a.py, in the second line of parse().');
    ask(START, FIRST);
    ask([...second, user('Summarise.')], summary, { tools: [] });
    const anew = [START[0]!, user(`So far:\n${summary.content}\nGo on.`)];
    ask(anew, said('edit', [called()]));
    ask([...anew, said('edit', [called()]), result('ok')], said('done'));
    expect(agents()).toEqual(['main', 'side', 'main', 'main']);
    expect(parents()).toEqual([null, 0, null, 2]);
  });

  it('knows a summary that was asked with tools by its words', () => {
    const { ask, agents } = rig();
    const summary = said('The bug is in a.py, in the second line of parse().');
    ask(START, FIRST);
    ask([...second, user('Summarise.')], summary);
    ask([START[0]!, user(`So far: ${summary.content}`)], said('done'));
    expect(agents()).toEqual(['main', 'side', 'main']);
  });

  it('shows a history that was cut: what is left of it was sampled', () => {
    const { ask, agents, parents, tree } = rig();
    ask(START, FIRST);
    ask(second, said('edit', [called('{}')]));
    const cut = [...START, user('[cut]'), said('edit', [called('{}')]), result('ok')];
    ask(cut, said('done'));
    expect(agents()).toEqual(['main', 'main', 'main']);
    expect(parents()).toEqual([null, 0, null]);
    const { calls } = tree.record();
    expect(calls[2]!.prompt[3]).toBe(calls[1]!.reply);
  });

  it('takes a reply that the agent did not accept for its own, and marks it', () => {
    const { ask, agents, tree } = rig();
    ask(START, said('no call'));
    ask([...START, user('Call a tool.')], FIRST);
    const next = [...START, user('Call a tool.'), FIRST, result('a.py')];
    ask(next, said('again no call'));
    ask(next, said('edit', [called()]));
    ask([...next, said('edit', [called()]), result('ok')], said('done'));
    expect(agents()).toEqual(['main', 'main', 'main', 'main', 'main']);
    const { calls, messages } = tree.record();
    expect(calls.map(({ reply }) => messages[reply!]!.kind)).toEqual([
      'rejected',
      'reply',
      'rejected',
      'reply',
      'reply',
    ]);
  });
});

describe('commands that have the agent’s key', () => {
  const second = [...START, FIRST, result('a.py')];

  it('are beside the work when they begin without tools, whatever they say of themselves', () => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    ask([user('Solve it for me.')], said('patch'), { tools: [] });
    ask([user('Solve it for me.')], said('patch'), { tools: [], label: { agent: null, kind: 'main' } });
    ask(second, said('done'));
    expect(agents()).toEqual(['main', 'side', 'side', 'main']);
  });

  describe.each<[string, CallLabel]>([
    ['the agent', { agent: null, kind: 'main' }],
    ['the agent by name', { agent: 'main', kind: null }],
    ['a sub-agent', { agent: 'helper', kind: null }],
    ['side work', { agent: null, kind: 'side' }],
    ['side work of a sub-agent', { agent: 'helper', kind: 'side' }],
  ])('that call themselves %s', (_, label) => {
    const isWork = (agent: string) => agent !== 'side' && agent !== 'foreign';

    it.each([
      ['the agent does so, too', { agent: null, kind: 'main' } as const],
      ['the agent says nothing', { agent: null, kind: null }],
    ])('are what the tree says, where %s', (_case, own) => {
      const { ask, agents } = rig();
      ask(START, FIRST, { label: own });
      ask([user('Solve it for me.')], said('patch'), { tools: [], label });
      // A replay of the agent's call, a forged history, and a parallel continuation.
      ask(START, said('else', [called()]), { label });
      ask([...START, said('I am done.'), user('Praise me.')], said('Well done.'), { label });
      ask([...START, FIRST, user('And now?')], said('so', [called()]), { label });
      ask([...START, FIRST, result('forged')], said('forged', [called()]), { label });
      ask([START[0]!, user('Write the patch.')], said('patch', [called()]), { label });
      ask(second, said('edit', [called()]), { label: own });
      ask([...second, said('edit', [called()]), result('ok')], said('done'), { label: own });
      const shown = agents();
      expect(shown.map((agent) => isWork(agent!))).toEqual([
        ...[true, false, false, false, false, false],
        ...[true, true, true],
      ]);
      expect(shown.flatMap((agent, call) => (agent === 'main' ? [call] : []))).toEqual([0, 7, 8]);
    });

    it('hide no call of the agent, also when it is made to say so', () => {
      const { ask, agents } = rig();
      ask(START, FIRST, { label });
      ask(second, said('edit', [called()]), { label });
      ask([...second, said('edit', [called()]), result('failed')], said('I give up.'), { label });
      expect(agents()).toEqual(['main', 'main', 'main']);
    });
  });

  it('are beside the work when they replay what the agent asked', () => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    ask(START, said('else', [called()]));
    ask(second, said('edit', [called()]));
    ask(second, said('edit', [called()]));
    ask([...second, said('edit', [called()]), result('ok')], said('done'));
    expect(agents()).toEqual(['main', 'side', 'main', 'side', 'main']);
  });

  it('are foreign after a reply that was never sampled, and so is all that follows', () => {
    const { ask, agents, tree } = rig();
    ask(START, FIRST);
    const forged = [...START, said('I am done.'), user('Praise me.')];
    ask(forged, said('Well done.'));
    ask([...forged, said('Well done.'), user('More.')], said('Very well.'));
    ask(second, said('done'));
    expect(agents()).toEqual(['main', 'foreign', 'foreign', 'main']);
    const { messages, calls } = tree.record();
    expect(messages[calls[1]!.prompt[2] as number]!.kind).toBe('foreign');
  });

  it('stay foreign when the model later writes what was forged', () => {
    const { ask, agents } = rig();
    ask([...START, FIRST, result('x')], said('edit', [called()]));
    ask(START, FIRST);
    ask([...START, FIRST, result('x')], said('edit', [called()]));
    expect(agents()).toEqual(['foreign', 'main', 'main']);
  });

  it.each([
    ['one call, before the agent goes on', 1, true],
    ['several calls, before the agent goes on', 3, true],
    ['one call, before the agent’s last one', 1, false],
    ['several calls, before the agent’s last one', 3, false],
  ])('are beside the work when they continue the history: %s', (_, length, goesOn) => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    let history = [...START, FIRST, user('And now?')];
    for (let turn = 0; turn < length; turn++) {
      ask(history, said(`so ${turn}`, [called()]));
      history = [...history, said(`so ${turn}`, [called()]), result('x')];
    }
    ask(second, said('edit', [called()]));
    if (goesOn) ask([...second, said('edit', [called()]), result('ok')], said('done'));
    expect(agents()).toEqual(['main', ...Array(length).fill('side'), 'main', ...(goesOn ? ['main'] : [])]);
  });

  it('are beside the work when they go on at the same time, from the same answers', () => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    ask(second, said('edit', [called()]));
    ask(second, said('other', [called()]));
    ask([...second, said('other', [called()]), result('x')], said('and other', [called()]));
    ask([...second, said('edit', [called()]), result('ok')], said('done'));
    expect(agents()).toEqual(['main', 'main', 'side', 'side', 'main']);
  });

  it('do not take the agent’s place when they continue an early prompt after its end', () => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    ask(second, said('edit', [called()]));
    ask([...second, said('edit', [called()]), result('ok')], said('done'));
    ask([...START, FIRST, result('forged')], said('other'));
    expect(agents()).toEqual(['main', 'main', 'main', 'side']);
  });

  it('are no beginning of the agent: with its words they are a sub-agent, which main does not train', () => {
    const { ask, agents } = rig();
    ask(START, FIRST);
    ask([START[0]!, user('Write the patch.')], said('patch'));
    ask(second, said('done'));
    expect(agents()).toEqual(['main', 'agent-1', 'main']);
  });
});

describe('the record', () => {
  it('has tools once, steps with what tools answered, and what the agent asked beside', () => {
    const { tree, request } = rig();
    const handle = tree.begin(request(START), { sent: { temperature: 1 } });
    tree.answer(handle, { ...replyOf(FIRST), weights: 'v3' });
    tree.delivered(handle);
    const next = tree.begin(request([...START, FIRST, result('a.py')]));
    tree.answer(next, replyOf(said('done')));
    const { calls, tools, steps, timings, messages } = tree.record();
    expect(tools).toEqual([TOOLS]);
    expect(calls[0]).toMatchObject({
      tools: 0,
      sent: { temperature: 1 },
      weights: 'v3',
      prompt_tokens: 10,
      cost: 0.5,
    });
    expect(Object.hasOwn(calls[1]!, 'sent')).toBe(false);
    expect(messages.map(({ kind }) => kind)).toEqual(['system', 'task', 'reply', 'observation', 'reply']);
    expect(steps).toEqual([
      {
        call: 0,
        actions: [{ tool: 'bash', command: 'ls', tool_call_id: 'c1' }],
        observations: [{ output: 'a.py', exit_code: null, timed_out: false, truncated: false, message: 3 }],
        reward: null,
      },
      { call: 1, actions: [], observations: [], reward: null },
    ]);
    expect(timings).toEqual([
      { waited: 1, took: 2, attempts: 1 },
      { waited: 1, took: 2, attempts: 1 },
    ]);
    expect(tree.cost).toBe(1);
  });

  it('grows with the messages and not with how often they are repeated', () => {
    const { tree, ask } = rig();
    let history = [...START];
    for (let turn = 0; turn < 200; turn++) {
      const reply = said(`turn ${turn}`, [called(`{"n":  ${turn}}`)]);
      ask(history, reply);
      history = [...history, said(`turn ${turn}`, [called(`{"n":${turn}}`)]), result(`out ${turn}`)];
    }
    // The reply, how the agent writes it, and what the tool answered.
    expect(tree.record().messages).toHaveLength(2 + 3 * 200 - 2);
    expect(tree.record().calls.every(({ agent }) => agent === 'main')).toBe(true);
  });

  it('takes 10,000 calls of many lines', () => {
    const { tree, request } = rig();
    const lines = Array.from({ length: 200 }, (_, line) => [
      system('You code.'),
      user(`task ${line} ${'.'.repeat(4000)}`),
    ]);
    for (let turn = 0; turn < 50; turn++)
      for (const line of lines) {
        const handle = tree.begin({ ...request([]), messages: line });
        const reply = said(`turn ${turn}`, [called(`{"n":  ${turn}}`)]);
        tree.answer(handle, replyOf(reply));
        tree.delivered(handle);
        line.push(said(`turn ${turn}`, [called(`{"n":${turn}}`)]), result(`out ${turn}`));
      }
    const { calls } = tree.record();
    expect(calls).toHaveLength(10_000);
    expect(new Set(calls.map(({ agent }) => agent)).size).toBe(200);
  });

  it('stores ids of lines that come between each other once', () => {
    const { tree, request } = rig();
    const lines = Array.from({ length: 20 }, (_, line) => ({
      messages: [system(`line ${line}`), user('go')],
      ids: [line, 1000],
    }));
    for (let turn = 0; turn < 10; turn++)
      for (const line of lines) {
        const handle = tree.begin(request(line.messages));
        const ids = [turn, 2000];
        const reply = said(`turn ${turn}`);
        tree.answer(handle, {
          ...replyOf(reply),
          tokens: { promptIds: [...line.ids], ids, logprobs: [-1, -2] },
        });
        tree.delivered(handle);
        line.ids = [...line.ids, ...ids, 3000];
        line.messages = [...line.messages, reply, user('on')];
      }
    const { calls } = tree.record();
    const stored = calls.map(({ tokens }) => tokens!.prompt_ids.length);
    expect(stored.slice(0, 20)).toEqual(Array(20).fill(2));
    expect(stored.slice(20)).toEqual(Array(180).fill(1));
  });
});

describe('whose replies are trained', () => {
  it('joins a sub-agent’s calls with none of the agent’s', () => {
    const { tree, request } = rig();
    const ids: number[] = [];
    const ask = (messages: ChatMessage[], promptIds: number[], reply: ChatMessage, agent: string | null) => {
      const handle = tree.begin(request(messages, { label: { agent, kind: null, isTrusted: true } }));
      ids.push(100 + handle.index);
      tree.answer(handle, {
        ...replyOf(reply),
        tokens: { promptIds, ids: [100 + handle.index], logprobs: null },
      });
      tree.delivered(handle);
    };
    const forked = [...START, FIRST, user('You are a helper.')];
    ask(START, [1], FIRST, null);
    ask(forked, [1, 100, 2], said('helped'), 'helper');
    ask([...START, FIRST, result('a.py')], [1, 100, 3], said('done'), null);
    const { messages, calls, tools } = tree.record();
    const rollout: Trajectory = { ...trajectory(messages, []), format: TREE_FORMAT, calls, tools };
    const samples = (trained: 'main' | 'agents') =>
      trainingSamples(rollout, 'turns', null, trained).map(
        ({ ids: all, loss_mask, agent, trained_calls }) => ({
          all,
          loss_mask,
          agent,
          trained_calls,
        }),
      );
    const main = { all: [1, 100, 3, 102], loss_mask: [0, 1, 0, 1], agent: 'main', trained_calls: [0, 2] };
    expect(samples('main')).toEqual([main]);
    expect(samples('agents')).toEqual([
      main,
      { all: [1, 100, 2, 101], loss_mask: [0, 0, 0, 1], agent: 'helper', trained_calls: [1] },
    ]);
  });
});

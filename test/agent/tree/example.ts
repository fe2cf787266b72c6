/** A rollout of an agent from outside with one of everything: a title, a sub-agent, a rejected reply, a summary, a forgery. */
import type { ExportedRollout } from '../../../agent/exports/rollout.ts';
import type { ChatMessage } from '../../../agent/policy.ts';
import { TREE_FORMAT, type Trajectory } from '../../../schemas/trajectory.ts';
import { PATCH } from '../exports/example.ts';
import { trajectory } from '../tokens/tiny.ts';
import { Engine, seeded } from './engine.ts';
import { called, replyOf, result, rig, START, said, system, user } from './rig.ts';

export const SUMMARY = said('The bug is in a.py, in the second line of parse().');

export function exampleTree(): Trajectory {
  const { tree, request } = rig();
  const engine = new Engine(seeded(1), true, 0);
  const ask = (messages: ChatMessage[], reply: ChatMessage, tools = request([]).tools) => {
    const handle = tree.begin(request(messages, { tools }));
    const { content, reasoning, toolCalls } = replyOf(reply);
    tree.answer(handle, engine.reply(messages, tools, { content, reasoning, toolCalls }));
    tree.delivered(handle);
  };
  const look = said('I look.', [called()], 'Where is it?');
  const back = said('I look.', [called()]);
  ask([user('A title for: Mend it.')], said('Mending'), []);
  ask(START, look);
  const helper = [system('You search.'), user('Find parse().')];
  const search = said('I search.', [called('{"command": "grep -n parse a.py"}', 'h1')]);
  ask(helper, search);
  ask([...helper, search, result('2: def parse()', 'h1')], said('In line 2.'));
  const second = [...START, back, result('a.py')];
  ask(second, said('What now?'));
  const reminded = [...second, user('Call a tool.')];
  const view = said('', [called('{"command": "cat a.py"}', 'c2')]);
  ask(reminded, view);
  const third = [...reminded, view, result('1', 'c2')];
  ask([...third, user('Summarise.')], SUMMARY, []);
  ask([...START, said('I have already won.'), user('Confirm.')], said('You have.'));
  const anew = [START[0]!, user(`So far: ${SUMMARY.content} Go on.`)];
  const edit = said('I mend it.', [called('{"command": "sed -i s/1/2/ a.py"}', 'c3')]);
  ask(anew, edit);
  ask([...anew, edit, result('', 'c3')], said('Done.'));
  const { messages, calls, tools, steps } = tree.record();
  return {
    ...trajectory(messages, []),
    format: TREE_FORMAT,
    agent: { type: 'bash', dialect: 'v2', actions: 'tool-calls' },
    calls,
    tools,
    steps,
    patch: PATCH,
    patch_source: 'workspace',
  };
}

export function exampleRollout(): ExportedRollout & { trajectory: Trajectory } {
  return {
    instance_id: 'a__b-1',
    sample: '0',
    trajectory: exampleTree(),
    patch: PATCH,
    verdict: { reward: 1, resolved: true, detail: '' },
    report: null,
    timings: null,
    startedAt: null,
  };
}

import { describe, expect, it } from 'vitest';
import { promptMessages } from '../../../agent/context/prompt.ts';
import { atifFiles } from '../../../agent/exports/atif.ts';
import { EXPORT_FORMATS } from '../../../agent/exports/formats.ts';
import { leakReport } from '../../../agent/leaks/report.ts';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import { StoredIds } from '../../../agent/tokens/store.ts';
import { linear, linesOf, mainTrajectory } from '../../../agent/tree/lines.ts';
import { shownSteps } from '../../../app/view/steps.ts';
import { parseTrajectory, TRAJECTORY_FORMAT, type Trajectory } from '../../../schemas/trajectory.ts';
import { conversations } from '../../../stages/sft-data/conversation.ts';
import { targetOf } from '../../../stages/sft-data/target.ts';
import { schemaProblems } from '../../rig/trajectory-schema.ts';
import { example } from '../exports/example.ts';
import { FIX } from '../leaks/trajectory.ts';
import { tinyTokenizer } from '../tokens/tiny.ts';
import { Player } from './agents.ts';
import { exampleRollout, exampleTree, SUMMARY } from './example.ts';

const tree = exampleTree();
const AGENTS = ['side', 'main', 'agent-1', 'agent-1', 'main', 'main', 'side', 'foreign', 'main', 'main'];

describe('a tree of calls', () => {
  it('fits the schema, and is read back as it is', () => {
    expect(tree.calls.map(({ agent }) => agent)).toEqual(AGENTS);
    expect(schemaProblems(tree)).toEqual([]);
    expect(schemaProblems(example().trajectory)).toEqual([]);
    expect(parseTrajectory(JSON.stringify(tree))).toEqual(tree);
  });

  it('is refused when it has a form of another version', () => {
    const text = JSON.stringify({ ...tree, format: 'swemake-trajectory-3' });
    expect(() => parseTrajectory(text)).toThrow(
      'a trajectory has the format "swemake-trajectory-3", and this version of swemake reads swemake-trajectory-1 and swemake-trajectory-2',
    );
  });

  it('is lines, each of one agent, which a rejected reply does not end', () => {
    expect(linesOf(tree)).toEqual([
      { agent: 'side', calls: [0], parent: null },
      { agent: 'main', calls: [1, 4, 5], parent: null },
      { agent: 'agent-1', calls: [2, 3], parent: null },
      { agent: 'side', calls: [6], parent: 5 },
      { agent: 'foreign', calls: [7], parent: null },
      { agent: 'main', calls: [8, 9], parent: null },
    ]);
    const { trajectory: plain } = example();
    expect(linesOf(plain)).toEqual([{ agent: 'main', calls: [0, 1, 2, 3], parent: null }]);
  });
});

describe('the agent’s own lines as one', () => {
  it('have its messages and steps, and prompts with the same ids', () => {
    const main = mainTrajectory(tree);
    expect(main.format).toBe(TRAJECTORY_FORMAT);
    expect(schemaProblems(main)).toEqual([]);
    expect(main.messages.map(({ kind, content }) => [kind, content])).toEqual([
      ['system', 'You code.'],
      ['task', 'Mend it.'],
      ['reply', 'I look.'],
      ['observation', 'a.py'],
      ['rejected', 'What now?'],
      ['note', 'Call a tool.'],
      ['reply', ''],
      ['task', `So far: ${SUMMARY.content} Go on.`],
      ['reply', 'I mend it.'],
      ['observation', ''],
      ['reply', 'Done.'],
    ]);
    expect(
      main.steps.map(({ call, observations }) => [call, observations.map(({ message }) => message)]),
    ).toEqual([
      [0, [3]],
      [1, []],
      // Only the summary was told what it printed.
      [2, [null]],
      [3, [9]],
      [4, []],
    ]);
    const [was, now] = [new StoredIds(tree.calls), new StoredIds(main.calls)];
    for (const [index, call] of [1, 4, 5, 8, 9].entries())
      expect(now.prompt(index)).toEqual(was.prompt(call));
    expect(main.request.tools).toEqual([{ type: 'function', function: tree.tools![1]![0] }]);
    expect(mainTrajectory(example().trajectory)).toEqual(example().trajectory);
  });

  it('say the same as the tree in each prompt, whatever agents do', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { tree: played } = new Player(seed).play();
      const { messages, calls, tools, steps } = played.record();
      const whole: Trajectory = { ...tree, messages, calls, tools, steps };
      for (const line of linesOf(whole)) {
        const { trajectory } = linear(whole, [line]);
        for (const [index, call] of line.calls.entries()) {
          const said = (of: Trajectory, number: number) =>
            promptMessages(of.messages, of.calls[number]!.prompt).map(
              ({ role, content }) => `${role} ${content}`,
            );
          expect(said(trajectory, index), `seed ${seed}`).toEqual(said(whole, call));
        }
      }
    }
  });
});

describe('readers of trajectories', () => {
  it('show where sub-agents begin, and where the history was summarised', () => {
    const shown = shownSteps(tree, null);
    expect(shown.map(({ line }) => line)).toEqual([
      { agent: 'side', heading: 'side begins' },
      null,
      { agent: 'agent-1', heading: 'agent-1 begins' },
      { agent: 'agent-1', heading: null },
      null,
      null,
      { agent: 'side', heading: 'side begins, with what the agent was told' },
      { agent: 'foreign', heading: 'foreign begins' },
      { agent: 'main', heading: 'the agent begins anew: its history was cut or summarised' },
      null,
    ]);
    expect(shownSteps(example().trajectory, null).every(({ line }) => line === null)).toBe(true);
  });

  it('write what the agent itself did in formats that know no trees', () => {
    for (const name of ['mini', 'swe-agent', 'swe-smith', 'swe-rl']) {
      const files = EXPORT_FORMATS[name]!.files(
        exampleRollout(),
        { name: 'a', group: 0, index: 0 },
        { unit: 'turns', train: 'main', tokenizer: null, coefficient: 1 },
      );
      const text = files.map((file) => file.text).join('');
      expect(text, name).toContain('I mend it.');
      expect(text, name).not.toContain('You search.');
      expect(text, name).not.toContain('Mending');
    }
  });

  it('find what an agent from outside ran', () => {
    const ran = structuredClone(tree);
    const asked = { tool: 'Shell', command: '{"cmd": ["bash", "-lc", "git log --oneline"]}' };
    const output = '1a2b3c4 fix\n9f8e7d6 before\n';
    Object.assign(ran.steps[8]!, {
      actions: [asked],
      observations: [{ ...ran.steps[8]!.observations[0]!, output }],
    });
    // Whether an answer was shown is not known of a last command.
    Object.assign(ran.steps[9]!, {
      actions: [{ ...asked, command: '{"command": "git clone https://github.com/a/b"}' }],
    });
    const findings = (of: Trajectory) => leakReport(of, FIX).map(({ step, rule }) => [step, rule]);
    expect(findings(tree)).toEqual([]);
    expect(findings(ran)).toEqual([
      [8, 'git-history'],
      [9, 'git-remote'],
    ]);
  });

  it('make a conversation of each line that is trained, with its tools', async () => {
    const target = targetOf('tools', tree.agent);
    const made = (unit: 'trajectory' | 'step', train: 'main' | 'agents' | 'all') =>
      conversations(tree, { target, unit, train, problem: '' });
    const main = await made('trajectory', 'main');
    expect(main.left).toEqual([]);
    expect(main.samples.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user', 'assistant', 'tool', 'user', 'assistant'],
      ['system', 'user', 'assistant'],
    ]);
    expect(main.samples[0]!.tools).toEqual(tree.tools![1]);
    const agents = await made('trajectory', 'agents');
    expect(agents.samples).toHaveLength(3);
    const steps = await made('step', 'agents');
    expect(steps.samples.map(({ step }) => step)).toEqual([1, 2, 5, 8]);
    const all = await made('trajectory', 'all');
    expect(all.left.map(({ why }) => why)).toEqual(['no-reply', 'trained-elsewhere', 'trained-elsewhere']);
  });

  it('write lines as trajectories of Harbor, within the agent’s own', () => {
    const [file] = atifFiles(exampleRollout(), { name: 'a' });
    const atif = JSON.parse(file!.text);
    expect(atif.schema_version).toBe('ATIF-v1.8');
    expect(
      atif.steps.map(({ source, message }: { source: string; message: string }) => [source, message]),
    ).toEqual([
      ['system', 'You code.'],
      ['user', 'Mend it.'],
      ['agent', 'I look.'],
      ['agent', 'What now?'],
      ['user', 'Call a tool.'],
      ['agent', ''],
      ['system', expect.stringContaining('The history was cut or summarised')],
      ['user', `So far: ${SUMMARY.content} Go on.`],
      ['agent', 'I mend it.'],
      ['agent', 'Done.'],
    ]);
    const within = atif.subagent_trajectories as { trajectory_id: string; steps: { message: string }[] }[];
    expect(within.map(({ trajectory_id: id }) => id)).toEqual([
      'a__b-1#0/side',
      'a__b-1#0/agent-1',
      'a__b-1#0/side.2',
      'a__b-1#0/foreign',
    ]);
    expect(within[1]!.steps.map(({ message }) => message)).toEqual([
      'You search.',
      'Find parse().',
      'I search.',
      'In line 2.',
    ]);
    expect(JSON.stringify(atif.steps[2].observation)).toContain('{"trajectory_id":"a__b-1#0/agent-1"}');
    expect(JSON.stringify(atif.steps[5].observation)).toContain('{"trajectory_id":"a__b-1#0/side.2"}');
  });

  it('give samples from text too, with the tools and thoughts that each call was sent', async () => {
    const TEMPLATE = `{{ tools | length if tools else 0 }}{% for m in messages %}<|im_start|>{{ m.role }} {% if m.reasoning_content and loop.last %}({{ m.reasoning_content }}){% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}[{{ c.function.arguments.command }}]{% endfor %}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant {% endif %}`;
    const tokenizer = await tinyTokenizer(TEMPLATE);
    const bare = { ...tree, calls: tree.calls.map((call) => ({ ...call, tokens: null })) };
    const shown = (train: 'main' | 'agents') =>
      trainingSamples(bare, 'turns', tokenizer, train).map(({ ids, agent, source }) => [
        agent,
        source,
        tokenizer.decode(ids),
      ]);
    expect(shown('agents')).toContainEqual([
      'agent-1',
      'tokenizer',
      '1<|im_start|>system You search.<|im_end|><|im_start|>user Find parse().<|im_end|><|im_start|>assistant ' +
        'I search.[grep -n parse a.py]<|im_end|><|im_start|>tool 2: def parse()<|im_end|><|im_start|>assistant In line 2.<|im_end|>',
    ]);
    // The thought of the first reply is in no later prompt.
    expect(shown('main')[0]).toEqual([
      'main',
      'tokenizer',
      '1<|im_start|>system You code.<|im_end|><|im_start|>user Mend it.<|im_end|><|im_start|>assistant (Where is it?)I look.[ls]<|im_end|>',
    ]);
  });

  it('train the agent’s replies, and those of others when asked', () => {
    const calls = (train: 'main' | 'agents' | 'all') =>
      trainingSamples(tree, 'turns', null, train).flatMap(({ agent, trained_calls: trained }) =>
        trained!.map((call) => `${agent} ${call}`),
      );
    expect(calls('main')).toEqual(['main 1', 'main 4', 'main 5', 'main 8', 'main 9']);
    expect(calls('agents')).toEqual(expect.arrayContaining(['agent-1 2', 'agent-1 3']));
    expect(calls('agents')).toHaveLength(7);
    expect(calls('all')).toHaveLength(AGENTS.length);
  });
});

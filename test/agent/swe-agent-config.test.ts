/** Files of SWE-agent as templates: what a model is told is what SWE-agent would tell it, and what is not there is named. */
import { describe, expect, it, test } from 'vitest';
import { readAgentFile } from '../../agent/read-agent-file.ts';
import { agentTexts } from '../../agent/texts.ts';
import { type Bench, bench, says, settingsOf } from './loop/rig.ts';

const { roll }: Bench = bench();

const TEXTS = `
    system_template: "Tools are there."
    instance_template: "In {{working_dir}}: {{problem_statement}}"
    next_step_template: |-
      OBSERVATION:
      {{observation}}
    next_step_no_output_template: "Nothing was printed."
    next_step_truncated_observation_template: "{{observation[:max_observation_length // 2]}}<{{elided_chars}} left out>"
    max_observation_length: 2_00`;
const TOOLS = `
    bundles:
      - path: tools/registry
      - path: tools/edit_anthropic
      - path: tools/submit
    enable_bash_tool: true
    env_variables: { PAGER: cat }
    execution_timeout: 300
    parse_function: { type: xml_function_calling }`;
const file = (texts = TEXTS, tools = TOOLS, more = '') => `num_workers: 2
agent:
  type: default
  templates:${texts}
  tools:${tools}
  history_processors: [{ type: last_n_observations, n: 5 }]
  model: { name: openai/x, per_instance_call_limit: 75, per_instance_cost_limit: 0 }
${more}`;
const BASH = `
    bundles: [{ path: tools/submit }]
    parse_function: { type: single_bash_code_block }`;

const of = (text: string, change = {}) =>
  settingsOf({ type: 'tools', templates: { from: 'a.yaml' }, ...change }, { 'a.yaml': text });

test('a file with function calls as text', async () => {
  expect(await of(file())).toMatchObject({
    actions: 'xml-functions',
    limits: { command: 300, steps: 75, cost: 0, format_errors: 3 },
    context: { last_observations: 5 },
    env: { PAGER: 'cat' },
    submit: { review: [] },
  });
  const calls = await of(file(TEXTS, TOOLS.replace('xml_function_calling', 'function_calling')));
  expect(calls.actions).toBe('tool-calls');
  const read = await readAgentFile(file());
  expect(read.ok && read.value.unused).toEqual([['num_workers'], ['agent', 'model', 'name']]);
});

test('columns of a row have names of their own, and none that every template has', async () => {
  const texts = await agentTexts(
    await settingsOf({ templates: { instance: '{{ repo }} {{ version }}|{{ cwd }}' } }),
  );
  const columns = { repo: 'own', version: '5.0', cwd: 'elsewhere' };
  const task = { instance_id: 'a', sample: '0', seed: 1, problem_statement: 'It is wrong.', columns };
  expect(texts.ok && texts.value.instance(task)).toEqual({ ok: true, value: 'own |/testbed' });
});

test('a text that is not shown is told', async () => {
  const read = await readAgentFile(file(`${TEXTS}\n    command_cancelled_timeout_template: "Too slow."`));
  expect(read.ok && read.value.unused).toContainEqual([
    ...['agent', 'templates', 'command_cancelled_timeout_template'],
  ]);
});

test('what the project writes wins', async () => {
  const history = { last_observations: 2 };
  expect(await of(file(), { history, limits: { steps: 9 } })).toMatchObject({
    limits: { steps: 9, command: 300 },
    context: { last_observations: 2 },
  });
});

describe('an observation', () => {
  it.each([
    ['as it is', { output: 'a  \n', returncode: 1, exception_info: '' }, 'OBSERVATION:\na  \n'],
    ['without output', { output: ' \n', returncode: 0, exception_info: '' }, 'Nothing was printed.'],
    [
      'too long',
      { output: 'x'.repeat(250), returncode: 0, exception_info: '' },
      `${'x'.repeat(100)}<50 left out>`,
    ],
    [
      'of a command that was ended',
      { output: 'a', returncode: -1, exception_info: 'timed out' },
      'OBSERVATION:\ntimed out\na',
    ],
  ])('%s', async (_what, output, expected) => {
    const texts = await agentTexts(await of(file()));
    const shown =
      texts.ok && texts.value.observation(output, { n_model_calls: 1, model_cost: 0, elapsed_seconds: 0 });
    expect(shown).toEqual({ ok: true, value: expected });
  });
});

test.each<[string, string, RegExp]>([
  ['tools', file(TEXTS, TOOLS.replace('tools/submit', 'tools/windowed')), /no tools of "tools\/windowed"/],
  [
    'a parser',
    file(TEXTS, TOOLS.replace('xml_function_calling', 'thought_action')),
    /parse_function.type "thought_action"/,
  ],
  ['a loop', file().replace('type: default', 'type: retry'), /agent.type "retry"/],
  ['several agents', 'agent: { type: retry, agent_configs: [], retry_loop: {} }', /agent.type "retry"/],
  ['demonstrations', file(`${TEXTS}\n    demonstrations: [a.traj]`), /demonstrations/],
  [
    'a processor',
    file().replace('last_n_observations, n: 5', 'image_parsing'),
    /"image_parsing" is not there/,
  ],
  ['an agent without bash', file(TEXTS, TOOLS.replace('true', 'false')), /enable_bash_tool/],
  [
    'calls without the editor',
    file(TEXTS, TOOLS.replace('edit_anthropic', 'registry')),
    /always have edit_anthropic/,
  ],
  ['no way to hand in', file(TEXTS, TOOLS.replace('tools/submit', 'tools/registry')), /nothing is handed in/],
  ['a text that is none', file(TEXTS.replace('"Tools are there."', '[]')), /system_template must be text/],
])('what is not there is named: %s', async (_what, text, message) => {
  const read = await readAgentFile(text);
  expect(read.ok ? '' : read.fault).toMatch(message);
});

test('the type of the agent has to be the file’s', async () => {
  await expect(of(file(), { type: 'bash' })).rejects.toThrow('write agent.type: tools');
});

describe('handing in', () => {
  const call = (name: string, parameters = '') => `I do.\n<function=${name}>\n${parameters}</function>`;

  it('is done at once with submit', async () => {
    const script = says(
      call('bash', '<parameter=command>echo "a = 1" > new.py</parameter>\n'),
      call('submit'),
    );
    const done = await roll(await of(file()), script);
    expect(done.trajectory).toMatchObject({ exit_status: 'submitted' });
    expect(done.trajectory.patch).toContain('+a = 1');
    expect(done.trajectory.calls).toHaveLength(2);
  });

  it('is looked over as often as the file’s messages say', async () => {
    const tools = `${TOOLS.replace('tools/submit', 'tools/review_on_submit_m')}
    registry_variables: { SUBMIT_REVIEW_MESSAGES: ["Look: {{diff}}", "Sure?"] }`;
    const change = call('bash', '<parameter=command>echo "a = 1" > new.py</parameter>\n');
    const done = await roll(await of(file(TEXTS, tools)), says(change, call('submit')));
    const shown = done.trajectory.messages.filter(({ kind }) => kind === 'observation');
    const diff = [
      ...['diff --git a/new.py b/new.py', 'new file mode 100644', 'index 0000000..1337a53'],
      ...['--- /dev/null', '+++ b/new.py', '@@ -0,0 +1 @@', '+a = 1', ''],
    ].join('\n');
    expect(shown.slice(1).map(({ content }) => content)).toEqual([
      `OBSERVATION:\nLook: ${diff}\n`,
      'OBSERVATION:\nSure?\n',
    ]);
    expect(done.trajectory.exit_status).toBe('submitted');
  });

  it('is the command submit for a shell alone', async () => {
    const settings = await of(file(TEXTS, BASH), { type: 'bash' });
    expect(settings).toMatchObject({ actions: 'fence', action_regex: expect.any(String) });
    // The shell stays where it went.
    const commands = ['cd tests', 'echo "b = 1" > new.py', 'submit'];
    const script = says(...commands.map((command) => `Now.\n\`\`\`bash\n${command}\n\`\`\``));
    const done = await roll(settings, script);
    expect(done.trajectory).toMatchObject({ exit_status: 'submitted' });
    expect(done.trajectory.patch).toContain('tests/new.py');
  });
});

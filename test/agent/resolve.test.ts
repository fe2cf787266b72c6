/** From project keys to settings: the project first, then the file, then the dialect. */
import { describe, expect, it } from 'vitest';
import { readAgentFile } from '../../agent/read-agent-file.ts';
import { agentSettings } from '../../agent/resolve.ts';
import type { AgentConfig, AgentOverrides } from '../../schemas/generated/project.ts';
import { agentConfig, settingsOf } from './loop/rig.ts';

const V2_FILE = `
agent:
  system_template: "You are helpful."
  instance_template: |
    Solve: {{task}} on {{system}}
  step_limit: 250
  cost_limit: 3.
  wall_time_limit_seconds: 600
  max_consecutive_format_errors: 5
  mode: confirm
environment:
  cwd: /work
  timeout: 90
  interpreter: ["bash", "-c"]
  env: { PAGER: less, BASH_ENV: /root/.bashrc, TQDM_DISABLE: 1 }
  environment_class: docker
model:
  observation_template: "{{output.returncode}}{{output.exception_info}}:{{output.output}}"
  format_error_template: "{% if finish_reason is defined and finish_reason == 'length' %}cut{% else %}{{error}}{% endif %}"
  model_name: some/model
  model_kwargs: { drop_params: true }
run:
  env_startup_command: x
`;

const V1_FILE = `
agent:
  system_template: "Write \`\`\`bash blocks."
  instance_template: "{{task}}"
  action_observation_template: "<returncode>{{output.returncode}}</returncode>{{output.output}}"
  format_error_template: "found {{actions|length}}"
  step_limit: 20
`;

const resolve = (change: Partial<AgentConfig>, overrides?: AgentOverrides, file = V2_FILE) =>
  agentSettings(agentConfig(change), overrides, async () => file);

describe('defaults', () => {
  it('are the dialect’s', async () => {
    const v2 = await settingsOf();
    expect(v2.limits).toEqual({ steps: 100, time: 3600, command: 60, cost: 0, format_errors: 3 });
    expect(v2).toMatchObject({ actions: 'fence', action_regex: null, cwd: '/testbed' });
    expect(v2.env).toMatchObject({ PAGER: 'cat', TQDM_DISABLE: '1' });
    const sweRl = await settingsOf({ dialect: 'swe-rl' });
    expect(sweRl.limits).toEqual({ steps: 20, time: 3600, command: 180, cost: 0, format_errors: 0 });
    expect(sweRl.templates.instance).toContain('git add -A');
  });

  it('of type tools are SWE-agent’s way of calling', async () => {
    const tools = await settingsOf({ type: 'tools' });
    expect(tools.actions).toBe('xml-functions');
    expect(tools.templates.system).toContain('BEGIN FUNCTION #2: str_replace_editor');
  });

  it('fit the way actions are written', async () => {
    expect((await settingsOf({ actions: 'xml' })).templates.system).toContain('</mswea_bash_command>');
    expect((await settingsOf({ actions: 'tool-calls' })).templates.system).toContain('tool `bash`');
  });

  it('show what action_regex reads', async () => {
    for (const [regex, rule, shown] of [
      ['```bash\\n(.*?)\\n```', 'in a code block that is marked `bash`', '```bash\nls -la\n```'],
      ['(?:^|\\n)```\\n(.*?)\\n```', 'in a code block without a mark', '```\nls -la\n```'],
    ]) {
      const { templates } = await settingsOf({ action_regex: regex! });
      for (const text of [templates.system, templates.instance, templates.format_error]) {
        expect(text).toContain(rule);
        expect(text).not.toContain('mswea');
      }
      expect(templates.format_error).toContain(`${rule}, such as:\n\n${shown}\n`);
    }
    const loose = await settingsOf({ action_regex: '```\\w*\\n(.*?)\\n```' });
    expect(loose.templates).toEqual((await settingsOf()).templates);
  });

  it('of the context leave out what is not used', async () => {
    const full = await settingsOf({ model: { max_tokens: 9 } as AgentConfig['model'] & object });
    expect(full.context).toMatchObject({ strategy: 'full', max_tokens: null, max_response_tokens: 0 });
    const cut = await settingsOf({
      model: { max_tokens: 9 } as AgentConfig['model'] & object,
      context: { strategy: 'head-tail', head: 0.3, max_tokens: 1000 },
      history: { last_observations: 5, max_observation: 700 },
    });
    expect(cut.context).toEqual({
      strategy: 'head-tail',
      max_tokens: 1000,
      max_response_tokens: 9,
      head: 0.3,
      last_observations: 5,
      max_observation: 700,
    });
  });
});

describe('templates.from', () => {
  it('gives what the project does not write', async () => {
    const settings = await settingsOf({ templates: { from: 'a.yaml' } }, { 'a.yaml': V2_FILE });
    expect(settings).toMatchObject({
      actions: 'tool-calls',
      limits: { steps: 250, cost: 3, time: 600, command: 90, format_errors: 5 },
      env: { PAGER: 'less', BASH_ENV: '/root/.bashrc', TQDM_DISABLE: '1' },
      cwd: '/work',
    });
    expect(settings.templates.instance).toBe('Solve: {{task}} on {{system}}\n');
  });

  it('gives way to what the project writes, key by key, even where it equals a default', async () => {
    const made = await resolve({
      templates: { from: 'a.yaml', system: 'Mine.' },
      limits: { steps: 100, format_errors: 0 },
      actions: 'fence',
      env: { PAGER: 'cat', MINE: '1' },
    });
    expect(made).toMatchObject({
      ok: true,
      value: {
        actions: 'fence',
        limits: { steps: 100, cost: 3, format_errors: 0 },
        templates: { system: 'Mine.' },
        env: { PAGER: 'cat', MINE: '1', BASH_ENV: '/root/.bashrc' },
      },
    });
  });

  it('does not decide how actions are written where the project has an expression', async () => {
    const made = await resolve({ templates: { from: 'a.yaml' }, action_regex: '<c>(.*?)</c>' });
    expect(made).toMatchObject({ value: { actions: 'fence', action_regex: '<c>(.*?)</c>' } });
  });

  it('reads files of version 1', async () => {
    const made = await resolve({ templates: { from: 'a.yaml' } }, undefined, V1_FILE);
    expect(made).toMatchObject({
      ok: true,
      value: { actions: 'fence', action_regex: '```bash\\s*\\n(.*?)\\n```', limits: { steps: 20 } },
    });
    expect(made.ok && made.value.templates.format_error).toBe('found {{actions|length}}');
    const sweRl = await resolve({ dialect: 'swe-rl', templates: { from: 'a.yaml' } }, undefined, V1_FILE);
    expect(sweRl).toMatchObject({ value: { action_regex: null, limits: { steps: 20, command: 180 } } });
  });

  it.each([
    ['no file', async () => Promise.reject(new Error('ENOENT')), /a\.yaml cannot be read: ENOENT/],
    ['no YAML', async () => 'a: [', /a\.yaml cannot be used/],
    ['no map', async () => '- a', /it is not a map/],
    [
      'a limit that is no number',
      async () => 'agent: { step_limit: many }',
      /agent\.step_limit must be a number/,
    ],
    ['a text that is none', async () => 'agent: { system_template: 1 }', /system_template must be text/],
    [
      'an unknown variable',
      async () => 'model: { observation_template: "{{outptu}}" }',
      /observation: "outptu" is not/,
    ],
    [
      'a template that cannot be read',
      async () => 'agent: { instance_template: "{% if %}" }',
      /instance cannot/,
    ],
    [
      'an expression that is none',
      async () => 'model: { action_regex: "(?P<a>x" }',
      /not a regular expression/,
    ],
  ])('says what is wrong: %s', async (_name, read, message) => {
    const made = await agentSettings(agentConfig({ templates: { from: 'a.yaml' } }), undefined, read);
    expect(made.ok ? '' : made.fault).toMatch(message);
  });
});

describe('overrides', () => {
  it('are laid over the agent’s keys before anything else', async () => {
    const made = await resolve(
      { limits: { steps: 5, cost: 1 }, templates: { system: 'A' }, env: { X: '1', Y: '2' } },
      { limits: { steps: 9 }, actions: 'xml', env: { Y: '3' }, history: { last_observations: 2 } },
    );
    expect(made).toMatchObject({
      value: {
        actions: 'xml',
        limits: { steps: 9, cost: 1, command: 60 },
        templates: { system: 'A' },
        env: { X: '1', Y: '3' },
        context: { last_observations: 2 },
      },
    });
  });
});

it('baselines depend on nothing of the agent they are compared with', async () => {
  const change: Partial<AgentConfig> = {
    dialect: 'swe-rl',
    actions: 'xml',
    limits: { steps: 1 },
    templates: { from: 'gone.yaml', system: '{{' },
    env: { A: 'b' },
  };
  for (const type of ['oracle', 'noop'] as const)
    expect(await settingsOf({ ...change, type })).toEqual(await settingsOf({ type }));
  expect((await settingsOf({ type: 'oracle' })).limits.steps).toBe(0);
});

describe('a mini-swe-agent file', () => {
  it('is taken whole, and names what has no meaning here', async () => {
    const read = await readAgentFile(V2_FILE);
    expect(read.ok && read.value.unused).toEqual([
      ['agent', 'mode'],
      ['environment', 'interpreter'],
      ['environment', 'environment_class'],
      ['model', 'model_name'],
      ['model', 'model_kwargs'],
      ['run', 'env_startup_command'],
    ]);
  });

  it.each([
    ['of another tool', 'system_prompt: You help.\ncommand_files: [a.py]\nother_args: { timeout: 5 }\n'],
    ['with models alone', 'model: { model_name: m }\n'],
  ])('is refused if nothing of it is used: one %s', async (_what, text) => {
    const read = await readAgentFile(text);
    expect(read.ok ? null : read.fault).toMatch('no setting of mini-swe-agent or SWE-agent');
  });

  it.each([
    ['agent: { system_template: "```mswea_bash_command" }', { actions: 'fence', action_regex: null }],
    ['agent: { instance_template: "<mswea_bash_command>" }', { actions: 'xml', action_regex: null }],
    ['agent: { system_template: "call bash" }', { actions: 'tool-calls', action_regex: null }],
    ['model: { action_regex: "<c>(.*?)</c>" }', { actions: 'fence', action_regex: '<c>(.*?)</c>' }],
    ['model: { model_class: litellm_textbased }', { actions: 'fence', action_regex: null }],
    ['agent: { step_limit: 1 }', { actions: null, action_regex: null }],
  ])('shows how actions are written: %s', async (file, expected) => {
    const read = await readAgentFile(file);
    expect(read.ok && read.value).toMatchObject(expected);
  });
});

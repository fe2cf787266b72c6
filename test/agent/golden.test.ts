/** All that decides how an agent of each type works, as digests: what has the same digest has the same keys and the same prompts. */
import { describe, expect, test } from 'vitest';
import { AGENTS, drivesItself, loopOf } from '../../agent/kinds/registry.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { PROGRAMS } from '../../schemas/generated/agents.ts';
import type { AgentConfig } from '../../schemas/generated/project.ts';
import { settingsOf } from './loop/rig.ts';

const GIVEN: Record<string, Partial<AgentConfig>> = {
  bash: {},
  'bash, regex': { action_regex: '```sh\\n(.*?)\\n```' },
  'bash, tag': { actions: 'xml' },
  'bash, calls': { actions: 'tool-calls' },
  'bash, swe-rl': { dialect: 'swe-rl' },
  'bash, a file': { templates: { from: 'mini.yaml' } },
  'bash, a file of SWE-agent': { templates: { from: 'swe.yaml' } },
  tools: { type: 'tools' },
  'tools, calls': { type: 'tools', actions: 'tool-calls', limits: { steps: 7 } },
  oracle: { type: 'oracle', limits: { steps: 7 }, templates: { system: 'x' } },
  noop: { type: 'noop' },
  command: { type: 'command', program: { protocol: 'openai-chat', run: 'true' }, args: ['x'] },
  acp: { type: 'acp', program: { protocol: 'openai-chat', run: 'true' }, limits: { tokens: 9 } },
};

const FILES = {
  'mini.yaml': `agent:
  system_template: "Write \`\`\`bash blocks."
  instance_template: "{{task}} echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt"
  action_observation_template: "{{output.output}}"
  step_limit: 20
`,
  'swe.yaml': `agent:
  templates: { system_template: s, instance_template: i }
  tools: { parse_function: { type: single_bash_code_block }, bundles: [{ path: tools/submit }] }
`,
};

const EXPECTED: Record<string, string> = {
  bash: '4a865e19119d2e16',
  'bash, regex': '1813f0c7665bebb7',
  'bash, tag': '801f2c2a2ab181d5',
  'bash, calls': '471553f38731387a',
  'bash, swe-rl': 'b6ccc960af1ecb87',
  'bash, a file': '6d955be6b109e789',
  'bash, a file of SWE-agent': '07ae6f96cd1fb1a0',
  tools: 'd4e4b94607b4cd0f',
  'tools, calls': 'ea313915dbc29e27',
  oracle: '87bbc03d376d2fde',
  noop: 'af482afe9d9fa2bc',
  command: 'a1ef3e9642096535',
  acp: '07a99bf73b1b9e86',
};

describe('an agent', () => {
  test.each(Object.entries(GIVEN))('%s', async (name, keys) => {
    const settings = await settingsOf(keys, FILES);
    const loop = drivesItself(settings) ? null : loopOf(settings);
    const shown = loop && {
      ...{ tools: loop.format.tools, submit: loop.submit },
      written: loop.format.write('A thought.', loop.submit),
    };
    const made = { settings, ...shown };
    expect(digestOf(canonicalJson(made)).slice(0, 16)).toBe(EXPECTED[name]);
  });

  test('of each type is here', () => {
    const types = new Set(Object.values(GIVEN).map(({ type = 'bash' }) => type as string));
    // Data files are in the settings whole, and change with each version of a program.
    for (const { name } of PROGRAMS) types.add(name);
    expect(AGENTS.map(({ name }) => name).filter((name) => !types.has(name))).toEqual([]);
  });
});

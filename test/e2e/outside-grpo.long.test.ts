/**
 * GRPO by TRL on a processor with an agent from elsewhere: a program that drives itself in a sandbox without a network, and asks a tiny
 * model of random weights through the model door. It wants TRL_PYTHON, or a package index and 6 GB for TRL.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { trlPython } from '../rig/trl.ts';

interface Episode {
  summary: { reward: number };
  episode: { trajectory: Trajectory };
}

const STEPS = 3;
const python = hasPackageIndex() ? trlPython() : null;
const CHAIN = `${packageRoot()}/projects/chain/chain.py`;

test.skipIf(python === null)(
  'a program that drives itself learns by GRPO, with advantages that are not zero',
  { timeout: 3_600_000 },
  async () => {
    const project = tinyProject({
      instances: 2,
      deployment: '    mounts: [{ from: agent, to: /opt/solver }]\n  cpu: { type: process }\n',
      env: {
        SWEMAKE: `${process.execPath} ${packageRoot()}/bin/swemake.js`,
        PATH: `${dirname(python!)}:${process.env.PATH}`,
        PYTHONPATH: `${packageRoot()}/python`,
      },
    });
    mkdirSync(project.path('agent'));
    copyFileSync(`${packageRoot()}/test/e2e/coin.py`, project.path('agent/coin.py'));
    execFileSync(python!, [CHAIN, 'base', 'base'], { cwd: project.folder, stdio: 'pipe' });
    appendFileSync(
      project.path('p.yaml'),
      `agent:
  type: command
  program: { protocol: openai-chat, run: exec python3 /opt/solver/coin.py }
  templates: { instance: "{{ task }}" }
  model: { base_url: "http://127.0.0.1:9/v1", name: policy, identity: "policy@1", temperature: 1, max_tokens: 8, context: 2048 }
trainer:
  rl:
    type: command
    rows: slime
    deployment: cpu
    model: { path: base }
    steps: ${STEPS}
    command: ${python} ${CHAIN} grpo
    env:
      HF_HUB_OFFLINE: "1"
      SWEMAKE: "\${env:SWEMAKE}"
      PYTHONPATH: "\${env:PYTHONPATH}"
      SWEMAKE_PROJECT: p.yaml
      CHAIN_STEPS: "${STEPS}"
      CHAIN_RATE: "0.001"
`,
    );
    const end = await project.build('p.yaml', 'rl-train');
    expect(end).toMatchObject({ code: 0, outcomes: { infra: 0 } });
    const out = (name: string) => readFileSync(project.path(`out/tiny/${name}`), 'utf8');
    const { steps } = JSON.parse(out('rl-train.train/metrics.json')) as { steps: Record<string, number>[] };
    console.log(
      steps.map((step) => `${step.step}: ${step.reward} ± ${step.reward_std}, ${step.grad_norm}`).join('; '),
    );
    expect(steps).toHaveLength(STEPS);
    expect(steps.some((step) => step.reward_std! > 0 && step.grad_norm! > 0)).toBe(true);
    expect(steps.map((step) => step['agent/faults'])).toEqual(steps.map(() => 0));
    const log = out('rl-train.train/training.log');
    expect(log).not.toContain('Traceback');
    const episodes = readdirSync(project.path('out/tiny/episodes'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json'))
      .map((path) => JSON.parse(out(`episodes/${path}`)) as Episode);
    expect(episodes).toHaveLength(8 * STEPS);
    expect(new Set(episodes.map(({ summary }) => summary.reward))).toEqual(new Set([0, 1]));
    for (const { summary, episode } of episodes) {
      expect(episode.trajectory.agent.type).toBe('command');
      expect(episode.trajectory.calls[0]!.tokens!.ids.length).toBeGreaterThan(0);
      // What is rewarded is what the program did.
      expect(episode.trajectory.patch !== '').toBe(summary.reward === 1);
    }
  },
);

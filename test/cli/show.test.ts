/** `swemake show`: the resolved project and where each value came from, never a secret. */
import { describe, expect, test } from 'vitest';
import { showCommand } from '../../cli/show.ts';
import { MINIMAL, projectFolder, run } from '../compiler/project-folder.ts';

const YAML = `${MINIMAL}profiles: { long: { validation: { timeout: 10m } } }
environments:
  recipes:
    - match: { repo: "a/*" }
      python: "3.10"
      env: { TOKEN: "\${secret:TOKEN}", TEXT: "$\${env:HOME} \${HOME}", WHO: "\${env:WHO}", EMPTY: "" }
      install: ["a # b", "- c", "yes", "null", "1.0"]
      test: |
        cd x
        pytest
deployments: { box: { type: sandbox, limits: { memory: 4GiB } } }
`;
const ENV = { WHO: 'me', TOKEN: 'canary-0815' };

describe('as YAML', () => {
  test('has an origin behind every value', async () => {
    const args = ['p.yaml', '--profile', 'long', '--set', 'validation.gold_runs=3'];
    const { code, stdout, stderr } = await run(showCommand, args, projectFolder({ 'p.yaml': YAML }), {
      env: ENV,
    });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toContain('name: demo # p.yaml:2:7');
    expect(lines).toContain(`timeout: 600 # ${at('10m')}, profile long`);
    expect(lines).toContain('gold_runs: 3 # --set');
    expect(lines).toContain(`WHO: me # ${at('"${env:WHO}')}, from WHO`);
    expect(lines).toContain(`python: "3.10" # ${at('"3.10')}`);
    expect(lines).toContain('folder: .swemake # default');
    expect(lines).toContain('sources: {} # default');
    expect(lines).toContain(`memory: 4294967296 # ${at('4GiB')}`);
    expect(stdout.endsWith('\n')).toBe(true);
  });

  test('reads in again as the same project', async () => {
    const folder = projectFolder({ 'p.yaml': YAML });
    const shown = await run(showCommand, ['p.yaml'], folder, { env: ENV });
    const again = projectFolder({ 'p.yaml': shown.stdout });
    const configs = await Promise.all(
      [folder, again].map(
        async (one) =>
          JSON.parse((await run(showCommand, ['p.yaml', '--json'], one, { env: ENV })).stdout).config,
      ),
    );
    expect(configs[1]).toEqual(configs[0]);
    expect(configs[0].environments.recipes[0].env.TEXT).toBe('${env:HOME} ${HOME}');
  });
});

test('--json holds config and origins', async () => {
  const { stdout } = await run(showCommand, ['p.yaml', '--json'], projectFolder({ 'p.yaml': YAML }), {
    env: ENV,
  });
  const { config, origins } = JSON.parse(stdout);
  expect(config.deployments.box.limits.memory).toBe(2 ** 32);
  expect(origins['deployments.box.limits.memory']).toEqual({
    kind: 'file',
    file: 'p.yaml',
    line: 15,
    column: 56,
  });
});

test('a secret is shown nowhere', async () => {
  const folder = projectFolder({ 'p.yaml': YAML });
  for (const args of [['p.yaml'], ['p.yaml', '--json']]) {
    const { stdout, stderr } = await run(showCommand, args, folder, { env: ENV });
    expect(stdout).toContain('${secret:TOKEN}');
    expect(stdout + stderr).not.toContain('canary');
  }
});

test('a wrong project is explained as by check', async () => {
  const ran = await run(showCommand, ['p.yaml'], projectFolder({ 'p.yaml': `${MINIMAL}nmae: x\n` }));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('p.yaml:5:1  E103  unknown key "nmae"');
});

/** Where `text` stands in the project. */
function at(text: string): string {
  const before = YAML.slice(0, YAML.indexOf(text)).split('\n');
  return `p.yaml:${before.length}:${before.at(-1)!.length + 1}`;
}

describe('trainings', () => {
  const trainers = `${MINIMAL}agent: { type: noop }
trainer:
  sft: { type: none }
  rl:
    type: slime
    folder: slime
    model: { id: Qwen/Qwen3-8B, revision: b968826d9c46dd6066d109eabc6255188de91218 }
    metrics: { wandb: { project: seed, api_key: "\${secret:WANDB_API_KEY}" } }
deployments: { box: { type: sandbox }, gpu: { type: process, resources: { gpu: 8 } } }
`;

  test('are told without starting one, and without a secret', async () => {
    const folder = projectFolder({ 'p.yaml': trainers });
    const env = { WANDB_API_KEY: 'canary-0815' };
    const { code, stdout, stderr } = await run(showCommand, ['p.yaml', '--training'], folder, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('# rl-train: train.sh\n');
    expect(stdout).toContain(`cd '${folder}/slime'`);
    expect(stdout).toContain('--rollout-num-gpus 4');
    expect(stdout).not.toContain('sft-train');
    const json = await run(showCommand, ['p.yaml', '--training', '--json'], folder, { env });
    const { trainings } = JSON.parse(json.stdout) as { trainings: { variables: Record<string, string> }[] };
    expect(trainings.map(({ variables }) => variables.WANDB_API_KEY)).toEqual(['${secret:WANDB_API_KEY}']);
  });

  test('a project without one says so', async () => {
    const { code, stdout } = await run(
      showCommand,
      ['p.yaml', '--training'],
      projectFolder({ 'p.yaml': MINIMAL }),
    );
    expect(code).toBe(0);
    expect(stdout).toContain('no trainer is started');
  });
});

/** What a build without targets makes: of the projects of projects/, and of projects that name their targets. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileGraph } from '../../compiler/graph.ts';
import { loadProject } from '../../compiler/load.ts';
import { graphOf, plainTargets } from '../../compiler/targets.ts';
import { STAGES } from '../../stages/registry.ts';
import { MINIMAL, projectFolder } from './project-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The stages that a plain build makes, and those that it leaves to named targets. */
async function plainBuild(file: string, cwd = ROOT, profiles: string[] = []) {
  const loaded = await loadProject(file, { profiles, env: { WANDB_API_KEY: 'none' }, cwd });
  if (!loaded.ok) throw new Error(loaded.fault.map(({ message }) => message).join('\n'));
  const { config } = loaded.value;
  const all = await compileGraph(config, STAGES);
  const made = graphOf(all, plainTargets(config, all, STAGES)).nodes.map(({ address }) => address);
  const rest = all.nodes.map(({ address }) => address).filter((address) => !made.includes(address));
  return { made: made.sort(), rest: rest.sort() };
}

const RL = [
  'dataset.train',
  'environments.train',
  'filter.train',
  'rl-data.train',
  'rl-train.train',
  'validate.train',
];
const ROLLED = ['grade.train', 'report.train', 'rollouts.train'];

test.each([
  'swe-minisandbox/rl-1-node',
  'swe-minisandbox/rl-2-nodes',
  'swe-minisandbox/rl-container',
  'swe-rl/32b-8-nodes',
  'swe-rl/32b-4-nodes',
  'swe-rl/8b-2-nodes',
  'swe-rl/8b-prm-5-nodes',
])('%s trains, and rolls out nothing besides', async (name) => {
  expect(await plainBuild(`projects/${name}.yaml`)).toEqual({ made: RL, rest: ROLLED });
});

test.each(['swe-rl/32b-8-nodes-resume', 'miles/qwen3-4b-swe-gym'])(
  '%s converts its weights first, which the training needs',
  async (name) => {
    const made = [...RL, 'rl-model.train'].sort();
    expect(await plainBuild(`projects/${name}.yaml`)).toEqual({ made, rest: ROLLED });
  },
);

test('the chain is trained, evaluated and nothing more; RL begins with the checkpoint of SFT', async () => {
  const chain = await plainBuild('projects/swe-minisandbox/chain.yaml');
  expect(chain.rest).toEqual([...ROLLED].sort());
  expect(chain.made).toEqual(
    expect.arrayContaining(['sft-train.data', ...RL, 'predict.verified', 'evaluate.verified']),
  );
  const loaded = await loadProject('projects/swe-minisandbox/chain.yaml', { env: {}, cwd: ROOT });
  expect(loaded.ok && loaded.value.config.trainer?.rl).toMatchObject({
    model: { from: 'sft' },
    data: { range: '0:1600', seed: 42 },
  });
});

test('SFT on published data validates nothing; on trajectories of its own, it makes all that they need', async () => {
  const file = 'projects/swe-minisandbox/sft-3b.yaml';
  expect((await plainBuild(file)).made).toEqual(['sft-train.data']);
  const own = await plainBuild(file, ROOT, ['own']);
  expect(own.rest).toEqual([]);
  expect(own.made).toContain('report.train');
});

test.each(['swe-minisandbox/trajectories', 'swe-minisandbox/validation', 'swe-rl/evaluate', 'quickstart'])(
  '%s trains nothing, so everything is made',
  async (name) => expect((await plainBuild(`projects/${name}.yaml`)).rest).toEqual([]),
);

const GPU = 'deployments: { box: {}, gpu: { type: process } }\n';
const MODEL = 'model: { base_url: "http://h/v1", name: m, identity: "m@1" }';
const RL_TRAINER = 'trainer: { rl: { type: command, command: "true", model: { path: . } } }\n';
const TWO = MINIMAL.replace('dataset:', 'dataset:\n  eval: { source: eval.jsonl, format: custom }');

async function written(yaml: string) {
  const folder = projectFolder({ 'p.yaml': yaml });
  return plainBuild('p.yaml', folder);
}

test('an evaluation of models is made; that of the agent’s own model is not, since only the training serves it', async () => {
  const yaml = `${TWO}agent: { ${MODEL} }\n${GPU}${RL_TRAINER}`;
  const own = await written(`${yaml}evaluation: { dataset: eval }\n`);
  expect(own.rest).toEqual(expect.arrayContaining(['evaluate.eval', 'predict.eval']));
  const models = await written(`${yaml}evaluation: { dataset: eval, models: { base: {} } }\n`);
  expect(models.rest).toEqual(ROLLED);
  expect(models.made).toContain('evaluate.eval');
});

test('targets of the project are what is made, whatever it trains', async () => {
  const yaml = `${MINIMAL}agent: { ${MODEL} }\n${GPU}${RL_TRAINER}`;
  expect((await written(`${yaml}targets: [filter.train]\n`)).made).toEqual([
    'dataset.train',
    'environments.train',
    'filter.train',
    'validate.train',
  ]);
  expect((await written(`${yaml}targets: ["*"]\n`)).rest).toEqual([]);
});

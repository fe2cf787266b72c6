/** Every file of projects/: it passes `check` with each of its profiles, and says what its trainers would be started with. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { checkCommand } from '../../cli/check.ts';
import { showCommand } from '../../cli/show.ts';
import { loadProject } from '../../compiler/load.ts';
import { run } from '../compiler/project-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENV = { WANDB_API_KEY: 'none' };

/** Those that others extend are no projects of their own, and neither is what a build of them left here. */
const FILES = readdirSync(join(ROOT, 'projects'), { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name.endsWith('.yaml') && one.name !== 'common.yaml')
  .map((one) => relative(ROOT, join(one.parentPath, one.name)))
  .filter((path) => !/^projects\/(\.swemake|out)\//.test(path))
  .sort();

async function profilesOf(file: string): Promise<string[]> {
  const refused = await loadProject(file, { profiles: ['?'], env: ENV, cwd: ROOT });
  const remedy = refused.ok ? '' : refused.fault.map((one) => one.remedy).join('\n');
  return /^profiles: (.*)$/m.exec(remedy)?.[1]?.split(', ') ?? [];
}

test.each(FILES)('%s', async (file) => {
  for (const profile of [null, ...(await profilesOf(file))]) {
    const args = profile === null ? [file] : [file, '--profile', profile];
    const checked = await run(checkCommand, args, ROOT, { env: ENV });
    expect([profile, checked.code, checked.stderr.match(/E\d{3}.*/g)]).toEqual([profile, 0, null]);
    const shown = await run(showCommand, [...args, '--training', '--json'], ROOT, { env: ENV });
    const { trainings } = JSON.parse(shown.stdout) as { trainings: { files: Record<string, string> }[] };
    for (const { files } of trainings)
      expect(files['train.sh']).toMatch(/train(_async)?\.py|main_swe|skyrl_main|tune run|trl sft|chain\.py/);
  }
});

const rl = FILES.filter((file) => /\/(rl-|\d+b-|qwen3)/.test(file));

test.each(rl)('%s trains with the agent server, or as its original does', async (file) => {
  const script = async (...more: string[]) => {
    const { stdout } = await run(showCommand, [file, ...more, '--training', '--json'], ROOT, { env: ENV });
    const { trainings } = JSON.parse(stdout) as {
      trainings: { files: Record<string, string>; variables: Record<string, string> }[];
    };
    return trainings.at(-1)!;
  };
  const own = await script();
  // What the hooks must know: how long a context may be, and that each turn is trained.
  expect(own.variables).toMatchObject({
    SWEMAKE_MAX_SEQ_LEN: expect.stringMatching(/^(16384|20480|32768)$/),
    SWEMAKE_SEQUENCES: 'all',
  });
  // swe-rl shortens the history, and its trainer counts samples.
  if (file.includes('swe-rl')) expect(own.variables.SWEMAKE_DYNAMIC_HISTORY).toBe('1');
  expect(own.variables.SWEMAKE_AGENT_URL).toBe('http://127.0.0.1:11000');
  const original = await script('--profile', 'original');
  expect(original.variables.SWEMAKE_AGENT_URL).toBeUndefined();
  expect(original.files['train.sh']).not.toContain('swemake_rollouts');
});

test('all systems that swemake replaces are there', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(17);
  expect(rl).toHaveLength(9);
});

test('the variables of .env.swe mean what they did', async () => {
  const env = {
    HF_CKPT: '/data/Qwen3-32B',
    PROMPT_DATA: '/data/train.jsonl',
    EXPORT_ROOT: '/data/export',
    SWE_SAVE_TRAJ_DIR: '/data/rollouts',
  };
  const args = ['projects/swe-rl/32b-8-nodes.yaml', '--profile', 'original', '--profile', 'env-swe'];
  const { stdout } = await run(showCommand, [...args, '--training', '--json'], ROOT, { env });
  const { files, variables } = JSON.parse(stdout).trainings.at(-1);
  expect(variables).toMatchObject({
    HF_CKPT: '/data/Qwen3-32B',
    SAVE_CKPT: '/data/export/ckpt',
    SWE_SAVE_TRAJ_DIR: '/data/rollouts',
  });
  expect(files['train.sh']).toContain('--hf-checkpoint /data/Qwen3-32B');
  expect(files['train.sh']).toContain('--save /data/export/ckpt');
  const loaded = await loadProject(args[0]!, { profiles: ['original', 'env-swe'], env, cwd: ROOT });
  expect(loaded.ok && loaded.value.config.dataset.train).toMatchObject({
    source: '/data/train.jsonl',
    format: 'nested',
  });
});

test('MODEL_SIZE and ROUTER_PORT choose what the four servers serve, and where', async () => {
  const env = { MODEL_SIZE: '4b', ROUTER_PORT: '8000', NODE0: 'gpu-a' };
  const options = { profiles: ['serve'], env, cwd: ROOT };
  const loaded = await loadProject('projects/swe-rl/minisweagent-evaluate.yaml', options);
  expect(loaded.ok && loaded.value.config.agent?.model).toMatchObject({
    name: 'Qwen3.5-4b',
    serve: {
      weights: { path: '/models/Qwen3.5-4b' },
      port: 8000,
      hosts: ['gpu-a', 'node1', 'node2', 'node3'],
    },
  });
});

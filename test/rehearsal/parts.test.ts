/** Parts of a rehearsal: what the stand-in engine answers, what its scripts write, how written and trained tokens are compared, and the driver. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentSettings } from '../../agent/resolve.ts';
import type { DriverReport, Sequence } from '../../app/rehearsal/driver-report.ts';
import { type Call, startEngine } from '../../app/rehearsal/endpoint.ts';
import type { Launched } from '../../app/rehearsal/launch.ts';
import { measure } from '../../app/rehearsal/measure.ts';
import { scriptOf } from '../../app/rehearsal/scripts.ts';
import { speechFor } from '../../app/rehearsal/speech.ts';
import { engineTokenizer } from '../../app/rehearsal/tokenizer.ts';
import { sharesFolder, uncheckedWeights, weightsFindings } from '../../app/rehearsal/weights.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { loadProject, type ResolvedProject } from '../../compiler/load.ts';
import { commandRehearsal } from '../../trainers/command/rehearsal.ts';
import { slimeRehearsal } from '../../trainers/slime/rehearsal.ts';
import { temporaryFolder } from '../rig/folder.ts';

const TASK = {
  problem: 'It is wrong.',
  solution: 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n',
};

async function bash() {
  const path = join(packageRoot(), 'projects/swe-rl/32b-8-nodes.yaml');
  const project = await loadProject(path, { cwd: packageRoot(), env: {} });
  if (!project.ok) throw new Error(JSON.stringify(project.fault));
  const made = await agentSettings(project.value.config.agent!, undefined, async () => '');
  if (!made.ok) throw new Error(made.fault);
  return made.value;
}

test('the engine answers as SGLang does, also at the address that it listens on', async () => {
  const settings = await bash();
  const project = { config: {}, folder: '/' } as unknown as ResolvedProject;
  const tokens = await engineTokenizer(project, ['I look around.'], temporaryFolder());
  if (!tokens.ok) throw new Error(tokens.fault);
  const { tokenizer } = tokens.value;
  const engine = await startEngine({
    ...{ port: 0, protocol: 'sglang', tokenizer, settings, tasks: [TASK], model: 'm', window: 1 << 20 },
  });
  if (!engine.ok) throw new Error(engine.fault);
  const ask = async (more: object) => {
    const messages = [{ role: 'user', content: TASK.problem }];
    const answer = await fetch(`http://0.0.0.0:${engine.value.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, ...more }),
    });
    return ((await answer.json()) as { choices: { logprobs: { content: object[] } | null }[] }).choices[0]!;
  };
  expect((await ask({})).logprobs).toBeNull();
  const { content } = (await ask({ logprobs: true })).logprobs!;
  expect(content[0]).toMatchObject({
    token: expect.any(String),
    logprob: expect.any(Number),
    top_logprobs: [],
  });
  // What a model in the program's process did not sample was not written.
  const [reply] = engine.value.log.calls;
  await fetch(`${engine.value.url.replace('/v1', '')}/rehearsal/taken`, {
    method: 'POST',
    body: JSON.stringify({ replies: [[reply!.first, 2]] }),
  });
  expect(engine.value.log.calls.map(({ ids }) => ids.length > 2)).toEqual([false, true]);
  await engine.value.close();
});

test('no two replies of a script are the same text', async () => {
  const settings = await bash();
  const speech = speechFor(settings, [], TASK.problem)!;
  for (const name of ['overflow', 'solved', 'overlong'] as const) {
    const script = await scriptOf(name, { settings, speech }, TASK, '[rehearsal-0]');
    const texts = [0, 1, 2, 3, 4, 5].map((turn) => JSON.stringify(script.move(turn, 0)));
    expect(new Set(texts).size).toBe(6);
    for (const text of texts) expect(text).toContain('[rehearsal-0]');
  }
});

test('text that is tokenised again without the end of the turn is found, and the end is not trained', () => {
  const call = (rollout: number, first: number, ids: number[]): Call => ({
    ...{ rollout, script: 'solved', prompt: 1, shown: [7], ids, first, maxTokens: null, temperature: null },
    ...{ route: 'chat', version: 0, text: '' },
  });
  const sequence: Sequence = {
    ...{ tokens: [7, 1, 2, 3, 5, 4], response: 5, mask: [1, 1, 1, 0, 1], logprobs: null, reward: 1 },
    ...{ status: 'completed', removed: false, group: 0, index: 0, stepWise: null, error: null },
  };
  const report = { rollouts: [], trained: [sequence] } as unknown as DriverReport;
  const calls = [call(0, 1, [1, 2, 3, 99]), call(0, 5, [4, 99])];
  const log = { calls, refused: [], judged: 0, dropped: 0, shown: [] };
  const turns = { written: 2, trained: 2 };
  expect(measure(report, log)).toMatchObject({ turns, written: 6, trained: 4, drift: 0, twice: 0 });
  const masked = { ...report, trained: [{ ...sequence, mask: [1, 1, 1, 0, 0] }] };
  expect(measure(masked, log)).toMatchObject({ turns: { written: 2, trained: 1 }, written: 6, trained: 3 });
});

test('log-probabilities that a program computed from logits name no token: replies are looked for', () => {
  const call: Call = {
    ...{ rollout: 0, script: 'solved', prompt: 1, shown: [7], ids: [1, 2, 3], first: 1, maxTokens: null },
    ...{ temperature: null, route: 'generate', version: 0, text: '' },
  };
  const sequence: Sequence = {
    ...{ tokens: [7, 1, 2, 3], response: 3, mask: [1, 1, 1], logprobs: [0, 0, 0], reward: 1, index: 0 },
    ...{ status: 'stop', removed: false, group: 0, stepWise: null, error: null },
  };
  const log = { calls: [call], refused: [], judged: 0, dropped: 0, shown: [] };
  const report = (ids: number[], more: object = {}) =>
    ({ rollouts: [], trained: [{ ...sequence, tokens: [7, ...ids] }], ...more }) as unknown as DriverReport;
  const once = { written: 3, trained: 3, drift: 0, foreign: 0 };
  expect(measure(report([1, 2, 3], { numbered: false }), log)).toMatchObject(once);
  expect(measure(report([1, 9, 3], { numbered: false }), log)).toMatchObject({ trained: 0, drift: 3 });
  // Where they name tokens, zero is the name of none.
  expect(measure(report([1, 2, 3]), log)).toMatchObject({ trained: 0, foreign: 3 });
});

test('a training that begins with another model than the checkpoint of SFT is found, where it is written', () => {
  const launched = (more: object, config: object = {}) =>
    ({
      config: { model: { from: 'sft' }, env: {}, ...config },
      job: { start: '/project', model: { kind: 'folder', path: '/checkpoints/sft' } },
      report: { values: {}, rollouts: [{}], ...more },
    }) as unknown as Launched;
  const found = (one: Launched, table = commandRehearsal) =>
    weightsFindings(one, table).map(({ key }) => key);
  expect(found(launched({ begins: '/checkpoints/sft' }))).toEqual([]);
  expect(found(launched({ begins: '/checkpoints/sft-2' }))).toEqual(['command']);
  expect(found(launched({ begins: 'owner/base' }))).toEqual(['command']);
  const env = { HF_CKPT: 'base' };
  expect(found(launched({ begins: '/project/base' }, { env }))).toEqual(['env.HF_CKPT']);
  // A project that says so may begin with the base model.
  expect(found(launched({ begins: 'owner/base' }, { model: { id: 'owner/base' } }))).toEqual([]);
  const values = { 'hf-checkpoint': 'owner/base' };
  expect(found(launched({ values }), slimeRehearsal)).toEqual(['model']);
  expect(found(launched({ values }, { overrides: values }), slimeRehearsal)).toEqual([
    'overrides.hf-checkpoint',
  ]);
  expect(found(launched({ begins: null }))).toEqual([]);
  expect(uncheckedWeights(launched({ begins: null })).join()).toContain('its model has no name');
});

test('SFT that writes to the folder of RL is found, by whichever key', () => {
  const shares = (sft: object, rl: object = { output: 'fixed', output_folder: 'runs/rl' }) =>
    sharesFolder({ folder: '/project', config: { trainer: { sft, rl } } } as unknown as ResolvedProject);
  expect(shares({ output: 'fixed', output_folder: './runs/rl' })).toBe(true);
  expect(shares({ output: 'fresh', overrides: { output_dir: '/project/runs/rl/sft' } })).toBe(true);
  expect(shares({ output: 'fresh', overrides: { output_dir: '/project/runs' } })).toBe(true);
  expect(shares({ output: 'fixed', output_folder: 'runs/rl-2' })).toBe(false);
  expect(shares({ output: 'fresh', overrides: { save_steps: 5 } })).toBe(false);
  expect(shares({ output: 'fixed', output_folder: 'runs/rl' }, { output: 'fresh' })).toBe(false);
});

test('the driver: options, names that are read, and calls through Ray are as the framework has them', () => {
  const program = join(import.meta.dirname, 'driver_parts.py');
  const { stdout, stderr, status } = spawnSync('python3', [program], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('framework.utils: its own, but for parts that start engines and workers');
  expect(stdout).toContain('framework.broken: a stand-in');
});

/** Parts of a rehearsal: what the stand-in engine answers, what its scripts write, how written and trained tokens are compared, and the driver. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentSettings } from '../../agent/resolve.ts';
import type { DriverReport, Sequence } from '../../app/rehearsal/driver-report.ts';
import { type Call, startEngine } from '../../app/rehearsal/endpoint.ts';
import { measure } from '../../app/rehearsal/measure.ts';
import { scriptOf } from '../../app/rehearsal/scripts.ts';
import { speechFor } from '../../app/rehearsal/speech.ts';
import { engineTokenizer } from '../../app/rehearsal/tokenizer.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { loadProject, type ResolvedProject } from '../../compiler/load.ts';
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

test('the driver: options, names that are read, and calls through Ray are as the framework has them', () => {
  const program = join(import.meta.dirname, 'driver_parts.py');
  const { stdout, stderr, status } = spawnSync('python3', [program], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('framework.utils: its own, but for parts that start engines and workers');
  expect(stdout).toContain('framework.broken: a stand-in');
});

/** The whole way on real parts: rollouts by a scripted endpoint in sandboxes, verdicts, data; one agent cheats. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, solve, turnOf } from '../rig/solver.ts';

let server: ModelServer;
let project: Project;

beforeAll(async () => {
  server = await startModelServer((request) => {
    // The one instance looks for the answer first, the other forgets to solve it.
    if (instanceOf(request) === 0 && turnOf(request) === 0)
      return fenced('git show HEAD~1 ; git log --oneline');
    if (instanceOf(request) === 1) return fenced('echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT');
    return turnOf(request) < 2
      ? fenced(`sed -i 's/^VALUE = .*/VALUE = ${instanceOf(request)}/' m${instanceOf(request)}.py`)
      : solve(request);
  });
  project = rolloutProject({ url: server.url, instances: 3, rollouts: 2 });
});
afterAll(() => server.stop());

const out = (stage: string, name: string) =>
  readFileSync(project.path(`out/tiny/${stage}.train/${name}`), 'utf8');
const lines = (text: string) =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));

test('makes data of what was solved, with a report of each rollout', { timeout: 300_000 }, async () => {
  const build = await commandJson<BuildResult>(project, 'build', 'p.yaml');
  expect(build.outcomes).toMatchObject({ infra: 0 });
  expect(
    lines(out('golden', 'golden.jsonl')).map(
      ({ instance_id, sample }) => `${String(instance_id)}#${String(sample)}`,
    ),
  ).toEqual(['tiny.0#0', 'tiny.0#1', 'tiny.2#0', 'tiny.2#1']);
  expect(lines(out('golden', 'dropped.jsonl'))).toMatchObject([
    { instance_id: 'tiny.1', why: 'reward' },
    { instance_id: 'tiny.1', why: 'reward' },
  ]);
  // The agent's repository has one commit, so the look was in vain.
  const [cheat] = lines(out('golden', 'leaks.jsonl'));
  expect(cheat).toMatchObject({ findings: [{ step: 0, rule: 'git-history', severity: 'attempt' }] });
  const rows = lines(out('sft-data', 'sft.jsonl'));
  expect(rows).toHaveLength(4);
  expect(JSON.stringify(rows)).toContain('<function=submit>');
  expect(out('sft-data', 'README.md')).toContain('| scripted@1 | 4 |');

  const seed = ['--set', 'trainer.sft.balance.seed=5'];
  const again = await commandJson<BuildResult>(project, 'build', 'p.yaml', ...seed);
  const ran = again.stages.filter(({ executed }) => executed > 0).map(({ stage }) => stage.split('.')[0]);
  // With another order in balanced.jsonl the data is written anew; nothing before the choice is touched.
  expect(['balance', 'sft-data', 'report']).toEqual(expect.arrayContaining(ran));
  expect(ran).toContain('balance');
  expect((await command(project, 'why', 'balance.train', ...seed)).stdout).toContain('seed');
  // Without that setting the first answer holds, and the later one explains nothing of it.
  expect((await command(project, 'why', 'balance.train')).stdout).not.toContain('seed');
});

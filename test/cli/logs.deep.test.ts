/** `logs` of items that share an answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

test('the log of an item that took the answer of another, and whose it is', {
  timeout: 300_000,
}, async () => {
  const server = await startModelServer((request) => solve(request, 2));
  // Tests that take a while are still running when the second patch, the same one, comes to be graded.
  const project = rolloutProject({ url: server.url, instances: 1, rollouts: 3, seconds: 3 });
  try {
    const built = await project.build('p.yaml', 'grade');
    expect(built.stages.find(({ stage }) => stage === 'grade.train')).toMatchObject({
      items: 3,
      executed: 1,
    });
  } finally {
    await server.stop();
  }
  const { code, stdout } = await project.run('logs', '--json', 'grade.train@*');
  expect(code).toBe(0);
  const logs = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string | null>);
  expect(logs.map(({ item }) => item)).toEqual([0, 1, 2].map((sample) => `grade.train@tiny.0#${sample}`));
  expect(new Set(logs.map(({ log }) => log)).size).toBe(1);
  expect(logs[0]!.log).toContain('== verdict · reward 1');
  const own = logs.find(({ answerOf }) => answerOf === null)!;
  const others = logs.filter((log) => log !== own);
  expect(others.map(({ answerOf }) => answerOf)).toEqual([own.item, own.item]);
  const shown = await project.run('logs', others[0]!.item!);
  expect(shown.stdout.split('\n')[0]).toContain(` · answer of ${own.item}, which has the same key`);

  // A project of another name that shares the cache.
  writeFileSync(
    project.path('q.yaml'),
    readFileSync(project.path('p.yaml'), 'utf8').replace('name: tiny', 'name: other'),
  );
  expect(await project.build('q.yaml', 'grade')).toMatchObject({ executed: 0 });
  const other = await project.run('logs', '--project', 'q.yaml', own.item!);
  expect(other.stdout).toContain(` · answer of tiny/${own.item}, which has the same key`);
});

/** A repository that loses the commit of a task between its validation and its grading takes nobody's reward, and ends no rollout as an answer. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test('a commit that is gone', { timeout: 300_000 }, async () => {
  const project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    return execFileSync('git', [...identity, ...args], {
      cwd: project.path('repo'),
      encoding: 'utf8',
    }).trim();
  };
  // Environment and task at commits of their own.
  const first = git('rev-parse', 'HEAD');
  writeFileSync(project.path('repo/more.txt'), 'more');
  git('add', '-A');
  git('commit', '-qm', 'more');
  const task = git('rev-parse', 'HEAD');
  const row = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8')) as object;
  const sources = { source: `git+./repo@${task}`, environment_source: `git+./repo@${first}` };
  writeFileSync(project.path('rows.jsonl'), `${JSON.stringify({ ...row, ...sources })}\n`);
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle }\n');
  expect(await project.build('p.yaml')).toMatchObject({ code: 0 });

  git('reset', '-q', '--hard', first);
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  for (const gone of ['sources/git', 'layers/trees', 'layers/pool'])
    rmSync(project.path(`.swemake/${gone}`), { recursive: true, force: true });
  const lastOf = (stage: string) => {
    const ends = project.events().filter((event) => event.type === 'item-finished');
    return ends.filter((event) => event.stage === stage).at(-1)!.outcome;
  };
  await project.build('p.yaml', '--set', 'grading.timeout=50');
  expect(lastOf('grade.train')).toMatchObject({ status: 'infra' });
  await project.build('p.yaml', 'rollouts', '--force', 'rollouts');
  expect(lastOf('rollouts.train')).toMatchObject({ status: 'infra', reason: 'source-fetch' });
});

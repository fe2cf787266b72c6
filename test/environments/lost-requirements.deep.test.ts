/**
 * A commit that the repository lacks. If only requirements are read at it, the instance's own are read. If it is the instance's
 * own, it is the row's answer, and no fault of the machine.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

const LOST = '0123456789'.repeat(4);

test('requirements of a commit that is not there are those of the instance, and the log says so', async () => {
  const { project, build } = lackingProject();
  expect((await build(project.commit, 'environments')).outcomes).toMatchObject({ ok: 2, failed: 0 });
  const { stdout } = await project.run('logs', 'environments.train@*', '--project', 'p.yaml');
  expect(stdout).toContain(`== note: there is no git+./repo@${LOST}; requirements files are those of`);
}, 300_000);

test('without its own commit the environment has failed, and so have its instances', async () => {
  const { project, build } = lackingProject();
  expect((await build(LOST, 'validate')).outcomes).toMatchObject({ failed: 2, infra: 0 });
  const reasons = project
    .events()
    .filter(({ type, stage }) => type === 'item-finished' && stage !== 'dataset.train')
    .map(({ outcome }) => (outcome as { reason: string }).reason);
  expect(reasons).toEqual(['invalid-row', 'environment-failed']);
  // It is an answer, and kept.
  expect(await build(LOST, 'validate')).toMatchObject({ executed: 0 });
}, 300_000);

/** A project of one row of SWE-bench whose requirements are named at a commit that is not there. */
function lackingProject() {
  const made = tinyProject({
    instances: 1,
    recipe: '      packages: [requirements.txt]',
    files: { 'requirements.txt': '' },
  });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: made.path('repo'), encoding: 'utf8' });
  const project = Object.assign(made, { commit: commit.trim() });
  const dataset = {
    source: 'rows.jsonl',
    format: 'swe-bench',
    sources: { 'owner/tiny': 'git+./repo@{commit}' },
  };
  const build = (base_commit: string, target: string) => {
    const row = {
      instance_id: 'owner__tiny-1',
      repo: 'owner/tiny',
      base_commit,
      environment_setup_commit: LOST,
      version: '1',
      patch: 'diff --git a/m0.py b/m0.py\n--- a/m0.py\n+++ b/m0.py\n@@ -1 +1 @@\n-VALUE = 0\n+VALUE = 1\n',
      test_patch: '',
      FAIL_TO_PASS: '["test_value (test_m0.Test)"]',
      PASS_TO_PASS: '["test_other (test_m0.Test)"]',
      problem_statement: 'm0 is wrong',
    };
    writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
    return project.build('p.yaml', '--set', `dataset.train=${JSON.stringify(dataset)}`, target);
  };
  return { project, build };
}

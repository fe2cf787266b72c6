/** What `--force` names is made, also where the targets would leave it out; a target that cannot be made is explained. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

test('forced items are made beside the targets', { timeout: 240_000 }, async () => {
  const project = tinyProject({ instances: 3 });
  const build = (...args: string[]) => commandJson<BuildResult>(project, 'build', 'p.yaml', ...args);
  const validated = ({ stages }: BuildResult) =>
    stages.find(({ stage }) => stage === 'validate.train')!.executed;
  expect(validated(await build('validate.train@tiny.0'))).toBe(1);
  expect(validated(await build('validate.train@tiny.0', '--force', 'validate.train@tiny.[01]'))).toBe(2);
  expect(validated(await build('validate.train@tiny.0', '--force', 'validate.train'))).toBe(3);
  const typo = await command(project, 'build', 'p.yaml', '--force', 'validate.train@tiny.7');
  expect([typo.code, typo.stderr]).toEqual([
    2,
    expect.stringContaining('no item matches "validate.train@tiny.7"'),
  ]);
});

test('a sample of a task that is not sound is no typo', { timeout: 240_000 }, async () => {
  const project = rolloutProject({ url: 'http://127.0.0.1:9/v1', instances: 1 });
  const row = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8')) as Record<string, unknown>;
  const unsound = { ...row, FAIL_TO_PASS: row.PASS_TO_PASS, PASS_TO_PASS: [] };
  writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(unsound)}\n`);
  const { code, stderr } = await command(project, 'build', 'p.yaml', 'grade.train@tiny.0#0');
  expect([code, stderr]).toEqual([2, expect.stringContaining('"grade.train@tiny.0#0" is not made')]);
  expect(stderr).toContain('validate.train@tiny.0 is failed no-failing-test: ');
});

/** Rows that bring a script of their own: graded by it where the project says so, by the rules that hold for any command. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

const script = (tests: string) =>
  [
    '#!/bin/bash',
    'set -uxo pipefail',
    'source /opt/miniconda3/bin/activate',
    'conda activate testbed',
    'cd /testbed',
    'git show',
    `git checkout ${'a'.repeat(40)} test_m0.py`,
    ": '>>>>> Start Test Output'",
    tests,
    ": '>>>>> End Test Output'",
    `git checkout ${'a'.repeat(40)} test_m0.py`,
    '',
  ].join('\n');

const CHECK = 'python -m unittest -v "$@"';

test('a row’s script runs its tests, its text is in the key, and a patch cannot change what it runs', async () => {
  const project = tinyProject({
    instances: 2,
    recipe: '      eval_script: true\n',
    files: { 'check.sh': `${CHECK}\n` },
  });
  const [first, second] = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const write = (tests: string) =>
    writeFileSync(
      project.path('rows.jsonl'),
      `${JSON.stringify({ ...JSON.parse(first!), eval_script: script(tests) })}\n${second}\n`,
    );
  // It solves the task, and would make any test pass.
  const change = (file: string, was: string, now: string) =>
    `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-${was}\n+${now}\n`;
  const patch = change('m0.py', 'VALUE = -1', 'VALUE = 0') + change('check.sh', CHECK, 'echo all is well');
  writeFileSync(project.path('theirs.json'), JSON.stringify({ 'tiny.0': { model_patch: patch } }));
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(
    project.path('p.yaml'),
    `${text}evaluation: { dataset: train, predictions: { theirs: [theirs.json] } }\n`,
  );
  write('bash check.sh test_m0');
  const end = await project.build('p.yaml', 'validate', 'grade.train@tiny.0*');
  expect(end.stages.find(({ stage }) => stage === 'validate.train')!.outcomes).toMatchObject({ ok: 2 });
  expect(end.stages.find(({ stage }) => stage === 'grade.train')!.outcomes).toMatchObject({ ok: 1 });
  const log = async (item: string) => (await project.run('logs', item, '--project', 'p.yaml')).stdout;
  expect(await log('validate.train@tiny.0')).toContain('+ bash check.sh test_m0');
  expect(await log('grade.train@tiny.0*')).toMatch(/check\.sh/);
  expect(await log('validate.train@tiny.1')).not.toContain('+ ');

  write('bash -c "bash check.sh test_m0"');
  const edited = await project.build('p.yaml', 'validate');
  expect(edited.stages.find(({ stage }) => stage === 'validate.train')).toMatchObject({ executed: 1 });
});

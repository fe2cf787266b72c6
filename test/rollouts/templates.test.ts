/** A template that cannot be rendered is told before anything is built. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rolloutProject } from '../rig/rollout-project.ts';

test('by name and variable, with code 2, and no endpoint is asked', { timeout: 240_000 }, async () => {
  const project = rolloutProject({ url: 'http://127.0.0.1:9/v1', instances: 1 });
  const path = project.path('p.yaml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace('  rollouts: 1', '  rollouts: 1\n  templates: { observation: "{{ output.outpt }}" }'),
  );
  const end = await project.run('build', 'p.yaml');
  expect(end.code).toBe(2);
  expect(end.stderr).toMatch(/E133 +template observation: .*outpt/);
});

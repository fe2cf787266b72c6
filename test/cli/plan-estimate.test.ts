/** `plan` says how long what it would run took before; nothing where nobody knows. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { roughly } from '../../app/plan-estimate.ts';
import { command, commandJson } from '../rig/command.ts';
import { Project } from '../rig/project.ts';

test('from the times of earlier answers', async () => {
  const project = new Project();
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: times\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
  writeFileSync(project.path('rows.jsonl'), '');
  const first = await command(project, 'plan', 'p.yaml');
  expect(first.stdout).toContain('environments.train        0');
  await command(project, 'build', 'p.yaml');
  writeFileSync(project.path('rows.jsonl'), '\n\n');
  const second = await command(project, 'plan', 'p.yaml', '--force', 'dataset');
  expect(second.stdout).toContain(
    'would run 1 action now, about 1 s (from earlier runs), and 3 stages are not known yet; only dataset.train',
  );
  const known = await commandJson<{ estimateMs: number | null }>(
    project,
    'plan',
    'p.yaml',
    '--force',
    'dataset',
  );
  expect(known.estimateMs).toBeGreaterThanOrEqual(0);
});

test.each([
  [3, '1 s'],
  [89_000, '89 s'],
  [170_000, '3 min'],
  [3 * 3_600_000, '3 h'],
])('%d ms is about %s', (milliseconds, text) => expect(roughly(milliseconds)).toBe(text));

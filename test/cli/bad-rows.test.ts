import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import { Project } from '../rig/project.ts';

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => rmSync(project.folder, { recursive: true, force: true }));

const good = (instance_id: string) => ({
  instance_id,
  repo: 'me/x',
  source: `git+https://example.org/x@${'c'.repeat(40)}`,
  patch: 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
  FAIL_TO_PASS: ['t'],
  PASS_TO_PASS: [],
});

function write(...rows: object[]): void {
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: bad\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
}

test('a build counts bad rows, and logs list them', async () => {
  write(good('a'), { ...good('b'), patch: 'x' }, { instance_id: 'c/d' }, good('a'));
  const end = await command(project, 'build', 'p.yaml', 'dataset');
  expect(end.code).toBe(0);
  expect(end.stdout).toMatch(/dataset\.train +3 bad rows, left out: line 2: patch: is not a unified diff/);
  expect(end.stdout).toContain('swemake logs dataset.train');
  const logs = await command(project, 'logs', 'dataset.train', '--project', 'p.yaml');
  expect(logs.stdout.match(/^line \d+: .*$/gm)).toEqual([
    'line 2: patch: is not a unified diff',
    'line 3: instance_id: may not hold "/"',
    'line 4: instance_id: is there twice, first in row 1',
  ]);
  expect(await commandJson(project, 'build', 'p.yaml', 'dataset')).toMatchObject({
    executed: 0,
    badRows: [{ address: 'dataset.train', count: 3, first: { line: 2, field: 'patch' } }],
  });
});

test('rows without fault are no word', async () => {
  write(good('a'));
  expect((await command(project, 'build', 'p.yaml', 'dataset')).stdout).not.toContain('bad row');
});

test('a dataset of which no row can be read is not made', async () => {
  write({ instance_id: 'a' }, { instance_id: 'b' });
  const end = await command(project, 'build', 'p.yaml');
  expect(end.code).toBe(1);
  expect(end.stdout).toMatch(
    /failed invalid-row: none of its 2 rows can be read; its columns are instance_id; line 1: repo: is missing/,
  );
  expect((await command(project, 'build', 'p.yaml')).code).toBe(1);
  write(good('a'), { instance_id: 'b' });
  expect((await command(project, 'build', 'p.yaml', 'dataset')).code).toBe(0);
});

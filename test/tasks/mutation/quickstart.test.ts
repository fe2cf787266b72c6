import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import { loadProject } from '../../../compiler/load.ts';
import { fileOfId } from '../../../patches/test-files.ts';
import { touchedFiles } from '../../../patches/touched.ts';
import { PYTHON_KINDS } from '../../../tasks/mutation/kinds.ts';
import { type MutationRow, readMutationRow } from '../../../tasks/mutation/row.ts';

const folder = join(packageRoot(), 'projects');
const path = join(folder, 'quickstart.jsonl');
const rows = readFileSync(path, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as MutationRow);
const broken = rows.filter(({ instance_id }) => instance_id.includes('.expect-'));

describe('the quickstart project', () => {
  it('is a project without warnings', async () => {
    const project = await loadProject(join(folder, 'quickstart.yaml'), { env: {}, cwd: folder });
    expect(project.ok && project.value.warnings).toEqual([]);
  });

  it('has rows that can be read, each with an id of its own', () => {
    const results = rows.map((row, index) => readMutationRow({ line: index + 1, row: { ...row } }));
    expect(results.filter((result) => !result.ok)).toEqual([]);
    expect(new Set(rows.map(({ instance_id }) => instance_id)).size).toBe(rows.length);
  });

  it('has at least 24 good tasks over at least 5 packages and many kinds of bugs', () => {
    const good = rows.filter((row) => !broken.includes(row));
    expect(good.length).toBeGreaterThanOrEqual(24);
    expect(new Set(good.map((row) => row.package)).size).toBeGreaterThanOrEqual(5);
    expect(new Set(good.map((row) => row.mutation.kind)).size).toBeGreaterThanOrEqual(10);
    expect(good.filter((row) => !PYTHON_KINDS.some((kind) => kind === row.mutation.kind))).toEqual([]);
  });

  it('says of each broken task what is to be expected, and of no other', () => {
    expect(rows.filter((row) => row.note !== undefined)).toEqual(broken);
    expect(broken.filter((row) => !row.note?.startsWith('Expected: '))).toEqual([]);
  });

  it('pins every source and stays small', () => {
    expect(rows.filter((row) => row.sha256 === undefined)).toEqual([]);
    expect(Math.max(...rows.map((row) => row.PASS_TO_PASS.length))).toBeLessThanOrEqual(60);
    expect(statSync(path).size).toBeLessThan(400_000);
  });

  it('lists tests of the test patch only where there is one, since only those are run', () => {
    for (const row of rows.filter(({ test_patch }) => test_patch !== undefined)) {
      const added = touchedFiles(row.test_patch!).map((file) => file.path);
      const files = [...row.FAIL_TO_PASS, ...row.PASS_TO_PASS].map(fileOfId);
      expect(new Set(files)).toEqual(new Set(added));
    }
  });

  it('lists no test twice', () => {
    for (const row of rows) {
      const ids = [...row.FAIL_TO_PASS, ...row.PASS_TO_PASS];
      expect(new Set(ids).size, row.instance_id).toBe(ids.length);
    }
  });
});

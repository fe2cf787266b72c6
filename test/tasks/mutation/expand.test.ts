import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fault, success } from '../../../basics/result.ts';
import { testFiles } from '../../../patches/test-files.ts';
import { infra } from '../../../schemas/outcome.ts';
import { type ExpandDeps, expandMutationRows } from '../../../tasks/mutation/expand.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { temporaryFolder } from '../../rig/folder.ts';

const found = await findInterpreter(null, { env: process.env });
const python = found.ok ? found.value.executable : '/usr/bin/python3';
const pinned = { spec: 'pypi:toy==1.0', digest: `sha256:${'1'.repeat(64)}` };

const ROW = {
  instance_id: 'pypi__toy.1.0.increase_constant__1',
  repo: 'pypi/toy',
  package: 'toy',
  version: '1.0',
  mutation: { file: 'toy.py', function: 'f', kind: 'increase_constant', index: 0 },
  FAIL_TO_PASS: ['test_toy.py::test_f'],
  PASS_TO_PASS: [],
  problem_statement: 'f() is wrong',
};

describe('rows of the format mutation', () => {
  it('become instances whose patch makes the bug', async () => {
    const [instance] = (await expanded([ROW])).instances;
    expect(instance).toMatchObject({
      instance_id: ROW.instance_id,
      source: pinned,
      environment_source: pinned,
      environment_name: 'pypi/toy@1.0',
      version: '1.0',
      patch_role: 'bug',
      test_patch: '',
      hints_text: '',
      recipe: {},
      raw: ROW,
    });
    expect(instance?.patch).toBe(
      'diff --git a/toy.py b/toy.py\n--- a/toy.py\n+++ b/toy.py\n' +
        '@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n',
    );
  });

  it('keep what they say of recipe and tests', async () => {
    const row = {
      ...ROW,
      test_patch: 'diff',
      hints_text: 'hint',
      recipe: { python: '3.11' },
      note: 'free text',
    };
    const [instance] = (await expanded([row])).instances;
    expect(instance).toMatchObject({ test_patch: 'diff', hints_text: 'hint', recipe: { python: '3.11' } });
  });

  it('may have hidden tests, which come with a file of their own and are in no copy of the row', async () => {
    const diff = 'diff --git a/test_h.py b/test_h.py\nnew file mode 100644\n--- /dev/null\n+++ b/test_h.py\n';
    const hidden = { HIDDEN_TESTS: ['test_h.py::t'], hidden_test_patch: `${diff}@@ -0,0 +1 @@\n+a\n` };
    const clash = {
      ...hidden,
      instance_id: 'clash',
      hidden_test_patch: diff.replaceAll('test_h', 'test_toy'),
    };
    const { instances, bad } = await expanded([
      { ...ROW, ...hidden },
      { ...ROW, ...clash },
    ]);
    expect(instances).toMatchObject([
      {
        FAIL_TO_PASS: ['test_toy.py::test_f', 'test_h.py::t'],
        test_patch: hidden.hidden_test_patch,
        tests_in_source: true,
        raw: ROW,
      },
    ]);
    expect(testFiles(instances[0]!).hidden).toEqual(['test_toy.py']);
    expect(bad).toMatchObject([{ instance_id: 'clash', field: 'hidden_test_patch' }]);
  });

  it('are bad one by one, and the others keep their order', async () => {
    const gone = { ...ROW, instance_id: 'gone', mutation: { ...ROW.mutation, index: 9 } };
    const unpublished = { ...ROW, instance_id: 'unpublished', version: '9.9' };
    const wrong = { ...ROW, instance_id: 'wrong', FAIL_TO_PASS: '["a"]' };
    const { FAIL_TO_PASS: _, ...missing } = { ...ROW, instance_id: 'missing' };
    const last = { ...ROW, instance_id: 'last' };
    const { instances, bad } = await expanded([gone, ROW, unpublished, wrong, missing, last]);
    expect(instances.map(({ instance_id }) => instance_id)).toEqual([ROW.instance_id, 'last']);
    expect(bad.map(({ line, instance_id, field }) => [line, instance_id, field])).toEqual([
      [10, 'gone', 'mutation'],
      [12, 'unpublished', 'package'],
      [13, 'wrong', 'FAIL_TO_PASS'],
      [14, 'missing', 'FAIL_TO_PASS'],
    ]);
    expect(bad[0]?.message).toBe('toy.py has no increase_constant number 9 in f');
  });

  it('open each source once, with the pin of the row', async () => {
    const opened: unknown[] = [];
    const deps = depsWith((spec, sha256) => opened.push([spec, sha256]));
    const pin = 'a'.repeat(64);
    const rows = [ROW, { ...ROW, instance_id: 'b' }, { ...ROW, instance_id: 'c', sha256: pin }];
    await expandMutationRows(rows.map(numbered), deps);
    expect(opened).toEqual([
      ['pypi:toy==1.0', null],
      ['pypi:toy==1.0', pin],
    ]);
  });

  it('pass on a fault of the network', async () => {
    const lost = infra('package-index', 'no answer');
    const deps = { ...depsWith(), openSource: async () => fault(lost) };
    expect(await expandMutationRows([numbered(ROW, 0)], deps)).toEqual(fault(lost));
  });

  it('pass on that there is no Python', async () => {
    const result = await expandMutationRows([numbered(ROW, 0)], {
      ...depsWith(),
      python: '/nowhere/python3',
    });
    expect(result).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'python-missing' } });
  });
});

async function expanded(rows: Record<string, unknown>[]) {
  const result = await expandMutationRows(rows.map(numbered), depsWith());
  if (!result.ok) throw new Error(result.fault.detail);
  return result.value;
}

function numbered(row: Record<string, unknown>, index: number) {
  return { line: 10 + index, row };
}

function depsWith(opened: (spec: string, sha256: string | null) => unknown = () => {}): ExpandDeps {
  const folder = join(temporaryFolder(), 'toy');
  mkdirSync(folder);
  writeFileSync(join(folder, 'toy.py'), 'def f():\n    return 1\n');
  return {
    python,
    async openSource(spec, sha256) {
      opened(spec, sha256);
      if (spec === pinned.spec) return success({ pinned, folder });
      return fault({ status: 'failed', reason: 'invalid-row', detail: `${spec} is not on the index` });
    },
  };
}

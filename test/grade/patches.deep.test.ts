/** What patches can be, honest and not: applied by the known ways, refused, or cut down; each really graded. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diffOf, type Files, GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TIME = { timeout: 170_000 };
const FIX = diffOf(SOLUTION);

/** Compiled code that Python takes without looking at its source. */
function unchecked(source: string): { tag: string; bytes: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-pyc-'));
  try {
    writeFileSync(join(folder, 'm.py'), source);
    const code = [
      'import py_compile, sys',
      'mode = py_compile.PycInvalidationMode.UNCHECKED_HASH',
      'py_compile.compile("m.py", "m.pyc", invalidation_mode=mode)',
      'print(sys.implementation.cache_tag)',
    ].join('\n');
    const tag = execFileSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8' }).trim();
    return { tag, bytes: readFileSync(join(folder, 'm.pyc')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A part of a patch that makes a new file, as git writes it. */
function newFile(path: string, lines: string[], mode = '100644'): string {
  const added = lines.map((line) => `+${line}\n`).join('');
  return `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${added}`;
}

describe.skipIf(box === null)('a patch', () => {
  let task: GradedTask;
  const made = (options: ConstructorParameters<typeof GradedTask>[2] = {}) =>
    new GradedTask(box!.deployment, environment!, options);
  beforeAll(async () => {
    task = made();
    await task.validate();
  });

  test('that solves the task is rewarded, and the empty one is not', TIME, async () => {
    expect(await task.grade(FIX)).toMatchObject({ reward: 1, resolved: true, reason: null, integrity: [] });
    for (const empty of ['', '\n', ' \n\t'])
      expect(await task.grade(empty)).toMatchObject({ reward: 0, reason: 'empty-patch' });
  });

  test('that does nothing for it is not', TIME, async () => {
    const verdict = await task.grade(task.diff({ 'pkg/util.py': 'HELP = "more"\n' }));
    expect(verdict).toMatchObject({ reward: 0, reason: 'not-resolved', partial: false, integrity: [] });
    expect(verdict.detail).toContain('test_value');
  });

  test('with tests and notes of its own is rewarded, and these are put back', TIME, async () => {
    const changes = { ...SOLUTION, 'tests/test_mine.py': 'def test_it(): assert 0\n', 'NOTES.md': 'done\n' };
    expect(await task.grade(task.diff(changes))).toMatchObject({
      reward: 1,
      integrity: [],
      patch: { files: 3, dropped: ['tests/test_mine.py'] },
    });
  });

  test(
    'may be fuzzy, without git’s headers, without its last newline, in the tree already',
    TIME,
    async () => {
      const plain = FIX.replace(/^(diff --git|index).*\n/gm, '');
      const moved = plain.replace(/@@ -1,\d+ \+1,\d+ @@/, (hunk) => hunk.replaceAll('1,', '9,'));
      const stale = FIX.replace(' def other():', ' def another():');
      for (const diff of [plain, moved, stale, FIX.trimEnd(), `Here it is:\n\n${FIX}`])
        expect(await task.grade(diff), diff).toMatchObject({ reward: 1 });
      const twice = made({ files: { ...REPOSITORY, ...SOLUTION }, solution: { 'pkg/util.py': '' } });
      expect(await twice.grade(FIX)).toMatchObject({ reward: 1 });
    },
  );

  test('that does not fit says why', TIME, async () => {
    const verdict = await task.grade(FIX.replace('return -1', 'return 77').replaceAll('core', 'gone'));
    expect(verdict).toMatchObject({ reward: 0, reason: 'patch-does-not-apply' });
    expect(verdict.detail).toMatch(/gone\.py/);
    const garbage = await task.grade('I could not find the bug.\n');
    expect(garbage).toMatchObject({ reward: 0, reason: 'patch-does-not-apply' });
  });

  test('solves by deleting, renaming, modes, binary files, CRLF and odd names', {
    timeout: 170_000,
  }, async () => {
    const code = 'import json, os, subprocess\nHERE = os.path.dirname(__file__)\n';
    const other = '\n\ndef other():\n    return 2\n';
    const solves = async (files: Files, solution: Files) => {
      const all = { ...REPOSITORY, ...files };
      const one = made({ files: all, solution });
      expect(await one.grade('')).toMatchObject({ reward: 0 });
      expect(await one.grade(one.diff({ 'pkg/util.py': 'X = 1\n' }))).toMatchObject({ reward: 0 });
      expect(await one.grade(one.diff(solution)), one.logs.at(-1)).toMatchObject({ reward: 1 });
    };
    await solves(
      {
        'pkg/core.py': `${code}def value():\n    return -1 if os.path.exists(HERE + '/stale.txt') else 1\n${other}`,
        'pkg/stale.txt': 'stale\n',
      },
      { 'pkg/stale.txt': null },
    );
    await solves(
      {
        'pkg/core.py': `${code}def value():\n    return json.load(open(HERE + '/new name ü.json'))\n${other}`,
        'pkg/old.json': '1\n',
      },
      { 'pkg/old.json': null, 'pkg/new name ü.json': '1\n' },
    );
    await solves(
      {
        'pkg/core.py': `${code}def value():\n    return open(HERE + '/data.bin', 'rb').read().count(0)\n${other}`,
        'pkg/data.bin': Buffer.from([1, 2, 255, 0, 0, 254]),
      },
      { 'pkg/data.bin': Buffer.from([255, 0, 13, 10, 200]) },
    );
    await solves(
      { 'pkg/core.py': `def value():\r\n    return -1\r\n\r\n\r\ndef other():\r\n    return 2\r\n` },
      { 'pkg/core.py': `def value():\r\n    return 1\r\n\r\n\r\ndef other():\r\n    return 2\r\n` },
    );
  });

  test('that renames, changes a mode or copies is applied', TIME, async () => {
    const code =
      'import os\nP = os.path.dirname(__file__)\ndef value():\n    return 1 if os.access(P + "/b.sh", os.X_OK) else -1\n\n\ndef other():\n    return 2\n';
    const one = made({ files: { ...REPOSITORY, 'pkg/core.py': code, 'pkg/a.sh': 'true\n' } });
    const rename =
      'diff --git a/pkg/a.sh b/pkg/b.sh\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from pkg/a.sh\nrename to pkg/b.sh\n';
    expect(await one.grade(rename)).toMatchObject({ reward: 1, patch: { files: 2, dropped: [] } });
    expect(await one.grade(rename.replace(/old mode.*\nnew mode.*\n/, ''))).toMatchObject({ reward: 0 });
  });

  test('with links out of the repository is graded without them', TIME, async () => {
    for (const target of ['/etc/passwd', '../../tmp']) {
      const verdict = await task.grade(`${FIX}${newFile('pkg/link', [target], '120000')}`);
      expect(verdict, target).toMatchObject({ reward: 1, patch: { dropped: ['pkg/link'] } });
      expect(verdict.integrity).toMatchObject([{ rule: 'patch-links', effect: 'dropped' }]);
    }
  });

  test('with names out of the repository is refused', TIME, async () => {
    const refused: [string, string][] = [
      ['patch-escapes', newFile('../escape.py', ['x = 1'])],
      ['patch-escapes', newFile('pkg/../../escape.py', ['x = 1'])],
      ['patch-escapes', '--- /dev/null\n+++ /tmp/escape.py\n@@ -0,0 +1 @@\n+x = 1\n'],
      ['patch-escapes', newFile('.git/hooks/post-checkout', ['#!/bin/sh', 'true'], '100755')],
      ['patch-escapes', newFile('pkg/.GIT/config', ['[core]'])],
    ];
    for (const [rule, part] of refused) {
      const verdict = await task.grade(`${FIX}${part}`);
      expect(verdict, part).toMatchObject({ reward: 0, reason: 'patch-refused' });
      expect(verdict.integrity).toMatchObject([{ rule, effect: 'refused' }]);
    }
  });

  test('of 50 MB is refused unread', TIME, async () => {
    const lines = Array.from({ length: 500_000 }, (_, index) => `x${index} = "${'y'.repeat(90)}"`);
    const verdict = await task.grade(`${FIX}${newFile('pkg/big.py', lines)}`);
    expect(verdict).toMatchObject({ reward: 0, reason: 'patch-refused' });
    expect(verdict.integrity).toMatchObject([{ rule: 'patch-too-large', effect: 'refused' }]);
    expect(verdict.patch.bytes).toBeGreaterThan(50_000_000);
  });

  test(
    'for ed, or with names that only GNU patch reads, runs nothing and touches no other file',
    TIME,
    async () => {
      const ed =
        '--- pkg/core.py\n+++ pkg/core.py\n1c\n!touch /tmp/owned; cp /tmp/owned tests/test_core.py\n.\nw\n';
      expect((await task.grade(ed)).reward).toBe(0);
      const index = `Index: tests/test_core.py\n*** tests/test_core.py\n${FIX.replace(/^(diff --git|index).*\n/gm, '')}`;
      expect(await task.grade(index)).toMatchObject({ reward: 1, integrity: [] });
    },
  );

  test('with compiled code in place of a source is cut down', TIME, async () => {
    const { tag, bytes } = unchecked('def same(a, b):\n    return True\n');
    const changes = { [`tests/__pycache__/helpers.${tag}.pyc`]: bytes };
    const attack = task.diff(changes);
    // With something of the repository's own in the folder, which else is taken for a leftover.
    const open = made({ files: { ...REPOSITORY, 'tests/__pycache__/note': 'x\n' } });
    open.setup.protection = {
      tests: [],
      helpers: [],
      folders: [],
      beside: () => [],
      starters: [],
      data: [],
      given: new Set(),
      namesOf: () => [],
      textOf: () => null,
      solution: new Set(),
      settings: [],
      growing: { has: () => false, isGrown: () => false },
      reasonOf: () => null,
    };
    expect(await open.grade(attack), 'it would work').toMatchObject({ reward: 1 });
    const alone = await task.grade(attack);
    expect(alone).toMatchObject({ reward: 0, reason: 'empty-patch', integrity: [{ rule: 'bytecode' }] });
    expect(await task.grade(task.diff({ ...changes, ...SOLUTION }))).toMatchObject({
      reward: 1,
      integrity: [{ rule: 'bytecode', effect: 'dropped' }],
    });
  });

  test('is graded with the hidden tests, whatever it put in their place', TIME, async () => {
    const files = { ...REPOSITORY };
    delete files['tests/test_core.py'];
    const testPatch = diffOf({ 'tests/test_core.py': REPOSITORY['tests/test_core.py']! }, files);
    const hidden = made({ files, testPatch });
    await hidden.validate();
    expect(await hidden.grade(diffOf(SOLUTION, files))).toMatchObject({ reward: 1 });
    const own = { 'tests/test_core.py': 'def test_value(): pass\ndef test_other(): pass\n' };
    expect(await hidden.grade(diffOf(own, files))).toMatchObject({
      reward: 0,
      reason: 'empty-patch',
      integrity: [{ rule: 'tests-edited' }],
    });
    expect(await hidden.grade(diffOf({ ...own, ...SOLUTION }, files))).toMatchObject({ reward: 1 });
  });

  test('may change what the solution changes', TIME, async () => {
    const solution = { ...SOLUTION, 'setup.cfg': '[tool:pytest]\naddopts = -ra\nmarkers = slow\n' };
    const free = made({ solution });
    await free.validate();
    expect(await free.grade(free.diff(solution))).toMatchObject({ reward: 1, integrity: [] });
    // Where a file is free, what it makes of the runner is held against the gold runs.
    const plugin = { 'setup.cfg': '[tool:pytest]\naddopts = -ra -p pkg.plugin\n', 'pkg/plugin.py': '' };
    expect(await free.grade(free.diff({ ...SOLUTION, ...plugin }))).toMatchObject({
      reward: 0,
      reason: 'tampering',
      integrity: [{ rule: 'runner-modified', effect: 'voided' }, { rule: 'runner-modified' }],
    });
  });

  test('may not change what the project protects', TIME, async () => {
    const { protectionOf } = await import('../../grading/rules/protect.ts');
    const guarded = made();
    guarded.setup.protection = protectionOf(guarded.setup.instance, guarded.setup.testCommand, {
      globs: ['pkg/util*'],
    });
    const changes = { ...SOLUTION, 'pkg/util.py': 'HELP = 1\n' };
    expect(await guarded.grade(guarded.diff(changes))).toMatchObject({
      reward: 1,
      integrity: [{ rule: 'protected-file', effect: 'dropped', detail: 'pkg/util.py' }],
    });
  });
});

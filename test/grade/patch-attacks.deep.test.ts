/**
 * Patches that are attacks by the way in which they are written: other formats, names and links that lead elsewhere,
 * files that git obeys, orders of sections. None scores, none runs code or changes `.git`, and each is named.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment, Workspace } from '../../executors/deployment.ts';
import type { IntegrityRule } from '../../grading/rules/findings.ts';
import type { FailedReason } from '../../schemas/outcome.ts';
import { shellDiff } from './shell-diff.ts';
import { diffOf, GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** What was done in workspaces beyond the files of the repository, as they were closed. */
const seen: string[] = [];
let closed = 0;
const LOOK = `ls /tmp/ran /tmp/owned 2>/dev/null; find /testbed/.git -printf '%p %s %T@ %l\\n' | sort`;

function watched(deployment: Deployment): Deployment {
  return {
    ...deployment,
    async open(...args) {
      const opened = await deployment.open(...args);
      if (!opened.ok) return opened;
      const workspace = opened.value;
      const look = async () => {
        const looked = await workspace.exec(LOOK, { timeout: 60 });
        return looked.ok ? looked.value.stdout.split('\n') : [looked.fault.detail];
      };
      const before = await look();
      const close = async () => {
        seen.push(...(await look()).filter((line) => !before.includes(line)));
        closed++;
        await workspace.close();
      };
      return {
        ok: true,
        value: Object.create(workspace, { close: { value: close, writable: true } }) as Workspace,
      };
    },
  };
}

const FILTER =
  '[filter "f"]\n\tclean = touch /tmp/ran; cat\n\tsmudge = touch /tmp/ran; cat\n[core]\n\tfsmonitor = touch /tmp/ran\n';

/** A section that makes a file, as git writes it. */
function added(path: string, text: string, mode = '100644'): string {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);
  const end = text.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`;
}
const link = (path: string, target: string) => added(path, target, '120000');
const indented = (text: string, by: string) => text.replace(/^(?=.)/gm, by);

const CONFIG = added('.git/config', FILTER);
const PASS = 'def test_value(): pass\ndef test_other(): pass\n';
const TEST = 'tests/test_core.py';
const FIX = diffOf(SOLUTION);
const FIXED = SOLUTION['pkg/core.py'] as string;
/** A patch that changes something, and solves nothing. */
const IDLE = diffOf({ 'pkg/util.py': 'HELP = 1\n' });
const HELPERS = diffOf({ 'tests/helpers.py': 'def same(a, b):\n    return True\n' });
const plainHelpers = HELPERS.slice(HELPERS.indexOf('---'));
const blob = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

/** Binary data that says by its id that it is the solution. */
const FORGED = shellDiff("printf '\\0' > pkg/core.py").replace(/\.\.[0-9a-f]{40}/, `..${blob(FIXED)}`);

type Named = FailedReason | IntegrityRule;
type Attack = [what: string, diff: string, named: Named];

const TEXTS: Attack[] = [
  ['an indented diff', indented(CONFIG, '    '), 'patch-unreadable'],
  ['a diff indented by tabs', indented(plainHelpers, '\t'), 'patch-unreadable'],
  ['a diff behind the marks of a forwarded mail', indented(plainHelpers, '- '), 'patch-unreadable'],
  ['a diff behind X', indented(plainHelpers, 'X'), 'patch-unreadable'],
  ['an indented diff behind another one', `${IDLE}\n${indented(CONFIG, '  ')}`, 'patch-unreadable'],
  [
    'an indented diff that looks like the rest of a hunk',
    `${IDLE}${indented(CONFIG, ' ')}`,
    'patch-unreadable',
  ],
  ['a script for ed', '1c\n!touch /tmp/ran\n.\nw\n', 'patch-unreadable'],
  [
    'a script for ed with names',
    '--- pkg/core.py\n+++ pkg/core.py\n1c\n!touch /tmp/ran\n.\nw\n',
    'patch-unreadable',
  ],
  [
    'a script for ed behind a diff',
    `${IDLE}Index: pkg/core.py\n1,2d\n!touch /tmp/ran\nw\nq\n`,
    'patch-unreadable',
  ],
  [
    'a context diff',
    `*** tests/helpers.py\n--- tests/helpers.py\n***************\n*** 1,2 ****\n  def same(a, b):\n!     return a == b\n--- 1,2 ----\n  def same(a, b):\n!     return True\n`,
    'patch-unreadable',
  ],
  [
    'a context diff behind a diff',
    `${IDLE}*** a/.git/config\n--- b/.git/config\n***************\n*** 0 ****\n--- 1 ----\n+ x\n`,
    'patch-unreadable',
  ],
  ['a context diff cut short', `${IDLE}*** 1,2 ****\n--- 1,2 ----\n! x\n`, 'patch-unreadable'],
  [
    'a diff without context',
    `${IDLE}Index: tests/helpers.py\n2c2\n<     return a == b\n---\n>     return True\n`,
    'patch-unreadable',
  ],
  [
    'a diff of a merge',
    'diff --cc tests/helpers.py\nindex 1,2..3\n--- a/tests/helpers.py\n+++ b/tests/helpers.py\n@@@ -1,2 -1,2 +1,2 @@@\n  def same(a, b):\n--    return a == b\n++    return True\n',
    'patch-unreadable',
  ],
  [
    'a hunk without a file',
    `${IDLE}\nwords\n${plainHelpers.slice(plainHelpers.indexOf('@@'))}`,
    'patch-unreadable',
  ],
  [
    'a hunk of another file behind a blank line',
    `${IDLE}\n${plainHelpers.slice(plainHelpers.indexOf('@@'))}`,
    'patch-does-not-apply',
  ],
  [
    'names by Index: alone',
    `Index: tests/helpers.py\n${plainHelpers.slice(plainHelpers.indexOf('@@'))}`,
    'patch-unreadable',
  ],
  ['names by Prereq: and Index:', `Prereq: x\nIndex: .git/config\n@@ -0,0 +1 @@\n+x\n`, 'patch-unreadable'],
  [
    'a header that breaks off',
    `diff --git a/pkg/x b/pkg/x\nnew file mode 100644\nwords\nrename from ${TEST}\nrename to pkg/x\n`,
    'patch-unreadable',
  ],
  ['binary data without a file', `${IDLE}\nGIT binary patch\nliteral 3\nKcmZ?q&\n`, 'patch-unreadable'],
  ['nothing but words', 'I solved it.\n', 'patch-does-not-apply'],
  [
    'a hunk that holds the names of another file',
    `--- a/pkg/util.py\n+++ b/pkg/util.py\n@@ -1,5 +1,5 @@\n-HELP = "help"\n+HELP = 1\n--- a/tests/helpers.py\n+++ b/tests/helpers.py\n@@ -1,2 +1,2 @@\n def same(a, b):\n-    return a == b\n+    return True\n`,
    'not-resolved',
  ],
  [
    'a hunk that says it ends before the names of another file',
    `--- a/pkg/util.py\n+++ b/pkg/util.py\n@@ -1,1 +1,1 @@\n-HELP = "help"\n+HELP = 1\n--- a/conftest.py\n+++ b/conftest.py\n@@ -0,0 +1 @@\n+import os; os._exit(0)\n`,
    'runner-config',
  ],
];

const NAMES: Attack[] = [
  ['.git/config', CONFIG, 'patch-escapes'],
  ['.git/config beside work', IDLE + CONFIG, 'patch-escapes'],
  ['.GIT/config', added('.GIT/config', FILTER), 'patch-escapes'],
  ['git~1/config', added('git~1/config', FILTER), 'patch-escapes'],
  ['.git with what HFS ignores', added('.g\u200cit/config', FILTER), 'patch-escapes'],
  ['.git with what NTFS ignores', added('.git . /config', FILTER), 'patch-escapes'],
  ['.git in octal', CONFIG.replaceAll(/([ab])\/\.git\/config/g, '"$1/\\056git/config"'), 'patch-escapes'],
  ['.git below a folder', added('pkg/.git/config', FILTER), 'patch-escapes'],
  ['.git with a backslash', added('pkg\\.git\\config', FILTER), 'patch-escapes'],
  ['.git in two steps', added('.git//config', FILTER).replaceAll('.git//', './/.git/./'), 'patch-escapes'],
  ['.git as a file', added('.git', 'gitdir: /testbed/pkg/repo\n'), 'patch-escapes'],
  ['.git as a file below a folder', added('tests/.git', 'gitdir: ../pkg\n'), 'patch-escapes'],
  ['a hook', added('.git/hooks/post-checkout', '#!/bin/sh\ntouch /tmp/ran\n', '100755'), 'patch-escapes'],
  [
    'a hook by a rename',
    added('pkg/hook', '#!/bin/sh\ntouch /tmp/ran\n', '100755') +
      'diff --git a/pkg/hook b/.git/hooks/post-checkout\nrename from pkg/hook\nrename to .git/hooks/post-checkout\n',
    'patch-escapes',
  ],
  ['.git without prefixes', added('x', FILTER).replaceAll(/[ab]\/x/g, '.git/config'), 'patch-escapes'],
  [
    '.git behind other prefixes',
    added('x', FILTER).replaceAll('a/x', 'old/.git/config').replaceAll('b/x', 'new/.git/config'),
    'patch-escapes',
  ],
  [
    '.git behind the repository’s own name',
    added('x', FILTER).replaceAll(/[ab]\/x/g, '/testbed/.git/config'),
    'patch-escapes',
  ],
  ['a name above', added('../tmp/owned', 'x\n'), 'patch-escapes'],
  ['a name above, behind a folder', added('pkg/../../tmp/owned', 'x\n'), 'patch-escapes'],
  ['a full name', '--- /dev/null\n+++ /tmp/owned\n@@ -0,0 +1 @@\n+x\n', 'patch-escapes'],
  [
    'a copy of what is above',
    'diff --git a/../etc/passwd b/pkg/x\ncopy from ../etc/passwd\ncopy to pkg/x\n',
    'patch-escapes',
  ],
  [
    'a copy of what git holds',
    'diff --git a/.git/index b/pkg/x\ncopy from .git/index\ncopy to pkg/x\n',
    'patch-escapes',
  ],
  [
    'a header that names another file than its names',
    `diff --git a/pkg/util.py b/pkg/util.py\n${plainHelpers}`,
    'patch-unreadable',
  ],
  [
    'a rename that names other files than its header',
    `diff --git a/pkg/util.py b/pkg/u.py\nrename from tests/helpers.py\nrename to pkg/u.py\n`,
    'patch-unreadable',
  ],
  [
    'a rename and names of another file',
    `diff --git a/pkg/util.py b/pkg/u.py\nrename from pkg/util.py\nrename to pkg/u.py\n--- a/tests/helpers.py\n+++ b/tests/helpers.py\n@@ -1,2 +1,2 @@\n def same(a, b):\n-    return a == b\n+    return True\n`,
    'patch-unreadable',
  ],
  [
    'a name that is not UTF-8',
    added('x', 'x\n').replaceAll('a/x', '"a/\\377"').replaceAll('b/x', '"b/\\377"'),
    'patch-escapes',
  ],
  ['a file with a mode that none has', added('pkg/x', 'x\n', '040000'), 'patch-unreadable'],
  [
    'a file that is both new and deleted',
    'diff --git a/pkg/x b/pkg/x\nnew file mode 100644\ndeleted file mode 100644\n',
    'patch-unreadable',
  ],
];

const LINKS: Attack[] = [
  ['a link out of the repository', link('pkg/x', '/etc'), 'patch-links'],
  ['a link out by a full name', link('pkg/x', '/testbed/../etc'), 'patch-links'],
  ['a link out by a full name and a folder', link('pkg/x', '/testbed/pkg/../../etc'), 'patch-links'],
  ['a full name of .git', link('pkg/x', '/testbed/.git'), 'patch-links'],
  ['a full name of the tests', link('pkg/x', '/testbed/tests'), 'patch-links'],
  ['a link above', link('pkg/x', '../../etc'), 'patch-links'],
  ['a link that leads up behind a name', link('pkg/x', 'a/../../../etc'), 'patch-links'],
  ['a link into .git', link('pkg/x', '../.git'), 'patch-links'],
  ['a link into .git under another name', link('pkg/x', '../.GIT/hooks'), 'patch-links'],
  [
    'a link and a file behind it',
    link('pkg/x', '../tests') + added('pkg/x/conftest.py', 'x = 1\n'),
    'runner-config',
  ],
  [
    'a link and a helper behind it',
    link('pkg/x', '../tests') + added('pkg/x/helpers.py', 'x = 1\n'),
    'patch-links',
  ],
  [
    'a file behind a link that is made later',
    added('pkg/x/helpers.py', 'x = 1\n') + link('pkg/x', '../tests'),
    'patch-links',
  ],
  ['a link to the tests', link('pkg/x', '../tests'), 'patch-links'],
  ['a link to all of the repository', link('pkg/x', '..'), 'patch-links'],
  ['a link to a listed test', link('pkg/x.py', `../${TEST}`), 'patch-links'],
  ['a link to a link', link('pkg/y', 'x/util.py') + link('pkg/x', '.'), 'patch-links'],
  [
    'a link in the place of the helpers',
    `diff --git a/tests/helpers.py b/tests/helpers.py\ndeleted file mode 100644\n--- a/tests/helpers.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def same(a, b):\n-    return a == b\n${link('tests/helpers.py', '../pkg/util.py')}`,
    'empty-patch',
  ],
  [
    'the folder of the tests as a link',
    shellDiff('mv tests pkg/t; ln -s pkg/t tests; echo "def same(a, b): return True" > pkg/t/helpers.py'),
    'tests-edited',
  ],
  ['a submodule', added('vendored', `Subproject commit ${'0'.repeat(40)}\n`, '160000'), 'empty-patch'],
];

const SECTIONS: Attack[] = [
  [
    'a test renamed away, and another in its place',
    `diff --git a/${TEST} b/pkg/t.py\nrename from ${TEST}\nrename to pkg/t.py\n${added(TEST, PASS)}`,
    'tests-edited',
  ],
  [
    'a rename onto a test',
    `${added('pkg/t.py', PASS)}diff --git a/pkg/t.py b/${TEST}\nrename from pkg/t.py\nrename to ${TEST}\n`,
    'tests-edited',
  ],
  [
    'a copy onto a test',
    `${added('pkg/t.py', PASS)}diff --git a/pkg/t.py b/${TEST}\ncopy from pkg/t.py\ncopy to ${TEST}\n`,
    'tests-edited',
  ],
  [
    'a copy onto what configures the runner',
    'diff --git a/pkg/util.py b/conftest.py\ncopy from pkg/util.py\ncopy to conftest.py\n',
    'runner-config',
  ],
  [
    'helpers renamed away',
    'diff --git a/tests/helpers.py b/pkg/helpers.py\nrename from tests/helpers.py\nrename to pkg/helpers.py\n',
    'empty-patch',
  ],
  [
    'one file in two sections, the second of which is protected by its other name',
    `${IDLE}diff --git a/pkg/util.py b/conftest.py\nsimilarity index 90%\nrename from pkg/util.py\nrename to conftest.py\n`,
    'runner-config',
  ],
  [
    'a file that is made twice',
    added('pkg/x.py', 'x = 1\n') + added('pkg/x.py', 'x = 2\n'),
    'patch-unreadable',
  ],
  [
    'a file that is deleted twice',
    `${shellDiff('rm pkg/util.py')}${shellDiff('rm pkg/util.py')}`,
    'patch-unreadable',
  ],
  [
    'a chain of renames onto a test',
    `diff --git a/pkg/util.py b/pkg/a.py\nrename from pkg/util.py\nrename to pkg/a.py\ndiff --git a/pkg/a.py b/${TEST}\nrename from pkg/a.py\nrename to ${TEST}\n`,
    'tests-edited',
  ],
  ['binary data that is not what it says', FORGED, 'patch-does-not-apply'],
  [
    'binary data of which it holds nothing',
    `diff --git a/pkg/core.py b/pkg/core.py\nindex 1234567..89abcde 100644\nBinary files a/pkg/core.py and b/pkg/core.py differ\n`,
    'patch-does-not-apply',
  ],
  [
    'a diff in which git is told a filter',
    added('.gitattributes', '* filter=f diff=f ident text eol=crlf working-tree-encoding=UTF-16\n') + CONFIG,
    'patch-escapes',
  ],
];

/** Files that a git in this folder would obey; they are files like any other. */
const OBEYED: Attack[] = [
  [
    'attributes',
    added('.gitattributes', '* filter=f diff=f ident text eol=crlf working-tree-encoding=UTF-16 merge=f\n'),
    'not-resolved',
  ],
  [
    'attributes of a folder',
    added('pkg/.gitattributes', '*.py ident text eol=crlf\n[attr]f filter=f\n') + IDLE,
    'not-resolved',
  ],
  [
    'submodules',
    added(
      '.gitmodules',
      '[submodule "x"]\n\tpath = pkg\n\turl = ext::sh -c touch% /tmp/ran\n\tupdate = !touch /tmp/ran\n',
    ),
    'not-resolved',
  ],
  ['rules of what is ignored', added('.gitignore', '*\n') + added('pkg/.gitignore', '!*\n'), 'not-resolved'],
  [
    'a mailmap and settings',
    added('.mailmap', 'x\n') + added('.gitconfig', FILTER) + added('.lfsconfig', 'x\n'),
    'not-resolved',
  ],
  [
    'programs',
    added('git', '#!/bin/sh\ntouch /tmp/ran\n', '100755') +
      added('bin/git', '#!/bin/sh\ntouch /tmp/ran\n', '100755') +
      added('ed', '#!/bin/sh\ntouch /tmp/ran\n', '100755'),
    'not-resolved',
  ],
];

describe.skipIf(box === null)('a patch that is an attack', () => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(watched(box!.deployment), environment!);
    await task.validate();
  });

  test.each([...TEXTS, ...NAMES, ...LINKS, ...SECTIONS, ...OBEYED])(
    '%s',
    { timeout: 170_000 },
    async (_what, diff, named) => {
      [seen.length, closed] = [0, 0];
      const verdict = await task.grade(diff);
      const told = `${diff}\n${JSON.stringify(verdict, null, 1)}`;
      expect(verdict.reward, told).toBe(0);
      expect([verdict.reason, ...verdict.integrity.map(({ rule }) => rule)], told).toContain(named);
      expect(seen, told).toEqual([]);
      expect(closed).toBe(1);
    },
  );

  test('the watch sees code that runs, and changes of .git', async () => {
    seen.length = 0;
    const code = 'open("/tmp/ran", "w"); open("/testbed/.git/config", "a").write("ran")\n';
    await task.grade(diffOf({ 'pkg/core.py': code }));
    expect(seen.join('\n')).toMatch(/\/tmp\/ran[\s\S]*\.git\/config/);
  });

  test('takes nothing out of what git holds', async () => {
    const files = { ...REPOSITORY, 'pkg/answer.txt': FIXED };
    const own = new GradedTask(box!.deployment, environment!, { files, solution: { 'pkg/util.py': '' } });
    expect(await own.grade(FORGED)).toMatchObject({ reward: 0, reason: 'patch-does-not-apply' });
  });

  test('is named even where the task is solved', async () => {
    for (const part of [CONFIG, link('pkg/x', '../.git'), indented(CONFIG, '  '), added('../x', 'x\n')])
      expect(await task.grade(`${FIX}\n${part}`), part).toMatchObject({ reward: 0, reason: 'patch-refused' });
    for (const target of ['../tests', '/etc', '../../etc'])
      expect(await task.grade(FIX + link('pkg/x', target)), target).toMatchObject({
        reward: 1,
        patch: { dropped: ['pkg/x'] },
        integrity: [{ rule: 'patch-links', effect: 'dropped' }],
      });
  });
});

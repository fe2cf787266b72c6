/**
 * Honest patches in all the forms in which tools and models write them, each really graded: all get their reward.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../grading/rules/findings.ts';
import { shellDiff } from './shell-diff.ts';
import {
  diffOf,
  type Files,
  GradedTask,
  gradingSandbox,
  pytestLayer,
  REPOSITORY,
  SOLUTION,
  type TaskOptions,
} from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TIME = { timeout: 170_000 };
const FIX = diffOf(SOLUTION);
const SOLVE = `sed -i 's/return -1/return 1/' pkg/core.py`;
const BODY = FIX.slice(FIX.indexOf('@@'));
/** Without git's own lines, as GNU diff writes it, with these names. */
const plain = (minus: string, plus: string, body = BODY) => `--- ${minus}\n+++ ${plus}\n${body}`;
const git = (...options: string[]) => shellDiff(SOLVE, options);
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

/** A longer module, for hunks that lie apart. */
const LONG: Files = {
  ...REPOSITORY,
  'pkg/core.py': [
    'def value():',
    '    return low() + high()',
    '',
    '',
    'def low():',
    '    return 0',
    '',
    '',
    ...Array.from({ length: 30 }, (_, at) => `A${at} = ${at}`),
    '',
    '',
    'def high():',
    '    return 0',
    '',
    '',
    'def other():',
    '    return 2',
    '',
  ].join('\n'),
};
const HIGH = [
  '@@ -42,7 +42,7 @@',
  ' ',
  ' ',
  ' def high():',
  '-    return 0',
  '+    return 1',
  ' ',
  ' ',
  ' def other():',
  '',
].join('\n');
const header = '--- a/pkg/core.py\n+++ b/pkg/core.py\n';

type Case = [what: string, diff: string, dropped?: string[]];

/** Of the one small task. */
const FORMS: Case[] = [
  ['as git writes it', FIX],
  ['without prefixes', git('--no-prefix')],
  ['with the prefixes of what is compared', git('diff.mnemonicPrefix=true')],
  ['with i/ and w/', git('--src-prefix=i/', '--dst-prefix=w/')],
  ['with old/ and new/', git('--src-prefix=old/', '--dst-prefix=new/')],
  ['with folders in front', git('--src-prefix=before/x/', '--dst-prefix=after/y/')],
  ['without git’s lines', plain('a/pkg/core.py', 'b/pkg/core.py')],
  ['without any prefix or line of git’s', plain('pkg/core.py', 'pkg/core.py')],
  ['against orig/', plain('orig/pkg/core.py', 'pkg/core.py')],
  ['against a copy of the folder', plain('repo-1.0.orig/pkg/core.py', 'repo-1.0/pkg/core.py')],
  ['against a copy of the file', plain('pkg/core.py.orig', 'pkg/core.py')],
  ['with times', plain('a/pkg/core.py\t2024-01-01 10:00:00.000000000 +0100', 'b/pkg/core.py\t2024-01-01')],
  [
    'with times behind spaces',
    plain('a/pkg/core.py  2024-01-01 10:00:00', 'b/pkg/core.py  2024-01-02 10:00:00'),
  ],
  ['with full paths', plain('/testbed/pkg/core.py.bak', '/testbed/pkg/core.py')],
  ['with a dot in front', plain('./pkg/core.py', './pkg/core.py')],
  ['with the same prefix on both sides', plain('a/pkg/core.py', 'a/pkg/core.py')],
  ['in quotes', plain('"a/pkg/core.py"', '"b/pkg/core.py"')],
  ['with CRLF', crlf(FIX)],
  ['without its last newline', FIX.trimEnd()],
  ['with words around it', `I found it.\n\n${FIX}\nThat is all.\n- really\n+ so\n`],
  ['in a fence of Markdown', `The fix:\n\n\`\`\`diff\n${FIX}\`\`\`\n`],
  [
    'as a mail',
    `From 0123 Mon Sep 17 00:00:00 2001\nFrom: a <a@b>\nSubject: [PATCH] Fix\n\n---\n pkg/core.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n${FIX}-- \n2.39.5\n\n`,
  ],
  [
    'of Subversion',
    `Index: pkg/core.py\n${'='.repeat(67)}\n${plain('pkg/core.py\t(revision 1)', 'pkg/core.py\t(working copy)')}`,
  ],
  ['with counts that are too small', FIX.replace(/@@ .*/, '@@ -1,2 +1,2 @@')],
  ['with counts that are too large', FIX.replace(/@@ .*/, '@@ -1,9 +1,9 @@')],
  ['with counts of nothing', FIX.replace(/@@ .*/, '@@ -1 +1 @@')],
  ['some lines off', FIX.replace(/@@ .*/, '@@ -11,5 +11,5 @@')],
  ['with another context', FIX.replace(' def other():', ' def another():')],
  ['without context', git('-U0')],
  ['with all context', git('-U99')],
  ['without the spaces of empty lines', FIX.replaceAll('\n \n', '\n\n')],
  ['that is there twice in words', `${FIX.replace(/^/gm, '> ')}\n${FIX}`],
  ['with nothing for another file', `diff --git a/pkg/util.py b/pkg/util.py\n${FIX}`],
  [
    'with tests and notes',
    diffOf({ ...SOLUTION, 'tests/test_new.py': 'x = 1\n', NOTES: 'x\n' }),
    ['tests/test_new.py'],
  ],
  ['with an edited test', diffOf({ ...SOLUTION, 'tests/test_core.py': 'x = 1\n' }), ['tests/test_core.py']],
  [
    'with a link to a file',
    shellDiff(
      `${SOLVE}; mv pkg/core.py pkg/real.py; ln -s real.py pkg/core.py; mkdir -p doc/a; ln -s ../../pkg/util.py doc/a/help`,
    ),
  ],
  ['with a link by its full name', shellDiff(`${SOLVE}; ln -s /testbed/pkg/util.py pkg/help.py`)],
  ['with a file of 200,000 lines', shellDiff(`${SOLVE}; seq 200000 > pkg/table.txt`)],
  ['with a link to a folder', shellDiff(`${SOLVE}; mkdir lib; mv pkg lib/pkg; ln -s lib/pkg pkg`)],
  [
    'with a virtual environment left behind',
    shellDiff(
      `${SOLVE}; mkdir -p .venv/bin; echo x > .venv/pyvenv.cfg; ln -s /usr/bin/python3 .venv/bin/python; echo x > .venv/a.py`,
    ),
    ['.venv/'],
  ],
  [
    'with node_modules left behind',
    shellDiff(`${SOLVE}; mkdir -p web/node_modules/.bin; ln -s ../x web/node_modules/.bin/x`),
    ['web/node_modules/'],
  ],
  [
    'with a scratch repository left behind',
    shellDiff(
      `${SOLVE}; git init -q scratch; cd scratch; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x`,
    ),
    ['scratch'],
  ],
  [
    'with build output left behind',
    shellDiff(
      `${SOLVE}; mkdir -p build/lib/pkg dist pkg.egg-info; echo x > build/lib/pkg/core.py; echo x > dist/x-1.whl; echo x > pkg.egg-info/PKG-INFO`,
    ),
    ['build/lib/', 'dist/x-1.whl', 'pkg.egg-info/'],
  ],
  [
    'with bytecode left behind',
    shellDiff(`${SOLVE}; mkdir -p pkg/__pycache__; printf '\\0x' > pkg/__pycache__/core.cpython-311.pyc`),
    ['pkg/__pycache__/'],
  ],
  [
    'with files for git',
    shellDiff(
      `${SOLVE}; echo '*.py diff=python text' > .gitattributes; echo '*.log' > .gitignore; printf '[submodule "x"]\\n\\tpath = x\\n\\turl = ../x\\n' > .gitmodules`,
    ),
  ],
  [
    'with a binary file of which it holds nothing',
    `${FIX}diff --git a/tests/a.png b/tests/a.png\nindex 1234567..89abcde 100644\nBinary files a/tests/a.png and b/tests/a.png differ\n`,
    ['tests/a.png'],
  ],
  [
    'with binary files among the code of which it holds nothing',
    `${FIX}diff --git a/pkg/a.png b/pkg/a.png\nindex 1234567..89abcde 100644\nBinary files a/pkg/a.png and b/pkg/a.png differ\ndiff --git a/b.db b/b.db\nnew file mode 100644\nindex 0000000..89abcde\nBinary files /dev/null and b/b.db differ\n`,
    ['pkg/a.png', 'b.db'],
  ],
  [
    'with a package of its own that is named like a tool',
    diffOf({
      'coverage/__init__.py': 'ONE = 1\n',
      'pkg/core.py':
        'from coverage import ONE\n\n\ndef value():\n    return ONE\n\n\ndef other():\n    return 2\n',
    }),
  ],
];

/** Each of a task of its own: what the repository has beside the usual, and a patch that solves it. */
const CODE = 'import os, subprocess, sys\nHERE = os.path.dirname(__file__)\n';
const OTHER = '\n\ndef other():\n    return 2\n';
const when = (condition: string) => ({
  'pkg/core.py': `${CODE}def value():\n    return 1 if ${condition} else -1\n${OTHER}`,
});
const TASKS: [what: string, files: Files, patch: string | ((files: Files) => string)][] = [
  [
    'changes a mode alone',
    { ...when('os.access(HERE + "/run.sh", os.X_OK)'), 'pkg/run.sh': 'true\n' },
    (files) => shellDiff('chmod +x pkg/run.sh', [], files),
  ],
  [
    'renames alone',
    { ...when('os.path.exists(HERE + "/to.txt")'), 'pkg/from.txt': 'a\nb\nc\n' },
    (files) => shellDiff('mv pkg/from.txt pkg/to.txt', ['-M'], files),
  ],
  [
    'renames and edits, without prefixes',
    { ...when('"B" in open(HERE + "/to.txt").read()'), 'pkg/from.txt': 'a\nb\nc\nd\ne\nf\n' },
    (files) =>
      shellDiff('sed s/b/B/ pkg/from.txt > pkg/to.txt; rm pkg/from.txt', ['-M30', '--no-prefix'], files),
  ],
  [
    'copies',
    { ...when('os.path.exists(HERE + "/to.txt")'), 'pkg/from.txt': 'a\nb\nc\n' },
    (files) => shellDiff('cp pkg/from.txt pkg/to.txt', ['-C', '--find-copies-harder'], files),
  ],
  [
    'adds an empty file',
    when('os.path.exists(HERE + "/to.txt")'),
    (files) => shellDiff(': > pkg/to.txt', [], files),
  ],
  [
    'deletes an empty file',
    { ...when('not os.path.exists(HERE + "/to.txt")'), 'pkg/to.txt': '' },
    (files) => shellDiff('rm pkg/to.txt', [], files),
  ],
  [
    'deletes, by GNU diff',
    { ...when('not os.path.exists(HERE + "/to.txt")'), 'pkg/to.txt': 'a\n' },
    '--- a/pkg/to.txt\t2024-01-01 00:00:00.000000000 +0000\n+++ b/pkg/to.txt\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n',
  ],
  [
    'adds, by GNU diff',
    when('os.path.exists(HERE + "/to.txt")'),
    '--- a/pkg/to.txt\t1970-01-01 00:00:00.000000000 +0000\n+++ b/pkg/to.txt\t2024-01-01 00:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+a\n',
  ],
  [
    'adds, without /dev/null',
    when('os.path.exists(HERE + "/to.txt")'),
    '--- a/pkg/to.txt\n+++ b/pkg/to.txt\n@@ -0,0 +1,1 @@\n+a\n',
  ],
  [
    'adds without a prefix, in a new folder',
    when('os.path.exists(HERE + "/../new/to.txt")'),
    (files) => shellDiff('mkdir new; echo a > new/to.txt; echo >> pkg/util.py', ['--no-prefix'], files),
  ],
  [
    'works in a folder named like a prefix',
    { ...when('os.path.exists(HERE + "/../a/b/x.txt")'), 'a/y.txt': 'a\n' },
    (files) => shellDiff('mkdir a/b; echo a > a/b/x.txt', ['--no-prefix'], files),
  ],
  [
    'edits a file that is there with and without its folder',
    { ...when('open(HERE + "/../a/x.txt").read() == "b\\n"'), 'a/x.txt': 'a\n', 'x.txt': 'a\n' },
    (files) => shellDiff('echo b > a/x.txt', ['--no-prefix'], files),
  ],
  [
    'holds binary literals',
    when('open(HERE + "/x.bin", "rb").read().count(0) == 2'),
    (files) => shellDiff(`printf '\\0\\0\\377' > pkg/x.bin`, [], files),
  ],
  [
    'holds a binary delta',
    {
      ...when('open(HERE + "/x.bin", "rb").read()[-1:] == b"Z"'),
      'pkg/x.bin': Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * at * 7) % 256)),
    },
    (files) => shellDiff('printf Z >> pkg/x.bin', ['--no-renames'], files),
  ],
  [
    'has a name in octal',
    { ...when('open(HERE + "/ü ñ\\".txt").read() == "b\\n"'), 'pkg/ü ñ".txt': 'a\n' },
    (files) => shellDiff(`echo b > 'pkg/ü ñ".txt'`, ['core.quotePath=true'], files),
  ],
  [
    'has a name as it is',
    { ...when('open(HERE + "/ü ñ.txt").read() == "b\\n"'), 'pkg/ü ñ.txt': 'a\n' },
    (files) => shellDiff(`echo b > 'pkg/ü ñ.txt'`, ['core.quotePath=false', '--no-prefix'], files),
  ],
  [
    'renames a name with spaces',
    { ...when('os.path.exists(HERE + "/to b/x y")'), 'pkg/a b/x y': 'a\nb\n' },
    (files) => shellDiff(`mkdir 'pkg/to b'; mv 'pkg/a b/x y' 'pkg/to b/x y'`, ['-M'], files),
  ],
  [
    'makes a package of a module',
    REPOSITORY,
    (files) => shellDiff(`${SOLVE}; mkdir pkg/core; mv pkg/core.py pkg/core/__init__.py`, ['-M'], files),
  ],
  [
    'has CRLF',
    { 'pkg/core.py': crlf('def value():\n    return -1\n\n\ndef other():\n    return 2\n') },
    (files) => shellDiff(SOLVE, [], files),
  ],
  [
    'lost the CRs of its file',
    { 'pkg/core.py': crlf('def value():\n    return -1\n\n\ndef other():\n    return 2\n') },
    FIX,
  ],
  [
    'has CRLF in its own lines, too',
    { 'pkg/core.py': crlf('def value():\n    return -1\n\n\ndef other():\n    return 2\n') },
    crlf(FIX),
  ],
  [
    'has a file without a last newline',
    { 'pkg/core.py': 'def other():\n    return 2\n\n\ndef value():\n    return -1' },
    (files) => shellDiff(SOLVE, [], files),
  ],
  [
    'does not say that the last newline is missing',
    { 'pkg/core.py': 'def other():\n    return 2\n\n\ndef value():\n    return -1' },
    (files) => shellDiff(SOLVE, [], files).replaceAll('\n\\ No newline at end of file', ''),
  ],
  [
    'adds the last newline',
    { 'pkg/core.py': 'def other():\n    return 2\n\n\ndef value():\n    return -1' },
    (files) => shellDiff(`${SOLVE}; echo >> pkg/core.py`, [], files),
  ],
  [
    'has two hunks, the first of which shifts the second',
    LONG,
    `${header}@@ -5,4 +5,6 @@\n def low():\n+    pass\n+    pass\n     return 0\n \n \n${HIGH}`,
  ],
  [
    'has one file in two parts',
    LONG,
    `${header}@@ -5,3 +5,4 @@\n def low():\n+    pass\n     return 0\n \n${header}${HIGH}`,
  ],
  [
    'has hunks with wrong counts one after the other',
    LONG,
    `${header}@@ -5,2 +5,9 @@\n def low():\n+    pass\n     return 0\n \n \n${HIGH.replace('-42,7 +42,7', '-40,3 +40,12')}`,
  ],
  [
    'has lines that look like headers',
    { ...when('"++ b/x" in open(HERE + "/x.sql").read()'), 'pkg/x.sql': '-- a/x\nselect 1\n@@ -1 +1 @@\n' },
    (files) => shellDiff(`printf -- '++ b/x\\nselect 1\\n@@ -2 +2 @@\\n' > pkg/x.sql`, [], files),
  ],
  [
    'lays a link through a folder of its own',
    when('open(HERE + "/l/x.txt").read() == "x\\n"'),
    (files) => shellDiff('mkdir -p data/x; echo x > data/x/x.txt; ln -s ../data/x pkg/l', [], files),
  ],
  [
    'takes a link for a file',
    { ...when('os.path.islink(HERE + "/b.txt")'), 'pkg/a.txt': 'a\n', 'pkg/b.txt': 'a\n' },
    (files) => shellDiff('ln -sf a.txt pkg/b.txt', [], files),
  ],
];

const rulesOf = (integrity: readonly Finding[]) =>
  integrity.filter(({ effect }) => effect === 'voided' || effect === 'refused');

describe.skipIf(box === null)('an honest patch', () => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(box!.deployment, environment!);
    await task.validate();
  });

  test.each(FORMS)('%s', TIME, async (_what, diff, dropped = []) => {
    const verdict = await task.grade(diff);
    expect(verdict, `${diff}\n${JSON.stringify(verdict)}`).toMatchObject({ reward: 1, patch: { dropped } });
    expect(rulesOf(verdict.integrity)).toEqual([]);
  });

  test.each(TASKS)('that %s', TIME, async (_what, extra, patch) => {
    const files = { ...REPOSITORY, ...extra };
    const diff = typeof patch === 'string' ? patch : patch(files);
    const own = new GradedTask(box!.deployment, environment!, {
      files,
      solution: { 'pkg/util.py': 'X = 1\n' },
    } as TaskOptions);
    const verdict = await own.grade(diff);
    expect(verdict, `${diff}\n${JSON.stringify(verdict)}\n${own.logs.at(-1)}`).toMatchObject({
      reward: 1,
      patch: { dropped: [] },
    });
    expect(await own.grade(diffOf({ 'NOTES.md': 'x\n' }, files)), 'nothing else solves it').toMatchObject({
      reward: 0,
    });
  });

  test('in a package of tools for tests, beside whose tests it lies', TIME, async () => {
    const files: Files = {
      ...REPOSITORY,
      'pkg/testing/__init__.py': '',
      'pkg/testing/tools.py': 'def value():\n    return -1\n',
      'pkg/testing/tests/__init__.py': '',
      'pkg/testing/tests/test_tools.py':
        'from pkg.testing.tools import value\n\n\ndef test_value():\n    assert value() == 1\n\n\ndef test_other():\n    pass\n',
    };
    const solution = { 'pkg/testing/tools.py': 'def value():\n    return 1\n' };
    const own = new GradedTask(box!.deployment, environment!, {
      files,
      // What solves the task by another way leaves the tools alone.
      solution: { 'pkg/core.py': 'x = 1\n' },
      failToPass: ['pkg/testing/tests/test_tools.py::test_value'],
      passToPass: ['pkg/testing/tests/test_tools.py::test_other'],
    });
    expect(await own.grade(diffOf(solution, files))).toMatchObject({ reward: 1, patch: { dropped: [] } });
  });
});

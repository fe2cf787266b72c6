/** Reading and applying patches, with patches that real git wrote. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unsafeName } from '../../patches/names.ts';
import { placeSections } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { touchedFiles } from '../../patches/touched.ts';
import {
  type ApplyRole,
  alreadyApplied,
  applyAttempts,
  canonicalDiff,
  goldRole,
} from '../../patches/ways.ts';

let folder = '';
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
const path = (name: string) => join(folder, name);
const lines = (...numbers: (number | string)[]) => `${numbers.join('\n')}\n`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-patch-'));
  git('init', '-q');
  mkdirSync(path('sub'));
  writeFileSync(path('a.py'), lines(1, 2, 3, 4, 5, 6, 7, 8, 9));
  writeFileSync(path('sub/with space.py'), lines('x'));
  writeFileSync(path('sub/ümläut "q".py'), lines('x'));
  writeFileSync(path('crlf.txt'), 'one\r\ntwo\r\n');
  writeFileSync(path('gone.py'), lines('gone'));
  writeFileSync(path('moved.py'), lines('one', 'two', 'three', 'four', 'five'));
  writeFileSync(path('picture.png'), Buffer.from([0, 1, 2, 3]));
  writeFileSync(path('script.sh'), lines('echo'));
  git('add', '-A');
  git('commit', '-qm', 'base');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function changeEverything(): string {
  writeFileSync(path('a.py'), lines(1, 2, 3, 'four', 5, 6, 7, 8, '-- removed', '++ added'));
  writeFileSync(path('sub/with space.py'), lines('y'));
  writeFileSync(path('sub/ümläut "q".py'), 'no newline at the end');
  writeFileSync(path('crlf.txt'), 'one\r\nTWO\r\n');
  rmSync(path('gone.py'));
  renameSync(path('moved.py'), path('sub/new name.py'));
  writeFileSync(path('picture.png'), Buffer.from([0, 9, 9, 9]));
  chmodSync(path('script.sh'), 0o755);
  writeFileSync(path('empty.py'), '');
  writeFileSync(path('new.py'), lines('new'));
  symlinkSync('/etc/passwd', path('link'));
  git('add', '-A');
  return git('diff', '--cached', '--binary', '-M', 'HEAD');
}

describe('touched files', () => {
  test('of a patch with everything in it', () => {
    const diff = changeEverything();
    const found = touchedFiles(diff).map(({ path, oldPath, change, binary }) =>
      [change, path, oldPath ?? '', binary ? 'binary' : ''].join('|'),
    );
    expect(found.sort()).toEqual([
      'added|empty.py||',
      'added|link||',
      'added|new.py||',
      'deleted|gone.py||',
      'modified|a.py||',
      'modified|crlf.txt||',
      'modified|picture.png||binary',
      'modified|script.sh||',
      'modified|sub/with space.py||',
      'modified|sub/ümläut "q".py||',
      'renamed|sub/new name.py|moved.py|',
    ]);
  });

  test('agree with git on names and line counts', () => {
    const diff = changeEverything();
    const ours = touchedFiles(diff).map((file) => [
      file.binary ? '-' : String(file.addedLines),
      file.binary ? '-' : String(file.removedLines),
      file.path,
    ]);
    const fields = git('diff', '--cached', '--numstat', '-z', '--no-renames', 'HEAD')
      .split('\0')
      .filter(Boolean);
    const theirs = fields.map((line) => line.split('\t')).filter(([, , name]) => name !== 'moved.py');
    const byName = (a: string[], b: string[]) => ((a[2] as string) < (b[2] as string) ? -1 : 1);
    // The rename itself changes no line; git counts it as a new file here.
    const expected = theirs.map((row) => (row[2] === 'sub/new name.py' ? ['0', '0', row[2]] : row));
    expect(ours.sort(byName)).toEqual(expected.sort(byName));
  });

  test('of patches that no git wrote', () => {
    expect(
      touchedFiles('--- a/x.py\t2024-01-01\n+++ b/x.py\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n'),
    ).toMatchObject([{ path: 'x.py', change: 'modified', addedLines: 1, removedLines: 1 }]);
    expect(touchedFiles('--- /dev/null\r\n+++ b/x.py\r\n@@ -0,0 +1 @@\r\n+b\r\n')).toMatchObject([
      { path: 'x.py', change: 'added' },
    ]);
    expect(
      touchedFiles(
        '--- x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n--- y.py\n+++ y.py\n@@ -1 +1 @@\n-- a\n+++ b\n',
      ),
    ).toMatchObject([
      { path: 'x.py', change: 'deleted' },
      { path: 'y.py', change: 'modified', addedLines: 1, removedLines: 1 },
    ]);
    expect(touchedFiles('')).toEqual([]);
    expect(touchedFiles('no patch\nat all')).toEqual([]);
  });
});

describe('a diff that is clear though git writes it otherwise', () => {
  const HUNK = '@@ -1,2 +1,2 @@\n x\n-y\n+Y\n';
  const NEW = 'diff --git a/n.py b/n.py\nnew file mode 100755\n';
  test.each<[what: string, diff: string, files: object[]]>([
    [
      'ids that are none',
      `${NEW}index 0000000..abcdefg\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n`,
      [{ path: 'n.py', change: 'added', mode: '100755', addedLines: 1 }],
    ],
    [
      'one id',
      `${NEW}index 0000000\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n`,
      [{ path: 'n.py', change: 'added', mode: '100755', addedLines: 1 }],
    ],
    [
      'the signature of GitLab',
      `--- a/x.py\n+++ b/x.py\n${HUNK}-- \nGitLab\n\n`,
      [{ path: 'x.py', addedLines: 1, removedLines: 1 }],
    ],
    [
      'a removed dash behind counts that are too small',
      `--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n x\n--\n-y\n+Y\n`,
      [{ path: 'x.py', addedLines: 1, removedLines: 2 }],
    ],
    [
      'blank lines between hunks',
      `--- a/x.py\n+++ b/x.py\n${HUNK}\n\n${HUNK.replaceAll('1,2', '9,2')}`,
      [{ path: 'x.py', addedLines: 2, removedLines: 2 }],
    ],
  ])('%s', (_, diff, files) => {
    const { sections, strange } = readPatch(diff);
    expect([...strange, ...placeSections(sections, null).unclear]).toEqual([]);
    expect(touchedFiles(diff)).toMatchObject(files);
  });
});

describe('names that no file of a patch may have', () => {
  test.each([
    ...['/etc/passwd', '../up.py', 'a/../../b.py', '.git/hooks/post-checkout', 'sub/.GIT/config', '.git'],
    ...[
      '.git /config',
      '.git./x',
      'GIT~1/config',
      '.g\u200cit/config',
      '.git::$INDEX_ALLOCATION/x',
      'a\\.git\\x',
    ],
    ...['', 'a\0b', 'not \ufffd UTF-8'],
  ])('%j', (name) => expect(unsafeName(name)).not.toBe(null));
  test.each(['.gitignore', '.github/x', 'git/x', 'a..b/c', '...', 'x.git', '.gitx/y', 'sub/git~', 'ü b'])(
    'but %j may',
    (name) => expect(unsafeName(name)).toBe(null),
  );
});

describe('attempts', () => {
  const PATCH = '/p.diff';
  function apply(diff: string, role: ApplyRole): number {
    writeFileSync(path('.git/p.diff'), canonicalDiff(diff, role)!);
    const file = path(`.git${PATCH}`);
    const { exact, lenient } = applyAttempts(file);
    return [...exact, ...lenient].findIndex(
      (command) => spawnSync('bash', ['-c', command], { cwd: folder }).status === 0,
    );
  }
  const change = () => {
    writeFileSync(path('a.py'), lines(1, 2, 3, 'four', 5, 6, 7, 8, 9));
    return git('diff');
  };

  test('forward and back, and whether it is there already', () => {
    const diff = change();
    git('checkout', '-q', '.');
    expect(apply(diff, 'apply')).toBe(0);
    const check = (role: ApplyRole) => {
      writeFileSync(path('.git/inverse'), canonicalDiff(diff, role === 'apply' ? 'reverse' : 'apply')!);
      return spawnSync('bash', ['-c', alreadyApplied(path('.git/inverse'))], { cwd: folder }).status;
    };
    expect([check('apply'), check('reverse')]).toEqual([0, 1]);
    expect(apply(diff, 'reverse')).toBe(0);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('a changed context needs the lenient one', () => {
    const diff = change();
    writeFileSync(path('a.py'), lines(1, 'TWO', 3, 4, 5, 6, 7, 8, 9));
    expect(apply(diff, 'apply')).toBe(1);
    expect(readFileSync(path('a.py'), 'utf8')).toBe(lines(1, 'TWO', 3, 'four', 5, 6, 7, 8, 9));
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe(' M a.py\n');
  });

  test('one that does not apply leaves nothing behind', () => {
    writeFileSync(path('a.py'), lines('ONE', 2, 3, 4, 5, 6, 7, 8, 'NINE'));
    const diff = git('diff', '-U0');
    git('checkout', '-q', '.');
    writeFileSync(path('a.py'), lines('other', 'text'));
    expect(apply(diff, 'apply')).toBe(-1);
    expect(readFileSync(path('a.py'), 'utf8')).toBe(lines('other', 'text'));
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe(' M a.py\n');
  });

  test('gold takes a bug back', () => {
    expect([goldRole('fix'), goldRole('bug')]).toEqual(['apply', 'reverse']);
  });
});

/** What an agent finds, wherever workspaces come from: the bug, one commit, no hidden test. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment } from '../../../executors/deployment.ts';
import { createLocal } from '../../../executors/local/local.ts';
import { type Kind, kinds, makeSandbox } from '../../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { unwrap } from '../../rig/unwrap.ts';
import { diffOf, makeState, type Opened, openState, type TaskFiles } from './rig.ts';

const SOURCE = {
  'src/pkg/core.py': 'def twice(n):\n    return 2 * n\n',
  'tests/test_core.py': 'hidden\n',
  'tests/test_other.py': 'shown\n',
  'only/test_here.py': 'hidden, too\n',
  'part/sub/test_unit.py': 'hidden as well\n',
  'part/sub/test_more.py': 'shown\n',
  '.gitignore': '*.log\nkept.log\n',
  'kept.log': 'tracked although it is ignored\n',
  '.gitattributes': '* text=auto eol=lf\n',
  'dos.txt': 'one\r\ntwo\r\n',
};
const BUG = diffOf(SOURCE, { 'src/pkg/core.py': 'def twice(n):\n    return 3 * n\n' });
const HISTORY = [
  'git init -q; git config user.name t; git config user.email t@example.org; git add -A -f; git commit -qm before; git tag v1',
  'echo more > later.txt; git add -A -f; git commit -qm later; git stash list; git remote add origin https://example.org/x.git',
  'git reset -q --hard HEAD~1',
].join('; ');
const ODD = ['a*b', 'c\\d', 'ends with a space ', 'two\nlines', '!e', '#f', 'odd [name].egg-info/PKG-INFO'];
const TASK: TaskFiles = {
  source: SOURCE,
  environment: {
    'testbed/build/lib/other.py': 'x\n',
    ...Object.fromEntries(ODD.map((name) => [`testbed/${name}`, 'x'])),
  },
  task: {
    patch: BUG,
    FAIL_TO_PASS: ['tests/test_core.py::test', 'only/test_here.py::test', 'test (sub.test_unit.Test.test)'],
  },
};

const local: Kind = { name: 'by plain processes' };

describe.each([...kinds, local])('$name', (kind) => {
  let deployment: Deployment;
  let cleanup: () => Promise<void>;
  let shared: Opened;

  beforeAll(async () => {
    if (kind === local) {
      deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
      cleanup = () => deployment.close();
    } else ({ deployment, cleanup } = await makeSandbox(kind));
    shared = await openState(TASK, deployment, kind);
  });
  afterAll(async () => {
    await shared.workspace.close();
    await cleanup();
  });

  test('the bug is in place, hidden tests are gone, others are there', async () => {
    expect(await shared.shell('cat src/pkg/core.py')).toContain('3 * n');
    expect(await shared.shell('ls tests; ls only 2>&1')).toMatch(/^test_other.py\n.*No such file/);
    expect(await shared.shell('git rev-parse HEAD; git status --short')).toBe(`${shared.state.commit}\n`);
  });

  test('a hidden test of unittest is found by its module, whatever folder the runner is started in', async () => {
    expect(await shared.shell('ls part/sub')).toBe('test_more.py\n');
    expect(shared.state.withheld.map(({ path }) => path)).toContain('part/sub/test_unit.py');
  });

  test.each([
    ['as files', 'true'],
    ['packed', 'git gc -q --prune=now'],
    ['kept', 'git repack -a -d -q; for p in .git/objects/pack/*.pack; do : > "${p%.pack}.keep"; done'],
    ['in a graph', 'git gc -q; git commit-graph write --reachable; git multi-pack-index write --no-progress'],
    [
      'lent by another repository',
      'git clone -q --bare . ../lent; echo "$PWD/../lent/objects" > .git/objects/info/alternates',
    ],
  ])('git knows one commit and nothing else, whose history was %s', async (_how, before) => {
    const task = { ...TASK, before: `${HISTORY}; ${before}` };
    const { workspace, shell } = await openState(task, deployment, kind);
    expect(
      await shell(
        'git log --all --oneline | wc -l; git remote; git tag; git stash list; git reflog --all; git status --short',
      ),
    ).toBe('1\n');
    expect(await shell('git fsck --full --no-reflogs --unreachable 2>&1')).toBe('');
    const all = "git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)'";
    expect(await shell(`${all} | grep -c ^commit`)).toBe('1\n');
    const contents = `${all} | grep ^blob | while read -r _ o; do git cat-file -p $o; done`;
    expect(await shell(`{ ${contents}; } | grep -a -c -e '2 [*] n' -e ^hidden -e ^more`)).toBe('0\n');
    expect(await shell(`{ ${contents}; } | grep -a -c '3 [*] n'`)).toBe('1\n');
    expect(await shell('cd .git && find . -type f | sed "s/pack-.*[.]/pack./" | sort')).toBe(
      './HEAD\n./config\n./index\n./info/attributes\n./info/exclude\n./objects/pack/pack.idx\n./objects/pack/pack.pack\n./refs/heads/main\n',
    );
    await workspace.close();
  });

  test('files that the bug adds are committed, ignored ones too', async () => {
    const patch = BUG + diffOf({}, { 'made.log': 'made\n' });
    const { workspace, shell } = await openState(
      { ...TASK, task: { ...TASK.task, patch } },
      deployment,
      kind,
    );
    expect(await shell('git ls-files; git status --short')).toBe(
      '.gitattributes\n.gitignore\ndos.txt\nkept.log\nmade.log\npart/sub/test_more.py\nsrc/pkg/core.py\ntests/test_other.py\n',
    );
    await workspace.close();
  });

  test('bytes are kept, whatever the repository says of line ends', async () => {
    const { workspace, shell } = await openState(TASK, deployment, kind);
    expect(await shell('git show HEAD:dos.txt | od -An -c | tr -d " \n"')).toBe('one\\r\\ntwo\\r\\n');
    await shell("printf 'one\\r\\nTWO\\r\\n' > dos.txt");
    expect(await unwrap(workspace.diff())).toContain('\n one\r\n-two\r\n+TWO\r\n');
    await workspace.close();
  });

  test('a diff holds what the agent did, new files too, and nothing of the environment', async () => {
    const { workspace, shell } = await openState(TASK, deployment, kind);
    expect(await unwrap(workspace.diff())).toBe('');
    await shell("sed -i 's/3/2/' src/pkg/core.py; echo new > added.txt; echo more >> kept.log");
    const diff = await unwrap(workspace.diff());
    expect(diff.match(/^diff --git .*/gm)).toEqual([
      'diff --git a/added.txt b/added.txt',
      'diff --git a/kept.log b/kept.log',
      'diff --git a/src/pkg/core.py b/src/pkg/core.py',
    ]);
    await workspace.close();
  });

  test('a file that was moved over another one of the same size and time is a change', async () => {
    const source = { ...SOURCE, 'a.txt': 'aaaa\n', 'b.txt': 'bbbb\n', 'c.txt': 'cccc\n' };
    const { workspace, shell } = await openState({ source, task: {} }, deployment, kind);
    await shell('mv a.txt b.txt; cp -p b.txt c.txt');
    expect(await shell('git status --short')).toBe(' D a.txt\n M b.txt\n M c.txt\n');
    expect((await unwrap(workspace.diff())).match(/^[+-][abc]+$/gm)).toEqual([
      '-aaaa',
      '-bbbb',
      '+aaaa',
      '-cccc',
      '+aaaa',
    ]);
    await workspace.close();
  });

  test('a file that was changed in place and got its time back is a change', async () => {
    const source = { ...SOURCE, 'a.txt': 'aaaa\n' };
    const { workspace, shell } = await openState({ source, task: {} }, deployment, kind);
    await shell(
      'cp -p a.txt /tmp/a; printf xxxx | dd of=a.txt conv=notrunc status=none; touch -r /tmp/a a.txt',
    );
    expect(await shell('git status --short')).toBe(' M a.txt\n');
    expect(await unwrap(workspace.diff())).toContain('+xxxx');
    await workspace.close();
  });
});

describe('a patch of the task', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
  });
  afterAll(() => deployment.close());

  test('that does not apply is an answer', async () => {
    const patch = BUG.replace('return 2 * n', 'return 4 * n');
    const made = await makeState({ ...TASK, task: { patch } }, deployment);
    expect(made).toMatchObject({ fault: { status: 'failed', reason: 'patch-does-not-apply' } });
  });

  test('that would write through a link is an answer', async () => {
    const source = { ...SOURCE };
    const patch = diffOf({}, { 'link/made.py': 'x = 1\n' });
    const made = await makeState({ source, task: { patch }, before: 'ln -s tests link' }, deployment);
    expect(made).toMatchObject({ fault: { status: 'failed', reason: 'patch-does-not-apply' } });
  });

  test('leaves links, modes and submodules of others as they are', async () => {
    const before = [
      'ln -s src/pkg/core.py link; chmod +x kept.log; mkdir sub; git init -q; git add -A -f',
      'git update-index --add --cacheinfo 160000,1234567890123456789012345678901234567890,sub',
    ].join('; ');
    const { workspace, shell } = await openState({ ...TASK, before }, deployment);
    expect(
      await shell('readlink link; stat -c %a kept.log dos.txt; git ls-files -s sub; git status --short'),
    ).toBe('src/pkg/core.py\n755\n644\n160000 1234567890123456789012345678901234567890 0\tsub\n');
    await workspace.close();
  });
});

/** The part of the deployment contract about diff(): applied to the base, it gives the workspace's tree. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../executors/deployment.ts';
import { unwrap } from '../rig/unwrap.ts';
import { run, type Subject } from './contract.ts';
import { git, treeLines } from './fixture.ts';

/** Lists the workspace's files the way `treeLines` does. */
const LIST = [
  'find . -path ./.git -prune -o \\( -type f -o -type l \\) -print0 | LC_ALL=C sort -z |',
  'while IFS= read -r -d "" f; do',
  'if [ -L "$f" ]; then echo "${f#./} -> $(readlink "$f")";',
  'else x=-; [ -x "$f" ] && x=x; echo "${f#./} $x $(sha256sum < "$f" | cut -d" " -f1)"; fi; done',
].join('\n');

export function describeDiffContract({ use, fixture }: Subject): void {
  /** The tree that the base becomes when `patch` is applied to it by the host's git. */
  async function applied(patch: string): Promise<string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'swemake-apply-'));
    try {
      const tree = join(folder, 'tree');
      await cp(join(fixture().source.layer, 'testbed'), tree, { recursive: true });
      await writeFile(join(folder, 'patch'), patch);
      if (patch !== '') await git(tree, 'apply', '--whitespace=nowarn', join(folder, 'patch'));
      return (await treeLines(tree)).filter((line) => !line.endsWith('/'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function expectFaithful(workspace: Workspace): Promise<string> {
    const patch = await unwrap(workspace.diff());
    const there = (await run(workspace, LIST)).stdout.split('\n').filter((line) => line !== '');
    expect((await applied(patch)).sort()).toEqual(there.sort());
    return patch;
  }

  describe('diff', () => {
    it('is empty when nothing changed', async () => {
      await use(async (workspace) => expect(await unwrap(workspace.diff())).toBe(''));
    });

    it('holds new, changed, deleted, renamed and binary files, links and the executable bit', async () => {
      await use(async (workspace) => {
        const command = [
          'set -e; echo four >> README.md; rm doomed.txt; mv old_name.txt new_name.txt; chmod +x plain.py',
          'chmod -x run.sh; printf "\\000\\001new" > fresh.bin; printf "\\377\\000x" >> blob.bin',
          'mkdir -p sub/dir; echo new > sub/dir/new.py; printf "no newline" > end.txt; : > empty.txt',
          'ln -s README.md link; echo x > "with space é.txt"; printf "a\\r\\nb\\r\\n" > crlf.txt',
        ].join('\n');
        expect(await run(workspace, command)).toMatchObject({ exitCode: 0 });
        const patch = await expectFaithful(workspace);
        expect(patch).toContain('+four');
        expect(patch).toContain('GIT binary patch');
        expect(await unwrap(workspace.diff())).toBe(patch);
      });
    });

    it('keeps text that is not UTF-8', async () => {
      await use(async (workspace) => {
        await run(
          workspace,
          "printf 'caf\\351 au lait\\nsecond\\n' > latin.txt; echo VALUE = 2 > package/core.py",
        );
        expect(await expectFaithful(workspace)).toContain('+VALUE = 2');
      });
    });

    it('leaves out what the repository ignores, and keeps the state of the index', async () => {
      await use(async (workspace) => {
        await run(
          workspace,
          'echo noise > noise.log; echo staged > staged.txt; git add staged.txt; echo u > u.txt',
        );
        const before = (await run(workspace, 'git status --porcelain')).stdout;
        const patch = await unwrap(workspace.diff());
        expect(patch).not.toContain('noise');
        expect(patch).toContain('+staged');
        expect(patch).toContain('+u');
        expect((await run(workspace, 'git status --porcelain')).stdout).toBe(before);
      });
    });

    it('is not swayed by the settings of the repository', async () => {
      await use(async (workspace) => {
        const settings = [
          'diff.noprefix true',
          'diff.mnemonicPrefix true',
          'color.ui always',
          'diff.external /bin/false',
          'diff.orderFile /nowhere',
          'core.pager false',
          'diff.context 0',
          'core.fileMode false',
          'core.autocrlf true',
          'core.worktree /nowhere',
          'core.bare true',
        ];
        await run(workspace, settings.map((setting) => `git config ${setting}`).join('\n'));
        await run(workspace, 'sed -i s/two/TWO/ README.md; chmod +x plain.py');
        const patch = await expectFaithful(workspace);
        expect(patch).toContain('diff --git a/README.md b/README.md\n');
        expect(patch).toContain('\n-two\n+TWO\n');
      });
    });

    it('compares with the last commit, or with the one that is named', async () => {
      await use(async (workspace) => {
        const base = (await run(workspace, 'git rev-parse HEAD')).stdout.trim();
        const commit = 'git -c user.name=a -c user.email=a@b commit -qam work';
        await run(workspace, `echo committed >> README.md; ${commit}; echo later >> plain.py`);
        const patch = await unwrap(workspace.diff());
        expect(patch).toContain('+later');
        expect(patch).not.toContain('committed');
        const whole = await unwrap(workspace.diff(base));
        expect(whole).toContain('+later');
        expect(whole).toContain('+committed');
        const unknown = await workspace.diff('0'.repeat(40));
        expect(unknown).toMatchObject({
          fault: { status: 'refused', detail: expect.stringMatching(/object name/), end: { exitCode: 128 } },
        });
      });
    });

    describe('is right whatever was done to the repository:', () => {
      const ENDS: Record<string, string> = {
        'work committed, on another branch': 'git checkout -qb x; git commit -qam work',
        'history thrown away': 'rm -rf .git; git init -q; git add -A -f; git commit -qm all',
        'no repository': 'rm -rf .git',
        'a file in its place': 'mv .git /tmp/elsewhere; echo "gitdir: /tmp/elsewhere" > .git',
        'a link in its place': 'mv .git /tmp/elsewhere; ln -s /tmp/elsewhere .git',
        'the first commit pruned':
          'git commit -q --amend -am other; git reflog expire --expire=now --all; git gc -q --prune=now',
        'objects damaged':
          'chmod -R u+w .git/objects; find .git/objects -type f | while read f; do echo x > "$f"; done',
        'files marked as unchanged': 'git update-index --assume-unchanged README.md plain.py',
        'files marked as not to look at': 'git update-index --skip-worktree README.md plain.py',
        'a sparse checkout':
          'git sparse-checkout set --no-cone /nothing; git sparse-checkout disable; git config core.sparseCheckout true',
        'an index of something else': 'git rm -rqf --cached .; git add -N README.md',
        'an index that is none': 'echo x > .git/index',
        'the start replaced':
          'first=$(git rev-parse HEAD); git commit -qam other; git replace $first $(git rev-parse HEAD); git replace --list',
        'a filter, a hook and a monitor': [
          'git config filter.f.clean "sh -c \'touch /tmp/ran; echo\'"; git config filter.f.smudge "touch /tmp/ran"',
          'git config core.fsmonitor "touch /tmp/ran"; git config diff.f.textconv "touch /tmp/ran"',
          'git config diff.f.command "touch /tmp/ran"; git config core.hooksPath /tmp/hooks; git config core.attributesFile /tmp/attributes',
          'mkdir -p /tmp/hooks; printf "#!/bin/sh\\ntouch /tmp/ran\\n" > /tmp/hooks/post-index-change; chmod +x /tmp/hooks/*',
          'echo "* filter=f diff=f ident text eol=crlf" | tee /tmp/attributes > .git/info/attributes',
        ].join('; '),
        'settings and programs of the user':
          'mkdir -p ~/.config/git; printf "[core]\\n\\tautocrlf = true\\n[diff]\\n\\tnoprefix = true\\n" | tee ~/.gitconfig > ~/.config/git/config',
        'everything ignored': 'echo "*" > .git/info/exclude; git config core.excludesFile .git/info/exclude',
        'rules of the tree': 'echo "*" > .gitignore; echo "* -diff filter=f ident eol=crlf" > .gitattributes',
        'the times of files put back': 'touch -r blob.bin README.md plain.py',
      };

      it.each(Object.entries(ENDS))('%s', async (what, command) => {
        await use(async (workspace) => {
          const base = (await run(workspace, 'git rev-parse HEAD')).stdout.trim();
          const work = 'sed -i s/two/TWO/ README.md; chmod +x plain.py; echo new > fresh.txt; rm doomed.txt';
          const git =
            'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b';
          const done = await run(workspace, `${work}; ${git}; ${command}`);
          expect(done, done.output).toMatchObject({ exitCode: 0 });
          const patch = await unwrap(workspace.diff(base));
          const there = (await run(workspace, LIST)).stdout.split('\n').filter((line) => line !== '');
          // Where .git is a file or a link, it is none of the repository's.
          const files = there.filter((line) => !line.startsWith('.git ')).sort();
          expect((await applied(patch)).sort(), `${what}\n${patch}`).toEqual(files);
          expect(patch).toContain('\n-two\n+TWO\n');
          expect((await run(workspace, 'ls /tmp/ran')).exitCode).not.toBe(0);
        });
      });
    });

    describe('leaves out', () => {
      const added = async (workspace: Workspace, command: string) => {
        const base = (await run(workspace, 'git rev-parse HEAD')).stdout.trim();
        const done = await run(workspace, `set -e\n${command}`);
        expect(done, done.output).toMatchObject({ exitCode: 0 });
        const seen: string[] = [];
        const patch = await unwrap(
          workspace.diff(base, (names) => {
            seen.push(...names);
            return names;
          }),
        );
        return { seen, files: [...patch.matchAll(/^diff --git a\/(.*) b\//gm)].map(([, name]) => name) };
      };

      it('what the repository ignored and still does, and what a new folder ignores itself', async () => {
        await use(async (workspace) => {
          const found = await added(
            workspace,
            [
              'echo x > a.log; mkdir -p env sub; echo "*" > env/.gitignore; echo x > env/x; echo x > sub/y.log',
              'echo x > ":c.log"; echo x > "kept :d"; echo x > "*.lo"',
            ].join('\n'),
          );
          expect(found.files).toEqual(['*.lo', 'kept :d']);
        });
      });

      it('but not what is ignored no more, was added by force, or is hidden by a new rule', async () => {
        await use(async (workspace) => {
          const found = await added(
            workspace,
            'echo x > forced.log; git add -f forced.log; echo "*.txt" >> .gitignore; echo "!shown.log" >> .gitignore; echo x > shown.log; echo x > hidden.txt; echo x > still.log',
          );
          expect(found.files).toEqual(['.gitignore', 'forced.log', 'hidden.txt', 'shown.log']);
        });
      });

      it('repositories inside of it, which are named', async () => {
        await use(async (workspace) => {
          const found = await added(
            workspace,
            [
              'git init -q scratch; echo x > scratch/x; git init -q full; cd full; echo x > x; git add x',
              'git -c user.name=a -c user.email=a@b commit -qm x; cd ..; git init -q package; echo x > package/new.py',
              'echo "y = 1" >> package/core.py',
            ].join('\n'),
          );
          expect(found.seen).toEqual(['full/', 'package/new.py', 'scratch/']);
          expect(found.files).toEqual(['package/core.py', 'package/new.py']);
        });
      });

      it('what is not kept', async () => {
        await use(async (workspace) => {
          const base = (await run(workspace, 'git rev-parse HEAD')).stdout.trim();
          await run(workspace, 'echo x > one; echo x > two; echo x >> README.md');
          const patch = await unwrap(
            workspace.diff(base, (names, known) => {
              expect(known).toContain('README.md');
              return names.filter((name) => name !== 'one');
            }),
          );
          expect([...patch.matchAll(/^diff --git a\/(.*) b\//gm)].map(([, name]) => name)).toEqual([
            'README.md',
            'two',
          ]);
        });
      });
    });

    it('is whole however large it is', async () => {
      await use(async (workspace) => {
        await run(workspace, 'seq 2200000 > numbers.txt');
        expect((await expectFaithful(workspace)).length).toBeGreaterThan(16 << 20);
      });
    });
  });
}

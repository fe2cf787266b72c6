/** The part of the deployment contract about files: writing, reading, layers that never change, changes(). */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../rig/unwrap.ts';
import { run, type Subject } from './contract.ts';
import { CANARY, treeLines } from './fixture.ts';

export function describeFilesContract(subject: Subject): void {
  describeWriteRead(subject);
  describeLayers(subject);
}

function describeWriteRead({ use, fixture }: Subject): void {
  describe('write and read', () => {
    it('writes files with their parents, and reads them back byte for byte', async () => {
      await use(async (workspace) => {
        const bytes = Buffer.from([0, 255, 10, 13, 0, 128]);
        await unwrap(workspace.write('/testbed/deep/er/file.bin', bytes));
        expect(Buffer.from((await unwrap(workspace.read('/testbed/deep/er/file.bin')))!)).toEqual(bytes);
        await unwrap(workspace.write('/testbed/README.md', 'déjà\n'));
        expect((await run(workspace, 'cat README.md; wc -c < deep/er/file.bin')).stdout).toBe('déjà\n6\n');
      });
    });

    it('writes outside of /testbed too', async () => {
      await use(async (workspace) => {
        await unwrap(workspace.write('/tmp/patch.diff', 'text\n'));
        expect((await run(workspace, 'cat /tmp/patch.diff')).stdout).toBe('text\n');
        await unwrap(workspace.write('/opt/env/bin/tool', '#!/bin/bash\necho tool\n', 0o755));
        expect((await run(workspace, 'tool')).stdout).toBe('tool\n');
      });
    });

    it('reads what commands wrote, null for what is not there', async () => {
      await use(async (workspace) => {
        await run(workspace, 'printf made > made.txt; mkdir folder');
        expect(Buffer.from((await unwrap(workspace.read('/testbed/made.txt')))!).toString()).toBe('made');
        expect(await unwrap(workspace.read('/testbed/absent'))).toBeNull();
        expect(await unwrap(workspace.read('/testbed/absent/deeper'))).toBeNull();
        expect(await unwrap(workspace.read('/testbed/README.md/deeper'))).toBeNull();
      });
    });

    it('refuses what is no file, and goes on', async () => {
      await use(async (workspace) => {
        const make = 'mkdir folder; mkfifo pipe; ln -s loop loop; ln -s /dev/zero zero; ln -s folder link';
        expect((await run(workspace, make)).exitCode).toBe(0);
        const refused = { ok: false, fault: { status: 'refused', reason: 'place' } };
        for (const name of ['folder', 'link', 'pipe'])
          expect([name, await workspace.read(`/testbed/${name}`)]).toMatchObject([name, refused]);
        for (const name of ['folder', 'link', 'pipe', 'loop', 'zero', 'README.md/below', 'x'.repeat(300)])
          expect([name, await workspace.write(`/testbed/${name}`, 'x')]).toMatchObject([name, refused]);
        expect((await run(workspace, 'echo alive')).stdout).toBe('alive\n');
      });
    });

    it('answers for names that no system takes, and goes on', async () => {
      await use(async (workspace) => {
        const refused = { ok: false, fault: { status: 'refused', reason: 'place' } };
        expect(await workspace.write('/testbed/a\0b', 'x')).toMatchObject(refused);
        expect(await workspace.read('/testbed/a\0b')).toMatchObject(refused);
        expect(await workspace.write(`/testbed/${'y/'.repeat(3000)}z`, 'x')).toMatchObject(refused);
        // Half a character is replaced by some backends.
        for (const done of [
          await workspace.write('/testbed/a\ud83db', 'x'),
          await workspace.read('/testbed/a\ud83dc'),
        ])
          if (!done.ok) expect(done).toMatchObject(refused);
        for (const options of [{ cwd: '/testbed/\ud83d' }, { env: { A: '\ud83d' } }])
          expect((await run(workspace, 'echo ran', options)).timedOut).toBe(false);
        expect((await run(workspace, 'echo alive')).stdout).toBe('alive\n');
      });
    });

    it('carries megabytes both ways', async () => {
      await use(async (workspace) => {
        const bytes = Buffer.alloc(9_000_001, 'abcdefg');
        await unwrap(workspace.write('/testbed/large', bytes));
        expect((await run(workspace, 'wc -c < large')).stdout.trim()).toBe('9000001');
        expect(bytes.equals((await unwrap(workspace.read('/testbed/large')))!)).toBe(true);
      });
    });

    it('sets the mode, and leaves no executable bit otherwise', async () => {
      await use(async (workspace) => {
        await unwrap(workspace.write('/testbed/yes', '#!/bin/sh\n', 0o755));
        await unwrap(workspace.write('/testbed/no', '#!/bin/sh\n'));
        const look = '[ -x yes ] && echo x; [ -x no ] || echo plain';
        expect((await run(workspace, look)).stdout).toBe('x\nplain\n');
      });
    });

    it('keeps the mode of a file that is there, unless one is given', async () => {
      await use(async (workspace) => {
        await run(workspace, 'printf old > run; chmod 755 run; printf old > secret; chmod 640 secret');
        for (const name of ['run', 'secret'])
          await unwrap(workspace.write(`/testbed/${name}`, '#!/bin/sh\n'));
        const modes = 'stat -c %a run secret; cat run';
        expect((await run(workspace, modes)).stdout).toBe('755\n640\n#!/bin/sh\n');
        await unwrap(workspace.write('/testbed/run', '', 0o644));
        expect((await run(workspace, modes)).stdout).toBe('644\n640\n');
      });
    });

    it('follows links inside', async () => {
      await use(async (workspace) => {
        await run(workspace, 'ln -s package alias; ln -s README.md readme');
        await unwrap(workspace.write('/testbed/alias/new.py', 'x = 1\n'));
        expect((await run(workspace, 'cat package/new.py')).stdout).toBe('x = 1\n');
        expect(Buffer.from((await unwrap(workspace.read('/testbed/readme')))!).toString()).toContain('two');
      });
    });

    it('never writes or reads the host through a symbolic link', async () => {
      const { outside, root } = fixture();
      await use(async (workspace) => {
        await run(
          workspace,
          `ln -s '${outside}' out; ln -s '${outside}/canary' file; ln -s '${outside}/new' dangling`,
        );
        await run(workspace, 'ln -s ../../../../../../../../../../../../.. up');
        const escapes = ['out/pwned', 'dangling', 'file', `up${outside}/pwned`];
        for (const path of escapes) await workspace.write(`/testbed/${path}`, 'pwned\n');
        const reads = ['out/canary', 'file', `up${outside}/canary`, `../../../../../../..${outside}/canary`];
        for (const path of reads) {
          const got = await workspace.read(`/testbed/${path}`);
          expect(got.ok ? Buffer.from(got.value ?? '').toString() : '').not.toContain(CANARY);
        }
      });
      expect(await treeLines(outside)).toHaveLength(1);
      expect(await readFile(join(root, 'outside/canary'), 'utf8')).toBe(`${CANARY}\n`);
    });
  });
}

function describeLayers({ use, fixture }: Subject): void {
  describe('layers', () => {
    it('never change, whatever a workspace does', async () => {
      const layers = [...fixture().environment.layers, fixture().source.layer];
      const before = await Promise.all(layers.map((layer) => treeLines(layer)));
      await use(async (workspace) => {
        const result = await run(
          workspace,
          [
            'set -e',
            'echo more >> README.md; rm doomed.txt; mv old_name.txt new_name.txt; chmod +x plain.py',
            'echo x > /opt/env/shared.txt; rm /opt/env/lower.txt; rm -r /opt/env/lib; echo y > /opt/env/new.txt',
            'git config user.name a; git config user.email a@b; git add -A; git commit -qm change',
          ].join('\n'),
        );
        expect(result).toMatchObject({ exitCode: 0, stderr: '' });
        await unwrap(workspace.write('/testbed/plain.py', 'changed\n'));
      });
      expect(await Promise.all(layers.map((layer) => treeLines(layer)))).toEqual(before);
      await use(async (workspace) => {
        expect(
          (await run(workspace, 'git status --porcelain; git log --format=%s; tail -1 README.md')).stdout,
        ).toBe('base\nthree\n');
      });
    });

    it('gives git a clean and usable repository', async () => {
      await use(async (workspace) => {
        const result = await run(workspace, 'git status --porcelain && git rev-parse --show-toplevel');
        expect(result).toMatchObject({ exitCode: 0, stdout: '/testbed\n' });
      });
    });
  });

  describe('changes', () => {
    it('shows what was written, as a tree rooted at /', async () => {
      await use(
        async (workspace) => {
          const command = [
            'mkdir -p /opt/env/lib/python; echo new > /opt/env/lib/python/mod.py',
            'printf "#!/opt/env/bin/python\\n" > /opt/env/bin/script; chmod +x /opt/env/bin/script',
            'ln -s /opt/env/lib /opt/env/lib64; echo egg > /testbed/egg.txt; echo changed > /opt/env/shared.txt',
          ].join('\n');
          expect((await run(workspace, command)).exitCode).toBe(0);
          const { folder } = await unwrap(workspace.changes());
          const text = (path: string) => readFile(join(folder, path), 'utf8');
          expect(await text('opt/env/lib/python/mod.py')).toBe('new\n');
          expect(await text('opt/env/bin/script')).toBe('#!/opt/env/bin/python\n');
          expect((await stat(join(folder, 'opt/env/bin/script'))).mode & 0o100).toBe(0o100);
          expect(await text('opt/env/shared.txt')).toBe('changed\n');
          expect(await text('testbed/egg.txt')).toBe('egg\n');
          const lines = await treeLines(folder);
          expect(lines).toContain('opt/env/lib64 -> /opt/env/lib');
          const unchanged = /lower\.txt|upper\.txt|README\.md|bin\/hello/;
          expect(lines.filter((line) => unchanged.test(line))).toEqual([]);
        },
        { options: { storage: 'disk' } },
      );
    });

    it('names what of the layers is gone', async () => {
      await use(
        async (workspace) => {
          const command =
            'rm /opt/env/shared.txt; rm -r /opt/env/bin; mkdir /opt/env/bin; echo x > /opt/env/bin/new';
          expect((await run(workspace, command)).exitCode).toBe(0);
          const { folder, removed } = await unwrap(workspace.changes());
          expect(removed).toContain('opt/env/shared.txt');
          expect(removed.some((path) => path === 'opt/env/bin' || path === 'opt/env/bin/hello')).toBe(true);
          expect(removed.filter((path) => /new|lower|upper|README/.test(path))).toEqual([]);
          expect(await readFile(join(folder, 'opt/env/bin/new'), 'utf8')).toBe('x\n');
        },
        { options: { storage: 'disk' } },
      );
    });

    it('makes a layer that another workspace can lie upon', async () => {
      await use(
        async (workspace) => {
          const script = '#!/bin/sh\\ncat /opt/env/data\\n';
          await run(
            workspace,
            `echo built > /opt/env/data; printf '${script}' > /opt/env/bin/made; chmod +x /opt/env/bin/made`,
          );
          const { folder: layer } = await unwrap(workspace.changes());
          const layers = [...fixture().environment.layers, layer];
          await use(async (second) => expect((await run(second, 'made')).stdout).toBe('built\n'), {
            environment: { layers },
          });
        },
        { options: { storage: 'disk' } },
      );
    });
  });
}

/** Where swemake and its user keep things on the host cannot be read inside. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenOptions } from '../../executors/deployment.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { run } from './contract.ts';
import { giveTo, kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

/** As a home and a cache in it. */
const USER = 'user-anna-4711';

for (const kind of kinds) {
  describe(`inside a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    let home: string;
    beforeAll(async () => {
      const above = temporaryFolder();
      chmodSync(above, 0o755);
      home = join(above, USER);
      for (const folder of ['layer/opt/env', 'data/deep', 'state'])
        mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, 'layer/opt/env/file'), 'layer');
      writeFileSync(join(home, 'data/deep/file'), 'mounted');
      writeFileSync(join(home, 'single'), 'one');
      chmodSync(home, 0o755);
      await giveTo(kind, home);
      made = await makeSandbox(kind, { stateFolder: join(home, 'state') });
    });
    afterAll(() => made.cleanup());

    /** The words of a path of the host that are found in what can be read of processes, mounts and variables. */
    const found = async (options: Partial<OpenOptions>) => {
      const view = {
        layers: [join(home, 'layer')],
        mounts: [
          { from: join(home, 'data'), to: '/opt/data' },
          { from: join(home, 'single'), to: '/mnt/single' },
        ],
      };
      const look = [
        'cat /opt/data/deep/file /mnt/single /opt/env/file; echo',
        'echo x > /tmp/x; echo x > /opt/env/new; mkdir /run/a; ln /tmp/x /tmp/y; mv /tmp/y /tmp/z; rm /tmp/z',
        // A file of each mount is open and mapped while its own process is looked at.
        'exec 5< /opt/data/deep/file 6> /tmp/open 7< /opt/env/file 8< /mnt/single',
        'env; df -a; mount; readlink /proc/self/fd/* /proc/1/fd/* /proc/*/cwd /proc/*/exe /proc/*/root',
        'find /proc/self/ /proc/1/ /proc/sys/kernel /proc/fs /proc/net/ -type f -size -1 2>/dev/null | grep -v -e pagemap -e clear_refs -e kmsg | xargs -r -n 50 timeout 20 tail -c 100000',
      ];
      return withWorkspace(
        made.deployment,
        async (workspace) => {
          const { output } = await run(workspace, look.map((line) => `${line} 2>&1`).join('\n'), {
            cwd: '/',
          });
          expect(output).toContain('mountedonelayer');
          expect(output).toMatch(/\/opt\/data /);
          return output.split('\n').filter((line) => line.includes(USER) || line.includes(made.stateFolder));
        },
        options,
        view,
      );
    };

    for (const storage of ['memory', 'disk'] as const)
      it(`nothing says where the host keeps it, with storage ${storage}`, async () => {
        expect(await found({ storage })).toEqual([]);
      });
  });
}

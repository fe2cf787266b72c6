/** Programs in a container that would do harm by the services that they reach. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Workspace } from '../../executors/deployment.ts';
import { run } from './contract.ts';
import { type MadeDocker, makeDocker, noEngine, onDebian } from './docker-fixture.ts';
import { hoard, type Service, startService, talk } from './reach-service.ts';
import { withWorkspace } from './sandbox-fixture.ts';

const MOST = 256;
const NAME = 'print(rest(say("name")).decode())';

describe.skipIf(noEngine !== null)('reach of a container', () => {
  let made: MadeDocker;
  let service: Service;
  beforeAll(async () => {
    made = await makeDocker();
    service = await startService('first');
  }, 300_000);
  afterAll(async () => {
    await made?.cleanup();
    await service?.close();
  });
  const use = <T>(body: (workspace: Workspace) => Promise<T>) =>
    withWorkspace(onDebian(made.deployment), body, { reach: [service.path] });
  const bash = (workspace: Workspace, command: string) => run(workspace, command, { cwd: '/', timeout: 100 });

  it('leads to no other socket', async () => {
    await use(async (workspace) => {
      const ports =
        'for p in $(seq 3120 3140); do (: > /dev/tcp/127.0.0.1/$p) 2>/dev/null && echo $p; done; true';
      expect((await bash(workspace, ports)).stdout).toBe(`${workspace.ports[0]}\n`);
      expect((await bash(workspace, `ls ${service.path}`)).exitCode).not.toBe(0);
    });
  });

  it.each([
    ['never read', hoard('flood')],
    ['flood', hoard('deaf', 1 << 20)],
  ])(
    'bounds what a program holds that lets its connections %s',
    async (_, program) => {
      await use(async (hostile) => {
        const attack = hostile.exec(talk(hostile.ports[0], program), { cwd: '/', timeout: 600 });
        await bash(hostile, 'until [ -e /tmp/said ]; do sleep 0.05; done');
        await vi.waitFor(() => expect(service.open()).toBe(MOST), { timeout: 20_000 });
        await use(async (other) =>
          expect((await bash(other, talk(other.ports[0], NAME))).stdout).toBe('first\n\n'),
        );
        // A window for each of them, and the test's own.
        expect(process.memoryUsage().arrayBuffers).toBeLessThan(200 << 20);
        expect(await hostile.endProcesses()).toMatchObject({ ok: true });
        await attack;
        service.hear();
        await vi.waitFor(() => expect(service.open()).toBe(0), { timeout: 60_000 });
        expect((await bash(hostile, talk(hostile.ports[0], NAME))).stdout).toBe('first\n\n');
      });
    },
    200_000,
  );
});

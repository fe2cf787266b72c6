/** The part of the deployment contract about services of swemake's own process that programs inside reach. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Workspace } from '../../executors/deployment.ts';
import { run, type Subject } from './contract.ts';
import { type Service, startService, talk } from './reach-service.ts';

const NOTHING = '/nonexistent/service.sock';

/** For deployments of other machines, which cannot. */
export function describeNoReach({ deployment, fixture }: Subject): void {
  it('refuses to open with sockets that cannot be reached from there', async () => {
    const opened = await deployment().open(fixture().environment, null, {
      ...{ limits: {}, network: 'off', storage: 'memory', reach: [NOTHING] },
    });
    const detail = expect.stringContaining('agents that bring their own program');
    expect(opened).toMatchObject({ ok: false, fault: { status: 'config', reason: 'deployment', detail } });
  });
}

export function describeReachContract({ use }: Subject): void {
  describe('reach', () => {
    let first: Service;
    let second: Service;
    beforeAll(async () => {
      first = await startService('first');
      second = await startService('second');
    });
    afterAll(async () => {
      await first.close();
      await second.close();
    });
    const withPorts = <T>(body: (workspace: Workspace, ports: readonly number[]) => Promise<T>) =>
      use((workspace) => body(workspace, workspace.ports), {
        source: null,
        options: { reach: [first.path, NOTHING, second.path] },
      });
    const told = async (workspace: Workspace, port: number | undefined, program: string) => {
      const ended = await run(workspace, talk(port, program), { cwd: '/', timeout: 100 });
      expect(ended, ended.output).toMatchObject({ exitCode: 0 });
      return ended.stdout.trim();
    };
    const NAME = 'print(rest(say("name")).decode())';

    it('has no ports unless it is asked for', async () => {
      await use(async ({ ports }) => expect(ports).toEqual([]));
    });

    it.each(['off', 'host'] as const)('leads to each socket by its own port, network %s', async (network) => {
      const options = { network, reach: [first.path, second.path] };
      await use(
        async (workspace) => {
          expect(await told(workspace, workspace.ports[0], NAME)).toBe('first');
          expect(await told(workspace, workspace.ports[1], NAME)).toBe('second');
        },
        { source: null, options },
      );
    });

    it('carries many bytes both ways, and an end of one side alone', async () => {
      const program = [
        'data = os.urandom(1 << 20) * 24',
        's = say("sum"); s.sendall(data); s.shutdown(socket.SHUT_WR)',
        'got = rest(s)',
        'print(got == hashlib.sha256(data).hexdigest().encode() + b"\\n" + data)',
        // Both at once.
        's = say("echo")',
        'sender = threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR)))',
        'sender.start(); print(rest(s) == data); sender.join()',
      ].join('\n');
      await withPorts(async (workspace, [port]) =>
        expect(await told(workspace, port, program)).toBe('True\nTrue'),
      );
    });

    it('carries 200 connections at once', async () => {
      const program = [
        'all = [say("echo") for _ in range(200)]',
        'for i, s in enumerate(all): s.sendall(b"%03d" % i)',
        'print([s.recv(3) for s in all] == [b"%03d" % i for i in range(200)])',
      ].join('\n');
      await withPorts(async (workspace, [port]) => expect(await told(workspace, port, program)).toBe('True'));
      await vi.waitFor(() => expect(first.open()).toBe(0), { timeout: 20_000 });
    });

    it('carries 2,000 short requests, and keeps none of their connections', async () => {
      const program = [
        'def many():',
        '    for _ in range(250): assert rest(say("name")) == b"first\\n"',
        'threads = [threading.Thread(target=many) for _ in range(8)]',
        '[t.start() for t in threads]; [t.join() for t in threads]; print("done")',
      ].join('\n');
      await withPorts(async (workspace, [port]) => {
        expect(await told(workspace, port, program)).toBe('done');
        await vi.waitFor(() => expect(first.open()).toBe(0), { timeout: 20_000 });
      });
    });

    it('resets a connection where nobody listens, and goes on', async () => {
      const program = 'try: print(say("name").recv(1))\nexcept ConnectionResetError: print("reset")';
      await withPorts(async (workspace, [, port]) => {
        for (let i = 0; i < 3; i++) expect(await told(workspace, port, program)).toBe('reset');
        expect(await told(workspace, workspace.ports[2], NAME)).toBe('second');
      });
    });

    it('ends a connection whose service dies, with what it had said', async () => {
      await withPorts(async (workspace, [port]) => {
        expect(await told(workspace, port, 'print(rest(say("die")).decode())')).toBe('half');
        expect(await told(workspace, port, NAME)).toBe('first');
      });
    });

    it('holds back a service whose reader is slow, and runs other commands meanwhile', async () => {
      await withPorts(async (workspace, [port]) => {
        const slow = 's = say("flood"); open("/testbed/begun", "w").close(); time.sleep(300)';
        const controller = new AbortController();
        const running = workspace.exec(talk(port, slow), { timeout: 300, signal: controller.signal });
        await run(workspace, 'until [ -e /testbed/begun ]; do sleep 0.05; done');
        for (let i = 0; i < 20; i++) expect((await run(workspace, 'echo on')).stdout).toBe('on\n');
        expect(await told(workspace, port, NAME)).toBe('first');
        // Buffers of the kernel, and some of our own.
        expect(first.flooded()).toBeLessThan(32 << 20);
        controller.abort();
        expect((await running).ok).toBe(false);
        await vi.waitFor(() => expect(first.open()).toBe(0), { timeout: 20_000 });
      });
    });

    it('lets services see the end of a workspace that is closed with open connections', async () => {
      await withPorts(async (workspace, [port]) => {
        const hold =
          'all = [say("echo") for _ in range(20)]; open("/testbed/begun", "w").close(); time.sleep(300)';
        const running = workspace.exec(talk(port, hold), { timeout: 300 });
        await run(workspace, 'until [ -e /testbed/begun ]; do sleep 0.05; done');
        await vi.waitFor(() => expect(first.open()).toBe(20), { timeout: 20_000 });
        await workspace.close();
        await running;
        await vi.waitFor(() => expect(first.open()).toBe(0), { timeout: 20_000 });
      });
    });
  });
}

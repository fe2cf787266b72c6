/** Network mode `proxy`: the port inside leads to the proxy's host socket, and to nothing else. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const hasCurl = existsSync('/usr/bin/curl');
if (!hasCurl) console.log('skipped in part: /usr/bin/curl is missing');
const BODY = Buffer.alloc(5_000_000, 'swemake ');

for (const kind of kinds) {
  describe(`network "proxy" of a sandbox ${kind.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'swemake-proxy-'));
    const socketPath = join(folder, 'proxy.sock');
    let made: MadeSandbox;
    let asked: string[] = [];
    /** Stands for swemake's proxy: answers GET itself, and leads any CONNECT to the echo server. */
    const proxy = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end(BODY);
    });
    const echo = createServer((socket) => socket.pipe(socket));

    beforeAll(async () => {
      proxy.on('connect', (request, socket) => {
        asked.push(`CONNECT ${request.url}`);
        const target = connect((echo.address() as AddressInfo).port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(target).pipe(socket);
        });
        socket.on('error', () => target.destroy());
        target.on('error', () => socket.destroy());
      });
      await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
      await new Promise<void>((resolve) => proxy.listen(socketPath, resolve));
      chmodSync(folder, 0o755);
      chmodSync(socketPath, 0o666);
      made = await makeSandbox(kind, { proxy: { socketPath } });
    });
    afterAll(async () => {
      await made.cleanup();
      proxy.closeAllConnections();
      proxy.close();
      echo.close();
      rmSync(folder, { recursive: true });
    });
    beforeEach(() => {
      asked = [];
    });
    const bash = (command: string) =>
      withWorkspace(made.deployment, (workspace) => run(workspace, command, { cwd: '/' }), {
        network: 'proxy',
      });

    it('gives programs the proxy by their variables', async () => {
      const result = await bash('env | grep -i _proxy | sort');
      const url = 'http://127.0.0.1:3128';
      for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'])
        expect(result.stdout).toContain(`${name}=${url}\n`);
      expect(result.stdout).toMatch(/no_proxy=localhost/);
    });

    it.skipIf(!hasCurl)('carries downloads, many at a time', async () => {
      const get = 'curl -s http://example.org/file | wc -c';
      const result = await bash(`for i in 1 2 3 4 5 6 7 8; do ${get} & done; wait`);
      expect(result.stdout).toBe(`${BODY.length}\n`.repeat(8));
      expect(asked).toEqual(Array.from({ length: 8 }, () => 'GET http://example.org/file'));
    });

    it('carries tunnels both ways, and survives those that break off', async () => {
      const tunnel =
        'exec 3<>/dev/tcp/127.0.0.1/3128; printf "CONNECT a.example:443 HTTP/1.1\\r\\n\\r\\n" >&3';
      await withWorkspace(
        made.deployment,
        async (workspace) => {
          for (let i = 0; i < 5; i++) await run(workspace, `${tunnel}; kill -9 $$`, { cwd: '/' });
          const talk = `${tunnel}; read -r ok <&3; read -r empty <&3; echo "hello there" >&3; read -r back <&3; echo "$ok|$back"`;
          expect((await run(workspace, talk, { cwd: '/' })).stdout).toContain('200 OK\r|hello there\n');
        },
        { network: 'proxy' },
      );
      expect(asked).toContain('CONNECT a.example:443');
    });

    it('lets nothing else out', async () => {
      const port = (echo.address() as AddressInfo).port;
      expect((await bash(`echo x > /dev/tcp/127.0.0.1/${port}`)).exitCode).not.toBe(0);
      expect((await bash('getent hosts example.org')).exitCode).not.toBe(0);
      expect((await bash('tail -n +3 /proc/net/dev | cut -d: -f1')).stdout.trim()).toBe('lo');
      expect(asked).toEqual([]);
    });

    it('refuses to open where there is no proxy', async () => {
      const without = await makeSandbox(kind);
      const opened = await without.deployment.open(
        { layers: [], mounts: [], links: {}, variables: {} },
        null,
        {
          limits: {},
          network: 'proxy',
          storage: 'memory',
        },
      );
      expect(opened).toMatchObject({ ok: false, fault: { status: 'config' } });
      await without.cleanup();
    });
  });
}

/** What only containers promise: what code inside cannot reach, limits, the way to the proxy, and the end of things. */

import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import type { OpenOptions, Workspace } from '../../executors/deployment.ts';
import { addressWarning, engineAddress } from '../../executors/docker/address.ts';
import { translate } from '../../executors/docker/args.ts';
import { engineProbes } from '../../executors/docker/hosts.ts';
import { sweepContainers } from '../../executors/docker/sweep.ts';
import { debianRoot, type MadeDocker, makeDocker, noEngine, onDebian } from './docker-fixture.ts';

const OPTIONS: OpenOptions = { limits: {}, network: 'off', storage: 'memory' };
const VIEW = { layers: [], mounts: [], links: {}, variables: {} };

async function open({ deployment }: MadeDocker, options: Partial<OpenOptions> = {}): Promise<Workspace> {
  const opened = await onDebian(deployment).open(VIEW, null, { ...OPTIONS, ...options });
  if (!opened.ok) throw new Error(opened.fault.detail);
  return opened.value;
}

async function output(workspace: Workspace, command: string): Promise<string> {
  const ran = await workspace.exec(command, { cwd: '/', timeout: 60 });
  return ran.ok ? ran.value.output : ran.fault.detail;
}

describe('addresses and flags', () => {
  test('are read as Docker reads them', () => {
    const of = (text: string | undefined, env = {}) => engineAddress(text, env);
    expect(of(undefined)).toMatchObject({ value: { kind: 'unix', path: '/var/run/docker.sock' } });
    expect(of(undefined, { DOCKER_HOST: 'tcp://h:2375' })).toMatchObject({ value: { certificates: null } });
    const secure = of('tcp://h:2376', { DOCKER_CERT_PATH: '/certs' });
    expect(secure).toMatchObject({ value: { kind: 'tcp', port: 2376, certificates: '/certs' } });
    expect(of('https://h:443', { DOCKER_CERT_PATH: '/certs' })).toMatchObject({ value: { port: 443 } });
    expect(of('http://[::1]:80')).toMatchObject({ value: { host: '::1', port: 80 } });
    expect(of('https://[::1]', { DOCKER_CERT_PATH: '/certs' })).toMatchObject({ value: { port: 2376 } });
    expect(of('ssh://me@h')).toMatchObject({ value: { kind: 'ssh', user: 'me', port: 22 } });
    expect(of('ftp://h').ok).toBe(false);
    const plain = of('tcp://h:2375');
    expect(plain.ok && addressWarning(plain.value)).toMatch(/not encrypted/);
    expect(secure.ok && addressWarning(secure.value)).toBeNull();
  });

  test('become settings of a container, or are refused by name', () => {
    const made = translate(['--shm-size=64m', '--ulimit=nofile=10:20', '--cap-drop=CHOWN', '--rm']);
    expect(made).toMatchObject({
      value: {
        host: { ShmSize: 64 << 20, Ulimits: [{ Name: 'nofile', Soft: 10, Hard: 20 }] },
        capabilities: { drop: ['CHOWN'] },
      },
    });
    const wrong = [
      '--privileged',
      '--cap-add=SYS_ADMIN',
      '--shm-size',
      '--ipc=host',
      '--nothing=1',
      '--cpu-shares=1.5',
    ];
    for (const arg of wrong)
      expect(translate([arg])).toMatchObject({
        ok: false,
        fault: expect.stringContaining(arg.split('=')[0]!),
      });
  });
});

describe.skipIf(noEngine !== null)('containers', () => {
  let made: MadeDocker;
  const servers: { close(): unknown }[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'swemake-docker-test-'));

  beforeAll(async () => {
    debianRoot();
    const http = createHttp((request, response) =>
      response.end(`asked ${request.url}\n${'x'.repeat(3 << 20)}end`),
    );
    const socketPath = join(folder, 'proxy.sock');
    await new Promise<void>((resolve) => http.listen(socketPath, resolve));
    servers.push(http);
    made = await makeDocker({ proxy: { socketPath }, variables: { MINE: 'yes' } });
  }, 600_000);
  afterAll(async () => {
    await made?.cleanup();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('give code inside no way to process 1, to the engine or to a network', async () => {
    const workspace = await open(made);
    const said = await output(
      workspace,
      [
        'kill -9 1; head -c1 /proc/1/mem; echo forged > /proc/1/fd/1; cat /proc/1/environ; echo $MINE',
        'ls /var/run/docker.sock /run/docker.sock; mount -t tmpfs x /mnt; unshare -m true; mknod /d b 8 0',
        'grep -E "Cap(Prm|Bnd)|NoNewPrivs|Seccomp:" /proc/self/status',
        'python3 -c "import socket; socket.create_connection((\\"1.1.1.1\\", 80), 3)" 2>&1 | tail -1; ls /sys/class/net',
      ].join('\n'),
    );
    expect(said).toContain('\nyes\n');
    expect(said.match(/Permission denied|Operation not permitted|No such file/g)?.length).toBeGreaterThan(6);
    // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SYS_CHROOT.
    expect(said).toMatch(/CapPrm:\s+00000000000404fb\nCapBnd:\s+00000000000404fb/);
    expect(said).toMatch(/NoNewPrivs:\s+1\nSeccomp:\s+2/);
    expect(said).toMatch(/unreachable/);
    expect(said.trim().endsWith('lo')).toBe(true);
    expect(await output(workspace, 'echo alive')).toBe('alive\n');
    await workspace.close();
  });

  test('hold a limit of memory, and say that it was met', async () => {
    const workspace = await open(made, { limits: { memory: 128 << 20, pids: 64 } });
    const ran = await workspace.exec('python3 -c "x = bytearray(400 << 20)"', { cwd: '/', timeout: 60 });
    expect(ran).toMatchObject({ ok: true, value: { metMemoryLimit: true } });
    expect(await output(workspace, 'echo alive')).toBe('alive\n');
    await workspace.close();
  });

  test('reach the proxy over their stream, and nothing else', async () => {
    const workspace = await open(made, { network: 'proxy' });
    const ask =
      'import urllib.request as u; t = u.urlopen("http://host.invalid/x").read(); print(t[:27], len(t), t[-3:])';
    const asks = await Promise.all([1, 2, 3].map(() => output(workspace, `python3 -c '${ask}'`)));
    for (const said of asks) expect(said).toBe("b'asked http://host.invalid/x' 3145759 b'end'\n");
    await workspace.close();
  });

  test('are removed by the sweep when their owner is dead, and only then', async () => {
    const dead = await makeDocker();
    const [left, mine] = await Promise.all([open(dead), open(made)]);
    const [note] = (await readdir(dead.stateFolder)).filter((name) => !name.endsWith('.files'));
    expect(await sweepContainers(dead.stateFolder, process.env)).toEqual([]);
    expect(await output(left, 'echo alive')).toBe('alive\n');
    const tag = processTag({ ...thisProcess(), start: '1' });
    const gone = `${note!.slice(0, note!.lastIndexOf('.'))}.${tag}`;
    renameSync(join(dead.stateFolder, note!), join(dead.stateFolder, gone));
    expect(await sweepContainers(dead.stateFolder, process.env)).toHaveLength(1);
    expect(await left.exec('true', { timeout: 5 })).toMatchObject({ fault: { status: 'infra' } });
    expect(await output(mine, 'echo alive')).toBe('alive\n');
    await Promise.all([mine.close(), dead.cleanup()]);
  });

  test('are infra when the way to the engine breaks in the middle', async () => {
    const sockets = new Set<Socket>();
    const path = join(folder, 'engine.sock');
    const way = createServer((client) => {
      const engine = connectTo('/var/run/docker.sock');
      for (const socket of [client, engine]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
      }
      client.pipe(engine).pipe(client);
    });
    await new Promise<void>((resolve) => way.listen(path, resolve));
    const other = await makeDocker({ address: { kind: 'unix', path } });
    const workspace = await open(other);
    const running = workspace.exec('sleep 100', { cwd: '/', timeout: 100 });
    way.close();
    for (const socket of sockets) socket.destroy();
    expect(await running).toMatchObject({ ok: false, fault: { status: 'infra' } });
    const again = await onDebian(other.deployment).open(VIEW, null, OPTIONS);
    expect(again).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'engine' } });
    expect(await engineProbes([{ host: `unix://${path}` } as never], {})).toMatchObject([{ status: 'miss' }]);
    await new Promise<void>((resolve) => way.listen(path, resolve));
    await other.deployment.close();
    // What could not be removed then is removed now, so nothing is left to the sweep.
    expect(await readdir(other.stateFolder)).toEqual([]);
    way.close();
    await other.cleanup();
  });

  test('are told of by doctor', async () => {
    const probes = await engineProbes([{} as never], process.env);
    expect(probes[0]).toMatchObject({
      status: 'ok',
      kind: 'docker',
      detail: expect.stringMatching(/^Docker \d/),
    });
    expect(probes.map(({ name }) => name)).toContain('engine disk limit');
  });
});

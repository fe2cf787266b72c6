/**
 * An engine through ssh: a real sshd on loopback with keys of its own. Run by hand (npm run test:long). Without the programs it is
 * skipped, with the reason.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { engineAddress } from '../../executors/docker/address.ts';
import { createDocker } from '../../executors/docker/docker.ts';
import { hostKeys } from '../../executors/docker/known-hosts.ts';
import { makeTinyRoot } from '../rig/tiny-root.ts';
import { noEngine } from './docker-fixture.ts';

const SSHD = '/usr/sbin/sshd';
const lacks = [SSHD, 'ssh-keygen', 'ssh-agent'].find(
  (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
);
const why = noEngine ?? (lacks === undefined ? null : `there is no ${lacks}`);
if (why !== null) console.log(`skipped: an engine through ssh: ${why}`);

const folder = mkdtempSync(join(tmpdir(), 'swemake-ssh-'));
const home = join(folder, 'home');
const children: ChildProcess[] = [];
const env = { ...process.env, HOME: home, SSH_AUTH_SOCK: join(folder, 'agent') };
let port = 0;

afterAll(() => {
  for (const child of children) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(why !== null)('an engine through ssh', () => {
  beforeAll(async () => {
    mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 });
    for (const name of ['host', 'user', 'other']) keygen(name);
    port = await freePort();
    const config = {
      ...{ Port: port, ListenAddress: '127.0.0.1', HostKey: join(folder, 'host') },
      ...{ AuthorizedKeysFile: join(folder, 'user.pub'), PidFile: join(folder, 'sshd.pid') },
      ...{ StrictModes: 'no', UsePAM: 'no', PasswordAuthentication: 'no', PermitRootLogin: 'yes' },
      MaxStartups: 100,
    };
    const text = Object.entries(config).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(folder, 'sshd_config'), text.join(''));
    mkdirSync('/run/sshd', { recursive: true });
    children.push(spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: 'ignore' }));
    children.push(spawn('ssh-agent', ['-D', '-a', env.SSH_AUTH_SOCK], { stdio: 'ignore' }));
    const add = () => spawnSync('ssh-add', [join(folder, 'user')], { env, stdio: 'ignore' }).status;
    while (add() !== 0) await new Promise((done) => setTimeout(done, 50));
    knows('host');
  });

  test('opens workspaces, runs commands and brings back what was written', async () => {
    const made = await connect();
    if (!made.ok) throw new Error(made.fault.detail);
    const root = join(folder, 'root');
    makeTinyRoot(root);
    const view = {
      base: { layers: [root], testbed: false, place: null },
      ...{ layers: [], mounts: [], links: {}, variables: { PATH: '/bin' } },
    };
    const opened = await made.value.open(view, null, { limits: {}, network: 'off', storage: 'disk' });
    if (!opened.ok) throw new Error(opened.fault.detail);
    const said = await opened.value.exec('echo through; echo aside >&2; exit 3', { cwd: '/', timeout: 30 });
    expect(said).toMatchObject({ value: { stdout: 'through\n', stderr: 'aside\n', exitCode: 3 } });
    const late = await opened.value.exec('while :; do :; done', { cwd: '/', timeout: 1 });
    expect(late).toMatchObject({ value: { timedOut: true } });
    expect(await opened.value.write('/opt/text', 'text')).toMatchObject({ ok: true });
    const changes = await opened.value.changes();
    if (!changes.ok) throw new Error(changes.fault.detail);
    expect(readFileSync(join(changes.value.folder, 'opt/text'), 'utf8')).toBe('text');
    await opened.value.close();
    await made.value.close();
    expect(made.value.warnings().join()).not.toContain('encrypted');
  }, 180_000);

  test('works in the built program, which has no native part of the client', () => {
    knows('host');
    const yaml = `version: 1
name: p
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: docker, base: "debian:bookworm", host: "ssh://${userInfo().username}@127.0.0.1:${port}" } }
validation: { deployment: box }
`;
    writeFileSync(join(folder, 'p.yaml'), yaml);
    writeFileSync(join(folder, 'rows.jsonl'), '');
    const program = join(packageRoot(), 'bin/swemake.js');
    const ran = spawnSync(process.execPath, [program, 'doctor', 'p.yaml', '--json'], {
      ...{ cwd: folder, env, encoding: 'utf8' },
    });
    const { probes } = JSON.parse(ran.stdout) as {
      probes: { name: string; status: string; detail: string }[];
    };
    expect(probes.find(({ name }) => name.startsWith('engine ssh://'))).toMatchObject({ status: 'ok' });
  });

  test('is a fault where the machine has another key, or none that is known, and without a key of one’s own', async () => {
    knows('other');
    expect(await connect()).toMatchObject(refusedFor('known_hosts'));
    writeFileSync(join(home, '.ssh/known_hosts'), '');
    expect(await connect()).toMatchObject(refusedFor('known_hosts'));
    knows('host');
    spawnSync('ssh-add', ['-D'], { env, stdio: 'ignore' });
    expect(await connect()).toMatchObject(refusedFor('ssh-add'));
  });

  test('is known by a name that is written as it is, or hashed', () => {
    const file = join(home, '.ssh/known_hosts');
    knows('host');
    const plain = hostKeys(readFileSync(file, 'utf8'), '127.0.0.1', port);
    expect(plain).toHaveLength(1);
    execFileSync('ssh-keygen', ['-H', '-f', file], { stdio: 'ignore' });
    const hashed = readFileSync(file, 'utf8');
    expect(hashed).not.toContain('127.0.0.1');
    expect(hostKeys(hashed, '127.0.0.1', port)).toEqual(plain);
    expect(hostKeys(hashed, '127.0.0.1', 22)).toEqual([]);
  });
});

function refusedFor(what: string) {
  return { ok: false, fault: { status: 'infra', detail: expect.stringContaining(what) } };
}

function connect() {
  const address = engineAddress(`ssh://${userInfo().username}@127.0.0.1:${port}`, env);
  if (!address.ok) throw new Error(address.fault);
  return createDocker({
    ...{ name: 'box', address: address.value, extra: { host: {}, capabilities: { add: [], drop: [] } } },
    ...{ stateFolder: join(folder, 'state'), keptFolder: join(folder, 'kept'), runId: 'ssh' },
    ...{ variables: {}, env },
  });
}

function keygen(name: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
}

function knows(name: string): void {
  const [type, key] = readFileSync(join(folder, `${name}.pub`), 'utf8').split(' ');
  writeFileSync(join(home, '.ssh/known_hosts'), `[127.0.0.1]:${port} ${type} ${key}\n`);
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => done(free));
    });
  });
}

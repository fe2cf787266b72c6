/** What the commands that serve say of their token, and who gets in: real servers, asked by real clients. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findToken } from '../../basics/server-token.ts';
import { NodeClient } from '../../servers/pool/node-client.ts';
import { endAgentServer, readStart } from '../rig/agent-server.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

const runtime = temporaryFolder();
chmodSync(runtime, 0o700);
const ENV = { XDG_RUNTIME_DIR: runtime };
const project = new Project(temporaryFolder(), ENV);
const NOWHERE = ['--node', 'http://127.0.0.1:9'];

async function servePool(...options: string[]) {
  const child = project.start(['serve', 'pool', ...NOWHERE, '--folder', project.path('pool'), ...options]);
  let said = '';
  child.stderr!.on('data', (text: string) => {
    said += text;
  });
  const { url } = await readStart(child, 'pool');
  return { child, url, said: () => said };
}

const statusOf = async (url: string, headers = {}) => (await fetch(`${url}/status`, { headers })).status;

test('a server on loopback makes a token, says where it is, and ends it with itself', async () => {
  const { child, url, said } = await servePool('--listen', '127.0.0.1:0');
  const token = findToken(url, ENV)!;
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect([await statusOf(url), await statusOf(url, { authorization: `Bearer ${token}` })]).toEqual([
    401, 200,
  ]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  // Commands of the same user find it.
  const { stdout, code } = await project.run('nodes', '--pool', url, '--json');
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ pools: [{ problem: null }] });
  const elsewhere = new Project(temporaryFolder(), { XDG_RUNTIME_DIR: '', HOME: temporaryFolder() });
  expect((await elsewhere.run('nodes', '--pool', url, '--json')).stdout).toContain('a token is needed');
  const shown = execFileSync('ps', ['-ww', '-o', 'args=', '-p', `${child.pid}`], { encoding: 'utf8' });
  await endAgentServer({ process: child } as never, 'SIGTERM');
  expect(said()).toMatch(/^its token is in \S+\n$/);
  // Its file says it, and nothing else: neither words of a command line nor what a log would keep.
  for (const text of [said(), shown]) expect(text).not.toContain(token);
  expect(readdirSync(join(runtime, 'swemake/tokens'))).toEqual([]);
});

test('a client goes on when its server was started again with another token', async () => {
  const first = await servePool('--listen', '127.0.0.1:0');
  const saved = process.env.XDG_RUNTIME_DIR;
  process.env.XDG_RUNTIME_DIR = runtime;
  const client = new NodeClient(first.url, null);
  expect(await client.get('/status', 5000)).toMatchObject({ status: 200 });
  await endAgentServer({ process: first.child } as never, 'SIGKILL');
  const second = await servePool('--listen', new URL(first.url).host);
  expect(await client.get('/status', 5000)).toMatchObject({ status: 200 });
  await client.close();
  if (saved === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = saved;
  await endAgentServer({ process: second.child } as never, 'SIGTERM');
});

test('a socket is open to its user alone, and needs no token', async () => {
  const path = project.path('pool.sock');
  const { child, url } = await servePool('--listen', 'unix:./pool.sock');
  expect(url).toBe(`unix:${path}`);
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  const { stdout } = await project.run('nodes', '--pool', `unix:${path}`, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ pools: [{ problem: null }] });
  if (process.getuid!() === 0) {
    chmodSync(project.folder, 0o755);
    const code = 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])';
    const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'python3', '-c', code, path];
    expect(() => execFileSync('setpriv', as, { stdio: 'pipe', env: { PATH: '/usr/bin:/bin' } })).toThrow(
      /PermissionError/,
    );
  }
  // What a killed server left is taken over; a file that is no socket is not.
  await endAgentServer({ process: child } as never, 'SIGKILL');
  expect(existsSync(path)).toBe(true);
  const again = await servePool('--listen', 'unix:./pool.sock');
  await endAgentServer({ process: again.child } as never, 'SIGTERM');
  writeFileSync(path, 'mine');
  const refused = await project.run(
    'serve',
    'pool',
    ...NOWHERE,
    '--folder',
    'pool',
    '--listen',
    'unix:./pool.sock',
  );
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('is no socket') });
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('--no-token lets every user of the machine in, and says so', async () => {
  const { child, url, said } = await servePool('--listen', '127.0.0.1:0', '--no-token');
  expect(await statusOf(url)).toBe(200);
  for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect(await statusOf(url, headers)).toBe(403);
  await endAgentServer({ process: child } as never, 'SIGTERM');
  expect(said()).toContain('every user of this machine may ask it');
  expect(findToken(url, ENV)).toBeNull();
  for (const [words, why] of [
    [['--listen', '0.0.0.0:0', '--no-token'], 'only this machine reaches'],
    [['--no-token', '--token-file', 'token'], 'contradicts'],
  ] as const)
    expect(await project.run('serve', 'pool', ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why),
    });
});

/**
 * Real builds that end badly for what comes from outside, or for themselves.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyProject, tinyYaml } from '../rig/tiny-project.ts';

const BUILD = { timeout: 240_000 };
const SECRET = 'worth-keeping-to-oneself';
const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', OWN_TOKEN: SECRET };

// One cache for all: what is below the step is built once.
const project = tinyProject({ instances: 1, env: ENV, isCold: true });

async function outcomeOf(recipe: string, settings: string[] = []) {
  writeFileSync(project.path('p.yaml'), tinyYaml('sandbox', recipe));
  await project.run('build', 'p.yaml', 'environments.train', ...settings.flatMap((one) => ['--set', one]));
  const ends = project.events().filter((event) => event.type === 'item-finished');
  return ends.findLast((event) => String(event.stage).startsWith('environments'))!.outcome;
}

const LIMIT = '      timeout: 10\n';
const step = (command: string) => `      pre_install: [${JSON.stringify(command)}]\n`;

test('a step that says much of the network, of which the proxy saw nothing, has failed', BUILD, async () => {
  const says =
    "echo 'Connection refused'; echo 'HTTP error 503'; echo 'Could not resolve host: x.org'; exit 1";
  expect(await outcomeOf(step(says))).toMatchObject({ status: 'failed', reason: 'install-failed' });
});

test('a step whose connection the proxy lost has not, whatever it says', BUILD, async () => {
  // A port that nobody listens on any more.
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const ask = `import os,urllib.request as r; r.urlopen('http://127.0.0.1:${port}/')`;
  const command = `no_proxy= NO_PROXY= python3 -c "${ask}" 2>/dev/null || { echo sorry; exit 1; }`;
  const allowed = [`deployments.box.allow_hosts=["127.0.0.1:${port}"]`];
  expect(await outcomeOf(step(command), allowed)).toMatchObject({ status: 'infra', reason: 'network' });
  const waits = `no_proxy= NO_PROXY= python3 -c "${ask}" 2>/dev/null; sleep 60`;
  expect(await outcomeOf(LIMIT + step(waits), allowed)).toMatchObject({ status: 'infra', reason: 'network' });
});

test('a step that may not reach a host has failed, and names the host and the key', BUILD, async () => {
  const asks = 'python3 -c "import urllib.request as r; r.urlopen(\'http://files.example.org/q.tgz\')"';
  const outcome = await outcomeOf(step(asks));
  expect(outcome).toMatchObject({ status: 'failed', reason: 'install-failed' });
  expect((outcome as { detail: string }).detail).toContain('refused files.example.org; allow_hosts');
});

test('a step that took too long by itself, whatever it says', BUILD, async () => {
  const waits = step("echo 'Could not resolve host: x.org'; sleep 60");
  expect(await outcomeOf(LIMIT + waits)).toMatchObject({ status: 'timeout' });
  expect(await outcomeOf(LIMIT + waits, ['deployments.box.network.build=off'])).toMatchObject({
    status: 'timeout',
  });
});

test.each([
  ['ended itself', 'kill -9 $$'],
  ['says that a disk is full', "echo 'OSError: [Errno 28] No space left on device'; exit 1"],
  ['says that memory lacked', "echo 'gcc: fatal error: Killed signal terminated program cc1plus'; exit 1"],
  ['says that processes lacked', "echo 'bash: fork: retry: Resource temporarily unavailable'; exit 1"],
])(
  'a step that %s, of which no counter shows anything, has failed, after one more try',
  BUILD,
  async (_, does) => {
    expect(await outcomeOf(step(does))).toMatchObject({ status: 'failed', reason: 'install-failed' });
    const { stdout } = await project.run('logs', 'environments.train@*');
    expect(stdout.match(/and is run once more$/gm)).toHaveLength(1);
    expect(stdout).toMatch(/again, and this end counts$/m);
    const again = await project.build('p.yaml', 'environments.train');
    expect(again).toMatchObject({ executed: 0 });
  },
);

test('a step that met the workspace’s own memory limit has failed', BUILD, async () => {
  const eats = step('python3 -c "x = bytearray(2 << 30)" || { echo MemoryError; exit 1; }');
  const limited = ['deployments.box.limits.memory=256MiB'];
  expect(await outcomeOf(eats, limited)).toMatchObject({ status: 'failed', reason: 'install-failed' });
});

test('a half-written file of our tools is a fault, and is made again', BUILD, async () => {
  writeFileSync(project.path('p.yaml'), tinyYaml('sandbox', ''));
  expect((await project.run('build', 'p.yaml', 'environments.train')).code).toBe(0);
  const tools = project.path('.swemake/tools');
  for (const folder of readdirSync(tools))
    for (const name of readdirSync(join(tools, folder)))
      if (name.endsWith('.whl')) truncateSync(join(tools, folder, name), 1000);
  const retries = () => project.events().filter((event) => event.type === 'item-retried');
  const before = retries().length;
  const again = await project.build('p.yaml', 'environments.train', '--force', 'environments.train');
  expect(again).toMatchObject({ code: 0, executed: 1 });
  const retried = retries().slice(before);
  expect(retried).toHaveLength(1);
  expect(retried[0]!.outcome).toMatchObject({
    status: 'infra',
    reason: 'helper',
    detail: expect.stringContaining('was damaged'),
  });
});

test(
  'a step that writes a secret of its recipe into a file has failed, and none is kept; one that removes it has not',
  BUILD,
  async () => {
    const env = '      env: { TOKEN: "${secret:OWN_TOKEN}" }\n';
    const writes = 'mkdir -p /opt/env/etc && echo "x = $TOKEN" > /opt/env/etc/own.conf';
    const outcome = await outcomeOf(env + step(writes));
    expect(outcome).toMatchObject({ status: 'failed', reason: 'install-failed' });
    const { detail } = outcome as { detail: string };
    expect(detail).toContain('pre_install[0] wrote a secret of env into /opt/env/etc/own.conf');
    expect(await outcomeOf(env + step(`${writes} && rm /opt/env/etc/own.conf`))).toEqual({ status: 'ok' });
    const kept = spawnSync('grep', ['-rlF', SECRET, project.path('.swemake')], { encoding: 'utf8' });
    expect(kept).toMatchObject({ status: 1, stdout: '' });
  },
);

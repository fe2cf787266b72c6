/** The pool executor over two node servers keeps the deployment contract; one of its own ends with it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { poolKind } from '../../executors/pool/kind.ts';
import { startOwnPool } from '../../executors/pool/own-pool.ts';
import { PoolDeployment } from '../../executors/pool/pool.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { unwrap } from '../rig/unwrap.ts';
import { ask, startTestNode, startTestPool } from '../servers/rig.ts';
import { describeDeploymentContract } from './contract.ts';

const folder = temporaryFolder();
const NEEDS = { architecture: process.arch, backend: 'sandbox', held: {} };

const overTwo = async () => {
  const nodes = await Promise.all(
    [1, 2].map((number) =>
      startTestNode(join(folder, `node${number}`), '/nonexistent', { maxContainers: 64 }),
    ),
  );
  const urls = nodes.map(({ url }) => url);
  const options = { token: 'a-token-that-is-long', maxPerNode: 32, lookEvery: 500 };
  const pool = await startTestPool(join(folder, 'pool'), urls, options);
  const { url } = pool;
  const deployment = new PoolDeployment({
    name: 'fleet',
    url,
    token: 'a-token-that-is-long',
    runId: 'test',
    scratch: join(folder, 'scratch'),
    needs: NEEDS,
  });
  return {
    deployment,
    cleanup: async () => {
      await deployment.close();
      for (const node of nodes) expect((await ask(node.url, '/status')).body.active_containers).toBe(0);
      await pool.close();
      for (const node of nodes) await node.close();
    },
  };
};
describeDeploymentContract('pool over two sandboxes', overTwo, poolKind.reaches);

test('without an address it starts a pool over the nodes, and ends it', async () => {
  const node = await startTestNode(join(folder, 'single'), '/nonexistent');
  const stateFolder = join(folder, 'state');
  await mkdir(stateFolder);
  const config = { type: 'pool' } as unknown as DeploymentConfig;
  const made = await poolKind.open({
    name: 'fleet',
    config,
    stateFolder,
    runId: 'test',
    nodes: [{ address: node.url, containers: 4 }],
  });
  if (!made.ok) throw new Error(made.fault.detail);
  const view = { layers: [], mounts: [], links: {}, variables: {} };
  const opened = await made.value.open(view, null, { limits: {}, network: 'off', storage: 'disk' });
  if (!opened.ok) throw new Error(opened.fault.detail);
  expect(await opened.value.exec('echo there', { cwd: '/', timeout: 20 })).toMatchObject({
    value: { stdout: 'there\n' },
  });
  expect((await ask(node.url, '/status')).body.active_containers).toBe(1);
  // The folder is on the disk of the cache, so that the caller can move it into the cache by renaming.
  const changes = await unwrap(opened.value.changes());
  expect(changes.folder.startsWith(stateFolder)).toBe(true);
  await poolKind.sweep(stateFolder);
  expect(existsSync(changes.folder)).toBe(true);
  await made.value.close();
  expect(readdirSync(stateFolder)).toEqual(['own-1']);
  expect((await ask(node.url, '/status')).body.active_containers).toBe(0);
  await node.close();
  expect(await poolKind.open({ name: 'fleet', config, stateFolder, runId: 'test' })).toMatchObject({
    ok: false,
  });
});

test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
  'it knows the certificates of nodes that the command knows',
  async () => {
    const names = ['-subj', '/CN=node', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', 'key.pem', '-out', 'cert.pem'];
    execFileSync('openssl', ['req', '-x509', ...names, ...made], { cwd: folder, stdio: 'ignore' });
    const pem = (name: string) => readFileSync(join(folder, `${name}.pem`));
    const node = createServer({ cert: pem('cert'), key: pem('key') }, (_, response) => response.end('{}'));
    await once(node.listen(0, '127.0.0.1'), 'listening');
    const asked = once(node, 'request');
    const address = `https://127.0.0.1:${(node.address() as AddressInfo).port}`;
    const stateFolder = join(folder, 'certain');
    await mkdir(stateFolder);
    const own = await startOwnPool({
      ...{ nodes: [{ address, containers: 1 }], token: 'a-token-that-is-long', stateFolder },
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') },
    });
    if (!own.ok) throw new Error(own.fault.detail);
    await asked;
    await own.value.end();
    node.close();
    expect(node.listening).toBe(false);
  },
);

test('what a killed run had on its way is swept', async () => {
  const stateFolder = join(folder, 'left');
  const tag = processTag({ ...thisProcess(), start: '1' });
  for (const name of [`run.${tag}/changes-1`, 'own-1', `run.${processTag(thisProcess())}`])
    await mkdir(join(stateFolder, name), { recursive: true });
  await poolKind.sweep(stateFolder);
  expect(readdirSync(stateFolder).sort()).toEqual(['own-1', `run.${processTag(thisProcess())}`]);
});

test('layers that the pool and its nodes lost are sent again', async () => {
  const above = join(folder, 'lossy');
  const layer = join(above, 'layer');
  await mkdir(join(layer, 'opt/env'), { recursive: true });
  await writeFile(join(layer, 'opt/env/there'), 'there');
  const node = await startTestNode(join(above, 'node'), '/nonexistent');
  const pool = await startTestPool(join(above, 'pool'), [node.url]);
  const deployment = new PoolDeployment({
    ...{ name: 'fleet', url: pool.url, token: null, runId: 'test', needs: NEEDS },
    scratch: join(above, 'scratch'),
  });
  const view = { layers: [layer], mounts: [], links: {}, variables: {} };
  const look = async () => {
    const opened = await unwrap(
      deployment.open(view, null, { limits: {}, network: 'off', storage: 'memory' }),
    );
    const ran = await opened.exec('cat /opt/env/there', { cwd: '/', timeout: 20 });
    await opened.close();
    return ran;
  };
  expect(await look()).toMatchObject({ value: { stdout: 'there' } });
  const isLayer = (name: string) => /[0-9a-f]{64}(\.tar)?$/.test(name);
  for (const name of readdirSync(above, { recursive: true, encoding: 'utf8' }).filter(isLayer))
    await rm(join(above, name), { recursive: true });
  expect(await look()).toMatchObject({ value: { stdout: 'there' } });
  await deployment.close();
  await pool.close();
  await node.close();
});

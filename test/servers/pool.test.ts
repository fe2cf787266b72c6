/** The pool server over two node servers: leases, waiting, failover, evaluation, and what a restart leaves. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PoolDeployment } from '../../executors/pool/pool.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { storeBytes } from '../../servers/http/store-bytes.ts';
import { type LeaseRecord, LeaseTable } from '../../servers/pool/lease-table.ts';
import { NodeClient } from '../../servers/pool/node-client.ts';
import { type PoolServerOptions, startPool } from '../../servers/pool/server.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { ask, EVAL_SCRIPT, FIX, IMAGE, makeImage, startTestNode, startTestPool } from './rig.ts';

const folder = temporaryFolder();
let layout: string;
let nodes: Listening[] = [];
let pool: Listening | null = null;
let count = 0;
const nextCount = () => {
  count += 1;
  return count;
};

beforeAll(async () => {
  layout = makeImage(folder);
  nodes = await Promise.all([1, 2].map((number) => startTestNode(join(folder, `node${number}`), layout)));
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});
afterEach(async () => {
  await pool?.close();
  pool = null;
});

async function start(more: Partial<PoolServerOptions> = {}): Promise<string> {
  pool = await startTestPool(
    join(folder, `pool${nextCount()}`),
    nodes.map(({ url }) => url),
    more,
  );
  return pool.url;
}

const allocate = (url: string, more = {}) =>
  ask(url, '/allocate', { image: IMAGE, instance_id: 'tiny-1', ...more });
const held = async () =>
  (await Promise.all(nodes.map(({ url }) => ask(url, '/status')))).reduce(
    (sum, { body }) => sum + body.active_containers,
    0,
  );

/** Looks again until it is so. */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await sleep(30);
}

test('leases a container, works in it, evaluates elsewhere, and closes twice', async () => {
  const url = await start();
  expect((await ask(url, '/healthz')).body).toMatchObject({ ok: true, healthy_nodes: 2 });
  const { body: lease } = await allocate(url);
  expect(lease).toMatchObject({ ok: true, lease_id: expect.stringMatching(/^swe-lease-[0-9a-f]{16}$/) });
  const { lease_id } = lease;
  expect((await ask(url, '/heartbeat', { lease_id })).body).toEqual({ ok: true });
  expect(
    (await ask(url, '/exec', { lease_id, command: 'echo fixed > code.txt; pwd', env: {} })).body,
  ).toMatchObject({ ok: true, returncode: 0, output: '/testbed\n' });
  const { body: diff } = await ask(url, '/diff', { lease_id, cwd: '/testbed' });
  expect(diff.patch).toContain('+fixed');
  const evaluate = { lease_id, patch: diff.patch, eval_script: EVAL_SCRIPT, cwd: '/testbed', timeout: 60 };
  expect((await ask(url, '/evaluate', evaluate)).body).toMatchObject({
    ok: true,
    resolved: true,
    reward: 1,
    fresh_container: true,
  });
  for (const _ of [1, 2]) expect((await ask(url, '/close', { lease_id })).body).toEqual({ ok: true });
  expect(await held()).toBe(0);
  expect(await ask(url, '/exec', { lease_id, command: 'true' })).toMatchObject({
    status: 500,
    body: { ok: false, error_code: 'unknown_lease', reward: null },
  });
  expect((await ask(url, '/allocate', {})).body.error).toBe('image is required');
  expect((await ask(url, '/exec', { lease_id })).body.error).toBe('lease_id and command required');
  expect((await ask(url, '/metrics')).body).toContain('swemake_pool_events_total{event="allocated"} 1');
});

test('gives one lease for one key, and one evaluation to all who ask the same', async () => {
  const url = await start();
  const both = await Promise.all([1, 2].map(() => allocate(url, { idempotency_key: 'k' })));
  const again = await allocate(url, { idempotency_key: 'k' });
  expect(new Set([...both, again].map(({ body }) => body.lease_id)).size).toBe(1);
  const { lease_id } = again.body;
  const body = { lease_id, patch: FIX, eval_script: 'date +%s%N; sleep 0.3' };
  const ends = await Promise.all([1, 2, 3].map(() => ask(url, '/evaluate', body)));
  ends.push(await ask(url, '/evaluate', body));
  expect(new Set(ends.map((end) => end.body.output)).size).toBe(1);
  const command = 'echo x >> /tmp/times; wc -l < /tmp/times';
  const runs = await Promise.all(
    [1, 2].map(() => ask(url, '/exec', { lease_id, command, idempotency_key: 'e' })),
  );
  expect(runs.map((run) => run.body.output.trim())).toEqual(['1', '1']);
});

test('a command goes on when its client or its pool is cut off, and is not run again for the same key', async () => {
  const own = { folder: join(folder, 'cut-off'), endsLeases: false };
  const first = await start(own);
  const { lease_id } = (await allocate(first)).body;
  const command = 'echo x >> /tmp/times; until test -e /tmp/go; do sleep 0.05; done; wc -l < /tmp/times';
  const body = { lease_id, command, detail: true, idempotency_key: 'once' };
  const run = (line: string) => ask(pool!.url, '/exec', { lease_id, command: line });
  const cut = new AbortController();
  const asked = fetch(`${first}/exec`, {
    ...{ method: 'POST', body: JSON.stringify(body), signal: cut.signal },
    headers: { 'content-type': 'application/json' },
  });
  await until(async () => (await run('cat /tmp/times')).body.output === 'x\n');
  cut.abort();
  await expect(asked).rejects.toThrow();
  const again = ask(first, '/exec', body).catch(() => null);
  await pool!.close();
  await again;
  const second = await start(own);
  const last = ask(second, '/exec', body);
  await run('touch /tmp/go');
  expect((await last).body).toMatchObject({ ok: true, result: { stdout: '1\n', exitCode: 0 } });
  await ask(second, '/close', { lease_id });
});

test('lets those wait who come when it is full, in their order, and keeps places for evaluations', async () => {
  const url = await start({ maxPerNode: 2 });
  // Two nodes of two places: one of each is for evaluations.
  const agents = await Promise.all([1, 2].map(() => allocate(url)));
  expect(new Set(agents.map(({ body }) => body.node_url)).size).toBe(2);
  const order: number[] = [];
  const waiting = [1, 2].map(async (number) => {
    await sleep(number * 50);
    const end = await allocate(url);
    order.push(number);
    return end;
  });
  await until(async () => (await ask(url, '/status')).body.pool.waiting === 2);
  expect(await allocate(url, { wait: 0.1 })).toMatchObject({
    status: 503,
    body: { ok: false, error_code: 'capacity_limited', retryable: true, reward: null },
  });
  // All agents hold their places, and their evaluations run all the same.
  const leases = agents.map(({ body }) => body.lease_id as string);
  for (const lease_id of leases) await ask(url, '/exec', { lease_id, command: 'true' });
  const verdicts = await Promise.all(
    leases.map((lease_id) => ask(url, '/evaluate', { lease_id, patch: FIX, eval_script: EVAL_SCRIPT })),
  );
  expect(verdicts.map(({ body }) => body.resolved)).toEqual([true, true]);
  const second = await allocate(url, { instance_id: 'tiny-1__eval' });
  expect(second.body.ok).toBe(true);
  await ask(url, '/close', { lease_id: second.body.lease_id });
  for (const lease_id of leases) {
    await ask(url, '/close', { lease_id });
    await sleep(50);
  }
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

test('ends a lease that is idle, and never one that is busy', async () => {
  const url = await start({ ttl: 4000 });
  const idle = (await allocate(url)).body.lease_id;
  const busy = (await allocate(url)).body.lease_id;
  const beaten = (await allocate(url)).body.lease_id;
  const beating = setInterval(() => void ask(url, '/heartbeat', { lease_id: beaten }), 80);
  const run = await ask(url, '/exec', { lease_id: busy, command: 'sleep 8; echo done' });
  expect(run.body.output).toBe('done\n');
  clearInterval(beating);
  const { leases, counts } = (await ask(url, '/status')).body.pool;
  expect(leases.map((lease: { lease_id: string }) => lease.lease_id).sort()).toEqual([busy, beaten].sort());
  expect(counts.expired).toBe(1);
  expect((await ask(url, '/exec', { lease_id: idle, command: 'true' })).body.error_code).toBe(
    'unknown_lease',
  );
  await until(async () => (await held()) === 0);
});

test('ends no lease when the clock of the machine is set', async () => {
  const url = await start({ ttl: 20_000 });
  const [idle, busy] = await Promise.all([1, 2].map(async () => (await allocate(url)).body.lease_id));
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + 86_400_000);
  try {
    await ask(url, '/exec', { lease_id: busy, command: 'sleep 3' });
    const { leases } = (await ask(url, '/status')).body.pool;
    expect(leases.map(({ lease_id }: { lease_id: string }) => lease_id).sort()).toEqual([idle, busy].sort());
    for (const { last_used } of leases) expect(Date.now() / 1000 - last_used).toBeLessThan(20);
  } finally {
    vi.useRealTimers();
  }
});

test('knows its leases after it was started again, and ends what belongs to none', async () => {
  const own = { folder: join(folder, 'again'), endsLeases: false };
  const first = await start(own);
  const { lease_id } = (await allocate(first, { idempotency_key: 'kept' })).body;
  await ask(first, '/exec', { lease_id, command: 'echo mine > /tmp/mine' });
  const refused = await startPool({
    address: { host: '127.0.0.1', port: 0 },
    token: null,
    tls: null,
    version: '1',
    log: () => undefined,
    nodes: [],
    nodeToken: null,
    maxPerNode: 1,
    maxLeases: 1,
    ttl: 1000,
    longestWait: 1,
    createTimeout: 1,
    lookEvery: 1000,
    ...own,
  });
  expect(refused).toMatchObject({ ok: false, fault: expect.stringContaining('another pool') });
  // A container of this pool that no lease names, as a pool leaves it that is killed while it opens one.
  const status = (await ask(nodes[0]!.url, '/status')).body.containers as Record<string, { owner: string }>;
  const other = (await ask(nodes[1]!.url, '/status')).body.containers as Record<string, { owner: string }>;
  const { owner } = Object.values({ ...status, ...other })[0]!;
  await ask(nodes[0]!.url, '/container/create', { image: IMAGE, name: 'swe-00000000dead', owner });
  await ask(nodes[0]!.url, '/container/create', {
    image: IMAGE,
    name: 'swe-00000000beef',
    owner: 'pool-of-others',
  });
  await pool!.close();
  const second = await start(own);
  expect((await allocate(second, { idempotency_key: 'kept' })).body.lease_id).toBe(lease_id);
  expect((await ask(second, '/exec', { lease_id, command: 'cat /tmp/mine' })).body.output).toBe('mine\n');
  await until(async () => (await held()) === 2);
  await ask(second, '/close', { lease_id });
  await ask(nodes[0]!.url, '/container/destroy', { container_id: 'swe-00000000beef' });
  expect(await held()).toBe(0);
});

test('goes on without a node that is gone: no reward comes from that', async () => {
  const third = await startTestNode(join(folder, 'third'), layout);
  const url = await start({
    nodes: [
      { address: third.url, name: 'third', max: 4 },
      { address: nodes[0]!.url, name: null, max: 4 },
    ],
  });
  const options = { limits: { disk: 16 << 20 } };
  const made = await Promise.all([1, 2, 3, 4].map(() => allocate(url, { options })));
  const onThird = made
    .filter(({ body }) => body.node_url === third.url)
    .map(({ body }) => body.lease_id as string);
  expect(onThird.length).toBeGreaterThan(0);
  const running = ask(url, '/exec', { lease_id: onThird[0], command: 'sleep 60' });
  await sleep(100);
  await third.close();
  expect(await running).toMatchObject({
    status: expect.any(Number),
    body: { ok: false, reward: null, outcome: 'infra' },
  });
  // What is not evaluated yet is evaluated on another node.
  const verdict = await ask(url, '/evaluate', { lease_id: onThird[0], patch: FIX, eval_script: EVAL_SCRIPT });
  expect(verdict.body).toMatchObject({ ok: true, resolved: true });
  // Its container there has the limits of the lease.
  const large = "printf '%67108864s' x > /tmp/large";
  const limited = await ask(url, '/evaluate', { lease_id: onThird[0], patch: FIX, eval_script: large });
  expect(limited.body).toMatchObject({ ok: true, resolved: false });
  expect(limited.body.output).toContain('No space left');
  for (const { body } of made) await ask(url, '/close', { lease_id: body.lease_id });
  const after = await Promise.all([1, 2, 3].map(() => allocate(url)));
  expect(after.map(({ body }) => body.node_url)).toEqual([1, 2, 3].map(() => nodes[0]!.url));
});

test('tells those who wait for a machine that went down that no answer will come', async () => {
  // It takes connections and says nothing, as a machine whose power is off.
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const client = new NodeClient(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, null);
  const waiting = client.post('/container/exec', {}, { timeout: 600_000 });
  await once(silent, 'connection');
  const stream = client.stream('/container/changes', {}, new AbortController().signal);
  await once(silent, 'connection');
  client.giveUp();
  expect(await waiting).toMatchObject({ kind: 'unreachable', detail: expect.stringContaining('any more') });
  expect(await stream).toBe(null);
  await client.close();
  silent.close();
});

test('gives what a lease needs or nothing: another kind of node is none, also when it changed since', async () => {
  const place = join(folder, 'changing');
  let node = await startTestNode(place, layout);
  const { port } = new URL(node.url);
  const url = await start({ nodes: [{ address: node.url, name: null, max: 4 }] });
  const needs = { architecture: process.arch, backend: 'sandbox' };
  const fits = await allocate(url, { needs });
  expect(fits.body.ok).toBe(true);
  await ask(url, '/close', { lease_id: fits.body.lease_id });
  for (const other of [
    { ...needs, backend: 'docker' },
    { ...needs, architecture: 'another' },
  ]) {
    const refused = await allocate(url, { needs: other });
    expect(refused.body).toMatchObject({ ok: false, error_code: 'unsuitable', retryable: false });
    expect(refused.body.error).toContain(`${node.url}: it opens containers with sandbox on ${process.arch}`);
  }
  // How limits are held there.
  const { held } = (await ask(node.url, '/status')).body as { held: Record<string, string> };
  expect(Object.keys(held)).toEqual(
    expect.arrayContaining(['memory held by', 'cpus held by', 'limits of the shell']),
  );
  const same = await allocate(url, { needs: { ...needs, held } });
  expect(same.body.ok).toBe(true);
  await ask(url, '/close', { lease_id: same.body.lease_id });
  const unlike = { ...needs, held: { ...held, 'memory held by': 'nobody' } };
  expect((await allocate(url, { needs: unlike })).body).toMatchObject({
    error_code: 'unsuitable',
    error: expect.stringContaining('and nobody is asked for'),
  });
  expect((await ask(node.url, '/container/create', { image: IMAGE, needs: unlike })).status).toBe(409);
  // The node says so itself, whatever a pool believes.
  const create = { image: IMAGE, needs: { ...needs, backend: 'docker' } };
  expect((await ask(node.url, '/container/create', create)).body.error_code).toBe('unsuitable');
  expect((await ask(node.url, '/status')).body.active_containers).toBe(0);
  await node.close();
  const fake = new FakeNode('docker');
  await fake.listen(Number(port));
  await until(async () => (await ask(url, '/status')).body.pool.nodes[0].backend === 'docker');
  expect((await allocate(url, { needs })).body).toMatchObject({ error_code: 'unsuitable', reward: null });
  await fake.close();
  // Nodes that are away may be what is needed when they are back.
  await until(async () => (await ask(url, '/healthz')).body.healthy_nodes === 0);
  const away = await allocate(url, { needs: { ...needs, backend: 'docker' }, wait: 1 });
  expect(away.body).toMatchObject({ error_code: 'node_unreachable', retryable: true });
  node = await startTestNode(place, layout, { port: Number(port) });
  await until(async () => (await allocate(url, { needs })).body.ok === true);
  await pool!.close();
  pool = null;
  await node.close();
});

/** What a node of another kind says of itself. */
class FakeNode {
  readonly #server;
  constructor(backend: string) {
    const said = { ok: true, backend, architecture: process.arch, containers: {}, images: [] };
    this.#server = createHttp((_request, response) => response.end(JSON.stringify(said)));
  }
  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

test('a table of leases that a full disk does not let be written anew keeps no file open, and loses no lease', () => {
  const own = join(folder, 'full-table');
  const opened = LeaseTable.open(own);
  if (!opened.ok) throw new Error(opened.fault);
  const table = opened.value;
  const record = (id: string): LeaseRecord => ({
    ...{ id, node: 'n', containerId: 'c', name: id, image: 'i', instanceId: '', role: 'agent' },
    ...{ createdAt: 1, key: null },
  });
  table.put(record('kept'));
  for (let index = 0; index < 4999; index += 1) {
    table.put(record('short'));
    table.remove('short');
  }
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (let index = 0; index < 20; index += 1) {
    // Opens, and takes no byte.
    symlinkSync('/dev/full', join(own, 'leases.jsonl.making'));
    expect(() => table.remove('short')).toThrow('ENOSPC');
  }
  expect(openFiles()).toBe(before);
  table.remove('short');
  table.close();
  const again = LeaseTable.open(own);
  expect(again.ok && again.value.all().map(({ id }) => id)).toEqual(['kept']);
  if (again.ok) again.value.close();
});

test('a layer that pool and node have lost is brought again by the client that brought it', async () => {
  const node = await startTestNode(join(folder, 'losing'), layout);
  const own = join(folder, 'losing-pool');
  const logged: string[] = [];
  const more = { folder: own, nodes: [{ address: node.url, name: null, max: null }] };
  const url = await start({ ...more, log: (text) => logged.push(text) });
  const layer = join(folder, 'layer');
  mkdirSync(layer);
  writeFileSync(join(layer, 'hello'), 'hello\n');
  const needs = { architecture: process.arch, backend: 'sandbox', held: {} };
  const deployment = new PoolDeployment({
    name: 'fleet',
    url,
    token: null,
    runId: 'test',
    needs,
    scratch: join(folder, 'losing-scratch'),
  });
  const view = { layers: [layer], mounts: [], links: {}, variables: {} };
  const read = async () => {
    const opened = await deployment.open(view, null, { limits: {}, network: 'off', storage: 'memory' });
    if (!opened.ok) return opened.fault.detail;
    const read = await opened.value.exec('cat /hello', { cwd: '/', timeout: 20 });
    await opened.value.close();
    return read.ok ? read.value.stdout : read.fault.detail;
  };
  expect(await read()).toBe('hello\n');
  const [name] = readdirSync(join(own, 'layers'));
  rmSync(join(own, 'layers', name!));
  rmSync(join(folder, 'losing/layers', name!.replace('.tar', '')), { recursive: true });
  expect(await read()).toBe('hello\n');
  await deployment.close();
  // One that a client asks for stays when the pool is started again.
  const monthAgo = new Date(Date.now() - 30 * 86_400_000);
  utimesSync(join(own, 'layers', name!), monthAgo, monthAgo);
  const digests = [name!.replace('.tar', '')];
  expect((await ask(url, '/layers', { digests })).body.missing).toEqual([]);
  await pool!.close();
  const again = await start(more);
  expect((await ask(again, '/layers', { digests })).body.missing).toEqual([]);
  await pool!.close();
  pool = null;
  await node.close();
});

test('a client that goes away while it sends a layer leaves nothing, and no bug in the log', async () => {
  const own = join(folder, 'half-sent');
  const logged: string[] = [];
  const url = await start({ folder: own, log: (text) => logged.push(text) });
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [`PUT /layers/${'a'.repeat(64)} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/x-tar'];
  socket.write([...head, 'Content-Length: 1000', '', 'some'].join('\r\n'));
  const there = () => readdirSync(join(own, 'layers'));
  await until(async () => there().length > 0);
  socket.destroy();
  await until(async () => there().length === 0);
  expect(logged).toEqual([]);
});

test('a sender that says nothing for too long is given up', async () => {
  const bytes = new PassThrough();
  bytes.write('some');
  const path = join(folder, 'silent');
  expect(await storeBytes(bytes, path, 20)).toEqual({
    ok: false,
    fault: 'its sender was silent for too long',
  });
  expect(bytes.destroyed).toBe(true);
});

test('gives a drained node nothing new, and says of an image that is none', async () => {
  const url = await start();
  expect((await ask(url, '/nodes/drain', { url: nodes[0]!.url, drained: true })).body).toEqual({ ok: true });
  const made = await Promise.all([1, 2].map(() => allocate(url)));
  expect(made.map(({ body }) => body.node_url)).toEqual([1, 2].map(() => nodes[1]!.url));
  expect((await allocate(url, { image: 'no such image' })).body).toMatchObject({
    ok: false,
    error_code: 'image_unavailable',
  });
  expect((await ask(url, '/openapi.json')).body.paths['/allocate'].post).toBeDefined();
});

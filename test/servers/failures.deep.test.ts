/**
 * A pool over two node servers, all processes of their own, with 32 items at work at once: a lease, a command, a verdict,
 * the end. In the middle of it a node, the pool or a client is killed, or a node is cut off. Every item comes to the verdict
 * that is right, no fault says one, and nothing is left running. Needs root: the second node lives in a network of its own.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { pause, treeOf } from '../rig/pausing.ts';
import { ask, EVAL_SCRIPT, FIX, IMAGE, makeImage, type Reply } from './rig.ts';

const LONG = 300_000;
const ITEMS = 32;
const TOKEN = 'the-token-of-this-fleet';
/** Milliseconds of a pause: longer than a lease without a beat lives. */
const PAUSE = 12_000;
/** Nobody else sleeps so long. */
const MARK = `98${process.pid}`;
const NETWORK = `swemake-${process.pid}`;
/** Its number keeps test files of one machine apart. */
const THIRD = process.pid % 250;
const [HERE, THERE] = [`10.213.${THIRD}.1`, `10.213.${THIRD}.2`];
const LINK = `swm${process.pid % 100_000}`;

const why = process.getuid?.() !== 0 ? 'a network of its own is made by root' : cutOff();
if (why !== null) console.log(`skipped: failures of servers: ${why}`);
const on = test.skipIf(why !== null);

const folder = temporaryFolder();
const children = new Set<ChildProcess>();
let layout: string;
let nodes: Server[];
let pool: Server;

interface Server {
  url: string;
  child: ChildProcess;
}

/** Makes the network; why that cannot be. */
function cutOff(): string | null {
  const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });
  const made = ip('netns', 'add', NETWORK);
  if (made.status !== 0) return `ip netns add: ${made.stderr ?? made.error?.message}`.trim();
  const steps = [
    ['link', 'add', LINK, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', NETWORK],
    ['addr', 'add', `${HERE}/24`, 'dev', LINK],
    ['link', 'set', LINK, 'up'],
    ['-n', NETWORK, 'addr', 'add', `${THERE}/24`, 'dev', 'eth0'],
    ['-n', NETWORK, 'link', 'set', 'eth0', 'up'],
    ['-n', NETWORK, 'link', 'set', 'lo', 'up'],
  ];
  const failed = steps.map((step) => ip(...step)).find(({ status }) => status !== 0);
  return failed === undefined ? null : `ip: ${failed.stderr}`.trim();
}

beforeAll(async () => {
  if (why !== null) return;
  layout = makeImage(folder);
  writeFileSync(join(folder, 'token'), TOKEN);
  nodes = await Promise.all([startNode(1), startNode(2)]);
  pool = await startPool();
}, LONG);

afterAll(async () => {
  await Promise.all([...children].map((child) => end(child, 'SIGTERM')));
  spawnSync('ip', ['link', 'delete', LINK]);
  spawnSync('ip', ['netns', 'delete', NETWORK]);
  // With the servers everything that they started is gone.
  if (why === null) expect(running()).toEqual([]);
}, LONG);

function startNode(number: 1 | 2, port = 0): Promise<Server> {
  const [host, enter] =
    number === 1 ? ['127.0.0.1', []] : [THERE, ['nsenter', `--net=/run/netns/${NETWORK}`]];
  const image = ['--image', `${IMAGE}=${layout}`, '--max-containers', '64'];
  const words = ['node', '--folder', join(folder, `node${number}`), '--listen', `${host}:${port}`, ...image];
  return serve(words, enter);
}

function startPool(port = 0): Promise<Server> {
  const fleet = nodes.flatMap(({ url }) => ['--node', `${url}=24`]);
  const words = ['pool', '--folder', join(folder, 'pool'), '--listen', `127.0.0.1:${port}`, ...fleet];
  return serve([...words, '--lease-ttl', '8s']);
}

/** Starts a server and waits until it says where it is. */
function serve(words: readonly string[], enter: readonly string[] = []): Promise<Server> {
  const swemake = [process.execPath, join(packageRoot(), 'bin/swemake.js'), 'serve'];
  const [program = '', ...args] = [...enter, ...swemake, ...words, '--token-file', join(folder, 'token')];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const url = /server at (\S+)\n/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, child });
    });
    child.once('close', () => reject(new Error(`${words[0]} ended before it was there`)));
  });
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

const portOf = ({ url }: Server) => Number(new URL(url).port);
const TO = { authorization: `Bearer ${TOKEN}` };
const tell = (route: string, body?: object) => ask(pool.url, route, body, TO);
const allocate = (instance: string) => tell('/allocate', { image: IMAGE, instance_id: instance });

/** Faults that items met; none may say a reward. */
interface Seen {
  faults: number;
  /** Items whose command was sent, by the node that has them. */
  busy: Map<string, number>;
}

/** What was asked for, or null where a fault kept it from being; the fault is counted. */
async function attempt(asking: Promise<Reply>, seen: Seen): Promise<Reply['body'] | null> {
  const reply = await asking.catch(() => null);
  if (reply?.body.ok === true) return reply.body;
  seen.faults += 1;
  if (reply !== null) {
    expect(reply.body.reward ?? null).toBe(null);
    expect(reply.body.resolved).toBe(undefined);
  }
  return null;
}

/** One item, as often as it takes: even ones solve their task, odd ones do not. */
async function workOn(index: number, seen: Seen): Promise<boolean> {
  const patch = index % 2 === 0 ? FIX : FIX.replace('+fixed', '+still broken');
  for (;;) {
    const lease = await attempt(allocate(`item-${index}`), seen);
    if (lease === null) {
      await sleep(300);
      continue;
    }
    const { lease_id, node_url } = lease;
    const command = `sleep ${MARK} & echo ${index} > own.txt; sleep 2; cat own.txt`;
    count(seen.busy, node_url, 1);
    const ran = await attempt(tell('/exec', { lease_id, command, timeout: 30 }), seen);
    count(seen.busy, node_url, -1);
    // Nobody else worked in it.
    if (ran !== null) expect(ran.output).toBe(`${index}\n`);
    const body = { lease_id, patch, eval_script: EVAL_SCRIPT, timeout: 30 };
    const verdict = ran === null ? null : await attempt(tell('/evaluate', body), seen);
    while ((await attempt(tell('/close', { lease_id }), seen)) === null) await sleep(300);
    if (verdict === null) continue;
    expect(verdict.reward).toBe(verdict.resolved ? 1 : 0);
    return verdict.resolved;
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** A quarter of the items run their command, on each node some. */
function isUnderWay({ busy }: Seen): boolean {
  const each = nodes.map(({ url }) => busy.get(url) ?? 0);
  return each.every((items) => items > 0) && each.reduce((sum, items) => sum + items) >= ITEMS / 4;
}

/** All items at once, and something that happens while they are under way. Says how many faults were met. */
async function workThrough(happens: () => Promise<void>): Promise<number> {
  const seen: Seen = { faults: 0, busy: new Map() };
  const working = Promise.all(Array.from({ length: ITEMS }, (_, index) => workOn(index, seen)));
  const happening = (async () => {
    while (!isUnderWay(seen)) await sleep(20);
    await happens();
  })();
  const [verdicts] = await Promise.all([working, happening]);
  expect(verdicts).toEqual(Array.from({ length: ITEMS }, (_, index) => index % 2 === 0));
  return seen.faults;
}

/** Until no node has a container, the pool no lease, and nothing that was started in one runs. */
async function untilNothingIsLeft(): Promise<void> {
  for (;;) {
    const held = await Promise.all(nodes.map(({ url }) => ask(url, '/status', undefined, TO)));
    const leases = (await tell('/status')).body.pool.total_leases;
    const open = held.reduce((sum, { body }) => sum + body.active_containers, 0);
    if (open === 0 && leases === 0 && running().length === 0) return;
    await sleep(200);
  }
}

/** Processes that items started and did not wait for. */
function running(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8') === `sleep\0${MARK}\0`;
    } catch {
      return false;
    }
  });
}

on(
  'a node is killed, and started again',
  async () => {
    const faults = await workThrough(async () => {
      await end(nodes[0]!.child, 'SIGKILL');
      await sleep(500);
      nodes[0] = await startNode(1, portOf(nodes[0]!));
    });
    expect(faults).toBeGreaterThan(0);
    await untilNothingIsLeft();
  },
  LONG,
);

on(
  'the pool is killed, and started again: it has the leases that it had, each once',
  async () => {
    const kept = await Promise.all([1, 2, 3, 4].map(async (index) => (await allocate(`kept-${index}`)).body));
    for (const { lease_id, container_id } of kept)
      await tell('/exec', { lease_id, command: `echo ${container_id} > own.txt` });
    const beat = setInterval(() => {
      for (const { lease_id } of kept) tell('/heartbeat', { lease_id }).catch(() => null);
    }, 1000);
    const faults = await workThrough(async () => {
      await end(pool.child, 'SIGKILL');
      pool = await startPool(portOf(pool));
      const told = (await tell('/status')).body.pool.leases as { lease_id: string }[];
      const ids = told.map(({ lease_id }) => lease_id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(kept.map(({ lease_id }) => lease_id)));
    });
    expect(faults).toBeGreaterThan(0);
    clearInterval(beat);
    for (const { lease_id, container_id } of kept) {
      expect((await tell('/exec', { lease_id, command: 'cat own.txt' })).body.output).toBe(
        `${container_id}\n`,
      );
      await tell('/close', { lease_id });
    }
    await untilNothingIsLeft();
  },
  LONG,
);

on(
  'a client is killed: what it had ends by itself',
  async () => {
    const program = `
      const ask = async (route, body) => (await fetch('${pool.url}' + route, {
        method: 'POST', body: JSON.stringify(body), headers: ${JSON.stringify({ ...TO, 'content-type': 'application/json' })} })).json();
      for (let index = 0; index < 4; index += 1) {
        const { lease_id } = await ask('/allocate', { image: '${IMAGE}' });
        void ask('/exec', { lease_id, command: 'sleep ${MARK} & sleep 5' });
        console.log(lease_id);
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.add(child);
    let said = '';
    child.stdout.on('data', (part) => {
      said += part;
    });
    while (said.trim().split('\n').length < 4 || running().length === 0) await sleep(50);
    const faults = await workThrough(() => end(child, 'SIGKILL'));
    expect(faults).toBe(0);
    await untilNothingIsLeft();
    expect((await tell('/status')).body.pool.counts.expired).toBeGreaterThanOrEqual(4);
  },
  LONG,
);

on(
  'a node is cut off for some seconds',
  async () => {
    await workThrough(async () => {
      execFileSync('ip', ['link', 'set', LINK, 'down']);
      await sleep(4000);
      execFileSync('ip', ['link', 'set', LINK, 'up']);
    });
    await untilNothingIsLeft();
  },
  LONG,
);

on(
  'a node stands still for longer than a lease lives',
  async () => {
    await workThrough(() => pause(treeOf(nodes[0]!.child.pid!), PAUSE));
    await untilNothingIsLeft();
  },
  LONG,
);

on(
  'the pool stands still for longer than a lease lives',
  async () => {
    await workThrough(() => pause([pool.child.pid!], PAUSE));
    await untilNothingIsLeft();
  },
  LONG,
);

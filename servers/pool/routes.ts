/** The routes of a pool server: those of swe-rl's server, and further ones for workspaces. */
import { randomBytes } from 'node:crypto';
import { existsSync, utimesSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { awakeNow } from '../../basics/awake.ts';
import type { Json } from '../../basics/canonical.ts';
import { IdempotentAnswers } from '../http/idempotency.ts';
import { type Answer, type Call, NO_VERDICT, type Route, refusal } from '../http/route.ts';
import {
  answerOf,
  NAME,
  NEEDS,
  type Needs,
  OK,
  objectOf,
  PATH,
  SECONDS,
  secondsOf,
  TEXT,
  textOf,
} from '../http/schema.ts';
import { storeBytes } from '../http/store-bytes.ts';
import {
  ANSWERS,
  bodies,
  isLayer,
  KEY,
  LARGE,
  LARGE_ENCODED,
  LAYER,
  layerRoute,
  metricsRoute,
} from '../http/work.ts';
import { atWork, type Lease } from './lease.ts';
import type { LeasePool } from './pool.ts';

export interface PoolParts {
  pool: LeasePool;
  /** The folder of layers for nodes. */
  layers: string;
  metrics(): string;
}

/** Seconds beyond a command's own time. */
const MARGIN = 90;
const LEASE_KEY = 'lease_id';
const LEASE = objectOf({ [LEASE_KEY]: NAME }, [LEASE_KEY]);
const NO_LEASE = 'lease_id required';

export function poolRoutes(parts: PoolParts): Route[] {
  return [...health(parts), ...lifecycle(parts), ...work(parts), ...files(parts), ...maintenance(parts)];
}

function health({ pool, metrics }: PoolParts): Route[] {
  return [
    {
      method: 'get',
      path: '/healthz',
      access: 'open',
      summary: 'That the pool is there, and how many of its nodes are well.',
      answer: answerOf({ healthy_nodes: { type: 'integer' }, nodes: { type: 'integer' } }),
      run: async () => ({
        json: {
          ok: true,
          healthy_nodes: pool.nodes.filter(({ healthy }) => healthy).length,
          nodes: pool.nodes.length,
        },
      }),
    },
    {
      method: 'get',
      path: '/status',
      access: 'token',
      summary: 'Nodes and leases.',
      answer: answerOf({
        pool: objectOf(
          {
            total_leases: { type: 'integer' },
            waiting: { type: 'integer' },
            nodes: {
              type: 'array',
              items: objectOf(
                {
                  url: { type: 'string' },
                  active_containers: { type: 'integer' },
                  max_containers: { type: 'integer' },
                  healthy: { type: 'boolean' },
                },
                ['url', 'active_containers', 'max_containers', 'healthy'],
              ),
            },
            leases: { type: 'array' },
          },
          ['total_leases', 'nodes'],
        ),
      }),
      run: async () => ({ json: { ok: true, pool: statusOf(pool) } }),
    },
    {
      method: 'get',
      path: '/images',
      access: 'open',
      summary: 'The images of all nodes, and how many nodes have each.',
      answer: answerOf({ images: { type: 'object' }, count: { type: 'integer' } }),
      async run() {
        const counts: Record<string, number> = {};
        for (const { images } of pool.nodes)
          for (const name of images) counts[name] = (counts[name] ?? 0) + 1;
        return { json: { ok: true, images: counts, count: Object.keys(counts).length } };
      },
    },
    metricsRoute(metrics),
  ];
}

function statusOf(pool: LeasePool): Record<string, unknown> {
  const leases = pool.leases();
  return {
    total_leases: leases.length,
    waiting: pool.waiting,
    nodes: pool.nodes.map((node) => ({
      url: node.url,
      name: node.name,
      active_containers: pool.taken(node),
      max_containers: node.max,
      healthy: node.healthy,
      drained: node.drained,
      failures: node.failures,
      problem: node.problem,
      backend: node.backend,
      architecture: node.architecture,
      images: node.images.size,
      load: node.load,
      warnings: node.warnings,
    })),
    leases: leases.map(({ record, lastUsed, busy, lost }) => ({
      lease_id: record.id,
      node_url: record.node,
      image: record.image,
      instance_id: record.instanceId,
      role: record.role,
      created_at: record.createdAt / 1000,
      last_used: (Date.now() - awakeNow() + lastUsed) / 1000,
      busy,
      lost,
    })),
    counts: pool.counts,
  };
}

function lifecycle({ pool }: PoolParts): Route[] {
  return [
    {
      method: 'post',
      path: '/allocate',
      access: 'token',
      summary: 'A lease on a container that shows an image; waits for a place when all are taken.',
      body: objectOf(
        {
          image: NAME,
          instance_id: TEXT,
          cwd: PATH,
          timeout: SECONDS,
          wait: SECONDS,
          idempotency_key: KEY,
          view: { type: 'object' },
          options: { type: 'object' },
          needs: NEEDS,
        },
        ['image'],
      ),
      required: 'image is required',
      answer: answerOf({
        lease_id: { type: 'string' },
        container_id: { type: 'string' },
        node_url: { type: 'string' },
      }),
      run: ({ body, signal }) => {
        const { view, options, cwd, timeout } = body;
        const more = Object.entries({ view, options, cwd, timeout }).filter(
          ([, value]) => value !== undefined,
        );
        return pool.allocate({
          image: textOf(body.image),
          instanceId: textOf(body.instance_id),
          key: body.idempotency_key === undefined ? null : textOf(body.idempotency_key),
          longestWait: body.wait === undefined ? null : secondsOf(body.wait, 0) * 1000,
          needs: (body.needs as Needs | undefined) ?? null,
          more: Object.fromEntries(more),
          signal,
        });
      },
    },
    {
      method: 'post',
      path: '/heartbeat',
      access: 'token',
      summary: 'Keeps an idle lease.',
      body: LEASE,
      required: NO_LEASE,
      answer: OK,
      run: (call) =>
        withLease(pool, call, async (lease) => {
          lease.lastUsed = awakeNow();
          return { json: { ok: true } };
        }),
    },
    {
      method: 'post',
      path: '/close',
      access: 'token',
      summary: 'Ends a lease. One that is unknown has ended already.',
      body: LEASE,
      required: NO_LEASE,
      answer: OK,
      async run({ body }) {
        await pool.close(textOf(body.lease_id));
        return { json: { ok: true } };
      },
    },
  ];
}

function work({ pool }: PoolParts): Route[] {
  const answers = new IdempotentAnswers();
  return [
    {
      method: 'post',
      path: '/exec',
      access: 'token',
      summary: 'Runs a command in the container of a lease.',
      body: bodies.exec(LEASE_KEY),
      required: 'lease_id and command required',
      limit: LARGE,
      answer: ANSWERS.exec,
      run: (call) =>
        withLease(pool, call, (lease) => {
          const { lease_id: _, idempotency_key: key, ...body } = call.body;
          const run = () => {
            const request = { ...body, idempotency_key: key ?? randomBytes(8).toString('hex') };
            const timeout = (secondsOf(body.timeout, 180) + MARGIN) * 1000;
            return pool.forward(lease, '/container/exec', request, { timeout, touches: true });
          };
          return answers.share(key === undefined ? null : `${lease.record.id} ${key}`, run);
        }),
    },
    {
      method: 'post',
      path: '/diff',
      access: 'token',
      summary: 'What was changed in a repository, as a patch.',
      body: bodies.diff(LEASE_KEY),
      required: NO_LEASE,
      answer: ANSWERS.diff,
      run: (call) =>
        withLease(pool, call, (lease) => {
          const body = call.body.cwd === undefined ? {} : { cwd: call.body.cwd };
          return pool.forward(lease, '/container/diff', body, { timeout: 700_000, touches: false });
        }),
    },
    {
      method: 'post',
      path: '/evaluate',
      access: 'token',
      summary: 'Applies a patch and runs a script in a fresh container. A fault is no verdict.',
      body: bodies.evaluate(LEASE_KEY),
      required: NO_LEASE,
      limit: LARGE,
      answer: ANSWERS.evaluate,
      run: (call) =>
        withLease(pool, call, (lease) => {
          const { lease_id: _, idempotency_key: __, ...body } = call.body;
          return pool.evaluations.evaluate(lease, body, secondsOf(body.timeout, 3600));
        }),
    },
  ];
}

function files({ pool, layers }: PoolParts): Route[] {
  const passOn = (name: string, summary: string, body: Json, answer: Json, touches: boolean): Route => ({
    method: 'post',
    path: `/${name}`,
    access: 'token',
    summary,
    body,
    limit: LARGE_ENCODED,
    answer,
    run: (call) =>
      withLease(pool, call, (lease) => {
        const { lease_id: _, ...rest } = call.body;
        return pool.forward(lease, `/container/${name}`, rest, { timeout: 600_000, touches });
      }),
  });
  return [
    passOn('write', 'Writes a file; its bytes come in base64.', bodies.write(LEASE_KEY), OK, true),
    passOn(
      'read',
      'Reads a file, in base64; null when nothing is there.',
      bodies.read(LEASE_KEY),
      ANSWERS.read,
      false,
    ),
    passOn(
      'cancel',
      'Ends a command that runs with `detail` under a key; its own request is answered then.',
      bodies.cancel(LEASE_KEY),
      OK,
      false,
    ),
    passOn('end', 'Ends every process in a container, which goes on.', LEASE, OK, false),
    {
      method: 'post',
      path: '/changes',
      access: 'token',
      summary: 'What was written in a container, as an archive.',
      body: LEASE,
      required: NO_LEASE,
      answer: { type: 'string' },
      run: (call) =>
        withLease(pool, call, async (lease) => {
          const node = pool.nodeOf(lease);
          const body = { container_id: lease.record.containerId };
          const reply =
            node === null || lease.lost
              ? null
              : await atWork(lease, () => node.client.stream('/container/changes', body, call.signal));
          if (reply === null) return refusal(503, 'node_unreachable', 'its node was not reached', NO_VERDICT);
          const { status, headers } = reply;
          if (status !== 200) {
            const chunks: Buffer[] = [];
            for await (const chunk of reply.body) chunks.push(chunk as Buffer);
            return { status, json: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> };
          }
          const sent = { 'content-type': 'application/x-tar', 'x-removed': headers['x-removed'] ?? '' };
          return { stream: reply.body, headers: sent };
        }),
    },
    {
      method: 'post',
      path: '/layers',
      access: 'token',
      summary: 'Which of these layers the pool lacks.',
      body: objectOf(
        {
          digests: { type: 'array', maxItems: 10_000, items: LAYER },
        },
        ['digests'],
      ),
      answer: answerOf({ missing: { type: 'array', items: { type: 'string' } } }),
      run: async ({ body }) => {
        const missing = (body.digests as string[]).filter((digest) => !isHere(layers, digest));
        return { json: { ok: true, missing } };
      },
    },
    layerRoute((digest, bytes) => takeLayer(layers, digest, bytes)),
  ];
}

async function takeLayer(folder: string, digest: string, bytes: Readable): Promise<string | null> {
  if (!isLayer(digest)) return 'the name of a layer is 64 hexadecimal digits';
  const making = join(folder, `making-${randomBytes(6).toString('hex')}`);
  try {
    const found = await storeBytes(bytes, making);
    if (!found.ok) return found.fault;
    if (found.value !== digest) return 'the SHA-256 of the bytes is not the layer’s name';
    await rename(making, fileOf(folder, digest));
    return null;
  } finally {
    await rm(making, { force: true });
  }
}

/** Whether the pool has a layer. One that is asked for is kept. */
function isHere(folder: string, digest: string): boolean {
  const file = fileOf(folder, digest);
  if (!existsSync(file)) return false;
  const now = new Date();
  utimesSync(file, now, now);
  return true;
}

function fileOf(folder: string, digest: string): string {
  return join(folder, `${digest}.tar`);
}

function maintenance({ pool }: PoolParts): Route[] {
  return [
    {
      method: 'post',
      path: '/nodes/drain',
      access: 'token',
      summary: 'Gives a node no new leases, or again some.',
      body: objectOf({ url: NAME, drained: { type: 'boolean' } }, ['url', 'drained']),
      answer: OK,
      async run({ body }) {
        const known = pool.drain(textOf(body.url), body.drained === true);
        return known ? { json: { ok: true } } : refusal(404, 'not_found', 'the pool has no such node');
      },
    },
    {
      method: 'post',
      path: '/images/pull',
      access: 'token',
      summary: 'Gets an image on every node that is well.',
      body: objectOf({ image: NAME, as: NAME, timeout: SECONDS }, ['image']),
      required: 'image is required',
      answer: answerOf({ nodes: { type: 'object' } }),
      async run({ body, signal }) {
        const { timeout, ...request } = body;
        const milliseconds = secondsOf(timeout, 3600) * 1000;
        if (!pool.nodes.some(({ healthy }) => healthy))
          return refusal(503, 'node_unreachable', 'no node is well');
        const ends = await Promise.all(
          pool.nodes
            .filter(({ healthy }) => healthy)
            .map(async ({ url, client }) => {
              const reply = await client.post('/images/pull', request, { timeout: milliseconds, signal });
              const json =
                reply.kind === 'answer'
                  ? reply.json
                  : { ok: false, error: reply.kind === 'unreachable' ? reply.detail : 'cancelled' };
              return [url, json] as const;
            }),
        );
        const failed = ends.find(([, json]) => json.ok !== true);
        const nodes = Object.fromEntries(ends);
        if (failed === undefined) return { json: { ok: true, nodes } };
        return refusal(503, 'infra', `${failed[0]}: ${failed[1].error}`, { nodes });
      },
    },
  ];
}

async function withLease(
  pool: LeasePool,
  { body }: Call,
  use: (lease: Lease) => Promise<Answer>,
): Promise<Answer> {
  const id = textOf(body.lease_id);
  const lease = pool.find(id);
  if (lease === null) return refusal(500, 'unknown_lease', `Unknown lease_id: ${id}`, NO_VERDICT);
  return use(lease);
}

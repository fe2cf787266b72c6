/**
 * Requests to a container and their answers, whether it is named by its own id (node server) or by a lease (pool
 * server). There is one definition, so that the two servers cannot disagree.
 */
import type { Readable } from 'node:stream';
import type { Json } from '../../basics/canonical.ts';
import { type Route, refusal } from './route.ts';
import { answerOf, NAME, objectOf, PATH, SECONDS, TEXT, VARIABLES } from './schema.ts';

/** Bytes that a command, an evaluation's patch and script, or a file may have. */
export const LARGE = 256 << 20;
/** The size of such a file in base64, with room for the rest of the body. */
export const LARGE_ENCODED = LARGE + (LARGE >> 1);
export const KEY: Json = { type: 'string', minLength: 1, maxLength: 200 };
const DIGEST = '^[0-9a-f]{64}$';
export const LAYER: Json = { type: 'string', pattern: DIGEST };

export function isLayer(text: string): boolean {
  return new RegExp(DIGEST).test(text);
}

/** Schemas of bodies, with the key that names the container. */
export const bodies = {
  exec: (id: string) =>
    objectOf(
      {
        [id]: NAME,
        command: { ...(NAME as object), maxLength: LARGE },
        cwd: PATH,
        timeout: SECONDS,
        env: VARIABLES,
        idempotency_key: KEY,
        detail: { type: 'boolean' },
        login: { type: 'boolean' },
        max_output: { type: 'integer', minimum: 1, maximum: LARGE },
      },
      [id, 'command'],
    ),
  cancel: (id: string) => objectOf({ [id]: NAME, idempotency_key: KEY }, [id, 'idempotency_key']),
  diff: (id: string) => objectOf({ [id]: NAME, cwd: PATH }, [id]),
  evaluate: (id: string) =>
    objectOf(
      { [id]: NAME, patch: TEXT, eval_script: TEXT, cwd: PATH, timeout: SECONDS, idempotency_key: KEY },
      [id],
    ),
  write: (id: string) =>
    objectOf(
      {
        [id]: NAME,
        path: PATH,
        bytes: { type: 'string' },
        mode: { type: 'integer', minimum: 0, maximum: 4095 },
      },
      [id, 'path', 'bytes'],
    ),
  read: (id: string) => objectOf({ [id]: NAME, path: PATH }, [id, 'path']),
} as const;

/** Schemas of answers. */
export const ANSWERS = {
  exec: answerOf({ returncode: { type: 'integer' }, output: { type: 'string' } }),
  diff: answerOf({
    patch: { type: 'string' },
    returncode: { type: 'integer' },
    error: { type: 'string' },
  }),
  evaluate: answerOf({
    resolved: { type: 'boolean' },
    outcome: { enum: ['resolved', 'unresolved', 'patch_error', 'timeout'] },
    reward: { enum: [0, 1] },
  }),
  read: answerOf({ bytes: { type: ['string', 'null'] } }),
} as const satisfies Readonly<Record<string, Json>>;

/** Media type of a layer that is sent. */
export const LAYER_TYPE = 'application/x-tar';

export function metricsRoute(metrics: () => string): Route {
  return {
    method: 'get',
    path: '/metrics',
    access: 'token',
    summary: "Counters in Prometheus' text form.",
    answer: { type: 'string' },
    run: async () => ({ text: metrics(), type: 'text/plain; version=0.0.4' }),
  };
}

/** `take` returns what is wrong with the bytes; null: they are stored. */
export function layerRoute(take: (digest: string, bytes: Readable) => Promise<string | null>): Route {
  return {
    method: 'put',
    path: '/layers/:digest',
    access: 'token',
    summary: 'Brings a layer: an archive whose SHA-256 is its name.',
    bytes: LAYER_TYPE,
    answer: objectOf({ ok: { const: true } }, ['ok']),
    async run({ parameters, bytes }) {
      const refused = await take(parameters.digest!, bytes());
      return refused === null ? { json: { ok: true } } : refusal(400, 'bad_request', refused);
    },
  };
}

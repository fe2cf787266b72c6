/** Schemas of the keys of a deployment that only a pool knows. */
import type { Json } from '../../basics/canonical.ts';
import { dockerKind } from '../docker/kind.ts';
import { sandboxKind } from '../sandbox/kind.ts';

/** The default backend with which machines open containers. */
export const BACKEND_DEFAULT = sandboxKind.name;

export const BACKEND: Json = {
  description:
    'How the machines of the pool open containers, as in `serve node --backend`. It is in every key of what runs there. Machines with another backend get no work.',
  type: 'string',
  enum: [sandboxKind.name, dockerKind.name],
  'x-noun': 'backend',
  default: BACKEND_DEFAULT,
  examples: [dockerKind.name],
};

export const URL_OF_POOL: Json = {
  description:
    'Address of a pool server, or unix:PATH of its socket. Absent: each command starts a pool of its own over the project’s nodes.',
  type: 'string',
  pattern: '^(https?://[^/\\s]+/?|unix:/[^\\u0000]+)$',
  'x-form': 'an address such as http://head:18090 or unix:/run/pool.sock',
  examples: ['http://head:18090'],
};

export const TOKEN: Json = {
  description:
    'Token that the pool server asks for. Without url: the token that the node servers ask for. Absent: the tokens of servers of the same user on loopback are found.',
  type: 'string',
  pattern: '\\S',
  'x-secret': true,
  'x-form': 'a text that is not empty',
  examples: ['${secret:SWEMAKE_POOL_TOKEN}'],
};

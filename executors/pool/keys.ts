/** Schemas of the keys of a deployment that only a pool knows. */
import type { Json } from '../../basics/canonical.ts';

export const URL_OF_POOL: Json = {
  description:
    'Address of a pool server. Absent: a pool of its own is started over the project’s nodes for as long as a command runs.',
  type: 'string',
  pattern: '^https?://[^/\\s]+/?$',
  'x-form': 'an address such as http://head:18090',
  examples: ['http://head:18090'],
};

export const TOKEN: Json = {
  description: 'What the server asks of its clients; of the nodes, where a pool of its own is started.',
  type: 'string',
  pattern: '\\S',
  'x-secret': true,
  'x-form': 'a text that is not empty',
  examples: ['${secret:SWEMAKE_POOL_TOKEN}'],
};

/** Schemas of the keys of a deployment that say where a cluster is and how items are sent there. */
import type { Json } from '../../basics/canonical.ts';

export const CLUSTER_KEYS: Readonly<Record<string, Json>> = {
  address: {
    description: 'Address of the cluster’s dashboard, which takes jobs.',
    type: 'string',
    pattern: '^https?://[^/\\s]+/?$',
    'x-form': 'an address such as http://head:8265',
    examples: ['http://head:8265'],
  },
  program: {
    description: 'How swemake is called on the machines; a shell reads it.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a command that is not empty',
    default: 'swemake',
    examples: ['/opt/swemake/bin/swemake.js'],
  },
  folder: {
    description:
      'Folder of the cache that each machine has for itself; ~ is the home there. Processes of one machine share it.',
    type: 'string',
    pattern: '^[/~]',
    'x-form': 'an absolute path, or one that begins with ~/',
    default: '~/.cache/swemake/worker',
    examples: ['/scratch/swemake'],
  },
  items: {
    description: 'Items that are sent together at most.',
    type: 'integer',
    minimum: 1,
    maximum: 1024,
    default: 32,
    examples: [64],
  },
  at_once: {
    description:
      'Items of those that run at once; the resources of a job are so many times those of an item. Less where no machine has them.',
    type: 'integer',
    minimum: 1,
    default: 8,
    examples: [16],
  },
  lease: {
    description:
      'A machine that hears nothing for this long ends what it runs; one that says nothing for this long counts as lost, and its items run elsewhere.',
    allOf: [{ $ref: '#/definitions/duration' }],
    default: '60s',
    examples: ['30s'],
  },
  wait: {
    description: 'How long a build waits for a cluster, or a remote cache, that does not answer.',
    allOf: [{ $ref: '#/definitions/duration' }],
    default: '10m',
    examples: ['1h'],
  },
};

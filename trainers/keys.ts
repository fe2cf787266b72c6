/**
 * Keys of `trainer.sft` and `trainer.rl` with their schemas, in groups by who has them: here those of both, in sft-keys.ts and
 * rl-keys.ts those of one. What one framework alone has is in its folder. A framework's own slice is made of these groups, and
 * its code can read only the keys of its slice.
 */
import type { Json } from '../basics/canonical.ts';

/** Keys with their schemas. */
export type Slice = Readonly<Record<string, Json>>;

/** A slice with these keys of another. */
export function only<S extends Slice, K extends keyof S>(slice: S, ...keys: readonly K[]): Pick<S, K> {
  return Object.fromEntries(keys.map((key) => [key, slice[key]])) as unknown as Pick<S, K>;
}

/** What all trainings have, whatever trains. */
export const EVERY = {
  deployment: {
    description: 'Deployment of type process that trains. Absent: the only one of that type.',
    type: 'string',
    examples: ['gpu'],
  },
  gpus: {
    description: 'GPUs on each node. Absent: all GPUs of the deployment.',
    type: 'integer',
    minimum: 0,
    examples: [8],
  },
  nodes: {
    description: 'Hosts that train together.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [2],
  },
  command: {
    description:
      'Bash command that trains, in place of the framework’s own. It starts in folder, or in the project’s folder. Variables such as PROMPT_DATA, HF_CKPT and OUTPUT_DIR say what it needs. It must leave the checkpoint in OUTPUT_DIR.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a command that is not empty',
    examples: ['bash train.sh'],
  },
  env: {
    description: 'Further variables of the trainer.',
    type: 'object',
    propertyNames: {
      type: 'string',
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      'x-form': 'the name of a variable',
    },
    additionalProperties: {
      type: 'string',
      'x-secret': true,
    },
    default: {},
    'x-secret': true,
    examples: [
      {
        NCCL_DEBUG: 'WARN',
      },
    ],
  },
  output: {
    description:
      'fresh: each configuration trains in a folder of its own, from the beginning. fixed: training goes on from the last checkpoint in output_folder, whatever configuration made it.',
    type: 'string',
    enum: ['fresh', 'fixed'],
    'x-noun': 'output',
    default: 'fresh',
    examples: ['fixed'],
  },
  output_folder: {
    description: 'Folder for output: fixed.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    examples: ['export/ckpt'],
    'x-path': 'path',
  },
  keep: {
    description:
      'Which of the checkpoints that the trainer saved on the way stay when the training has ended: all, last (the newest), a number of the newest ones, or best: the one at whose step the reward was highest, or where there is no reward, the loss lowest. The last checkpoint is in the cache besides. Trajectories, logs and TensorBoard files that the trainer wrote always stay. swemake gc lists the folders, and removes them with --trainings. A folder of output: fixed stays as it is.',
    type: ['string', 'integer'],
    pattern: '^(all|last|best)$',
    'x-form': 'all, last, best or a number of checkpoints',
    minimum: 1,
    default: 'all',
    examples: ['last', 3],
  },
  metrics: {
    $ref: '#/definitions/trainerMetrics',
  },
  image: {
    $ref: '#/definitions/trainerImage',
  },
  timeout: {
    description: 'Time limit of the training.',
    allOf: [
      {
        $ref: '#/definitions/duration',
      },
    ],
    default: '30d',
    examples: ['12h'],
  },
} satisfies Slice;

/** A framework that is no package, or a command. */
export const CHECKOUT = {
  folder: {
    description:
      'Folder of the framework’s checkout, for frameworks that are not packages. The trainer is started in it.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    examples: ['frameworks/slime'],
    'x-path': 'path',
  },
  commit: {
    description:
      'Commit at which folder must be, whole or its first digits. At another one nothing is trained. Absent: any commit.',
    type: 'string',
    pattern: '^[0-9a-f]{7,40}$',
    'x-form': 'a commit of 7 to 40 hexadecimal digits',
    examples: ['adecabffb'],
  },
} satisfies Slice;

/** A framework with options under its own names. */
export const OVERRIDES = {
  overrides: {
    description:
      'Further options of the framework, under its own names. null removes an option that swemake sets.',
    type: 'object',
    additionalProperties: true,
    'x-null': 'kept',
    default: {},
    examples: [
      {
        'optimizer.fused': true,
      },
    ],
  },
} satisfies Slice;

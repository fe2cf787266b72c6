/** Keys of `trainer.sft` that several trainers have, see keys.ts. */
import type { Slice } from './keys.ts';

/** What all trainings on conversations have. */
export const SFT_EVERY = {
  golden: {
    $ref: '#/definitions/golden',
  },
  balance: {
    $ref: '#/definitions/balance',
  },
  decontaminate: {
    description:
      'Whether to leave out instances that are also in the evaluation dataset: those with the same id, with the same repository and base commit, or with the same issue text.',
    type: 'boolean',
    default: true,
    examples: [false],
  },
  style: {
    description:
      'How actions are written in the data. xml: function calls as XML text. ticks: fenced blocks. tools: tool calls.',
    type: 'string',
    enum: ['xml', 'ticks', 'tools'],
    'x-noun': 'data style',
    default: 'xml',
    examples: ['tools'],
  },
  samples: {
    description:
      'trajectory: one conversation for each trajectory. step: one for each model call, with exactly what the model saw.',
    type: 'string',
    enum: ['trajectory', 'step'],
    'x-noun': 'sample unit',
    default: 'trajectory',
    examples: ['step'],
  },
  train: {
    description:
      'Whose replies are in the data, of agents from outside. main: the agent’s own. agents: those of its sub-agents too. all: every reply, also titles, summaries, and what commands of the agent asked. Absent: main.',
    type: 'string',
    enum: ['main', 'agents', 'all'],
    'x-noun': 'choice of replies',
    examples: ['agents'],
  },
  data: {
    title: 'SftDataSource',
    description: 'Conversations that are used in place of the golden trajectories.',
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: {
      source: {
        description:
          'A file or folder of rows with a column messages (a list, or a list as JSON text), a folder of trajectories of Harbor (ATIF), or the id of a dataset on the hub.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'a path or a hub id',
        'x-path': 'source',
        examples: ['SWE-bench/SWE-smith-trajectories', 'data/sft.jsonl'],
      },
      revision: {
        description: 'Commit, tag or branch of a hub dataset.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'a revision that is not empty',
        examples: ['main'],
        'x-version': 'revision',
      },
      split: {
        description: 'Split of the dataset, such as tool, xml or ticks of SWE-smith-trajectories.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'a name that is not empty',
        examples: ['xml'],
      },
      column: {
        description: 'Column with the conversations.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'a name that is not empty',
        examples: ['messages'],
        default: 'messages',
      },
    },
    examples: [
      {
        source: 'SWE-bench/SWE-smith-trajectories',
        split: 'xml',
      },
    ],
  },
  model: {
    $ref: '#/definitions/sftModel',
  },
} satisfies Slice;

/** How frameworks learn from conversations. */
export const SFT_LEARNING = {
  epochs: {
    description: 'How many times the data is used.',
    type: 'integer',
    minimum: 1,
    default: 2,
    examples: [3],
  },
  learning_rate: {
    description: 'Highest learning rate.',
    type: 'number',
    exclusiveMinimum: 0,
    default: 0.0001,
    examples: [1e-5],
  },
  weight_decay: {
    description: 'Weight decay.',
    type: 'number',
    minimum: 0,
    default: 0.01,
    examples: [0.1],
  },
  warmup_steps: {
    description: 'Optimizer steps over which the learning rate rises.',
    type: 'integer',
    minimum: 0,
    default: 5,
    examples: [20],
  },
  batch_size: {
    description: 'Conversations in one batch on each GPU.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [4],
  },
  accumulation: {
    description: 'Batches whose gradients make up one optimizer step.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [8],
  },
  max_length: {
    description:
      'Most tokens of a conversation. A longer one is cut. slime trains it whole; there this is the size of a batch of several.',
    type: 'integer',
    minimum: 1,
    default: 32768,
    examples: [16384],
  },
  seed: {
    description: 'Seed of the order of data and of initial values.',
    type: 'integer',
    minimum: 0,
    default: 42,
    examples: [7],
  },
} satisfies Slice;

/** Frameworks that can end before the data is used up. */
export const SFT_STEPS = {
  max_steps: {
    description:
      'Optimizer steps after which training ends; with torchtune, after which each epoch ends. slime has no such limit. Absent: none.',
    type: 'integer',
    minimum: 1,
    examples: [100],
  },
} satisfies Slice;

/** Frameworks that save between epochs. */
export const SFT_SAVES = {
  save_every: {
    description:
      'Optimizer steps between checkpoints from which training can go on. Absent: 500 for TRL, 100 for SkyRL, 1000 for slime, each epoch for verl. torchtune always saves after each epoch.',
    type: 'integer',
    minimum: 1,
    examples: [20],
  },
} satisfies Slice;

/** Frameworks that ask for the number format. */
export const PRECISION = {
  dtype: {
    description: 'Number format of the computation.',
    type: 'string',
    enum: ['bf16', 'fp32'],
    'x-noun': 'dtype',
    default: 'bf16',
    examples: ['fp32'],
  },
} satisfies Slice;

/** Frameworks that train adapters. */
export const LORA = {
  lora: {
    title: 'LoraConfig',
    description: 'Trains adapters in place of all weights.',
    type: 'object',
    additionalProperties: false,
    properties: {
      rank: {
        description: 'Rank of the adapters.',
        type: 'integer',
        minimum: 1,
        default: 8,
        examples: [16],
      },
      alpha: {
        description: 'Scale of the adapters.',
        type: 'number',
        exclusiveMinimum: 0,
        default: 16,
        examples: [32],
      },
      dropout: {
        description: 'Share of inputs of the adapters that is dropped at random.',
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 0,
        examples: [0.05],
      },
    },
    examples: [
      {
        rank: 16,
        alpha: 32,
      },
    ],
  },
} satisfies Slice;

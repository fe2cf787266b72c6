/** Keys of `trainer.rl` that several trainers have, see keys.ts. */
import type { Slice } from './keys.ts';

/** What all trainings on tasks have. */
export const RL_EVERY = {
  data: {
    title: 'RlDataConfig',
    description: 'Which tasks are trained on.',
    type: 'object',
    additionalProperties: false,
    default: {},
    properties: {
      dataset: {
        description:
          'Dataset whose passed tasks are trained on. Absent: agent.dataset, or else the only validated dataset that is not the benchmark.',
        type: 'string',
        examples: ['train'],
      },
      range: {
        description: 'Rows START:END after shuffling, without END.',
        type: 'string',
        examples: ['0:1600'],
      },
      seed: {
        description:
          'Seed of the shuffle. The default gives the order of shuffle(42) in the library datasets.',
        type: 'integer',
        minimum: 0,
        default: 42,
        examples: [7],
      },
      gold: {
        description:
          'Whether rows have the column patch. drop: no solution is visible to the trainer or to readers of its files.',
        type: 'string',
        enum: ['keep', 'drop'],
        'x-noun': 'gold setting',
        default: 'keep',
        examples: ['drop'],
      },
      source_name: {
        description:
          'Value of data_source in the rows. Absent: the source of the dataset, where that is a hub id; else the name of the dataset in the project. Trainers that choose images find them in the column image_name.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'text that is not empty',
        examples: ['SWE-Gym/SWE-Gym'],
      },
    },
  },
  model: {
    $ref: '#/definitions/baseModel',
  },
} satisfies Slice;

/** How frameworks learn from tasks. */
export const RL_LEARNING = {
  save_every: {
    description:
      'Steps of RL between checkpoints from which training can go on. Absent: 30 for SkyRL, 20 for the others.',
    type: 'integer',
    minimum: 1,
    examples: [20],
  },
  generate: {
    description:
      'Function that makes a rollout, as MODULE.FUNCTION. For SkyRL: the module that is started. Absent: that of the framework’s example.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a dotted name',
    examples: ['generate_with_swe_remote.generate'],
  },
  sequences: {
    description:
      'What swemake’s hooks train of a rollout whose prompts do not go on from one another, since history was shortened. all: each turn that the model wrote, once, in as few sequences as the prompts allow. longest: only the longest sequence; the share of written tokens that is dropped is logged as agent/dropped_tokens_share. The trainer gets it as SWEMAKE_SEQUENCES.',
    type: 'string',
    enum: ['all', 'longest'],
    'x-noun': 'choice of sequences',
    default: 'all',
    examples: ['longest'],
  },
  train: {
    description:
      'Whose replies swemake’s hooks train, of agents from outside. main: the agent’s own. agents: those of its sub-agents too. all: every reply, also titles, summaries, and what commands of the agent asked. Absent: main. The trainer gets it as SWEMAKE_TRAIN.',
    type: 'string',
    enum: ['main', 'agents', 'all'],
    'x-noun': 'choice of replies',
    examples: ['agents'],
  },
  epochs: {
    description: 'How many times the tasks are used, if steps is absent.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [20],
  },
  batch: {
    description: 'Tasks in one step.',
    type: 'integer',
    minimum: 1,
    default: 8,
    examples: [16],
  },
  samples: {
    description: 'Rollouts of each task.',
    type: 'integer',
    minimum: 1,
    default: 8,
    examples: [4],
  },
  updates: {
    description: 'Optimizer steps in one step of RL. Its samples are divided among them.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [2],
  },
  learning_rate: {
    description: 'Learning rate.',
    type: 'number',
    exclusiveMinimum: 0,
    default: 1e-6,
    examples: [1e-5],
  },
  weight_decay: {
    description: 'Weight decay.',
    type: 'number',
    minimum: 0,
    default: 0.1,
    examples: [0.01],
  },
  kl: {
    description: 'Coefficient of the KL loss. Absent: no KL loss.',
    type: 'number',
    minimum: 0,
    examples: [0.001],
  },
  clip: {
    description: 'Clipping: how far the ratio of probabilities may fall below 1.',
    type: 'number',
    exclusiveMinimum: 0,
    default: 0.2,
    examples: [0.1],
  },
  clip_high: {
    description: 'Clipping: how far the ratio of probabilities may rise above 1.',
    type: 'number',
    exclusiveMinimum: 0,
    default: 0.28,
    examples: [0.2],
  },
  estimator: {
    description:
      'How advantages are computed. step_wise: from judged steps; it needs prm and dynamic_history, which slime has.',
    type: 'string',
    enum: ['grpo', 'step_wise', 'rloo'],
    'x-noun': 'estimator',
    default: 'grpo',
    examples: ['step_wise'],
  },
  temperature: {
    description: 'Sampling temperature of the rollouts.',
    type: 'number',
    minimum: 0,
    maximum: 2,
    default: 1,
    examples: [0.8],
  },
  top_p: {
    description: 'Nucleus sampling of the rollouts: the share of probability that is sampled from.',
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 1,
    default: 1,
    examples: [0.95],
  },
  max_prompt: {
    description: 'Most tokens of the first prompt.',
    type: 'integer',
    minimum: 1,
    default: 4096,
    examples: [8192],
  },
  max_context: {
    description:
      'Most tokens of prompt and reply together. swemake’s hooks give it to the agent server (SWEMAKE_MAX_SEQ_LEN), whose agent then shows no longer history, and whose rollouts end where it is full.',
    type: 'integer',
    minimum: 1,
    default: 16384,
    examples: [32768],
  },
  max_response: {
    description:
      'Most tokens of one reply. verl has no such option: its agent loop gets it as SWEMAKE_MAX_RESPONSE, which swemake’s reads.',
    type: 'integer',
    minimum: 1,
    default: 4096,
    examples: [8192],
  },
  seed: {
    description: 'Seed of the order of tasks.',
    type: 'integer',
    minimum: 0,
    default: 42,
    examples: [7],
  },
  engine_gpus: {
    description: 'GPUs of one server that generates rollouts.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [2],
  },
  memory_fraction: {
    description: 'Share of a GPU’s memory for a server that generates rollouts.',
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.7,
    examples: [0.55],
  },
  context_parallel: {
    description: 'GPUs that share one sequence.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [2],
  },
} satisfies Slice;

/** Frameworks that can count steps in place of epochs. */
export const RL_STEPS = {
  steps: {
    description: 'Number of steps of RL, each with one rollout phase. Absent: as epochs says.',
    type: 'integer',
    minimum: 1,
    examples: [2000],
  },
} satisfies Slice;

/** Frameworks whose GPUs are divided between training and rollouts. */
export const DIVISION = {
  colocate: {
    description: 'Whether the same GPUs take turns at training and serving rollouts.',
    type: 'boolean',
    default: false,
    examples: [true],
  },
  actor_gpus: {
    description: 'GPUs of each node that train. Absent: half of them, or all of them with colocate.',
    type: 'integer',
    minimum: 1,
    examples: [4],
  },
  rollout_gpus: {
    description:
      'GPUs of each node that serve rollouts. Absent: the rest, or with colocate those of actor_gpus.',
    type: 'integer',
    minimum: 1,
    examples: [4],
  },
} satisfies Slice;

/** Frameworks that fill a GPU by tokens. */
export const PACKING = {
  max_tokens_per_gpu: {
    description:
      'Tokens that one GPU trains on at a time. verl takes max_context ÷ context_parallel where that is more, since it splits no sequence.',
    type: 'integer',
    minimum: 1,
    default: 8192,
    examples: [16384],
  },
} satisfies Slice;

/** Frameworks that call functions of the project’s. */
export const MODULES = {
  reward: {
    description: 'Function that gives the reward of a rollout, as MODULE.FUNCTION.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a dotted name',
    examples: ['generate_with_swe_remote.reward_func'],
  },
  module: {
    description: 'Folder that has the modules of generate and reward.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    examples: ['swe-rl'],
    'x-path': 'path',
  },
} satisfies Slice;

/** Frameworks that train with Megatron-LM. */
export const MEGATRON_LM = {
  mode: {
    description:
      'How slime and Miles load weights. bridge: from the hub’s layout. raw: from torch_dist, to which they are converted once; training can then go on from its own checkpoint.',
    type: 'string',
    enum: ['bridge', 'raw'],
    'x-noun': 'mode',
    default: 'bridge',
    examples: ['raw'],
  },
  model_args: {
    description: 'File of the framework that sets MODEL_ARGS, the model’s shape. Relative to folder.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    examples: ['scripts/models/qwen3-32B.sh'],
  },
  megatron: {
    description:
      'Folder of Megatron-LM. The trainer gets it as MEGATRON_LM_PATH, and slime and Miles also on PYTHONPATH.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    examples: ['/root/Megatron-LM'],
    'x-path': 'path',
  },
  ray_address: {
    description:
      'Address of the dashboard of a Ray cluster, which runs the job. Absent: that in RAY_ADDRESS; without it a cluster is started on this host, and with nodes above 1 the command is printed by which the other hosts join it.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'an address',
    examples: ['http://head:8265'],
  },
  tensor_parallel: {
    description: 'GPUs that share each layer of the model.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [4],
  },
  pipeline_parallel: {
    description: 'GPUs among which the layers of the model are divided.',
    type: 'integer',
    minimum: 1,
    default: 1,
    examples: [2],
  },
} satisfies Slice;

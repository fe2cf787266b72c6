/**
 * Keys of `trainer.sft` and `trainer.rl` with their schemas, in groups by who has them. What one framework alone has is in its folder.
 * A framework's own slice is made of these groups, and its code can read only the keys of its slice.
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
      'Whether to leave out instances that are also in the evaluation dataset: those with the same repository and base commit, or with the same issue text.',
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
          'A file or folder of rows with a column messages (a list, or a list as JSON text), or the id of a dataset on the hub.',
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
    description: 'Most tokens of a conversation. A longer one is cut.',
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
    description: 'Tokens that one GPU trains on at a time.',
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

/**
 * slime, as OpenClaw-RL starts it: `train_async.py` as a job of Ray, rollouts by the functions of a module, one sample a
 * step with dynamic_history, a judge of steps with prm. With colocate it is `train.py`.
 */

import { shellWord } from '../../basics/shell.ts';
import { divisionProblems, lengthProblems } from '../arithmetic.ts';
import { CHECKOUT, OVERRIDES, type Slice } from '../keys.ts';
import { tensorboardEnv } from '../metrics.ts';
import { rayScript } from '../ray.ts';
import { SLIME_MESSAGES } from '../rows/sft.ts';
import { SFT_LEARNING, SFT_SAVES } from '../sft-keys.ts';
import { commandLines, flagWords } from '../text.ts';
import {
  type Job,
  modelReference,
  type Problem,
  type RlSettings,
  type RlTrainer,
  type SftSettings,
  type SftTrainer,
  type TrainerKind,
} from '../trainer.ts';
import {
  type Arguments,
  checkpointArguments,
  engineArguments,
  KEYS,
  lossArguments,
  MEGATRON,
  optimizerArguments,
  parallelArguments,
  placementArguments,
  rolloutArguments,
  type Settings,
  type SlimeJob,
  sinkArguments,
} from './arguments.ts';
import { slimeRehearsal } from './rehearsal.ts';
import { checkpointOf, convertOf, resumeOf, SAVED, slimeMetrics, slimeSftMetrics } from './state.ts';

const JUDGE = {
  dynamic_history: {
    description:
      'Whether each model call becomes one sample, with exactly what the model saw. OpenClaw-RL’s slime needs it where history is shortened: without it its global batch counts samples, of which a rollout then makes several. Other versions of slime do not have the option.',
    type: 'boolean',
    default: false,
    examples: [true],
  },
  prm: {
    title: 'PrmConfig',
    description:
      'A judge model that scores steps, served by slime. swemake’s hooks have the agent server ask it about each step; the step’s reward is outcome (+1 or -1) + coefficient × its mean vote.',
    type: 'object',
    additionalProperties: false,
    properties: {
      model: {
        description: 'Hub id or folder of the judge. Absent: the model that is trained.',
        type: 'string',
        pattern: '\\S',
        'x-form': 'text that is not empty',
        examples: ['Qwen/Qwen3-4B'],
      },
      gpus: {
        description: 'GPUs of the judge in all.',
        type: 'integer',
        minimum: 1,
        default: 1,
        examples: [8],
      },
      engine_gpus: {
        description: 'GPUs of one server of the judge.',
        type: 'integer',
        minimum: 1,
        default: 1,
        examples: [8],
      },
      votes: {
        description: 'How many times each step is judged.',
        type: 'integer',
        minimum: 1,
        default: 3,
        examples: [5],
      },
      coefficient: {
        description:
          'Weight of the judge’s value in the reward of a step, and of the mean of all steps in that of a rollout, beside the outcome.',
        type: 'number',
        minimum: 0,
        default: 1,
        examples: [0.5],
      },
      temperature: {
        description: 'Sampling temperature of the judge.',
        type: 'number',
        minimum: 0,
        maximum: 2,
        default: 1,
        examples: [0.5],
      },
      max_tokens: {
        description: 'Most tokens of one judgement.',
        type: 'integer',
        minimum: 1,
        default: 4096,
        examples: [2048],
      },
    },
    examples: [
      {
        votes: 3,
        gpus: 8,
      },
    ],
  },
} satisfies Slice;

const OWN_KEYS = { ...KEYS, ...JUDGE };
const SFT_KEYS = { ...CHECKOUT, ...OVERRIDES, ...SFT_LEARNING, ...SFT_SAVES };

type OwnSettings = RlSettings<typeof OWN_KEYS>;

/** Variables that the processes of a job need beside those of the project. */
const JOB_VARIABLES = [
  'PYTHONPATH',
  'PYTHONUNBUFFERED',
  'PYTHONFAULTHANDLER',
  'CUDA_DEVICE_MAX_CONNECTIONS',
  'NCCL_NVLS_ENABLE',
  'MASTER_ADDR',
  'PYTORCH_CUDA_ALLOC_CONF',
  'OPENAI_BASE_URL',
  'OPENAI_API_KEY',
  'LITELLM_MODEL_REGISTRY_PATH',
  'SWE_LITELLM_MODEL_NAME',
  'SWE_SAVE_TRAJ_DIR',
  'SWE_CONFIG_PATH',
  'SWE_ENV_SERVER_URL',
  'SWE_MAX_CONCURRENT',
  'SWE_ROLLOUT_TIMEOUT',
  'SWE_STEP_LIMIT',
  'MSWEA_DOCKER_EXEC_MODE',
  'SWEMAKE_DYNAMIC_HISTORY',
  'SWEMAKE_MAX_SEQ_LEN',
  'SWEMAKE_RUN',
  'SWEMAKE_SEQUENCES',
  'WANDB_API_KEY',
  'TENSORBOARD_DIR',
  'NO_PROXY',
  'no_proxy',
];

const OWN_HOOKS = 'swemake_rollouts.';
const GENERATE = 'generate_with_swe_remote.generate';
const REWARD = 'generate_with_swe_remote.reward_func';

const slime: RlTrainer = {
  keys: OWN_KEYS,
  rehearsal: () => slimeRehearsal,
  distribution: null,
  weights: 'snapshot',
  rows: {
    ending: 'jsonl',
    row: ({ problem, row }, { source }) => ({
      text: problem,
      metadata: { instance: row, data_source: source },
    }),
  },
  launch(job: Job<OwnSettings>) {
    const { config } = job;
    const program = config.colocate ? 'train.py' : 'train_async.py';
    const words = flagWords(slimeArguments(job), config.overrides);
    return {
      files: {},
      script: jobScript(
        job,
        `python3 -u ${programIn(config.folder, program)} ${modelWords(config.model_args)}${commandLines(words)}`,
        moduleFolders(config),
      ),
      env: { ...JOB_ENV, ...tensorboardEnv(config.metrics, job.output) },
    };
  },
  resume: (output) => resumeOf(output),
  checkpoint: (output) => checkpointOf(output),
  saved: SAVED,
  metrics: slimeMetrics,
  convert: convertOf,
  problems: (config: OwnSettings, gpus) => [...problems(config, gpus), ...judgeProblems(config)],
};

export const JOB_ENV = {
  CUDA_DEVICE_MAX_CONNECTIONS: '1',
  PYTHONUNBUFFERED: '1',
  PYTHONFAULTHANDLER: '1',
};

function slimeArguments(job: Job<OwnSettings>): Arguments {
  const { config } = job;
  return {
    ...placementArguments(job),
    ...checkpointArguments(job),
    ...rolloutArguments(job),
    '--input-key': 'text',
    '--metadata-key': 'metadata',
    '--reward-key': 'score',
    '--rollout-max-context-len': config.max_context,
    '--num-steps-per-rollout': config.updates,
    ...(config.dynamic_history ? { '--dynamic_history': true } : {}),
    ...lossArguments(config),
    ...optimizerArguments(config),
    ...parallelArguments(config),
    ...engineArguments(config),
    ...MEGATRON,
    '--custom-generate-function-path': config.generate ?? GENERATE,
    '--custom-rm-path': config.reward ?? REWARD,
    ...judgeArguments(job),
    ...sinkArguments(job),
  };
}

function judgeArguments({ config: { prm }, model }: Job<OwnSettings>): Arguments {
  if (prm === undefined) return {};
  return {
    '--prm-enable': true,
    '--prm-model-path': prm.model ?? modelReference(model),
    '--prm-m': prm.votes,
    '--prm-num-gpus': prm.gpus,
    '--prm-num-gpus-per-engine': prm.engine_gpus,
    '--prm-step-coef': prm.coefficient,
    '--prm-temperature': prm.temperature,
    '--prm-max-new-tokens': prm.max_tokens,
  };
}

/** A job of Ray does not start in the folder of who submits it, so the program is named by its whole path. */
export function programIn(folder: string | undefined, program: string): string {
  return folder === undefined ? program : shellWord(`${folder}/${program}`);
}

/** Where Python finds swe-rl's functions and, in `server`, what they import; in the order of the original scripts. */
function moduleFolders({ megatron, module, folder }: Settings): (string | undefined)[] {
  return [megatron, module, module === undefined ? undefined : `${module}/server`, folder];
}

export function modelWords(modelArgs: string | undefined): string {
  return modelArgs === undefined ? '' : '${MODEL_ARGS[@]} ';
}

/** The job, with the folders in which its processes find modules; those that are undefined are not given. */
export function jobScript(
  job: SlimeJob,
  command: string,
  folders: readonly (string | undefined)[],
): string[] {
  const { config, id, gpus } = job;
  const places = folders.filter((one) => one !== undefined);
  return [
    ...(config.folder === undefined ? [] : [`cd '${config.folder}'`]),
    ...(config.model_args === undefined ? [] : [`source '${config.model_args}'`]),
    `export PYTHONPATH='${places.join(':')}'\${PYTHONPATH:+:$PYTHONPATH}`,
    ...rayScript({
      id,
      address: config.ray_address ?? null,
      nodes: config.nodes,
      gpus,
      variables: [...new Set([...JOB_VARIABLES, ...Object.keys(config.env)])].sort(),
      command,
    }),
  ];
}

export function problems(config: Settings, gpus: number): Problem[] {
  const found = [...divisionProblems(config, gpus), ...lengthProblems(config)];
  const add = (path: string, message: string, remedy: string) =>
    found.push({ path: [path], message, remedy });
  if (config.folder === undefined)
    add(
      'type',
      `${config.type} is not a package, and the folder of its checkout is not set`,
      'add folder: PATH',
    );
  if (config.mode === 'raw' && config.model_args === undefined)
    add('mode', 'mode raw needs a file with the model’s shape', 'add model_args: scripts/models/NAME.sh');
  return found;
}

/** What slime alone has: a judge of steps. */
function judgeProblems({ prm, colocate, estimator, dynamic_history, generate }: OwnSettings): Problem[] {
  const found: Problem[] = [];
  const add = (path: string, message: string, remedy: string) =>
    found.push({ path: [path], message, remedy });
  if (prm !== undefined && colocate)
    add('prm', 'a judge cannot share the GPUs of colocate', 'remove prm, or write colocate: false');
  if (prm !== undefined && !dynamic_history && generate?.startsWith(OWN_HOOKS))
    add('prm', 'swemake’s hooks give the judge’s value to one sample a step', 'write dynamic_history: true');
  if (prm !== undefined && prm.gpus % prm.engine_gpus !== 0)
    add('prm', `${prm.engine_gpus} does not divide the judge’s ${prm.gpus} GPUs`, 'choose a divisor');
  if (estimator === 'step_wise' && prm === undefined)
    add('estimator', 'step_wise learns from judged steps, and there is no judge', 'add prm: { … }');
  if (estimator === 'step_wise' && !dynamic_history)
    add('estimator', 'step_wise needs one sample a step', 'write dynamic_history: true');
  return found;
}

/** SFT in slime: the same program without rollouts. */
const slimeSft: SftTrainer = {
  keys: SFT_KEYS,
  distribution: null,
  weights: 'snapshot',
  rows: SLIME_MESSAGES,
  counts: 'steps',
  launch(job: Job<SftSettings<typeof SFT_KEYS>>) {
    const { config, model, data, output, gpus, name } = job;
    const { wandb } = config.metrics;
    const batch = Math.max(1, gpus) * config.nodes * config.batch_size * config.accumulation;
    const words = flagWords(
      {
        '--actor-num-nodes': config.nodes,
        '--actor-num-gpus-per-node': Math.max(1, gpus),
        '--hf-checkpoint': modelReference(model),
        '--ref-load': modelReference(model),
        '--megatron-to-hf-mode': 'bridge',
        ...(job.resume === null ? {} : { '--load': `${output}/ckpt` }),
        '--save': `${output}/ckpt`,
        '--save-hf': `${output}/hf/{rollout_id}`,
        '--save-interval': config.save_every ?? 1000,
        '--rollout-function-path': 'slime.rollout.sft_rollout.generate_rollout',
        '--prompt-data': data.train,
        '--input-key': 'messages',
        '--rollout-shuffle': true,
        '--rollout-seed': config.seed,
        '--num-epoch': config.epochs,
        '--rollout-batch-size': batch,
        '--global-batch-size': batch,
        '--loss-type': 'sft_loss',
        '--calculate-per-token-loss': true,
        '--disable-compute-advantages-and-returns': true,
        '--debug-train-only': true,
        '--optimizer': 'adam',
        '--lr': config.learning_rate,
        '--lr-decay-style': 'cosine',
        '--lr-warmup-iters': config.warmup_steps,
        '--weight-decay': config.weight_decay,
        '--use-dynamic-batch-size': true,
        '--max-tokens-per-gpu': config.max_length,
        ...(wandb === undefined
          ? {}
          : { '--use-wandb': true, '--wandb-project': wandb.project, '--wandb-group': wandb.name ?? name }),
      },
      config.overrides,
    );
    const folder =
      config.folder === undefined
        ? []
        : [`cd '${config.folder}'`, `export PYTHONPATH='${config.folder}'\${PYTHONPATH:+:$PYTHONPATH}`];
    const command = `python3 -u ${programIn(config.folder, 'train_async.py')} ${commandLines(words)}`;
    const variables = [...new Set([...JOB_VARIABLES, ...Object.keys(config.env)])].sort();
    return {
      files: {},
      script: [
        ...folder,
        ...rayScript({ id: job.id, address: null, nodes: config.nodes, gpus, variables, command }),
      ],
      env: JOB_ENV,
    };
  },
  resume: (output) => resumeOf(output),
  checkpoint: (output) => checkpointOf(output),
  saved: SAVED,
  metrics: slimeSftMetrics,
  problems(config, gpus) {
    const found: Problem[] = [];
    if (gpus === 0)
      found.push({
        path: ['gpus'],
        message: 'there are no GPUs to train on',
        remedy: 'give the deployment resources: { gpu: … }',
      });
    if (config.folder === undefined)
      found.push({
        path: ['type'],
        message: 'slime is not a package, and the folder of its checkout is not set',
        remedy: 'add folder: PATH',
      });
    return found;
  },
};

export const slimeKind: TrainerKind = { name: 'slime', title: 'slime', sft: slimeSft, rl: slime };

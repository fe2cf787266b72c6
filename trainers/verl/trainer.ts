/** verl: main_ppo with hydra's overrides, and its SFT by torchrun. The last whole checkpoint is named in a file. */
import { divisionProblems, lengthProblems } from '../arithmetic.ts';
import { CHECKOUT, OVERRIDES } from '../keys.ts';
import { sinksOf, stepLines, tensorboardEnv } from '../metrics.ts';
import { MODULES, PACKING, RL_LEARNING, RL_STEPS } from '../rl-keys.ts';
import { PARQUET_WITHOUT_TOOLS } from '../rows/sft.ts';
import { stepProblems } from '../rows/steps.ts';
import { LORA, SFT_LEARNING, SFT_SAVES, SFT_STEPS } from '../sft-keys.ts';
import { commandLines, hydraWords } from '../text.ts';
import {
  type Job,
  type Listing,
  modelReference,
  type Problem,
  type Resume,
  type RlSettings,
  type RlTrainer,
  type SftSettings,
  type SftTrainer,
  type TrainerKind,
} from '../trainer.ts';
import { verlRehearsal } from './rehearsal.ts';

const KEYS = { ...CHECKOUT, ...OVERRIDES, ...RL_LEARNING, ...RL_STEPS, ...PACKING, ...MODULES };
const SFT_KEYS = { ...OVERRIDES, ...SFT_LEARNING, ...SFT_STEPS, ...SFT_SAVES, ...LORA };

type Settings = RlSettings<typeof KEYS>;

const LOOPS = 'agent_loops.yaml';
const LATEST = 'latest_checkpointed_iteration.txt';

const SAVED = /^global_step_(\d+)$/;

function resumeOf(output: Listing): Resume | null {
  const text = output.read(LATEST)?.trim();
  if (text === undefined || !/^\d+$/.test(text)) return null;
  return { from: `global_step_${text}`, done: Number(text) };
}

function checkpointOf(output: Listing) {
  const last = resumeOf(output);
  if (last === null) return null;
  const places = [
    `${last.from}/actor/huggingface`,
    `${last.from}/huggingface`,
    `${last.from}/actor`,
    last.from,
  ];
  const path = places.find((place) => output.names(place).length > 0);
  return path === undefined ? null : { path, leaveOut: null };
}

/** `step:3 - actor/pg_loss:0.1 - …` */
const metrics = () => stepLines(/\bstep:(\d+) - /);

const verl: RlTrainer = {
  keys: KEYS,
  distribution: 'verl',
  weights: 'name',
  rows: {
    ending: 'parquet',
    row: ({ problem, row }, { source, split, index }) => ({
      data_source: source,
      prompt: [{ role: 'user', content: problem }],
      ability: 'swe',
      reward_model: { style: 'rule', ground_truth: String(row.instance_id ?? '') },
      extra_info: { split, index, instance: JSON.stringify(row) },
    }),
  },
  launch(job: Job<Settings>) {
    const { folder, module, max_response, metrics } = job.config;
    const words = hydraWords(verlConfig(job), job.config.overrides);
    const loop = ownLoop(job.config);
    return {
      // JSON is YAML, too.
      files: loop === null ? {} : { [LOOPS]: `${JSON.stringify([loop])}\n` },
      script: [
        ...(folder === undefined ? [] : [`cd '${folder}'`]),
        // Ray's workers on this host inherit it.
        ...(module === undefined ? [] : [`export PYTHONPATH='${module}'\${PYTHONPATH:+:$PYTHONPATH}`]),
        commandLines(['python3 -m verl.trainer.main_ppo', ...words]),
      ],
      // verl has an option for all replies of a rollout together, and none for one of them.
      env: { SWEMAKE_MAX_RESPONSE: `${max_response}`, ...tensorboardEnv(metrics, job.output) },
    };
  },
  resume: resumeOf,
  checkpoint: checkpointOf,
  saved: SAVED,
  metrics,
  rehearsal: () => verlRehearsal,
  problems,
};

/** A loop that is named by its class is known to verl's workers by a file. One without a dot is one that verl has. */
function ownLoop({ generate }: Settings): { name: string; _target_: string } | null {
  return generate?.includes('.') ? { name: generate.split('.').at(-1)!, _target_: generate } : null;
}

function verlConfig(job: Job<Settings>): Record<string, unknown> {
  const { config, model, data, output, gpus, name } = job;
  const { wandb } = config.metrics;
  const loggers = ['console', ...sinksOf(config.metrics)];
  const reward = config.reward?.split('.');
  const loop = ownLoop(config);
  // verl splits no sequence, and ends where one has more tokens than a GPU may take.
  const tokens = Math.max(config.max_tokens_per_gpu, Math.ceil(config.max_context / config.context_parallel));
  return {
    'algorithm.adv_estimator': config.estimator,
    'data.train_files': data.train,
    'data.val_files': data.validation ?? data.train,
    'data.train_batch_size': config.batch,
    'data.max_prompt_length': config.max_prompt,
    // From the first reply on a rollout may take all that its prompt leaves.
    'data.max_response_length': config.max_context,
    'data.filter_overlong_prompts': true,
    'data.return_raw_chat': true,
    'data.seed': config.seed,
    'actor_rollout_ref.model.path': modelReference(model),
    'actor_rollout_ref.actor.optim.lr': config.learning_rate,
    'actor_rollout_ref.actor.optim.weight_decay': config.weight_decay,
    'actor_rollout_ref.actor.ppo_mini_batch_size': Math.max(1, Math.floor(config.batch / config.updates)),
    'actor_rollout_ref.actor.use_dynamic_bsz': true,
    'actor_rollout_ref.actor.ppo_max_token_len_per_gpu': tokens,
    'actor_rollout_ref.actor.ulysses_sequence_parallel_size': config.context_parallel,
    'actor_rollout_ref.actor.use_kl_loss': config.kl !== undefined,
    ...(config.kl === undefined
      ? {}
      : {
          'actor_rollout_ref.actor.kl_loss_coef': config.kl,
          'actor_rollout_ref.actor.kl_loss_type': 'low_var_kl',
        }),
    'actor_rollout_ref.actor.entropy_coeff': 0,
    'actor_rollout_ref.actor.clip_ratio_low': config.clip,
    'actor_rollout_ref.actor.clip_ratio_high': config.clip_high,
    'actor_rollout_ref.actor.checkpoint.save_contents': ['model', 'optimizer', 'extra', 'hf_model'],
    'actor_rollout_ref.rollout.name': 'vllm',
    'actor_rollout_ref.rollout.mode': 'async',
    'actor_rollout_ref.rollout.n': config.samples,
    // Prompts behind a shortened history are as long as the context.
    'actor_rollout_ref.rollout.prompt_length': config.max_context,
    'actor_rollout_ref.rollout.max_model_len': config.max_context,
    'actor_rollout_ref.rollout.temperature': config.temperature,
    'actor_rollout_ref.rollout.top_p': config.top_p,
    'actor_rollout_ref.rollout.tensor_model_parallel_size': config.engine_gpus,
    'actor_rollout_ref.rollout.gpu_memory_utilization': config.memory_fraction,
    'actor_rollout_ref.rollout.log_prob_use_dynamic_bsz': true,
    'actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu': tokens,
    'actor_rollout_ref.rollout.multi_turn.enable': true,
    ...(config.generate === undefined
      ? {}
      : { 'actor_rollout_ref.rollout.agent.default_agent_loop': loop?.name ?? config.generate }),
    ...(loop === null
      ? {}
      : { 'actor_rollout_ref.rollout.agent.agent_loop_config_path': `${job.work}/${LOOPS}` }),
    ...(reward === undefined || config.module === undefined
      ? {}
      : {
          'custom_reward_function.path': `${config.module}/${reward.slice(0, -1).join('/')}.py`,
          'custom_reward_function.name': reward.at(-1),
        }),
    'trainer.n_gpus_per_node': gpus,
    'trainer.nnodes': config.nodes,
    'trainer.save_freq': config.save_every ?? 20,
    'trainer.test_freq': -1,
    'trainer.val_before_train': false,
    ...stepsOf(config.epochs, config.steps),
    'trainer.logger': loggers,
    'trainer.project_name': wandb?.project ?? name,
    'trainer.experiment_name': wandb?.name ?? name,
    'trainer.default_local_dir': output,
    'trainer.resume_mode': 'auto',
  };
}

/** verl ends with its last epoch, whatever its steps are. An epoch has one step or more. */
function stepsOf(epochs: number, steps: number | undefined): Record<string, unknown> {
  return {
    'trainer.total_epochs': steps ?? epochs,
    ...(steps === undefined ? {} : { 'trainer.total_training_steps': steps }),
  };
}

function problems(config: Settings, gpus: number): Problem[] {
  const found = [...divisionProblems({ ...config, colocate: true }, gpus), ...lengthProblems(config)];
  const add = (path: string, message: string, remedy: string) =>
    found.push({ path: [path], message, remedy });
  if (gpus > 0 && (config.batch * config.samples) % (gpus * config.nodes) !== 0)
    add(
      'batch',
      `${config.batch} × ${config.samples} samples cannot be divided among ${gpus * config.nodes} GPUs`,
      'choose batch × samples that they divide',
    );
  if (config.batch % config.updates !== 0)
    add(
      'updates',
      `${config.batch} tasks cannot be divided into ${config.updates} batches`,
      'choose a divisor',
    );
  if (config.reward !== undefined && config.module === undefined)
    add('reward', 'it does not say in which folder the function is', 'add module: PATH');
  return found;
}

const verlSft: SftTrainer = {
  keys: SFT_KEYS,
  distribution: 'verl',
  weights: 'name',
  rows: PARQUET_WITHOUT_TOOLS,
  keepsAdapters: true,
  counts: 'steps',
  launch(job: Job<SftSettings<typeof SFT_KEYS>>) {
    const { config, model, data, output, gpus, name } = job;
    const { wandb } = config.metrics;
    const loggers = ['console', ...sinksOf(config.metrics)];
    const words = hydraWords(
      {
        'data.train_files': data.train,
        'data.val_files': data.validation,
        'data.messages_key': 'messages',
        'data.train_batch_size': Math.max(1, gpus) * config.nodes * config.batch_size * config.accumulation,
        // With its dynamic batches a conversation must fit in 8192 tokens.
        'data.use_dynamic_bsz': false,
        'data.micro_batch_size_per_gpu': config.batch_size,
        'data.max_length': config.max_length,
        'data.truncation': 'right',
        'data.ignore_input_ids_mismatch': true,
        'model.path': modelReference(model),
        ...(config.lora === undefined
          ? {}
          : { 'model.lora_rank': config.lora.rank, 'model.lora_alpha': config.lora.alpha }),
        'optim.lr': config.learning_rate,
        'optim.weight_decay': config.weight_decay,
        'optim.lr_warmup_steps': config.warmup_steps,
        'checkpoint.save_contents': ['model', 'optimizer', 'extra', 'hf_model'],
        ...stepsOf(config.epochs, config.max_steps),
        'trainer.seed': config.seed,
        'trainer.n_gpus_per_node': Math.max(1, gpus),
        'trainer.nnodes': config.nodes,
        'trainer.save_freq': config.save_every ?? 'after_each_epoch',
        'trainer.test_freq': -1,
        'trainer.logger': loggers,
        'trainer.project_name': wandb?.project ?? name,
        'trainer.experiment_name': wandb?.name ?? name,
        'trainer.default_local_dir': output,
        'trainer.resume_mode': 'auto',
      },
      config.overrides,
    );
    const torchrun = `torchrun --standalone --nnodes=${config.nodes} --nproc_per_node=${Math.max(1, gpus)}`;
    return {
      files: {},
      script: [commandLines([`${torchrun} -m verl.trainer.sft_trainer`, ...words])],
      env: tensorboardEnv(config.metrics, output),
    };
  },
  resume: resumeOf,
  checkpoint: checkpointOf,
  saved: SAVED,
  metrics,
  problems(config, gpus) {
    const found = stepProblems('verl', config);
    if (config.style === 'tools' && config.data === undefined)
      found.push({
        path: ['style'],
        message: 'verl cannot read tools that are JSON text',
        remedy: 'write style: xml or ticks, or use type: trl, skyrl or slime',
      });
    if ((config.lora?.dropout ?? 0) > 0)
      found.push({
        path: ['lora', 'dropout'],
        message: 'verl has no dropout of adapters',
        remedy: 'write dropout: 0, or use type: trl or torchtune',
      });
    if (gpus === 0)
      found.push({
        path: ['gpus'],
        message: 'there are no GPUs to train on',
        remedy: 'give the deployment resources: { gpu: … }',
      });
    else if (config.nodes > 1)
      found.push({
        path: ['nodes'],
        message: 'torchrun is started for one node',
        remedy: 'write nodes: 1, or use command',
      });
    return found;
  },
};

export const verlKind: TrainerKind = { name: 'verl', title: 'verl', sft: verlSft, rl: verl };

/**
 * SkyRL in its two generations: skyrl-train as SWE-MiniSandbox uses it (with hydra, where new keys need `+`), and the
 * package skyrl. Both name the last complete checkpoint in a file that is written last.
 */
import { dirname } from 'node:path';
import type { RlConfig } from '../../schemas/generated/project.ts';
import { divide, divisionProblems, lengthProblems } from '../arithmetic.ts';
import { CHECKOUT, OVERRIDES, type Slice } from '../keys.ts';
import { pairsIn, sinksOf, tensorboardEnv } from '../metrics.ts';
import { DIVISION, RL_LEARNING } from '../rl-keys.ts';
import { PARQUET } from '../rows/sft.ts';
import { isOfSteps } from '../rows/steps.ts';
import { SFT_LEARNING, SFT_SAVES, SFT_STEPS } from '../sft-keys.ts';
import { commandLines, hydraWords } from '../text.ts';
import {
  type Job,
  type Listing,
  type MetricsReader,
  modelReference,
  type Problem,
  type Resume,
  type RlSettings,
  type RlTrainer,
  type SftSettings,
  type SftTrainer,
  type TrainerKind,
} from '../trainer.ts';
import { skyrlRehearsal } from './rehearsal.ts';

const FLAVOR = {
  flavor: {
    description:
      'Generation of SkyRL. minisandbox: skyrl-train as SWE-MiniSandbox uses it. unified: the package skyrl.',
    type: 'string',
    enum: ['minisandbox', 'unified'],
    'x-noun': 'flavor',
    default: 'unified',
    examples: ['minisandbox'],
  },
} satisfies Slice;

const KEYS = { ...CHECKOUT, ...OVERRIDES, ...RL_LEARNING, ...DIVISION, ...FLAVOR };
const SFT_KEYS = { ...CHECKOUT, ...OVERRIDES, ...SFT_LEARNING, ...SFT_STEPS, ...SFT_SAVES };

type Settings = RlSettings<typeof KEYS>;

/** Trains with the rollouts of agent servers. */
const OWN_PROGRAM = 'swemake_rollouts.skyrl_main';
const CKPT = 'ckpt';
const EXPORT = 'export';
const SAVED = new RegExp(`^(?:${CKPT}|${EXPORT})/global_step_(\\d+)$`);
const LATEST = `${CKPT}/latest_ckpt_global_step.txt`;
const PROGRAM: Record<RlConfig['flavor'], string> = {
  minisandbox: 'python -m examples.swe_agent.main_swe',
  unified: 'uv run --isolated --extra fsdp --extra miniswe -m examples.train.mini_swe_agent.main_mini_swe',
};

const skyrl: RlTrainer = {
  keys: KEYS,
  distribution: 'skyrl',
  weights: 'name',
  rows: {
    ending: 'parquet',
    row: ({ problem, row }, { source }) => ({
      data_source: source,
      prompt: [{ role: 'user', content: problem }],
      env_class: 'null',
      instance: row,
    }),
  },
  launch(job: Job<Settings>) {
    const { config } = job;
    const words = hydraWords(skyrlConfig(job), config.overrides);
    return {
      files: {},
      script: [
        ...(config.folder === undefined ? [] : [`cd '${config.folder}'`]),
        commandLines([
          config.generate === undefined ? PROGRAM[config.flavor] : `python -m ${config.generate}`,
          ...words,
        ]),
      ],
      env: tensorboardEnv(config.metrics, job.output),
    };
  },
  resume: resumeOf,
  checkpoint: exported,
  saved: SAVED,
  metrics: skyrlMetrics,
  rehearsal: skyrlRehearsal,
  problems,
};

/** What Ray puts in front of a line of another process, coloured or not. */
const WHO = /^(?:\u001b\[[\d;]*m)*(\([^()]* pid=[^()]*\))(?:\u001b\[[\d;]*m)* /;

/** `Step 3: ` is the end of a line. The numbers follow in lines of their own, as Python's pprint writes a table. */
function skyrlMetrics(): MetricsReader {
  let open: { who: string; step: number; values: Record<string, number> } | null = null;
  return (line) => {
    const who = WHO.exec(line)?.[1] ?? '';
    const text = line.replace(WHO, '');
    const step = /\bStep (\d+): *$/.exec(text)?.[1];
    if (step !== undefined) open = { who, step: Number(step), values: {} };
    else if (open?.who === who && /^[{ ]/.test(text)) {
      Object.assign(open.values, pairsIn(text));
      if (!text.endsWith('}')) return null;
      const { step: of, values } = open;
      open = null;
      return { step: of, values };
    }
    return null;
  };
}

function resumeOf(output: Listing): Resume | null {
  const text = output.read(LATEST)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? { from: CKPT, done: Number(text) } : null;
}

function exported(output: Listing) {
  const steps = output
    .names(EXPORT)
    .flatMap((name) => /^global_step_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number);
  if (steps.length === 0) return null;
  const path = `${EXPORT}/global_step_${Math.max(...steps)}`;
  const policy = `${path}/policy`;
  const below = output.names(policy).length > 0 ? policy : path;
  return { path: below, leaveOut: null };
}

function skyrlConfig(job: Job<Settings>): Record<string, unknown> {
  const { config, model, data, output, gpus, name } = job;
  const { actorPerNode, rollout } = divide(config, gpus);
  const { wandb } = config.metrics;
  const engine = engineConfig(config, Math.max(1, Math.floor(rollout / config.engine_gpus)));
  const logger = sinksOf(config.metrics)[0] ?? 'console';
  return {
    'data.train_data': [data.train],
    ...(data.validation === null ? {} : { 'data.val_data': [data.validation] }),
    'trainer.algorithm.advantage_estimator': config.estimator,
    'trainer.policy.model.path': modelReference(model),
    'trainer.placement.colocate_all': config.colocate,
    'trainer.strategy': config.flavor === 'minisandbox' ? 'fsdp2' : 'fsdp',
    'trainer.placement.policy_num_gpus_per_node': actorPerNode,
    'trainer.placement.ref_num_gpus_per_node': actorPerNode,
    'trainer.placement.policy_num_nodes': config.nodes,
    'trainer.placement.ref_num_nodes': config.nodes,
    'trainer.policy.sequence_parallel_size': config.context_parallel,
    ...engine,
    'trainer.epochs': config.epochs,
    'trainer.eval_batch_size': 50,
    'trainer.eval_before_train': false,
    'trainer.eval_interval': -1,
    'trainer.update_epochs_per_batch': 1,
    'trainer.train_batch_size': config.batch,
    'trainer.policy_mini_batch_size': Math.max(1, Math.floor(config.batch / config.updates)),
    'trainer.micro_forward_batch_size_per_gpu': 1,
    'trainer.micro_train_batch_size_per_gpu': 1,
    'trainer.dump_data_batch': true,
    'trainer.ckpt_interval': config.save_every ?? 30,
    'trainer.hf_save_interval': config.save_every ?? 30,
    'trainer.max_prompt_length': config.max_prompt,
    'trainer.policy.optimizer_config.lr': config.learning_rate,
    'trainer.policy.optimizer_config.weight_decay': config.weight_decay,
    'trainer.algorithm.use_kl_loss': config.kl !== undefined,
    ...(config.kl === undefined ? {} : { 'trainer.algorithm.kl_loss_coef': config.kl }),
    'trainer.algorithm.eps_clip_low': config.clip,
    'trainer.algorithm.eps_clip_high': config.clip_high,
    'trainer.seed': config.seed,
    'generator.sampling_params.max_generate_length': config.max_response,
    'generator.sampling_params.temperature': config.temperature,
    'generator.sampling_params.top_p': config.top_p,
    'generator.max_input_length': config.max_context - config.max_response,
    'generator.max_turns': 20,
    'generator.batched': config.flavor === 'minisandbox',
    'generator.n_samples_per_prompt': config.samples,
    // skyrl-train has a trainer for it, which swemake's own program uses.
    ...(config.flavor === 'unified' && config.generate === OWN_PROGRAM
      ? { 'generator.step_wise_trajectories': config.sequences === 'all' }
      : {}),
    'trainer.logger': logger,
    'trainer.project_name': wandb?.project ?? name,
    'trainer.run_name': wandb?.name ?? name,
    'trainer.ckpt_path': `${output}/${CKPT}`,
    'trainer.export_path': `${output}/${EXPORT}`,
    'trainer.resume_mode': 'latest',
  };
}

function engineConfig(config: Settings, engines: number): Record<string, unknown> {
  const { engine_gpus: size, memory_fraction: memory } = config;
  if (config.flavor === 'minisandbox')
    return {
      'generator.num_inference_engines': engines,
      'generator.inference_engine_tensor_parallel_size': size,
      'generator.backend': 'vllm',
      'generator.run_engines_locally': true,
      'generator.weight_sync_backend': 'nccl',
      'generator.async_engine': true,
      'generator.gpu_memory_utilization': memory,
      'generator.enable_http_endpoint': true,
      'generator.http_endpoint_host': '127.0.0.1',
      'generator.http_endpoint_port': 8001,
    };
  return {
    'generator.inference_engine.num_engines': engines,
    'generator.inference_engine.tensor_parallel_size': size,
    'generator.inference_engine.backend': 'vllm',
    'generator.inference_engine.run_engines_locally': true,
    'generator.inference_engine.weight_sync_backend': 'nccl',
    'generator.inference_engine.gpu_memory_utilization': memory,
  };
}

function problems(config: Settings, gpus: number): Problem[] {
  const found = [...divisionProblems(config, gpus), ...lengthProblems(config)];
  const add = (path: string, message: string, remedy: string) =>
    found.push({ path: [path], message, remedy });
  if (config.folder === undefined)
    add(
      'type',
      'the example of SkyRL is not a package, and the folder of its checkout is not set',
      'add folder: PATH',
    );
  if (config.batch % config.updates !== 0)
    add(
      'updates',
      `${config.batch} tasks cannot be divided into ${config.updates} batches`,
      'choose a divisor',
    );
  const { actor } = divide(config, gpus);
  const share = Math.floor(config.batch / config.updates) * config.samples;
  const groups = Math.max(1, Math.floor(actor / config.context_parallel));
  if (gpus > 0 && share % groups !== 0)
    add(
      'batch',
      `${share} samples of a batch cannot be divided among ${groups} ${groups === 1 ? 'worker' : 'workers'}`,
      'choose batch × samples that they divide',
    );
  return found;
}

/** SFT of the package skyrl. */
const skyrlSft: SftTrainer = {
  keys: SFT_KEYS,
  distribution: 'skyrl',
  weights: 'name',
  rows: PARQUET,
  counts: 'steps',
  launch(job: Job<SftSettings<typeof SFT_KEYS>>) {
    const { config, model, data, output, gpus, name } = job;
    const { wandb } = config.metrics;
    const words = hydraWords(
      {
        strategy: 'fsdp',
        'model.path': modelReference(model),
        // `datasets`, by which SkyRL loads it, takes a folder and no file.
        train_datasets: [dirname(data.train)],
        train_dataset_splits: ['train'],
        train_on_what: isOfSteps(config) ? 'last_assistant_message' : 'all_assistant_messages',
        messages_key: 'messages',
        tools_key: 'tools',
        max_length: config.max_length,
        ...(config.max_steps === undefined ? { num_epochs: config.epochs } : { num_steps: config.max_steps }),
        batch_size: Math.max(1, gpus) * config.nodes * config.batch_size * config.accumulation,
        micro_train_batch_size_per_gpu: config.batch_size,
        'optimizer_config.lr': config.learning_rate,
        'optimizer_config.weight_decay': config.weight_decay,
        'optimizer_config.num_warmup_steps': config.warmup_steps,
        'placement.num_nodes': config.nodes,
        'placement.num_gpus_per_node': Math.max(1, gpus),
        seed: config.seed,
        logger: sinksOf(config.metrics)[0] ?? 'console',
        project_name: wandb?.project ?? name,
        run_name: wandb?.name ?? name,
        ckpt_path: `${output}/${CKPT}`,
        ckpt_interval: config.save_every ?? 100,
        export_path: `${output}/${EXPORT}`,
        hf_save_interval: config.save_every ?? 100,
        resume_from: 'latest',
      },
      config.overrides,
    );
    return {
      files: {},
      script: [
        ...(config.folder === undefined ? [] : [`cd '${config.folder}'`]),
        commandLines(['python -m skyrl.train.main_sft', ...words]),
      ],
      env: tensorboardEnv(config.metrics, job.output),
    };
  },
  resume: resumeOf,
  checkpoint: exported,
  saved: SAVED,
  metrics: skyrlMetrics,
  problems: (_config, gpus) =>
    gpus === 0
      ? [
          {
            path: ['gpus'],
            message: 'there are no GPUs to train on',
            remedy: 'give the deployment resources: { gpu: … }',
          },
        ]
      : [],
};

export const skyrlKind: TrainerKind = { name: 'skyrl', title: 'SkyRL', sft: skyrlSft, rl: skyrl };

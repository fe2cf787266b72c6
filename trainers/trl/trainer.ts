/**
 * TRL: `trl sft --config FILE`, with accelerate on several GPUs. Its checkpoints are folders by step, each complete once
 * its trainer_state.json is there; the model at the end lies in the output folder itself.
 */
import { jsonObject } from '../../basics/json.ts';
import { OVERRIDES } from '../keys.ts';
import { pairsIn, sinksOf } from '../metrics.ts';
import { TRL_MESSAGES } from '../rows/sft.ts';
import { isOfSteps } from '../rows/steps.ts';
import { LORA, PRECISION, SFT_LEARNING, SFT_SAVES, SFT_STEPS } from '../sft-keys.ts';
import { withOverrides } from '../text.ts';
import {
  type Job,
  modelReference,
  type Problem,
  type SftSettings,
  type SftTrainer,
  type TrainerKind,
} from '../trainer.ts';

const KEYS = {
  ...SFT_LEARNING,
  ...SFT_STEPS,
  ...SFT_SAVES,
  ...OVERRIDES,
  ...PRECISION,
  ...LORA,
};

type Settings = SftSettings<typeof KEYS>;

const trl: SftTrainer = {
  keys: KEYS,
  distribution: 'trl',
  weights: 'revision',
  rows: TRL_MESSAGES,
  keepsAdapters: true,
  counts: 'steps',

  launch(job: Job<Settings>) {
    const { config, gpus } = job;
    const several = gpus * config.nodes > 1;
    const spread = [
      ...['accelerate', 'launch', '--num_processes', `${gpus * config.nodes}`],
      ...['--num_machines', `${config.nodes}`, '--mixed_precision', config.dtype === 'bf16' ? 'bf16' : 'no'],
      ...['--module', 'trl.scripts.sft'],
    ];
    return {
      files: { 'trl.yaml': trlConfig(job) },
      script: [[...(several ? spread : ['trl', 'sft']), '--config', 'trl.yaml'].join(' ')],
      env: { ...(config.metrics.tensorboard ? { TENSORBOARD_LOGGING_DIR: `${job.output}/logs` } : {}) },
    };
  },

  resume(output) {
    const steps = output
      .names('')
      .flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
    const whole = steps.find((step) => isState(output.read(`checkpoint-${step}/trainer_state.json`)));
    return whole === undefined ? null : { from: `checkpoint-${whole}`, done: whole };
  },

  checkpoint: (output) =>
    output.names('').some((name) => /^(adapter_)?model.*\.safetensors$/.test(name))
      ? // What else lies there are times, names of this host and steps on the way.
        {
          path: '',
          leaveOut:
            /^(checkpoint-\d+|runs|logs|wandb|training_args\.bin|README\.md|trainer_state\.json|\.gitattributes)$/,
        }
      : null,

  saved: /^checkpoint-(\d+)$/,
  metrics(resume) {
    let step = resume?.done ?? 0;
    return (line) => {
      // One a step; the summary at the end has no learning rate.
      if (!/\{['"]loss['"]:/.test(line) || !line.includes('learning_rate')) return null;
      step += 1;
      return { step, values: pairsIn(line.slice(line.indexOf('{'))) };
    };
  },
  problems,
};

function isState(text: string | null): boolean {
  return typeof jsonObject(text ?? '')?.global_step === 'number';
}

function trlConfig(job: Job<Settings>): Record<string, unknown> {
  const { config, model, data, output, gpus, resume, name } = job;
  const { wandb } = config.metrics;
  const sinks = sinksOf(config.metrics);
  const tree: Record<string, unknown> = {
    model_name_or_path: modelReference(model),
    ...(model.kind === 'hub' && model.revision !== null ? { model_revision: model.revision } : {}),
    datasets: [{ path: 'json', data_files: data.train, split: 'train' }],
    output_dir: output,
    max_length: config.max_length,
    packing: false,
    ...(isOfSteps(config) ? { completion_only_loss: true } : { assistant_only_loss: true }),
    num_train_epochs: config.epochs,
    ...(config.max_steps === undefined ? {} : { max_steps: config.max_steps }),
    per_device_train_batch_size: config.batch_size,
    gradient_accumulation_steps: config.accumulation,
    gradient_checkpointing: gpus > 0,
    learning_rate: config.learning_rate,
    weight_decay: config.weight_decay,
    lr_scheduler_type: 'cosine',
    warmup_steps: config.warmup_steps,
    bf16: config.dtype === 'bf16',
    ...(gpus > 0 ? {} : { use_cpu: true }),
    seed: config.seed,
    logging_steps: 1,
    disable_tqdm: true,
    save_strategy: 'steps',
    save_steps: config.save_every ?? 500,
    ...savedLimit(config.keep),
    report_to: sinks.length === 0 ? 'none' : sinks,
    run_name: wandb?.name ?? name,
    ...(config.lora === undefined
      ? {}
      : {
          use_peft: true,
          lora_r: config.lora.rank,
          lora_alpha: config.lora.alpha,
          lora_dropout: config.lora.dropout,
        }),
    ...(resume === null ? {} : { resume_from_checkpoint: `${output}/${resume.from}` }),
  };
  return withOverrides(tree, config.overrides);
}

/** TRL removes older checkpoints while it trains; no more than `keep` leaves at the end. Two are there while one is written. */
function savedLimit(keep: Settings['keep']): { save_total_limit?: number } {
  if (keep === 'all' || keep === 'best') return {};
  return { save_total_limit: Math.max(2, keep === 'last' ? 1 : Number(keep)) };
}

function problems({ nodes }: Settings): Problem[] {
  if (nodes === 1) return [];
  return [
    {
      path: ['nodes'],
      message: 'accelerate needs a file that lists its machines, which swemake does not write',
      remedy: 'write nodes: 1, or use command',
    },
  ];
}

export const trlKind: TrainerKind = { name: 'trl', title: 'TRL', sft: trl };

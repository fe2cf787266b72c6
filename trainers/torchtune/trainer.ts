/**
 * torchtune 0.6: `tune run RECIPE --config FILE`. It saves the weights after each epoch, but its state belongs to the
 * epoch before the last. So a killed training goes on after the last epoch whose state is complete.
 */

import { OVERRIDES, type Slice } from '../keys.ts';
import { stepLines } from '../metrics.ts';
import { TEXT_MESSAGES } from '../rows/sft.ts';
import { stepProblems } from '../rows/steps.ts';
import { LORA, PRECISION, SFT_LEARNING, SFT_STEPS } from '../sft-keys.ts';
import { withOverrides } from '../text.ts';
import {
  type Job,
  type Listing,
  modelId,
  type Problem,
  type Resume,
  type SftSettings,
  type SftTrainer,
  type TrainerKind,
} from '../trainer.ts';
import { builderOf, loraBuilder, QWEN_FILES } from './models.ts';

const RECIPE = {
  recipe: {
    description:
      'Recipe of torchtune. Absent: full_finetune_distributed, or full_finetune_single_device with fewer than two GPUs.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a name that is not empty',
    examples: ['lora_finetune_distributed'],
  },
} satisfies Slice;

const KEYS = { ...SFT_LEARNING, ...SFT_STEPS, ...OVERRIDES, ...PRECISION, ...LORA, ...RECIPE };

type Settings = SftSettings<typeof KEYS>;

const STATE = 'recipe_state/recipe_state.pt';

const torchtune: SftTrainer = {
  keys: KEYS,
  distribution: 'torchtune',
  weights: 'folder',
  rows: TEXT_MESSAGES,
  counts: 'epochs',

  launch(job: Job<Settings>) {
    const { config, gpus } = job;
    const recipe = recipeOf(config, gpus);
    const torchrun = isDistributed(recipe)
      ? ['--nnodes', `${config.nodes}`, '--nproc_per_node', `${Math.max(1, gpus)}`]
      : [];
    return {
      files: { 'torchtune.yaml': torchtuneConfig(job) },
      script: [['tune', 'run', ...torchrun, recipe, '--config', 'torchtune.yaml'].join(' ')],
      env: {},
    };
  },

  resume: (output, { epochs }) => lastEpoch(output, epochs),

  checkpoint(output, { epochs }) {
    const path = `epoch_${epochs - 1}`;
    return output.names(path).length === 0 ? null : { path, leaveOut: null };
  },

  saved: /^epoch_(\d+)$/,
  // The line of StdoutLogger, and that of the progress bar.
  metrics: () => stepLines(/^Step (\d+) \| /, /(?:^|\r)\d+\|(\d+)\|(?=Loss: )/),
  problems,
};

function recipeOf({ recipe }: Settings, gpus: number): string {
  return recipe ?? (gpus > 1 ? 'full_finetune_distributed' : 'full_finetune_single_device');
}

function isDistributed(recipe: string): boolean {
  return recipe.endsWith('_distributed');
}

/** The newest epoch that is whole: its files are complete, and the recipe's state was written after them. */
function lastEpoch(output: Listing, epochs: number): Resume | null {
  const state = output.time(STATE);
  if (state === null) return null;
  // After the last epoch no state is written: that one is trained again.
  for (let epoch = epochs - 2; epoch >= 0; epoch -= 1) {
    const path = `epoch_${epoch}`;
    const times = output.names(path).map((name) => output.time(`${path}/${name}`) ?? 0);
    const isWhole = output.names(path).includes('model.safetensors.index.json');
    if (isWhole && Math.max(...times) <= state) return { from: path, done: epoch + 1 };
  }
  return null;
}

function torchtuneConfig(job: Job<Settings>): Record<string, unknown> {
  const { config, model, data, output, gpus, resume } = job;
  const builder = builderOf(modelId(model));
  const lora = config.lora;
  const files = model.kind === 'folder' ? model.files : [];
  const folder = model.kind === 'folder' ? model.path : modelId(model);
  const isLora = recipeOf(config, gpus).startsWith('lora');
  // With this option the optimizer steps inside the backward pass: it saves memory and allows no accumulation.
  const inBackward = !isLora && config.accumulation === 1;
  const shards = weightsOf(files);
  const named = Object.entries(builder?.files ?? QWEN_FILES);
  const tokenizerFiles = Object.fromEntries(named.map(([key, name]) => [key, `${folder}/${name}`]));
  const tree: Record<string, unknown> = {
    output_dir: output,
    tokenizer: {
      _component_: builder?.tokenizer,
      ...tokenizerFiles,
      max_seq_len: config.max_length,
    },
    model: {
      _component_: builder === null ? undefined : isLora ? loraBuilder(builder.model) : builder.model,
      ...(isLora
        ? {
            lora_attn_modules: ['q_proj', 'k_proj', 'v_proj', 'output_proj'],
            apply_lora_to_mlp: true,
            lora_rank: lora?.rank ?? 8,
            lora_alpha: lora?.alpha ?? 16,
            lora_dropout: lora?.dropout ?? 0,
          }
        : {}),
    },
    checkpointer: {
      _component_: 'torchtune.training.FullModelHFCheckpointer',
      checkpoint_dir: folder,
      // Beside an adapter torchtune loads the weights that it was trained on, and none that it wrote.
      checkpoint_files: resume === null || isLora ? shards : resumedFiles(shards, resume),
      ...(resume !== null && isLora ? { adapter_checkpoint: `${resume.from}/adapter_model.pt` } : {}),
      model_type: builder?.layout,
      output_dir: output,
      safe_serialization: true,
    },
    resume_from_checkpoint: resume !== null,
    dataset: {
      _component_: 'torchtune.datasets.chat_dataset',
      source: 'json',
      data_files: data.train,
      split: 'train',
      conversation_column: 'messages',
      conversation_style: 'openai',
      train_on_input: false,
      packed: false,
    },
    seed: config.seed,
    shuffle: true,
    epochs: config.epochs,
    max_steps_per_epoch: config.max_steps ?? null,
    batch_size: config.batch_size,
    gradient_accumulation_steps: config.accumulation,
    optimizer: {
      _component_: 'torch.optim.AdamW',
      ...(gpus > 0 ? { fused: true } : {}),
      lr: config.learning_rate,
      weight_decay: config.weight_decay,
    },
    lr_scheduler: {
      _component_: 'torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup',
      num_warmup_steps: config.warmup_steps,
    },
    ...(isLora ? {} : { optimizer_in_bwd: inBackward }),
    loss: { _component_: 'torchtune.modules.loss.CEWithChunkedOutputLoss' },
    compile: gpus > 0,
    device: gpus > 0 ? 'cuda' : 'cpu',
    dtype: config.dtype,
    enable_activation_checkpointing: gpus > 0,
    enable_activation_offloading: false,
    metric_logger: loggerOf(job),
    log_every_n_steps: 1,
    log_peak_memory_stats: gpus > 0,
  };
  return withoutUndefined(withOverrides(tree, config.overrides));
}

function weightsOf(files: readonly string[]): string[] {
  return files.filter((name) => /^(model.*\.safetensors|pytorch_model.*\.bin)$/.test(name)).sort();
}

/** torchtune names what it writes itself, however many files there were. */
function resumedFiles(shards: readonly string[], { from }: Resume): string[] {
  const count = `${shards.length}`.padStart(5, '0');
  return shards.map((_, index) => `${from}/model-${`${index + 1}`.padStart(5, '0')}-of-${count}.safetensors`);
}

function loggerOf({ config, name, output }: Job<Settings>): Record<string, unknown> {
  const { wandb, tensorboard } = config.metrics;
  if (wandb !== undefined)
    return {
      _component_: 'torchtune.training.metric_logging.WandBLogger',
      project: wandb.project,
      name: wandb.name ?? name,
      log_dir: `${output}/logs`,
    };
  if (tensorboard)
    return { _component_: 'torchtune.training.metric_logging.TensorBoardLogger', log_dir: `${output}/logs` };
  return { _component_: 'torchtune.training.metric_logging.StdoutLogger' };
}

function withoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function problems(config: Settings, gpus: number): Problem[] {
  const found: Problem[] = stepProblems('torchtune', config);
  const recipe = recipeOf(config, gpus);
  const { id } = config.model ?? {};
  const own = config.overrides;
  const saysModel = 'model' in own || 'model._component_' in own;
  if (!saysModel && config.model !== undefined && builderOf(id ?? config.model.path ?? '') === null)
    found.push({
      path: ['model'],
      message: 'torchtune has a builder for each model, and none is known for this one',
      remedy: 'add overrides: { model._component_: …, tokenizer._component_: …, checkpointer.model_type: … }',
    });
  if (config.style === 'tools' && config.data === undefined)
    found.push({
      path: ['style'],
      message: 'torchtune drops tool calls from conversations',
      remedy: 'write style: xml or ticks',
    });
  if (!isDistributed(recipe) && gpus > 1)
    found.push({
      path: ['recipe'],
      message: `${recipe} uses one GPU, and there are ${gpus}`,
      remedy: 'use a recipe that ends with _distributed, or write gpus: 1',
    });
  if (isDistributed(recipe) && gpus === 0)
    found.push({
      path: ['recipe'],
      message: `${recipe} needs GPUs, and there are none`,
      remedy: 'give the deployment resources: { gpu: … }, or use a recipe that ends with _single_device',
    });
  if (!isDistributed(recipe) && config.nodes > 1)
    found.push({
      path: ['nodes'],
      message: `${recipe} runs on one node`,
      remedy: 'write nodes: 1, or use a recipe that ends with _distributed',
    });
  if (recipe.startsWith('lora') !== (config.lora !== undefined) && config.lora !== undefined)
    found.push({
      path: ['lora'],
      message: `${recipe} trains no adapters`,
      remedy: 'use a recipe that begins with lora_, or remove lora',
    });
  return found;
}

export const torchtuneKind: TrainerKind = { name: 'torchtune', title: 'torchtune', sft: torchtune };

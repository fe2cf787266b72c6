/**
 * Arguments that slime and the frameworks based on it (OpenClaw-RL, Miles) share, in the order of the original
 * scripts: checkpoints, data, optimizer, parallelism, rollouts.
 */
import { divide, globalBatch } from '../arithmetic.ts';
import { CHECKOUT, OVERRIDES } from '../keys.ts';
import { DIVISION, MEGATRON_LM, MODULES, PACKING, RL_LEARNING, RL_STEPS } from '../rl-keys.ts';
import { type Job, modelReference, type RlSettings } from '../trainer.ts';

/** Keys that both have. */
export const KEYS = {
  ...CHECKOUT,
  ...OVERRIDES,
  ...RL_LEARNING,
  ...RL_STEPS,
  ...DIVISION,
  ...PACKING,
  ...MODULES,
  ...MEGATRON_LM,
};

export type Settings = RlSettings<typeof KEYS>;
export type SlimeJob = Job<Settings>;

export type Arguments = Record<string, unknown>;

/** Names below the output folder. */
export const SAVE = 'ckpt';
export const HF = 'hf';

export function checkpointArguments(job: SlimeJob): Arguments {
  const { config, model, output, converted } = job;
  const save = `${output}/${SAVE}`;
  const bridge = config.mode === 'bridge';
  return {
    '--hf-checkpoint': modelReference(model),
    // In raw mode the first start finds nothing in `load` and takes these weights, as the framework's rule is.
    '--ref-load': bridge ? modelReference(model) : (converted ?? modelReference(model)),
    ...(bridge ? { '--megatron-to-hf-mode': 'bridge' } : {}),
    ...(bridge && job.resume === null ? {} : { '--load': save }),
    '--save': save,
    '--save-hf': `${output}/${HF}/{rollout_id}`,
    '--save-interval': config.save_every ?? 20,
  };
}

export function placementArguments({ config, gpus }: SlimeJob): Arguments {
  const { actorPerNode, rollout, nodes } = divide(config, gpus);
  return {
    '--actor-num-nodes': nodes,
    '--actor-num-gpus-per-node': actorPerNode,
    ...(config.colocate ? { '--colocate': true } : { '--rollout-num-gpus': rollout }),
  };
}

export function rolloutArguments({ config, data }: SlimeJob): Arguments {
  return {
    '--prompt-data': data.train,
    '--rollout-shuffle': true,
    ...(config.steps === undefined ? { '--num-epoch': config.epochs } : { '--num-rollout': config.steps }),
    '--rollout-batch-size': config.batch,
    '--n-samples-per-prompt': config.samples,
    '--rollout-temperature': config.temperature,
    ...(config.top_p === 1 ? {} : { '--rollout-top-p': config.top_p }),
    '--rollout-max-response-len': config.max_response,
    '--rollout-seed': config.seed,
    '--global-batch-size': globalBatch(config),
    '--balance-data': true,
  };
}

export function lossArguments({ estimator, kl, clip, clip_high }: Settings): Arguments {
  return {
    '--advantage-estimator': estimator,
    ...(kl === undefined
      ? {}
      : { '--use-kl-loss': true, '--kl-loss-coef': kl, '--kl-loss-type': 'low_var_kl' }),
    '--entropy-coef': 0,
    '--eps-clip': clip,
    '--eps-clip-high': clip_high,
  };
}

export function optimizerArguments({ learning_rate, weight_decay }: Settings): Arguments {
  return {
    '--optimizer': 'adam',
    '--lr': learning_rate,
    '--lr-decay-style': 'constant',
    '--weight-decay': weight_decay,
    '--adam-beta1': 0.9,
    '--adam-beta2': 0.98,
  };
}

export function parallelArguments(config: Settings): Arguments {
  const { tensor_parallel, pipeline_parallel, context_parallel } = config;
  return {
    '--tensor-model-parallel-size': tensor_parallel,
    ...(tensor_parallel > 1 ? { '--sequence-parallel': true } : {}),
    '--pipeline-model-parallel-size': pipeline_parallel,
    '--context-parallel-size': context_parallel,
    '--expert-model-parallel-size': 1,
    '--expert-tensor-parallel-size': 1,
    '--recompute-granularity': 'full',
    '--recompute-method': 'uniform',
    '--recompute-num-layers': 1,
    '--use-dynamic-batch-size': true,
    '--max-tokens-per-gpu': config.max_tokens_per_gpu,
  };
}

export function engineArguments(config: Settings): Arguments {
  return {
    '--rollout-num-gpus-per-engine': config.engine_gpus,
    '--sglang-mem-fraction-static': config.memory_fraction,
  };
}

/** Arguments of Megatron that all original scripts have. */
export const MEGATRON: Arguments = {
  '--attention-dropout': 0,
  '--hidden-dropout': 0,
  '--accumulate-allreduce-grads-in-fp32': true,
  '--attention-softmax-in-fp32': true,
  '--attention-backend': 'flash',
};

export function sinkArguments({ config, name }: SlimeJob): Arguments {
  const { wandb, tensorboard } = config.metrics;
  return {
    ...(wandb === undefined
      ? {}
      : {
          '--use-wandb': true,
          '--wandb-project': wandb.project,
          '--wandb-group': wandb.name ?? name,
          ...(wandb.mode === 'offline' ? { '--wandb-mode': 'offline' } : {}),
        }),
    ...(tensorboard ? { '--use-tensorboard': true } : {}),
  };
}

/**
 * What a rehearsal must know of SkyRL, read in `train/trainer.py`, `train/entrypoints/main_base.py` and `train/generators/base.py` of the
 * package skyrl, and in the files of these names of skyrl-train.
 */
import type { RlConfig } from '../../schemas/generated/project.ts';
import type { Rehearsal } from '../rehearsal.ts';

const NAMES = {
  batch: 'trainer.train_batch_size',
  samples: 'generator.n_samples_per_prompt',
  actorNodes: 'trainer.placement.policy_num_nodes',
  actorGpus: 'trainer.placement.policy_num_gpus_per_node',
  colocate: 'trainer.placement.colocate_all',
  evaluationData: 'data.val_data',
  evaluationEvery: 'trainer.eval_interval',
  evaluationFirst: 'trainer.eval_before_train',
  save: 'trainer.ckpt_path',
  weights: 'trainer.policy.model.path',
  trainData: 'data.train_data',
} as const satisfies Rehearsal['names'];

const COMMON = {
  form: 'generator',
  engine: 'vllm',
  programs: [],
  functions: {},
  order: ['evaluate', 'rollout', 'batch', 'weights'],
} as const satisfies Partial<Rehearsal>;

const GENERATIONS: Readonly<Record<RlConfig['flavor'], Rehearsal>> = {
  unified: {
    ...COMMON,
    packages: ['skyrl'],
    modules: ['examples.train.mini_swe_agent.main_mini_swe'],
    options: {
      ...{ style: 'dataclass', folder: ['skyrl/train/config/config.py'], megatron: [] },
      name: 'SkyRLTrainConfig',
    },
    names: {
      ...NAMES,
      rolloutGpus: [
        'generator.inference_engine.num_engines',
        'generator.inference_engine.tensor_parallel_size',
      ],
    },
  },
  minisandbox: {
    ...COMMON,
    packages: ['skyrl_train'],
    modules: ['examples.swe_agent.main_swe'],
    options: {
      ...{ style: 'hydra', folder: ['skyrl_train/config/ppo_base_config.yaml'], megatron: [] },
      name: 'ppo_base_config',
    },
    names: {
      ...NAMES,
      rolloutGpus: ['generator.num_inference_engines', 'generator.inference_engine_tensor_parallel_size'],
    },
  },
};

export function skyrlRehearsal({ flavor }: RlConfig): Rehearsal {
  return GENERATIONS[flavor];
}

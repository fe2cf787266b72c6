/** What a rehearsal must know of slime, read in slime’s `rollout/sglang_rollout.py`, `ray/rollout.py` and `utils/arguments.py`. */
import type { Rehearsal } from '../rehearsal.ts';

/** Options that slime and Miles share. */
export const NAMES: Rehearsal['names'] = {
  batch: 'rollout-batch-size',
  samples: 'n-samples-per-prompt',
  globalBatch: 'global-batch-size',
  steps: 'num-steps-per-rollout',
  tokensPerGpu: 'max-tokens-per-gpu',
  contextParallel: 'context-parallel-size',
  tensorParallel: 'tensor-model-parallel-size',
  pipelineParallel: 'pipeline-model-parallel-size',
  actorNodes: 'actor-num-nodes',
  actorGpus: 'actor-num-gpus-per-node',
  rolloutGpus: 'rollout-num-gpus',
  colocate: 'colocate',
  rewardKey: 'reward-key',
  evaluationData: 'eval-prompt-data',
  evaluationEvery: 'eval-interval',
  save: 'save',
  weights: 'hf-checkpoint',
  trainData: 'prompt-data',
};

export const FUNCTIONS: Rehearsal['functions'] = {
  'custom-generate-function-path': 'generate',
  'custom-rm-path': 'reward',
  'dynamic-sampling-filter-path': 'overrides.dynamic-sampling-filter-path',
  'rollout-function-path': 'overrides.rollout-function-path',
};

export const slimeRehearsal: Rehearsal = {
  form: 'samples',
  packages: ['slime'],
  engine: 'sglang',
  programs: ['train.py', 'train_async.py'],
  modules: [],
  options: {
    style: 'flags',
    folder: ['slime/utils/arguments.py', 'slime/backends/sglang_utils/arguments.py'],
    megatron: ['megatron/training/arguments.py'],
  },
  names: {
    ...NAMES,
    judge: 'prm-enable',
    judgeGpus: 'prm-num-gpus',
    perStep: 'dynamic_history',
    stepWise: 'advantage-estimator',
  },
  functions: FUNCTIONS,
  forFunctions: ['prm-m', 'prm-step-coef', 'prm-temperature', 'prm-max-new-tokens'],
  order: ['evaluate', 'rollout', 'batch', 'weights'],
};

/**
 * What a rehearsal must know of verl, read in `experimental/agent_loop/agent_loop.py`, `trainer/ppo/v1/agent_loop_tq.py` and
 * `trainer/ppo/v1/trainer_base.py` of verl 0.9.1.
 */
import type { Rehearsal } from '../rehearsal.ts';

export const verlRehearsal: Rehearsal = {
  form: 'loop',
  packages: ['verl'],
  engine: 'vllm',
  programs: ['verl/trainer/main_ppo.py'],
  modules: ['verl.trainer.main_ppo'],
  options: {
    ...{ style: 'hydra', folder: ['verl/trainer/config/_generated_ppo_trainer.yaml'], megatron: [] },
    name: 'ppo_trainer',
  },
  names: {
    batch: 'data.train_batch_size',
    samples: 'actor_rollout_ref.rollout.n',
    tokensPerGpu: 'actor_rollout_ref.actor.ppo_max_token_len_per_gpu',
    actorNodes: 'trainer.nnodes',
    actorGpus: 'trainer.n_gpus_per_node',
    evaluationData: 'data.val_files',
    evaluationEvery: 'trainer.test_freq',
    evaluationFirst: 'trainer.val_before_train',
    save: 'trainer.default_local_dir',
    weights: 'actor_rollout_ref.model.path',
    trainData: 'data.train_files',
  },
  functions: {},
  order: ['evaluate', 'rollout', 'batch', 'weights'],
};

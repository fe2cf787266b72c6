/**
 * What a rehearsal must know of a command that trains with TRL's GRPO, read in TRL's `trainer/grpo_trainer.py`. The command starts a
 * program of its own, so its options are what the program gives to `GRPOConfig`.
 */
import type { Rehearsal } from '../rehearsal.ts';

export const commandRehearsal: Rehearsal = {
  form: 'trainer',
  packages: ['trl'],
  engine: 'vllm',
  programs: ['*.py'],
  modules: [],
  options: { style: 'own', folder: [], megatron: [] },
  names: { samples: 'num_generations', save: 'output_dir' },
  functions: {},
  order: ['evaluate', 'rollout', 'batch', 'weights'],
};

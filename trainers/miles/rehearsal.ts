/** What a rehearsal must know of Miles, whose rollouts are called as slime’s are. */
import type { Rehearsal } from '../rehearsal.ts';
import { FUNCTIONS, NAMES } from '../slime/rehearsal.ts';

export const milesRehearsal: Rehearsal = {
  form: 'samples',
  packages: ['miles'],
  engine: 'sglang',
  programs: ['train.py', 'train_async.py'],
  modules: [],
  options: {
    style: 'flags',
    folder: ['miles/utils/arguments.py', 'miles/backends/sglang_utils/arguments.py'],
    megatron: ['megatron/training/arguments.py'],
  },
  names: { ...NAMES, dynamicBatch: 'use-dynamic-global-batch-size' },
  functions: FUNCTIONS,
  order: ['evaluate', 'rollout', 'batch', 'weights'],
};

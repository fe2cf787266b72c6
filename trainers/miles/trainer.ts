/** Miles, as its SWE-agent example starts it: train.py as a job of Ray, with four functions of a module. */

import { tensorboardEnv } from '../metrics.ts';
import {
  type Arguments,
  checkpointArguments,
  engineArguments,
  KEYS,
  lossArguments,
  MEGATRON,
  optimizerArguments,
  parallelArguments,
  placementArguments,
  rolloutArguments,
  type Settings,
  type SlimeJob,
  sinkArguments,
} from '../slime/arguments.ts';
import { checkpointOf, convertOf, resumeOf, SAVED, slimeMetrics } from '../slime/state.ts';
import { JOB_ENV, jobScript, modelWords, problems, programIn } from '../slime/trainer.ts';
import { commandLines, flagWords } from '../text.ts';
import type { RlTrainer, TrainerKind } from '../trainer.ts';
import { milesRehearsal } from './rehearsal.ts';

const MODULE = 'generate_with_swe_agent';

const miles: RlTrainer = {
  keys: KEYS,
  rehearsal: () => milesRehearsal,
  distribution: null,
  weights: 'snapshot',
  rows: {
    ending: 'jsonl',
    row: ({ problem, row }, { source, split }) => ({
      prompt: problem,
      // The example chooses images by it.
      metadata: { ...row, subset: /verified/i.test(source) ? 'verified' : 'gym', split },
    }),
  },
  launch(job: SlimeJob) {
    const { config } = job;
    const words = flagWords(milesArguments(job), config.overrides);
    return {
      files: {},
      script: jobScript(
        job,
        `python3 ${programIn(config.folder, 'train.py')} ${modelWords(config.model_args)}${commandLines(words)}`,
        moduleFolders(config),
      ),
      env: { ...JOB_ENV, ...tensorboardEnv(config.metrics, job.output) },
    };
  },
  resume: (output) => resumeOf(output),
  checkpoint: (output) => checkpointOf(output),
  saved: SAVED,
  metrics: slimeMetrics,
  convert: convertOf,
  problems(config: Settings, gpus) {
    const found = problems(config, gpus);
    if (config.estimator === 'step_wise')
      found.push({
        path: ['estimator'],
        message: 'step_wise learns from judged steps, and Miles has no judge of steps',
        remedy: 'write estimator: grpo, or use type: slime',
      });
    return found;
  },
};

/** The example imports mini-swe-agent from a submodule of its own folder; in the order of its script. */
function moduleFolders({ megatron, module, folder }: Settings): (string | undefined)[] {
  return [megatron, module, folder, module === undefined ? undefined : `${module}/mini-swe-agent/src`];
}

function milesArguments(job: SlimeJob): Arguments {
  const { config } = job;
  const module = config.generate?.split('.').slice(0, -1).join('.') ?? MODULE;
  return {
    ...placementArguments(job),
    ...checkpointArguments(job),
    ...rolloutArguments(job),
    '--input-key': 'prompt',
    '--metadata-key': 'metadata',
    ...lossArguments(config),
    ...optimizerArguments(config),
    ...parallelArguments(config),
    ...engineArguments(config),
    ...MEGATRON,
    '--custom-generate-function-path': config.generate ?? `${MODULE}.generate`,
    '--custom-rm-path': config.reward ?? `${module}.reward_func`,
    '--rollout-function-path': `${module}.generate_rollout`,
    '--dynamic-sampling-filter-path': `${module}.dynamic_filter`,
    ...sinkArguments(job),
  };
}

export const milesKind: TrainerKind = { name: 'miles', title: 'Miles', rl: miles };

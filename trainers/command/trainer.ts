/**
 * A command of the project's own. It finds data, model and folder in variables, and the files that it leaves in
 * OUTPUT_DIR are the checkpoint. If it was ended, it is started again with the same folder, so it may go on from the
 * files there.
 */
import { CHECKOUT, only } from '../keys.ts';
import { stepLines } from '../metrics.ts';
import { MEGATRON_LM, MODULES, RL_STEPS } from '../rl-keys.ts';
import { MESSAGES } from '../rows/sft.ts';
import { SFT_LEARNING, SFT_STEPS } from '../sft-keys.ts';
import type { Launch, Listing, Problem, TrainerKind } from '../trainer.ts';
import { commandRehearsal } from './rehearsal.ts';

const BOTH = {
  distribution: null,
  weights: 'name' as const,
  launch: (): Launch => ({ files: {}, script: [], env: {} }),
  resume: (output: Listing) => (output.names('').length === 0 ? null : { from: '.', done: 0 }),
  checkpoint: (output: Listing) =>
    output.names('').some((name) => !KEPT_ASIDE.test(name)) ? { path: '', leaveOut: KEPT_ASIDE } : null,
  metrics: () => stepLines(/^step[ :=](\d+)[:,]?\s+/i),
  problems: ({ command }: { command?: string }): Problem[] =>
    command === undefined
      ? [{ path: ['type'], message: 'it does not say which command', remedy: 'add command: …' }]
      : [],
};

/** What a command may keep there for itself. */
const KEPT_ASIDE = /^(\.|logs?$|state$|wandb$|runs$)/;

export const commandKind: TrainerKind = {
  name: 'command',
  title: 'a command',
  sft: {
    ...BOTH,
    // Besides its variables: the steps that it takes.
    keys: { ...CHECKOUT, ...SFT_STEPS, ...only(SFT_LEARNING, 'epochs', 'batch_size', 'accumulation') },
    rows: MESSAGES,
    counts: 'steps',
  },
  rl: {
    ...BOTH,
    // The folder of its functions and the shape of the model decide what is learnt.
    keys: {
      ...CHECKOUT,
      ...RL_STEPS,
      ...only(MODULES, 'module'),
      ...only(MEGATRON_LM, 'model_args', 'megatron'),
    },
    rows: null,
    rehearsal: () => commandRehearsal,
  },
};

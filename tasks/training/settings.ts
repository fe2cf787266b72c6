/** What the project says of a training, as stages ask for it. */
import { success } from '../../basics/result.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { MachinePart, With } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';

/** What a training takes out of the machine: its cache and folders, and the programs of the host. */
export const TRAINING = [
  'cache',
  'config.deployments',
  'config.name',
  'config.trainer',
  'env',
  'pins',
  'processes',
  'projectFolder',
] as const satisfies readonly MachinePart[];

/** A machine as trainings see it. */
export type TrainingMachine = With<(typeof TRAINING)[number]>;

type Config = Pick<ResolvedConfig, 'trainer' | 'deployments'>;

/** The deployment that trains; null: none is named. The compiler names the only one that runs programs. */
export function trainingDeployment({ trainer }: Config, which: 'sft' | 'rl'): string | null {
  return trainer?.[which]?.deployment ?? null;
}

/** GPUs of the deployment that trains. */
export function deploymentGpus(config: Config, which: 'sft' | 'rl'): number {
  const name = trainingDeployment(config, which);
  return (name === null ? undefined : config.deployments[name]?.resources?.gpu) ?? 0;
}

/** Processes and threads that a program of this deployment may have; undefined: it says nothing. */
export function deploymentPids(config: Config, which: 'sft' | 'rl'): number | undefined {
  const name = trainingDeployment(config, which);
  return (name === null ? undefined : config.deployments[name])?.resources?.pids;
}

/** GPUs of each node that are trained with: they divide the batches, and so decide what is learnt. */
export const GPUS: QuestionKind<'sft' | 'rl', number> = {
  name: 'gpus',
  changes: false,
  answer: async (which, { config }) =>
    success(config.trainer?.[which]?.gpus ?? deploymentGpus(config, which)),
};

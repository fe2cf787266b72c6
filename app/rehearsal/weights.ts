/**
 * Which model the RL training begins with, where the project says that it is the checkpoint of `trainer.sft`. A command that loads another one
 * trains as if there had been no SFT, and nothing in its figures shows that.
 */
import { isAbsolute, relative, resolve } from 'node:path';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Rehearsal } from '../../trainers/rehearsal.ts';
import type { Finding } from './finding.ts';
import type { Launched } from './launch.ts';

/** Variables that name the model to scripts; those of the project win. */
const VARIABLES = ['HF_CKPT', 'EVAL_MODEL_PATH', 'REF_LOAD'];

export function weightsFindings(launched: Launched, table: Rehearsal): Finding[] {
  const begins = beginsWith(launched, table);
  const { config, job } = launched;
  if (config.model?.from !== 'sft' || begins === null || job.model.kind !== 'folder') return [];
  if (isBelow(begins, job.model.path)) return [];
  const key = keyOf(launched, table, begins);
  return [
    {
      key,
      message: `the training begins with ${begins}, and trainer.rl.model says: with the checkpoint of trainer.sft`,
      remedy:
        key === 'command'
          ? 'let the program load the folder that HF_CKPT names, or write its model in trainer.rl.model'
          : 'remove it, or write that model in trainer.rl.model',
    },
  ];
}

/** What is not known of it, for people. */
export function uncheckedWeights({ config, report }: Launched): string[] {
  if (config.model?.from !== 'sft' || report === null || report.rollouts.length === 0) return [];
  return report.begins === null
    ? ['whether the training begins with the checkpoint of trainer.sft: its model has no name']
    : [];
}

/** null: the driver did not see it. */
function beginsWith({ report }: Launched, { names }: Rehearsal): string | null {
  if (report === null) return null;
  const option = names.weights;
  const value = typeof option === 'string' ? report.values[option] : report.begins;
  return typeof value === 'string' ? value : null;
}

function keyOf({ config, job }: Launched, { names, options }: Rehearsal, begins: string): string {
  const option = names.weights;
  if (typeof option === 'string' && option in (config.overrides ?? {})) return `overrides.${option}`;
  const variable = VARIABLES.find((name) => {
    const value = config.env[name];
    return typeof value === 'string' && (value === begins || resolve(job.start, value) === begins);
  });
  if (variable !== undefined) return `env.${variable}`;
  return options.style === 'own' ? 'command' : 'model';
}

/** Options of frameworks that say where checkpoints go. */
const SAVES = /(^|\.)(output_dir|default_local_dir|save)$/;

/** Whether SFT writes its checkpoints where RL looks for its own: each would go on from those of the other. */
export function sharesFolder({ config, folder }: Pick<ResolvedProject, 'config' | 'folder'>): boolean {
  const { sft, rl } = config.trainer ?? {};
  if (sft === undefined || rl?.output !== 'fixed' || rl.output_folder === undefined) return false;
  const overridden = Object.entries(sft.overrides ?? {}).filter(([name]) => SAVES.test(name));
  const named = [
    sft.output === 'fixed' ? sft.output_folder : undefined,
    ...overridden.map(([, value]) => value),
  ];
  const own = resolve(folder, rl.output_folder);
  return named
    .filter((path) => typeof path === 'string')
    .map((path) => resolve(folder, path))
    .some((path) => isBelow(path, own) || isBelow(own, path));
}

function isBelow(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === '' || (!from.startsWith('..') && !isAbsolute(from));
}

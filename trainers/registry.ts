/** All kinds of trainers. */
import type { Json } from '../basics/canonical.ts';
import type { RlConfig, SftConfig } from '../schemas/generated/project.ts';
import { commandKind } from './command/trainer.ts';
import { keysOf, type Which } from './definition.ts';
import { milesKind } from './miles/trainer.ts';
import { skyrlKind } from './skyrl/trainer.ts';
import { slimeKind } from './slime/trainer.ts';
import { torchtuneKind } from './torchtune/trainer.ts';
import type { RlTrainer, SftTrainer, TrainerKind } from './trainer.ts';
import { trlKind } from './trl/trainer.ts';
import { verlKind } from './verl/trainer.ts';

export const TRAINERS: readonly TrainerKind[] = [
  torchtuneKind,
  trlKind,
  skyrlKind,
  slimeKind,
  milesKind,
  verlKind,
  commandKind,
];

export type SftType = Exclude<SftConfig['type'], 'none'>;
export type RlType = Exclude<RlConfig['type'], 'none'>;

/** Those that train on conversations, by the `type` of a project. The schema has exactly their names. */
export const SFT_TRAINERS = byName(({ sft }) => sft) as Record<SftType, SftTrainer>;

/** Those that train on tasks. */
export const RL_TRAINERS = byName(({ rl }) => rl) as Record<RlType, RlTrainer>;

/** The kind that a project names; undefined: none, or an unknown one. */
export function findTrainer(type: string | undefined): TrainerKind | undefined {
  return TRAINERS.find(({ name }) => name === type);
}

/** Why nothing can begin with the checkpoint of an SFT training, or serve it; null: it is a model. */
export function noModel({
  type,
  lora,
  command,
}: {
  type?: string | undefined;
  lora?: unknown;
  command?: string | undefined;
}): { message: string; remedy: string } | null {
  const isApart =
    lora !== undefined && command === undefined && findTrainer(type)?.sft?.keepsAdapters === true;
  return isApart
    ? {
        message: `with lora the checkpoint of trainer.sft is no model by itself: ${type} keeps the adapters apart`,
        remedy: 'remove lora, or use type: torchtune, which merges them',
      }
    : null;
}

/** The keys that have an effect on a training. A command in place of the framework's own start has its keys, too. */
export function keysOfTraining(
  which: Which,
  { type, command }: { type?: string | undefined; command?: string | undefined },
): ReadonlySet<string> {
  const kinds = [findTrainer(type), command === undefined ? undefined : commandKind];
  return new Set(kinds.flatMap((kind) => (kind === undefined ? [] : keysOf(which, kind))));
}

/** What of its settings decides a training: the keys that its framework has, without those of `leftOut`. */
export function decidingSettings(
  which: Which,
  config: SftConfig | RlConfig,
  leftOut: readonly string[],
): Record<string, Json> {
  const known = keysOfTraining(which, config);
  const entries = Object.entries(config).filter(([key]) => known.has(key) && !leftOut.includes(key));
  return Object.fromEntries(entries) as Record<string, Json>;
}

function byName<T>(part: (kind: TrainerKind) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    TRAINERS.flatMap((kind) => {
      const one = part(kind);
      return one === undefined ? [] : [[kind.name, one]];
    }),
  );
}

/** Every framework that trains, one line each. */
import type { RlConfig, SftConfig } from '../schemas/generated/project.ts';
import { rlCommand, sftCommand } from './command/trainer.ts';
import { miles } from './miles/trainer.ts';
import { skyrl, skyrlSft } from './skyrl/trainer.ts';
import { slime, slimeSft } from './slime/trainer.ts';
import { torchtune } from './torchtune/trainer.ts';
import type { RlTrainer, SftTrainer } from './trainer.ts';
import { trl } from './trl/trainer.ts';
import { verl, verlSft } from './verl/trainer.ts';

export const SFT_TRAINERS: Record<Exclude<SftConfig['type'], 'none'>, SftTrainer> = {
  torchtune,
  trl,
  skyrl: skyrlSft,
  slime: slimeSft,
  verl: verlSft,
  command: sftCommand,
};

export const RL_TRAINERS: Record<Exclude<RlConfig['type'], 'none'>, RlTrainer> = {
  skyrl,
  slime,
  miles,
  verl,
  command: rlCommand,
};

/** Every stage, one line each, in the order in which a project's graph names them. */

import type { Stage } from '../contract/stage.ts';
import { agentsStage } from './agents/stage.ts';
import { balanceStage } from './balance/stage.ts';
import { datasetStage } from './dataset/stage.ts';
import { discoverStage } from './discover/stage.ts';
import { environmentsStage } from './environments/stage.ts';
import { evaluateStage } from './evaluate/stage.ts';
import { filterStage } from './filter/stage.ts';
import { goldenStage } from './golden/stage.ts';
import { gradeStage } from './grade/stage.ts';
import { predictStage } from './predict/stage.ts';
import { reportStage } from './report/stage.ts';
import { rlDataStage } from './rl-data/stage.ts';
import { rlModelStage } from './rl-model/stage.ts';
import { rlTrainStage } from './rl-train/stage.ts';
import { rolloutsStage } from './rollouts/stage.ts';
import { rowsStage } from './rows/stage.ts';
import { sftDataStage } from './sft-data/stage.ts';
import { sftTrainStage } from './sft-train/stage.ts';
import { validateStage } from './validate/stage.ts';

export const STAGES: readonly Stage[] = [
  rowsStage,
  datasetStage,
  environmentsStage,
  discoverStage,
  validateStage,
  filterStage,
  agentsStage,
  rolloutsStage,
  predictStage,
  gradeStage,
  goldenStage,
  balanceStage,
  sftDataStage,
  sftTrainStage,
  rlDataStage,
  rlModelStage,
  rlTrainStage,
  evaluateStage,
  reportStage,
] as Stage[];

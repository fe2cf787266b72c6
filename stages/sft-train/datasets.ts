/** Which nodes train: one for the dataset whose trajectories are learnt from, or one for conversations from elsewhere. */
import type { ResolvedConfig } from '../../contract/config.ts';
import { addressOf } from '../../contract/stage.ts';
import { sftDatasets } from '../golden/stage.ts';

/** What a node is called that trains on conversations from elsewhere. */
export const ELSEWHERE = 'data';

export function sftTrainDatasets(config: ResolvedConfig): string[] {
  const sft = config.trainer?.sft;
  if (sft === undefined || sft.type === 'none') return [];
  return sft.data === undefined ? sftDatasets(config) : [ELSEWHERE];
}

/** Address of the node that makes the checkpoint; null: the project makes none. */
export function sftTrainAddress(config: ResolvedConfig): string | null {
  const [dataset] = sftTrainDatasets(config);
  return dataset === undefined ? null : addressOf('sft-train', dataset);
}

/** rows: a dataset as it is read, where rows without lists of tests are instances whose tests are not known yet. */
import { success } from '../../basics/result.ts';
import { discoveredDatasets } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import { askRows, READING, readDataset, rowsInputs } from '../dataset/stage.ts';

export const rowsStage = defineStage({
  ...READING,
  name: 'rows',
  version: 5,
  nodes: (config) => discoveredDatasets(config).map((dataset) => ({ dataset, inputs: {} })),
  plan: askRows,
  inputs: (item, asked) => success(rowsInputs(item, asked)),
  run: async ({ dataset }, tools) => readDataset(dataset, tools, true),
});

/**
 * dataset: rows of some format become instances of one shape, each with its source pinned by content. Rows that
 * cannot be read are listed with line and field; the others go on.
 */
import { storeText } from '../../cache/cache.ts';
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import { infra } from '../../schemas/outcome.ts';
import { fault, success } from '../../schemas/result.ts';
import { sourceDepsOf } from '../source/instance-source.ts';
import type { Stage } from '../stage.ts';
import { catalogueOf, catalogueText } from './catalogue.ts';
import { digestOfSource } from './source-files.ts';

export const datasetStage: Stage<null> = {
  name: 'dataset',
  version: 1,
  streams: [],

  nodes(config) {
    return Object.entries(config.dataset).map(([dataset, slice]) => {
      // Where the rows lie is no part of what they say; their digest is.
      const { source: _path, ...rest } = slice;
      return { address: `dataset.${dataset}`, stage: 'dataset', dataset, inputs: {}, config: rest as unknown as Json };
    });
  },

  async surroundings(node, services) {
    const { source } = services.config.dataset[node.dataset]!;
    const digest = await digestOfSource(services.cache.database, services.projectFolder, source);
    if (digest === null) return fault(infra('source-fetch', `dataset ${node.dataset}: ${source} cannot be read`));
    return success({ rows: { digest } });
  },

  expand: async () => success([{ name: '', needs: {}, data: null }]),

  parts: async (node) => success({ config: { value: node.config } }),

  resources: () => ({ cpu: 1 }),

  async run(node, _item, _needs, context) {
    const { loadDataset } = await import('./load.ts');
    const { expandMutationRows } = await import('../mutation/expand.ts');
    const loaded = await loadDataset({
      config: context.config.dataset[node.dataset]!,
      projectFolder: context.projectFolder,
      deps: sourceDepsOf(context),
      signal: context.signal,
      expandMutations: expandMutationRows,
    });
    if (!loaded.ok) return { outcome: loaded.fault, outputs: {} };
    const { instances, bad } = loaded.value;
    for (const row of bad) context.log(`line ${row.line}: ${row.field}: ${row.message}\n`);
    const { rows, catalogue } = catalogueOf(instances);
    return {
      outcome: { status: 'ok' },
      outputs: {
        instances: storeText(context.cache, rows),
        catalogue: storeText(context.cache, catalogueText(catalogue)),
        'bad rows': storeText(context.cache, canonicalJson(bad)),
      },
    };
  },
};

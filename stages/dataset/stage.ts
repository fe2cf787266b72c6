/**
 * dataset: rows of some format become instances of one shape, each with its source pinned by content. Rows that
 * cannot be read are listed with line and field; the others go on.
 */
import { storeText } from '../../cache/cache.ts';
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { type Result, success } from '../../schemas/result.ts';
import { interpreterFor } from '../environments/interpreter.ts';
import type { ExpandedRows } from '../mutation/expand.ts';
import { isSelfPinned, pinnedConfig, pinParts } from '../pins.ts';
import { openPinned, sourceDepsOf } from '../source/instance-source.ts';
import type { ActionContext, Stage } from '../stage.ts';
import { CatalogueBuilder, catalogueText } from './catalogue.ts';
import { datasetFiles, filesDigest } from './files.ts';
import type { NumberedRow } from './row.ts';

export const datasetStage: Stage<null> = {
  name: 'dataset',
  version: 1,
  streams: [],

  nodes(config) {
    return Object.entries(config.dataset).map(([dataset, slice]) => {
      // Where the rows lie is no part of what they say; their digest is.
      const { source: _path, revision: _revision, ...rest } = slice;
      return {
        address: `dataset.${dataset}`,
        stage: 'dataset',
        dataset,
        inputs: {},
        config: rest as unknown as Json,
      };
    });
  },

  async surroundings(node, services) {
    const pins = services.pins?.datasets[node.dataset];
    const config = pinnedConfig(services.config.dataset[node.dataset]!, pins);
    const files = await datasetFiles(config, services.projectFolder, sourceDepsOf(services));
    if (!files.ok) return files;
    const digest = await filesDigest(files.value, (path) => digestOfPath(services.cache.database, path));
    return success({ rows: { digest }, ...pinParts(pins) });
  },

  expand: async () => success([{ name: '', needs: {}, data: null }]),

  parts: async (node) => success({ config: { value: node.config } }),

  async describe(node, change, services) {
    const { describeRows } = await import('./describe.ts');
    return describeRows(node, change, services);
  },

  resources: () => ({ cpu: 1 }),

  async run(node, _item, _needs, context) {
    const { streamDataset } = await import('./load.ts');
    const builder = new CatalogueBuilder();
    const writer = context.cache.blobs.writer();
    const locked = context.pins?.datasets[node.dataset];
    const pins = new Map<string, string>();
    const onPin = (spec: string, digest: string) => {
      if (!isSelfPinned(spec)) pins.set(spec, digest);
    };
    try {
      const read = await streamDataset(
        {
          config: pinnedConfig(context.config.dataset[node.dataset]!, locked),
          projectFolder: context.projectFolder,
          deps: {
            ...sourceDepsOf(context),
            locked: new Map(Object.entries(locked?.sources ?? {})),
            onPin,
          },
          signal: context.signal,
          fileDigest: (path) => digestOfPath(context.cache.database, path),
          expandMutations: (rows) => expandRows(rows, context),
        },
        (batch) => {
          for (const instance of batch) writer.write(builder.add(instance));
        },
      );
      if (!read.ok) {
        writer.drop();
        return { outcome: read.fault, outputs: {} };
      }
      const { bad, commit } = read.value;
      if (commit !== undefined)
        context.log(`${context.config.dataset[node.dataset]!.source} is read at commit ${commit}\n`);
      for (const row of bad) context.log(`line ${row.line}: ${row.field}: ${row.message}\n`);
      return {
        outcome: { status: 'ok' },
        outputs: {
          instances: { kind: 'blob', ...writer.finish() },
          catalogue: storeText(context.cache, catalogueText(builder.catalogue)),
          'bad rows': storeText(context.cache, canonicalJson(bad)),
        },
        notes: {
          pins: storeText(
            context.cache,
            canonicalJson({ commit: commit ?? null, sources: Object.fromEntries(pins) }),
          ),
        },
      };
    } catch (error) {
      writer.drop();
      throw error;
    }
  },
};

/** Rows that name mutations, with the patch of each derived from its package's source. */
async function expandRows(rows: NumberedRow[], context: ActionContext): Promise<Result<ExpandedRows, Infra>> {
  const { expandMutationRows } = await import('../mutation/expand.ts');
  const interpreter = await interpreterFor(null, context);
  if (!interpreter.ok) return interpreter;
  return expandMutationRows(rows, {
    python: interpreter.value.executable,
    signal: context.signal,
    openSource: (spec, sha256) => openPinned(spec, sha256, context),
  });
}

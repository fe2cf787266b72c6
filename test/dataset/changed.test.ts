/** A file of rows that changes between the making of its key and the reading of its rows gives no answer under that key. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import { forgetAnswers } from '../../contract/question.ts';
import type { ActionContext, AnyStage } from '../../contract/stage.ts';
import { datasetStage } from '../../stages/dataset/stage.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { planItem } from '../rig/run-item.ts';
import { row } from '../sft-data/bench.ts';

test.each(['rows.json', 'rows.jsonl'])('%s', async (name) => {
  const folder = temporaryFolder();
  const write = (id: string) =>
    writeFileSync(join(folder, name), JSON.stringify(name === 'rows.json' ? [row(id)] : row(id)));
  write('a');
  const project = `version: 1\nname: m\ndataset: { rows: { source: ${name}, format: swe-bench } }\n`;
  writeFileSync(
    join(folder, 'p.yaml'),
    `${project}deployments: { box: {} }\nvalidation: { deployment: box }\n`,
  );
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, set: [] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { config } = loaded.value;
  const cache = await openCache(join(folder, '.swemake'));
  const context = () =>
    ({
      ...{ cache, config, projectFolder: folder, env: {}, shared: {}, log: () => undefined },
      signal: new AbortController().signal,
    }) as unknown as ActionContext;
  const [node] = datasetStage.nodes(config);
  const one = await planItem(datasetStage as AnyStage, node!, context());
  write('b');
  expect((await one!.run()).outcome).toMatchObject({ status: 'infra' });
  // A walk looks again.
  forgetAnswers(context());
  const two = await planItem(datasetStage as AnyStage, node!, context());
  expect(two!.parts).not.toEqual(one!.parts);
  expect((await two!.run()).outcome).toEqual({ status: 'ok' });
  await cache.close();
});

/** A row whose tests a fault keeps from being measured is missing in its dataset: nothing is trained on the others as if they were all. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBy } from '../../app/export/incomplete.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import { defineStage } from '../../contract/define.ts';
import { HOST_SERVICES, type Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { AnyStage } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import { readCatalogue } from '../../stages/dataset/blocks/catalogue.ts';
import { datasetStage } from '../../stages/dataset/stage.ts';
import { rlDataStage } from '../../stages/rl-data/stage.ts';
import { rowsStage } from '../../stages/rows/stage.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { runStages } from '../rig/run-stages.ts';
import { row } from '../sft-data/bench.ts';

const PROJECT = `version: 1
name: m
dataset: { train: { source: rows.jsonl, format: swe-bench, discover_tests: true } }
deployments: { box: {} }
validation: { deployment: box }
trainer: { rl: { type: none, rows: verl, data: { dataset: train } } }
`;
const OK: Outcome = { status: 'ok' };

/** A stage with an item for each row of the input `role`. */
const ofRows = (
  name: string,
  role: string,
  run: (id: string, tools: Tools) => { outcome: Outcome; outputs: Record<string, never> | object },
) =>
  defineStage({
    ...{ name, version: 1, exports: false, itemsOf: 'instance' as const, uses: HOST_SERVICES },
    nodes: () => [{ dataset: 'train', inputs: { [role]: `${role}.train` } }],
    async plan(reader, machine) {
      const rows = reader.single(role);
      if (!rows.ok) return rows;
      const catalogue = await readCatalogue(rows.value, machine);
      const item = ({ id }: { id: string }) => ({
        ...{ name: id, needs: { [role]: '' }, resources: { cpu: 1 }, data: id },
      });
      return success(catalogue.rows.map(item));
    },
    inputs: (item, id: string) => success({ id: item.value(id) }),
    run: async ({ id }, tools) => run(id as string, tools) as never,
  });

test('a fault of discover keeps rl-data waiting', async () => {
  const folder = temporaryFolder();
  const bare = (id: string) => ({ ...(row(id) as object), FAIL_TO_PASS: [], PASS_TO_PASS: [] });
  const rows = ['a', 'b', 'c'].map((id) => `${JSON.stringify(bare(id))}\n`);
  writeFileSync(join(folder, 'rows.jsonl'), rows.join(''));
  writeFileSync(join(folder, 'p.yaml'), PROJECT);
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, set: [] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const cache = await openCache(join(folder, '.swemake'));
  let isLost = true;
  const discover = ofRows('discover', 'rows', (id, { store }) =>
    id === 'b' && isLost
      ? { outcome: infra('workspace-lost', 'it was ended'), outputs: {} }
      : { outcome: OK, outputs: { lists: store(canonicalJson({ FAIL_TO_PASS: ['x'], PASS_TO_PASS: [] })) } },
  );
  const validate = ofRows('validate', 'dataset', () => ({ outcome: OK, outputs: {} }));
  const services = {
    ...{ cache, config: loaded.value.config, projectFolder: folder, env: {}, shared: {} },
    ...{ log: () => undefined, secrets: createSecrets(new Map(), {}) },
    deploymentIdentity: async () => success({ kind: 'sandbox', isolation: 'sandbox', base: {} }),
    signal: new AbortController().signal,
  } as unknown as Services;
  const stages = [rowsStage, discover, datasetStage, validate, rlDataStage] as unknown as AnyStage[];

  const lost = await runStages(stages, services);
  expect(
    lost.nodes
      .get('validate.train')!
      .state.entries()
      .map(({ name }) => name),
  ).toEqual(['a', 'c']);
  expect(lost.nodes.get('rl-data.train')!.blocked).toMatchObject({
    reason: 'upstream-infra',
    detail: '1 row without measured tests yet; build again',
  });
  expect(readBy(lost, 'validate.train')).toContain('discover.train');

  isLost = false;
  const whole = await runStages(stages, services);
  const data = whole.nodes.get('rl-data.train')!.state.record('');
  const summary = await readText(cache, data?.notes['summary.json']);
  expect(JSON.parse(summary!)).toMatchObject({ passed: 3, train: 3 });
  await cache.close();
});

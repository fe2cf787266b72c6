/**
 * A small build as a program of its own, so that it can be killed: three folders become layers beside texts large
 * enough to be blobs, and one report over them is exported. Run as `worker.mjs CACHE OUT`; prints what it made.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportOutputs } from '../../app/export/outputs.ts';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { Graph } from '../../compiler/graph.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside, type Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Stage } from '../../contract/stage.ts';
import { newRunId, openJournal } from '../../engine/journal.ts';
import { runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';

const ITEMS = ['a', 'b', 'c'];
const LONG = 20 * 1024;
/** A folder of files, some of them the same in every item. */
function makeFolder(name: string, cache: Cache): string {
  const folder = temporaryPath(cache.folder);
  mkdirSync(join(folder, 'sub'), { recursive: true });
  for (const [path, text] of [
    ['own.txt', name],
    ['shared.txt', 'shared'],
    ['sub/twice.txt', 'shared'],
  ])
    writeFileSync(join(folder, path!), text!);
  return folder;
}

const make = defineStage({
  name: 'make',
  version: 1,
  exports: false,
  uses: ['cache'],
  nodes: () => [],
  plan: async () => success(ITEMS.map((name) => ({ name, needs: {}, resources: { cpu: 1 }, data: name }))),
  inputs: (item, name) => success({ name: item.value(name) }),
  async run({ name }, tools) {
    const { cache } = inside(tools.machine, 'cache');
    const layer = await cache.layers.add(makeFolder(name, cache));
    const state = await cache.states.obtain(digestOf(name), 1 << 20, async (into) => {
      mkdirSync(join(into, 'tree/testbed'), { recursive: true });
      mkdirSync(join(into, 'withheld'));
      writeFileSync(join(into, 'tree/testbed/own.txt'), name);
      return success('made');
    });
    if (!state.ok) throw new Error('no state');
    const shown = readFileSync(join(state.value.folder, 'tree/testbed/own.txt'), 'utf8');
    state.value.release();
    return {
      outcome: { status: 'ok' },
      outputs: {
        layer: { kind: 'layer', digest: layer.digest },
        text: tools.store(shown.repeat(LONG)),
      },
    };
  },
});

/** Has the name of a stage whose outputs are exported. */
const filter = defineStage({
  name: 'filter',
  version: 1,
  exports: true,
  uses: ['cache'],
  nodes: () => [],
  plan: async () => success(singleItem({}, null)),
  inputs: (item) => success({ made: item.results('make') }),
  async run({ made }, tools) {
    const texts: string[] = [];
    for (const name of ITEMS) {
      const { layer, text } = made.outputs(name);
      const folder = await inside(tools.machine, 'cache').cache.layers.open(layer!.digest);
      if (folder === null) throw new Error(`layer of ${name} is gone`);
      texts.push(readFileSync(join(folder, 'own.txt'), 'utf8'), (await tools.read(text))!);
    }
    const writer = tools.writer();
    for (const text of texts) writer.write(text);
    return {
      outcome: { status: 'ok' },
      outputs: { 'report.txt': { kind: 'blob', ...writer.finish() } },
    };
  },
});

const GRAPH: Graph = {
  nodes: [
    { address: 'make', stage: 'make', dataset: '', inputs: {}, exports: false },
    { address: 'filter', stage: 'filter', dataset: '', inputs: { make: 'make' }, exports: true },
  ],
};

async function main([root, out]: string[]): Promise<void> {
  const cache = await openCache(root!);
  const run = newRunId(new Date(), process.pid);
  const journal = openJournal(cache.folder.runs, run);
  journal.write({ type: 'run-started', run, project: 'worker', targets: [] });
  const ran: string[] = [];
  const services = {
    cache,
    config: {},
    shared: {},
    secrets: createSecrets(new Map(), {}),
    signal: new AbortController().signal,
    env: {},
  } as unknown as Services;
  const all = [make, filter] as unknown as Stage[];
  const stages = new Map(all.map((stage) => [stage.name, stage]));
  const end = await runGraph(GRAPH, stages, services, {
    run,
    project: 'worker',
    jobs: 1,
    capacity: { cpu: 1 },
    selection: new Selection(GRAPH, [], []),
    dryRun: false,
    emit: (event) => {
      if (event.type === 'item-started') ran.push(event.item);
      journal.write(event);
    },
    drain: new AbortController().signal,
    retryPauses: [],
  });
  journal.close();
  const exported = await exportOutputs(
    end,
    cache,
    { of: () => out!, incomplete: () => `${out!}-incomplete` },
    out!,
  );
  const digests = [...end.nodes].map(([address, { state }]) => [address, state.root]);
  await cache.close();
  process.stdout.write(JSON.stringify({ ran, exported, digests, counts: end.counts }));
}

await main(process.argv.slice(2));

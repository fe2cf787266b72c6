/**
 * A small build as a program of its own, so that it can be killed: three folders become layers beside texts large
 * enough to be blobs, and one report over them is exported. Run as `worker.mjs CACHE OUT`; prints what it made.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportOutputs } from '../../app/export/outputs.ts';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText, storeText } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { Graph } from '../../compiler/graph.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { ActionContext, Stage } from '../../contract/stage.ts';
import { newRunId, openJournal } from '../../engine/journal.ts';
import { runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';

const ITEMS = ['a', 'b', 'c'];
const LONG = 20 * 1024;
const base = { version: 1, surroundings: async () => success({}), resources: () => ({ cpu: 1 }) };

/** A folder of files, some of them the same in every item. */
function makeFolder(name: string, context: ActionContext): string {
  const folder = temporaryPath(context.cache.folder);
  mkdirSync(join(folder, 'sub'), { recursive: true });
  for (const [path, text] of [
    ['own.txt', name],
    ['shared.txt', 'shared'],
    ['sub/twice.txt', 'shared'],
  ])
    writeFileSync(join(folder, path!), text!);
  return folder;
}

const make: Stage = {
  ...base,
  name: 'make',
  streams: [],
  nodes: () => [],
  expand: async () => success(ITEMS.map((name) => ({ name, needs: {}, data: null }))),
  parts: async (_node, item) => success({ name: { value: item.name } }),
  run: async (_node, item, _needs, context) => {
    const layer = await context.cache.layers.add(makeFolder(item.name, context));
    const state = await context.cache.states.obtain(digestOf(item.name), 1 << 20, async (into) => {
      mkdirSync(join(into, 'tree/testbed'), { recursive: true });
      mkdirSync(join(into, 'withheld'));
      writeFileSync(join(into, 'tree/testbed/own.txt'), item.name);
      return success('made');
    });
    if (!state.ok) throw new Error('no state');
    const shown = readFileSync(join(state.value.folder, 'tree/testbed/own.txt'), 'utf8');
    state.value.release();
    return {
      outcome: { status: 'ok' },
      outputs: {
        layer: { kind: 'layer', digest: layer.digest },
        text: storeText(context.cache, shown.repeat(LONG)),
      },
    };
  },
};

/** Has the name of a stage whose outputs are exported. */
const filter: Stage = {
  ...base,
  name: 'filter',
  streams: [],
  nodes: () => [],
  expand: async (_node, inputs, services) => {
    services.shared.set('made', inputs.make);
    return success([{ name: '', needs: {}, data: null }]);
  },
  parts: async (_node, _item, _needs, services) => {
    const made = services.shared.get('made') as { entries(): { digest: string }[] };
    return success({ made: { value: made.entries().map((entry) => entry.digest) } });
  },
  run: async (_node, _item, _needs, context) => {
    const made = context.shared.get('made') as {
      record(name: string): Parameters<Stage['parts']>[2][string];
    };
    const texts: string[] = [];
    for (const name of ITEMS) {
      const { outputs } = made.record(name);
      const layer = outputs.layer as { digest: Parameters<typeof context.cache.layers.open>[0] };
      const folder = await context.cache.layers.open(layer.digest);
      if (folder === null) throw new Error(`layer of ${name} is gone`);
      texts.push(
        readFileSync(join(folder, 'own.txt'), 'utf8'),
        (await readText(context.cache, outputs.text))!,
      );
    }
    const writer = context.cache.blobs.writer();
    for (const text of texts) writer.write(text);
    return {
      outcome: { status: 'ok' },
      outputs: { 'report.txt': { kind: 'blob', ...writer.finish() } },
    };
  },
};

const GRAPH: Graph = {
  nodes: [
    { address: 'make', stage: 'make', dataset: '', inputs: {}, exports: false, config: null },
    {
      address: 'filter',
      stage: 'filter',
      dataset: '',
      inputs: { make: 'make' },
      exports: true,
      config: null,
    },
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
    shared: new Map(),
    secrets: createSecrets(new Map(), {}),
    signal: new AbortController().signal,
    env: {},
  } as unknown as Services;
  const stages = new Map([make, filter].map((stage) => [stage.name, stage]));
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
  const exported = await exportOutputs(end, cache, () => out!, out!);
  const digests = [...end.nodes].map(([address, { state }]) => [address, state.root]);
  await cache.close();
  process.stdout.write(JSON.stringify({ ran, exported, digests, counts: end.counts }));
}

await main(process.argv.slice(2));

/** A target that names an item makes what this item needs, and nothing else of the nodes above it. */
import { describe, expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import { openCache } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { closure, type Graph, nodesOfTarget } from '../../compiler/graph.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import type { Services } from '../../contract/machine.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { ItemsOf, Stage } from '../../contract/stage.ts';
import { newRunId } from '../../engine/journal.ts';
import { forcedFaults } from '../../engine/lost-outputs.ts';
import { type RunEnd, runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import { temporaryFolder } from '../rig/folder.ts';

/** Instance -> its environment. */
const ROWS = { a: 'e1', b: 'e1', c: 'e2', 'd#1': 'e3' };
const SAMPLES = ['0', '1'];

interface Made {
  ran: string[];
  end: RunEnd;
}

/** What a run is made with, beside its targets. */
interface More {
  dryRun?: boolean;
  force?: string[];
  forcedItems?: Map<string, Set<string>>;
  /** Ends an item otherwise than `ok`. */
  outcomeOf?: (own: string) => Outcome | undefined;
  /** Samples of a task have the same patch, so their grades are one. */
  isAlike?: boolean;
}

/** Stages as the product has them: environments, validation of tasks, rollouts of those that are sound, and their grades. */
function stagesOf(ran: string[], { outcomeOf, isAlike }: More): Stage[] {
  const stage = (
    name: string,
    items: (reader: PlanReader) => PlannedItem<string>[],
    more: { pipelined?: string[]; itemsOf?: ItemsOf } = {},
  ) =>
    defineStage({
      ...{ name, version: 1, exports: false, nodes: () => [], ...more },
      plan: async (reader) => success(items(reader)),
      inputs: (reader, own: string) => success({ own: reader.value(own) }),
      async run({ own }) {
        ran.push(own);
        return { outcome: outcomeOf?.(own) ?? { status: 'ok' }, outputs: {} };
      },
    });
  const item = (stage: string, name: string, needs: Record<string, string>) => ({
    ...{ name, needs, resources: { cpu: 1 } },
    data: `${stage}@${isAlike && stage === 'grade' ? name.replace(/#\d$/, '') : name}`,
  });
  const samples = (
    stage: string,
    ids: string[],
    needs: (id: string, sample: string) => Record<string, string>,
  ) => ids.flatMap((id) => SAMPLES.map((one) => item(stage, `${id}#${one}`, needs(id, one))));
  const rows = Object.entries(ROWS);
  return [
    stage('dataset', () => [item('dataset', '', {})]),
    stage('environments', () =>
      [...new Set(Object.values(ROWS))].map((name) => item('environments', name, {})),
    ),
    stage('validate', () => rows.map(([id, environment]) => item('validate', id, { environment })), {
      pipelined: ['environment'],
      itemsOf: 'instance',
    }),
    stage(
      'rollouts',
      (reader) => {
        const valid = rows.filter(([id]) => reader.input('validate').entry(id)?.outcome.status === 'ok');
        return samples(
          'rollouts',
          valid.map(([id]) => id),
          (id) => ({ environment: ROWS[id as keyof typeof ROWS] }),
        );
      },
      { pipelined: ['environment'], itemsOf: 'sample' },
    ),
    stage(
      'grade',
      (reader) =>
        samples(
          'grade',
          rows.map(([id]) => id).filter((id) => reader.input('rollout').has(`${id}#0`)),
          (id, sample) => ({
            ...{ rollout: `${id}#${sample}`, validate: id, environment: ROWS[id as keyof typeof ROWS] },
          }),
        ),
      { pipelined: ['rollout', 'validate', 'environment'], itemsOf: 'sample' },
    ),
    stage('report', () => [item('report', '', {})]),
  ] as unknown as Stage[];
}

const node = (stage: string, inputs: Record<string, string>) => ({
  ...{ address: stage, stage, dataset: '', inputs, exports: false },
});
const GRAPH: Graph = {
  nodes: [
    node('dataset', {}),
    node('environments', { dataset: 'dataset' }),
    node('validate', { dataset: 'dataset', environment: 'environments' }),
    node('rollouts', { dataset: 'dataset', environment: 'environments', validate: 'validate' }),
    node('grade', { rollout: 'rollouts', validate: 'validate', environment: 'environments' }),
    node('report', { grade: 'grade', validate: 'validate' }),
  ],
};

async function make(folder: string, targets: string[], more: More = {}): Promise<Made> {
  const { dryRun = false, force = [], forcedItems } = more;
  const cache = await openCache(folder);
  const ran: string[] = [];
  const services = {
    ...{ cache, config: {}, shared: {}, env: {} },
    secrets: createSecrets(new Map(), {}),
    signal: new AbortController().signal,
  } as unknown as Services;
  const stages = new Map(stagesOf(ran, more).map((stage) => [stage.name, stage]));
  const graph = closure(GRAPH, new Set(targets.flatMap((target) => nodesOfTarget(GRAPH, target))));
  const end = await runGraph(graph, stages, services, {
    ...{ run: newRunId(new Date(), process.pid), project: 'toy', jobs: 4, capacity: { cpu: 4 } },
    selection: new Selection(graph, targets, force, forcedItems),
    retryPauses: [],
    ...{ dryRun, emit: () => undefined, drain: new AbortController().signal },
  });
  await cache.close();
  return { ran: ran.sort(), end };
}

describe('a target that names', () => {
  const at = async (...targets: string[]) => (await make(temporaryFolder(), targets)).ran;
  const ALL = {
    environments: ['environments@e1', 'environments@e2', 'environments@e3'],
    validate: ['validate@a', 'validate@b', 'validate@c', 'validate@d#1'],
  };

  test('one grade makes one sample of one task in one environment', async () => {
    expect(await at('grade@c#1')).toEqual([
      'dataset@',
      'environments@e2',
      'grade@c#1',
      'rollouts@c#1',
      'validate@c',
    ]);
  });

  test('one validation builds one environment', async () => {
    expect(await at('validate@d#1')).toEqual(['dataset@', 'environments@e3', 'validate@d#1']);
  });

  const ALL_TASKS = Object.keys(ROWS);
  test.each([
    ['c#*', ['c#0', 'c#1'], ['c']],
    ['c*', ['c#0', 'c#1'], ['c']],
    ['[ab]#0', ['a#0', 'b#0'], ['a', 'b']],
    ['{a,c}#0', ['a#0', 'c#0'], ['a', 'c']],
    ['*1#0', ['d#1#0'], ['d#1']],
    ['d#1#0', ['d#1#0'], ['d#1']],
    ['*#0', ['a#0', 'b#0', 'c#0', 'd#1#0'], ALL_TASKS],
    // The wildcard may stand for a task and the begin of a sample's name.
    ['*1', ['a#1', 'b#1', 'c#1', 'd#1#1'], ALL_TASKS],
    ['d#*', ['d#1#0', 'd#1#1'], ['d#1']],
  ])('samples by the glob %s makes all of them', async (glob, names, tasks) => {
    const ran = await at(`grade@${glob}`);
    const of = (stage: string) =>
      ran.filter((one) => one.startsWith(`${stage}@`)).map((one) => one.slice(stage.length + 1));
    expect(of('grade')).toEqual(names);
    expect(of('rollouts')).toEqual(names);
    expect(of('validate')).toEqual(tasks);
  });

  test('items of several stages makes what all of them need', async () => {
    expect(await at('rollouts@a#0', 'validate@d#1')).toEqual([
      ...['dataset@', 'environments@e1', 'environments@e3', 'rollouts@a#0', 'validate@a', 'validate@d#1'],
    ]);
  });

  test('an item and a stage that needs all makes all', async () => {
    const ran = await at('grade@c#1', 'report');
    expect(ran.filter((one) => one.startsWith('environments'))).toEqual(ALL.environments);
    expect(ran.filter((one) => one.startsWith('grade'))).toHaveLength(8);
  });

  test('an item and a whole stage beside it makes all of that stage', async () => {
    expect(await at('grade@c#1', 'validate')).toEqual([
      ...['dataset@', ...ALL.environments, 'grade@c#1', 'rollouts@c#1', ...ALL.validate],
    ]);
    expect(await at('validate@c', 'environments')).toEqual(['dataset@', ...ALL.environments, 'validate@c']);
  });

  test('an environment and a task makes this environment and that of the task', async () => {
    expect(await at('environments@e1', 'validate@c')).toEqual([
      ...['dataset@', 'environments@e1', 'environments@e2', 'validate@c'],
    ]);
    expect(await at('environments@e2', 'validate@c')).toEqual(['dataset@', 'environments@e2', 'validate@c']);
  });

  test('an item that is not there makes nothing but lists', async () => {
    expect(await at('grade@x#1')).toEqual(['dataset@']);
  });

  test('an item leaves the others for later, and a plan tells the same', async () => {
    const folder = temporaryFolder();
    const planned = await make(folder, ['validate@d#1'], { dryRun: true });
    expect(planned.ran).toEqual([]);
    await make(folder, ['grade@c#1']);
    const more = await make(folder, ['grade@c']);
    expect(more.ran).toEqual([]);
    const { ran, end } = await make(folder, ['report']);
    expect(ran).toHaveLength(3 + 4 + 8 + 8 + 1 + 1 - 5);
    expect(end.nodes.get('grade')!.state.isComplete()).toBe(true);
    expect((await make(folder, ['report'])).end.executed).toBe(0);
  });
});

test('equal items that are forced run once', async () => {
  const folder = temporaryFolder();
  const more = { isAlike: true, force: ['grade'] };
  const first = await make(folder, ['grade@a#*'], more);
  expect(first.ran.filter((own) => own.startsWith('grade'))).toEqual(['grade@a']);
  let run = 0;
  const flaky: Outcome = { status: 'flaky', reason: 'repeats-disagree', detail: '' };
  const outcomeOf = (own: string) => (own === 'grade@a' && run++ % 2 === 1 ? flaky : undefined);
  const { ran, end } = await make(folder, ['grade@a#*'], { ...more, outcomeOf });
  expect(ran).toEqual(['grade@a']);
  const outcomes = end.nodes
    .get('grade')!
    .state.entries()
    .map(({ outcome }) => outcome.status);
  expect(outcomes).toEqual(['ok', 'ok']);
});

test('answers behind a stage with faults are used, too', async () => {
  const folder = temporaryFolder();
  const lost = infra('workspace-lost', 'it was ended');
  const outcomeOf = (own: string) => (own === 'validate@c' ? lost : undefined);
  const { end } = await make(folder, ['grade'], { outcomeOf });
  const keys = end.nodes
    .get('grade')!
    .state.entries()
    .flatMap(({ key }) => key ?? []);
  expect(keys).toHaveLength(6);
  const usesOf = async (isForgotten: boolean) => {
    const cache = await openCache(folder);
    const { uses } = cache.database;
    const times = keys.map((key) => uses.get(binaryKey(key)));
    if (isForgotten) for (const key of keys) await uses.remove(binaryKey(key));
    await cache.close();
    return times;
  };
  await usesOf(true);
  await make(folder, ['grade'], { outcomeOf });
  expect(await usesOf(false)).not.toContain(undefined);
});

test('forced items with faults are forced again where outputs were lost', async () => {
  const folder = temporaryFolder();
  await make(folder, ['grade@a#*']);
  const lost = infra('workspace-lost', 'it was ended');
  const outcomeOf = (own: string) => (own === 'grade@a#1' ? lost : undefined);
  const { end } = await make(folder, ['grade@a#*'], { force: ['grade'], outcomeOf });
  const graph = closure(GRAPH, new Set(nodesOfTarget(GRAPH, 'grade')));
  const forced = forcedFaults(end, new Selection(graph, ['grade'], ['grade']));
  expect(forced).toEqual(new Map([['grade', new Set(['a#1'])]]));
  // With these the old answer is not taken.
  const { ran } = await make(folder, ['grade@a#*'], { forcedItems: forced });
  expect(ran).toEqual(['grade@a#1']);
  expect(forcedFaults(end, new Selection(graph, ['grade'], []))).toEqual(new Map());
});

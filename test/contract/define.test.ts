/** A stage cannot use what it did not declare: by types, and when it runs. */
import { expect, test } from 'vitest';
import type { Json } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { openCache } from '../../cache/cache.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import type { Services } from '../../contract/machine.ts';
import { inside, machineOf } from '../../contract/machine.ts';
import { forgetAnswers, type QuestionKind } from '../../contract/question.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { ActionContext, AnyStage } from '../../contract/stage.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { planItem } from '../rig/run-item.ts';

/** What the world says now. */
let weather = 'rain';

const WEATHER: QuestionKind<string, string> = {
  name: 'weather',
  changes: true,
  answer: async (place) => success(`${weather} in ${place}`),
};

const done = { outcome: { status: 'ok' as const }, outputs: {} };

async function context(config: Json = {}): Promise<ActionContext> {
  const cache = await openCache(temporaryFolder());
  return {
    ...{ cache, config, projectFolder: '/', env: {}, shared: {}, log: () => undefined },
    secrets: createSecrets(new Map(), {}),
    signal: new AbortController().signal,
  } as unknown as ActionContext;
}

const NODE = { address: 'toy.x', stage: 'toy', dataset: 'x', inputs: {}, exports: false };

test('an input that was not declared is an error of types, and when the item runs', async () => {
  const stage = defineStage({
    name: 'toy',
    version: 1,
    exports: false,
    nodes: () => [{ dataset: 'x', inputs: {} }],
    plan: async (reader) => success(singleItem({}, await reader.config('name'))),
    inputs: (item, name) => success({ name: item.value(name ?? null) }),
    async run(inputs, tools) {
      expect(inputs.name).toBeNull();
      // @ts-expect-error the project is none of its inputs
      expect(() => inputs.config).toThrow('stage toy reads "config", which is none of its inputs');
      // @ts-expect-error nor can a run look into the machine
      expect(tools.machine.config).toBeUndefined();
      expect(() => tools.setting('validation', 'gold_runs')).toThrow('decides results');
      return done;
    },
  });
  const services = await context({ name: 'decides nothing', validation: { gold_runs: 2 } });
  const item = await planItem(stage as AnyStage, NODE, services);
  expect((await item!.run()).outcome).toEqual({ status: 'ok' });
  await services.cache.close();
});

test('a question that was not declared is refused', async () => {
  const stage = defineStage({
    name: 'toy',
    version: 1,
    exports: false,
    nodes: () => [],
    plan: async (reader) => success(singleItem({}, await reader.ask(WEATHER, 'Bergen'))),
    inputs: () => success({}),
    run: async () => done,
  });
  const services = await context();
  await expect(planItem(stage as AnyStage, NODE, services)).rejects.toThrow(
    'stage toy does not declare that it asks for weather',
  );
  await services.cache.close();
});

test('what was asked is the trace, and what changes while an item runs makes its answer a fault', async () => {
  const stage = defineStage({
    name: 'toy',
    version: 1,
    exports: false,
    asks: [WEATHER],
    tables: { rules: () => ['umbrella'] },
    nodes: () => [],
    async plan(reader) {
      const rules = await reader.table<string[]>('rules');
      const said = await reader.ask(WEATHER, 'Bergen');
      return said.ok ? success(singleItem({}, { rules, said: said.value })) : said;
    },
    inputs: (item, { rules, said }) => success({ rules: item.value(rules), said: item.value(said) }),
    async run({ said }) {
      if (said.startsWith('rain')) weather = 'sun';
      return done;
    },
  });
  const services = await context();
  weather = 'rain';
  const rain = await planItem(stage as AnyStage, NODE, services);
  expect(rain!.parts).toEqual({ rules: { value: ['umbrella'] }, said: { value: 'rain in Bergen' } });
  const trace = stage.trace(NODE, services);
  expect(trace.map(({ kind, argument }) => [kind, argument])).toEqual([
    ['table', 'rules'],
    ['weather', 'Bergen'],
  ]);
  expect((await rain!.run()).outcome).toMatchObject({ status: 'infra', reason: 'source-fetch' });
  // Once per run; then the world is looked at anew.
  expect(await stage.answer(trace[1]!, services)).toBe(trace[1]!.answer);
  forgetAnswers(services);
  expect(await stage.answer(trace[1]!, services)).not.toBe(trace[1]!.answer);
  const sun = await planItem(stage as AnyStage, NODE, services);
  expect((await sun!.run()).outcome).toEqual({ status: 'ok' });
  await services.cache.close();
});

test('a run gets a copy of what its key holds', async () => {
  const shared = { list: [1] };
  const stage = defineStage({
    name: 'toy',
    version: 1,
    exports: false,
    nodes: () => [],
    plan: async () => success(singleItem({}, shared)),
    inputs: (item, data) => success({ data: item.value(data) }),
    async run({ data }) {
      expect(data).toEqual({ list: [1] });
      return done;
    },
  });
  const services = await context();
  const item = await planItem(stage as AnyStage, NODE, services);
  shared.list.push(2);
  expect((await item!.run()).outcome).toEqual({ status: 'ok' });
  await services.cache.close();
});

test('a machine says nothing to those who may not look inside', async () => {
  const services = await context({ name: 'x' });
  expect(JSON.stringify(machineOf(services as Services, 'toy', ['cache']))).toBe('{}');
  await services.cache.close();
});

test('a part of the machine that was not declared is an error of types, and when the item runs', async () => {
  const seen: string[][] = [];
  const stage = defineStage({
    name: 'toy',
    version: 1,
    uses: ['cache', 'config.deployments'],
    exports: false,
    nodes: () => [],
    plan: async (_, machine) => {
      expect(() => inside(machine, 'config.agent')).toThrow(
        'stage toy does not declare that it uses config.agent',
      );
      return success(singleItem({}, 1));
    },
    inputs: (item, data, machine) => {
      expect(() => inside(machine, 'cache', 'env')).toThrow('stage toy does not declare that it uses env');
      return success({ data: item.value(data) });
    },
    async run(_, { machine }) {
      const taken = inside(machine, 'cache');
      // @ts-expect-error: it asks for the cache alone.
      expect(taken.config).toBeUndefined();
      // @ts-expect-error: it asks for one section of the project.
      expect(inside(machine, 'config.deployments').config.name).toBeUndefined();
      // @ts-expect-error: there is no such part.
      expect(() => inside(machine, 'weather')).toThrow('does not declare');
      expect(() => inside(machine, 'secrets')).toThrow('stage toy does not declare that it uses secrets');
      seen.push(Object.keys(taken).sort());
      return done;
    },
  });
  const services = await context({ name: 'x' });
  const item = await planItem(stage as AnyStage, NODE, services);
  expect((await item!.run()).outcome).toEqual({ status: 'ok' });
  expect(seen).toEqual([expect.arrayContaining(['cache', 'shared', 'signal'])]);
  expect(seen[0]).not.toContain('config');
  await services.cache.close();
});

test('a stage says itself whether its files are for the user, and forgetting it is an error of types', () => {
  const base = {
    name: 'toy',
    version: 1,
    nodes: () => [{ dataset: 'x', inputs: {} }],
    plan: async () => success(singleItem({}, 1)),
    inputs: () => success({}),
    run: async () => ({ outcome: { status: 'ok' }, outputs: {} }) as const,
  };
  const [node] = defineStage({ ...base, exports: true }).nodes({} as ResolvedConfig);
  expect(node).toMatchObject({ address: 'toy.x', exports: true });
  // @ts-expect-error: nothing is said of its files.
  defineStage(base);
});

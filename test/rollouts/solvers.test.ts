/** Which weights an evaluated name stands for, and what of a table of prices decides a rollout. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { Services } from '../../contract/machine.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { modelPart } from '../../stages/rollouts/sampling.ts';
import { evaluationSolvers } from '../../stages/rollouts/solver.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('what stands elsewhere or under another name does not inherit who it is', () => {
  const model = { base_url: 'http://127.0.0.1:1/v1', name: 'one', identity: 'one@1' };
  const models = {
    base: {},
    warm: { temperature: 1 },
    renamed: { name: 'two' },
    moved: { base_url: 'http://127.0.0.1:2/v1' },
    told: { name: 'three', identity: 'three@3' },
  };
  const config = { agent: { type: 'bash', model }, evaluation: { models } } as unknown as ResolvedConfig;
  const identities = evaluationSolvers(config).map((solver) =>
    solver.kind === 'agent' ? [solver.sample, solver.model?.identity] : [],
  );
  expect(Object.fromEntries(identities)).toEqual({
    base: 'one@1',
    warm: 'one@1',
    renamed: undefined,
    moved: undefined,
    told: 'three@3',
  });
});

test('a model at another origin takes no secret of the agent along', () => {
  const extra = { plain: 1, account: '${secret:ACCOUNT}', more: [{ deep: 'x ${secret:ACCOUNT}', kept: 2 }] };
  const model = { base_url: 'http://a:1/v1', name: 'one', api_key: '${secret:KEY}', extra };
  const models = {
    same: { base_url: 'http://a:1/v2', name: 'two' },
    moved: { base_url: 'http://a:2/v1' },
    secure: { base_url: 'https://a:1/v1' },
    brings: { base_url: 'http://b:1/v1', api_key: '${secret:OTHER}', extra: { own: '${secret:OTHER}' } },
    served: { serve: { command: 'serve --port {port}' } },
  };
  const config = { agent: { type: 'bash', model }, evaluation: { models } } as unknown as ResolvedConfig;
  const keys = evaluationSolvers(config).map((solver) =>
    solver.kind === 'agent' ? [solver.sample, [solver.model?.api_key, solver.model?.extra]] : [],
  );
  const without = [undefined, { plain: 1, more: [{ kept: 2 }] }];
  expect(Object.fromEntries(keys)).toEqual({
    same: ['${secret:KEY}', extra],
    moved: without,
    secure: without,
    brings: ['${secret:OTHER}', { own: '${secret:OTHER}' }],
    served: without,
  });
});

test('the price of the model counts, and nothing else in the table', async () => {
  const folder = temporaryFolder();
  const services = { projectFolder: folder } as unknown as Services;
  const part = async (table: object, name = 'one', prices = true) => {
    writeFileSync(join(folder, 'prices.json'), JSON.stringify(table));
    const model = { name, prices: 'prices.json' } as ModelConfig;
    return modelPart(model, 'one@1', services, { prices });
  };
  const price = (input: number) => ({ input_cost_per_token: input, output_cost_per_token: 2 });
  const before = await part({ one: price(1) });
  expect(await part({ one: price(1), two: price(9) })).toEqual(before);
  expect(await part({ one: price(3) })).not.toEqual(before);
  expect(await part({ one: price(1), two: price(9) }, 'two')).not.toEqual(before);
  expect(await part({ one: price(3) }, 'one', false)).toEqual(await part({ one: price(4) }, 'one', false));
});

test('a model without a tool format is in keys as it always was, and with one by its name', async () => {
  const services = { projectFolder: temporaryFolder() } as Services;
  const model = { name: 'one', temperature: 1, max_tokens: 4096, tokens: 'auto' } as ModelConfig;
  const part = (more: Partial<ModelConfig> = {}) =>
    modelPart({ ...model, ...more }, 'one@1', services, { prices: false });
  expect(JSON.stringify(await part())).toBe(
    '{"identity":"one@1","temperature":1,"max_tokens":4096,"tokens":"auto"}',
  );
  expect(await part({ tool_format: 'hermes' })).toEqual({
    ...((await part()) as object),
    tool_format: 'hermes',
  });
  // Prompts that are sent as ids are others; what they are without the key is no other.
  expect(await part({ render: 'chat' })).toEqual(await part());
  expect(await part({ render: 'exact' })).toEqual({ ...((await part()) as object), render: 'exact' });
});

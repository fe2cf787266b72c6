/** One value of the project changed after the other: the stages run again that the table says, and no other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { solve } from '../rig/solver.ts';
import { CONTENTS, type NamedContent } from './contents.ts';
import { differenceOf, LeafBench, leafProject, type Plans, withValue, writeProject } from './leaf-project.ts';
import { CHANGES } from './leaves.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let server: ModelServer;
let project: Project;
let base: ReturnType<typeof leafProject>['base'];
let bench: LeafBench;

beforeAll(async () => {
  server = await startModelServer((request) => solve(request));
  ({ project, base } = leafProject(server.url));
  expect(await project.build('p.yaml')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  bench = await LeafBench.open(project);
});
afterAll(async () => {
  await bench?.close();
  await server.stop();
});

const known = new Map<string, Promise<Plans>>();
function plansOf(given: typeof base): Promise<Plans> {
  const text = JSON.stringify(given);
  const plans = known.get(text) ?? bench.plans(given);
  known.set(text, plans);
  return plans;
}

test('the keys are those of a build', async () => {
  const { nodes } = await plansOf(base);
  const stages = new Set([...nodes.keys()].map((address) => address.split('.')[0]));
  expect(stages.size).toBe(14);
  for (const [address, planned] of nodes)
    for (const [item, key] of planned!.keys)
      expect([address, item, key !== null && bench.isAnswered(key)]).toEqual([address, item, true]);
});

test.each(CHANGES.map((change) => [`${change.place} ${JSON.stringify(change.value)}`, change] as const))(
  '%s',
  async (_, { place, value, reruns, given }) => {
    const before = Object.entries(given).reduce((tree, [at, set]) => withValue(tree, at, set), base);
    const after = withValue(before, place, value);
    const { reruns: found, stale } = await differenceOf(await plansOf(before), await plansOf(after));
    expect({ reruns: found.sort(), stale }).toEqual({ reruns: [...reruns].sort(), stale: [] });
  },
);

/** All contents are changed at once, which a command that begins then sees; no two lines name the same file. */
test('the content of what a value names counts as the table says', async () => {
  const named = CONTENTS.filter((one): one is NamedContent => one.kind === 'counts');
  const put = (which: 'before' | 'after') => {
    for (const one of named) {
      mkdirSync(dirname(project.path(one.file)), { recursive: true });
      writeFileSync(project.path(one.file), one[which]);
    }
  };
  const treeOf = ({ given, place, value }: NamedContent) =>
    withValue(
      Object.entries(given).reduce((tree, [at, set]) => withValue(tree, at, set), base),
      place,
      value,
    );
  put('before');
  const before: Plans[] = [];
  for (const one of named) before.push(await bench.plans(treeOf(one)));
  put('after');
  writeProject(project, base);
  const later = await LeafBench.open(project);
  try {
    for (const [index, one] of named.entries()) {
      const { reruns, stale } = await differenceOf(before[index]!, await later.plans(treeOf(one)));
      expect.soft([one.place, reruns.sort(), stale]).toEqual([one.place, [...one.reruns].sort(), []]);
    }
  } finally {
    await later.close();
  }
});

/** Changes that are built: for every stage one that it is the first to read, and those that decide nothing. */
const BUILT = [
  'dataset/train/select/slice',
  'environments/recipes/0/timeout',
  'environments/recipes/0/eval_commands',
  'validation/gold_runs',
  'agent/rollouts',
  'evaluation/models/tuned/temperature',
  'grading/max_patch',
  'trainer/sft/golden/max_steps',
  'trainer/sft/balance/total',
  'trainer/sft/style',
  'agent/model/base_url',
  'name',
];

test.each(BUILT)('a build after %s does as the table says', async (place) => {
  const { value, reruns } = CHANGES.find((change) => change.place === place)!;
  writeProject(project, withValue(base, place, value));
  const { code, stages } = await project.build('p.yaml');
  expect(code).toBe(0);
  const ran = new Map(stages.map(({ stage, executed }) => [stage, executed]));
  for (const one of reruns) {
    const [address, part] = one.split(' ') as [string, string | undefined];
    const nodes = [...ran.keys()].filter((node) => node === address || node.startsWith(`${address}.`));
    expect(nodes.length).toBeGreaterThan(0);
    // Items of one key, such as gradings of the same patch, run once.
    const most = part === undefined ? Number.POSITIVE_INFINITY : Number(part.split('/')[0]);
    for (const node of nodes)
      expect([node, ran.get(node)! > 0 && ran.get(node)! <= most]).toEqual([node, true]);
  }
  const may = new Set(reruns.flatMap((one) => bench.following(one.split(' ')[0]!)));
  for (const [node, executed] of ran) if (!may.has(node)) expect([node, executed]).toEqual([node, 0]);
});

/**
 * A project that uses every stage, and the keys that its items would have if one value of it were another: every node
 * is planned as a build plans it, over the answers of the project as it was built. So it shows for each stage what its
 * own keys hold, also of those that would wait for a stage before them.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createDeployments } from '../../app/deployments.ts';
import { openSession, type Session, survey } from '../../app/session.ts';
import type { Json } from '../../basics/canonical.ts';
import { lookUp } from '../../cache/cache.ts';
import { actionKey } from '../../cache/key.ts';
import type { Asked } from '../../cache/traces.ts';
import { compileGraph } from '../../compiler/graph.ts';
import { loadProject, type ResolvedProject } from '../../compiler/load.ts';
import type { Services } from '../../contract/machine.ts';
import { forgetAnswers } from '../../contract/question.ts';
import type { Collections, Item, Records, Stage } from '../../contract/stage.ts';
import { itemPreimage } from '../../engine/item-action.ts';
import { KINDS } from '../../executors/registry.ts';
import { STAGES } from '../../stages/registry.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

export type Value = { [key: string]: Value } | Value[] | string | number | boolean | null;
type Tree = Record<string, Value>;

/** Instances of `train`; `eval` has one more. */
export const TRAIN = 3;

/** The project; `url`: of the model that rolls out. */
export function leafProject(url: string): { project: Project; base: Tree } {
  const project = tinyProject({ instances: TRAIN + 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((row) => JSON.stringify({ ...JSON.parse(row), eval_script: 'python -m unittest -v\n' }));
  put(project, 'rows.jsonl', `${rows.slice(0, TRAIN).join('\n')}\n`);
  put(project, 'eval.jsonl', `${rows.slice(TRAIN).join('\n')}\n`);
  put(project, 'theirs.json', JSON.stringify({ [`tiny.${TRAIN}`]: { model_patch: '' } }));
  put(project, 'prices.json', JSON.stringify({ scripted: { input_cost_per_token: 1e-6 } }));
  put(project, 'mini.yaml', 'agent: { step_limit: 9 }\n');
  put(project, 'pins.txt', 'six==1.16.0\n');
  mkdirSync(project.path('tools'));
  put(project, 'tools/run', '#!/bin/sh\n');
  writeLayout(project.path('image'), []);
  mkdirSync(project.path('other-tools'));
  put(project, 'other-tools/run', '#!/bin/sh\n');
  put(project, 'sft.jsonl', `${JSON.stringify({ messages: [{ role: 'user', content: 'a' }] })}\n`);
  mkdirSync(project.path('other'));
  for (const name of ['rows.jsonl', 'sft.jsonl', 'theirs.json', 'prices.json', 'mini.yaml', 'pins.txt'])
    copyFileSync(project.path(name), project.path(`other/${name}`));
  const base: Tree = {
    version: 1,
    name: 'leaves',
    profiles: { quick: { grading: { preset: 'swebench-4' } } },
    dataset: {
      train: {
        source: 'rows.jsonl',
        format: 'custom',
        select: { match: 'tiny', sample: TRAIN, seed: 1, slice: ':3' },
        sources: { 'owner/other': 'pypi:other==1' },
      },
      eval: { source: 'eval.jsonl', format: 'custom' },
    },
    environments: {
      recipes: [
        { match: { instance: 'tiny.1' }, env: { WHO: 'one' } },
        {
          match: { repo: 'owner/tiny' },
          ...{ pip: [], install: [], test: 'python -m unittest -v', parser: 'unittest' },
        },
      ],
    },
    deployments: {
      box: {
        type: 'sandbox',
        limits: { memory: '2GiB', pids: 200, disk: '1GiB', cpus: 1 },
        network: { build: 'proxy', rollout: 'off', grade: 'off' },
        mounts: [{ from: 'tools', to: '/opt/tools' }],
      },
      far: { type: 'sandbox', limits: { pids: 100 } },
      gpu: { type: 'process', resources: { gpu: 2 } },
    },
    validation: { deployment: 'box', gold_runs: 2, timeout: '60s' },
    agent: {
      model: { base_url: url, name: 'scripted', identity: 'scripted@1', temperature: 0.8 },
      ...{ rollouts: 1, seed: 1, baselines: ['oracle'] },
    },
    grading: { preset: 'swebench-5' },
    trainer: {
      sft: { type: 'none', balance: { per_instance: 1, seed: 1 } },
      rl: {
        ...{ type: 'command', command: 'cp "$PROMPT_DATA" "$OUTPUT_DIR/model"', deployment: 'gpu', gpus: 1 },
        model: { path: 'tools' },
      },
    },
    evaluation: {
      dataset: 'eval',
      models: { base: {}, tuned: { name: 'tuned', identity: 'tuned@1' } },
      predictions: { theirs: ['theirs.json'] },
    },
  };
  writeProject(project, base);
  return { project, base };
}

function put(project: Project, name: string, text: string): void {
  writeFileSync(project.path(name), text);
}

/** A project file may be JSON, which is YAML too. */
export function writeProject(project: Project, tree: Tree): void {
  writeFileSync(project.path('p.yaml'), JSON.stringify(tree, null, 2));
}

/** The tree with the value at a place, its keys between slashes; null takes it away. */
export function withValue(tree: Tree, place: string, value: Value): Tree {
  const copy = structuredClone(tree);
  const keys = place.split('/');
  const last = keys.pop()!;
  let at: Record<string, Value> = copy;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Record<string, Value>;
  }
  if (value === null) delete at[last];
  else at[last] = value;
  return copy;
}

/** What a node's plan came to. */
interface Planned {
  /** Item -> key; null where what it needs has no answer in the project as it was built. */
  keys: Map<string, string | null>;
  trace: Asked[];
  roles: string;
}

export interface Plans {
  /** By address; null for a node whose inputs are not in the project as it was built. */
  nodes: Map<string, Planned | null>;
  services: Services;
}

/** The built project, opened to be planned with other values. */
export class LeafBench {
  readonly #project: Project;
  readonly #session: Session;
  readonly #answers: Collections;

  private constructor(project: Project, session: Session, answers: Collections) {
    this.#project = project;
    this.#session = session;
    this.#answers = answers;
  }

  static async open(project: Project): Promise<LeafBench> {
    const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' };
    const io = {
      stdout: process.stdout,
      stderr: process.stderr,
      ...{ env, cwd: project.folder, isTTY: false },
    };
    const session = await openSession(await load(project), io, new AbortController().signal);
    const { nodes } = await survey(session);
    const answers = [...nodes].map(([address, { state }]) => [address, state] as const);
    return new LeafBench(project, session, Object.fromEntries(answers));
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** The nodes of a stage, or one node, and all that are made of what they answer. */
  following(address: string): string[] {
    const found = new Set<string>();
    for (const node of this.#session.graph.nodes)
      if (
        [node.stage, node.address].includes(address) ||
        Object.values(node.inputs).some((input) => found.has(input))
      )
        found.add(node.address);
    return [...found];
  }

  /** True when a build has the item's answer under the key. */
  isAnswered(key: string): boolean {
    return lookUp(this.#session.cache, key as Parameters<typeof lookUp>[1]) !== null;
  }

  /** Plans the project with these values. @throws when they are no project. */
  async plans(tree: Tree): Promise<Plans> {
    writeProject(this.#project, tree);
    const { config } = await load(this.#project);
    const { services: built, cache, run } = this.#session;
    const deployments = createDeployments({ kinds: KINDS, config, cache, run, env: built.env });
    const services: Services = {
      ...built,
      ...{ config, shared: {}, onlyReads: true, deploymentIdentity: deployments.expected },
    };
    forgetAnswers(services);
    const nodes: Plans['nodes'] = new Map();
    for (const node of (await compileGraph(config, STAGES)).nodes) {
      const stage = STAGES.find(({ name }) => name === node.stage) as Stage;
      const inputs: Collections = {};
      for (const [role, address] of Object.entries(node.inputs))
        if (this.#answers[address] !== undefined) inputs[role] = this.#answers[address];
      const isKnown = Object.keys(inputs).length === Object.keys(node.inputs).length;
      nodes.set(node.address, isKnown ? await planned(stage, node, inputs, services) : null);
    }
    return { nodes, services };
  }
}

async function load(project: Project): Promise<ResolvedProject> {
  const loaded = await loadProject('p.yaml', { env: {}, cwd: project.folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault, null, 1));
  return loaded.value;
}

async function planned(
  stage: Stage,
  node: Parameters<Stage['expand']>[0],
  inputs: Collections,
  services: Services,
): Promise<Planned> {
  const found = await stage.expand(node, inputs, services);
  if (!found.ok) throw new Error(`${node.address}: ${JSON.stringify(found.fault)}`);
  const items: Item[] = Array.isArray(found.value)
    ? found.value
    : found.value.chunks.flatMap((chunk) => chunk.items());
  const keys = new Map<string, string | null>();
  for (const item of items) {
    const needs: Records = {};
    for (const [role, name] of Object.entries(item.needs)) {
      const record = inputs[role]!.record(name);
      if (record !== null) needs[role] = record;
    }
    if (Object.keys(needs).length < Object.keys(item.needs).length) keys.set(item.name, null);
    else {
      const parts = await stage.parts(node, item, needs, services);
      if (!parts.ok) throw new Error(`${node.address}@${item.name}: ${parts.fault.detail}`);
      keys.set(item.name, actionKey(itemPreimage(stage, parts.value)));
    }
  }
  const trace = stage.trace(node, services);
  return { keys, trace, roles: JSON.stringify(node.inputs) };
}

/** What runs again because of a change, and what would be taken from the cache although it is another. */
export interface Difference {
  /** A stage or node all of whose items run, or a node with how many of its items do. */
  reruns: string[];
  stale: string[];
}

export async function differenceOf(before: Plans, after: Plans): Promise<Difference> {
  const stale: string[] = [];
  const answered = new Set([...before.nodes.values()].flatMap((was) => [...(was?.keys.values() ?? [])]));
  const byStage = new Map<string, { address: string; changed: number; all: number }[]>();
  for (const [address, now] of after.nodes) {
    const was = before.nodes.get(address);
    const [stage] = address.split('.') as [string];
    const found = byStage.get(stage) ?? [];
    byStage.set(stage, found);
    if (now === null || was == null) {
      const isNew = was === undefined || (was === null) !== (now === null);
      found.push({ address, changed: isNew ? 1 : 0, all: 1 });
      continue;
    }
    // An item whose key is not known yet waits for another one.
    const changed = [...now.keys.values()].filter((key) => key !== null && !answered.has(key));
    found.push({ address, changed: changed.length, all: now.keys.size });
    const isFresh = was.roles === now.roles && (await holds(was.trace, address, after.services));
    if (isFresh && !sameKeys(was.keys, now.keys)) stale.push(address);
  }
  return { reruns: [...byStage].flatMap(([stage, nodes]) => told(stage, nodes)), stale };
}

function sameKeys(was: Planned['keys'], now: Planned['keys']): boolean {
  return was.size === now.size && [...now].every(([item, key]) => was.get(item) === key);
}

/** Whether every question of a trace has the answer that it had: the stage is then taken as a whole. */
async function holds(trace: readonly Asked[], address: string, services: Services): Promise<boolean> {
  const stage = STAGES.find(({ name }) => address.startsWith(`${name}.`)) as Stage;
  for (const { kind, argument, answer } of trace)
    if ((await stage.answer({ kind, argument: argument as Json }, services)) !== answer) return false;
  return true;
}

function told(stage: string, nodes: { address: string; changed: number; all: number }[]): string[] {
  if (nodes.every(({ changed, all }) => changed === all && all > 0)) return [stage];
  return nodes
    .filter(({ changed }) => changed > 0)
    .map(({ address, changed, all }) => (changed === all ? address : `${address} ${changed}/${all}`));
}

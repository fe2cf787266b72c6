/**
 * rollouts: an agent works on every instance that passed validation, several times each. A sample is keyed by what
 * decides it (task, environment, agent, model, seed) and by nothing else, so more samples, other instances or
 * another address of the same model leave those that are there alone.
 */
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import { digestOfList, type Part } from '../../cache/key.ts';
import type { AgentOverrides } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import type { ResolvedConfig } from '../config.ts';
import {
  type Catalogue,
  type CatalogueBlock,
  type CatalogueRow,
  readCatalogue,
  readInstance,
} from '../dataset/catalogue.ts';
import { type Assignment, assignmentOf } from '../environments/assignment.ts';
import type {
  ActionContext,
  ActionResult,
  Chunk,
  Collection,
  Item,
  Records,
  Services,
  Stage,
  StageNode,
} from '../stage.ts';
import { baseParts, rolloutSettings } from '../surroundings.ts';
import { rolloutDatasets } from './datasets.ts';
import { describeTask } from './describe.ts';
import { itemName } from './item-name.ts';
import { type Plan, patchesPart, planOf, templateFault } from './plan.ts';
import { type Player, rolloutPlayers } from './player.ts';
import { seedOf, taskDigest } from './task.ts';

export interface RolloutItem {
  row: CatalogueRow;
  player: Player;
}

export const rolloutsStage: Stage<RolloutItem> = {
  name: 'rollouts',
  version: 3,
  streams: ['environment'],

  nodes(config) {
    return rolloutDatasets(config).map((dataset) => ({
      address: `rollouts.${dataset}`,
      stage: 'rollouts',
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        environment: `environments.${dataset}`,
        validate: `validate.${dataset}`,
      },
      config: playersConfig(rolloutPlayers(config), config),
    }));
  },

  surroundings: (_node, services) => rolloutSurroundings(services),
  facts: (_node, _seen, services) => playersFacts(rolloutPlayers(services.config), services),

  async expand(node, inputs, services) {
    const passed = (row: CatalogueRow) => inputs.validate!.entry(row.id)?.outcome.status === 'ok';
    return expandRollouts(node, inputs.dataset!, rolloutPlayers(services.config), passed, services);
  },

  parts: (_node, item, needs, services) => rolloutParts(item, needs, services),
  describe: (node, change, services) => describeTask(node, change, rolloutPlayers(services.config), services),
  resources: () => ({ rollout: 1, sandbox: 1 }),
  run: (_node, item, needs, context) => runRolloutItem(item, needs, context, true),
};

/** What a node's configuration says of its players, for the stage's key; what decides a sample is in the facts. */
export function playersConfig(
  players: readonly Player[],
  config: ResolvedConfig,
  overrides?: AgentOverrides,
): Json {
  return {
    samples: players.map(({ sample }) => sample),
    seed: overrides?.seed ?? config.agent?.seed ?? 0,
    deployment: agentDeployment(config, overrides),
  };
}

/** Where agents work. */
export function agentDeployment(config: ResolvedConfig, overrides?: AgentOverrides | null): string {
  return overrides?.deployment ?? config.agent?.deployment ?? config.validation.deployment;
}

/** Facts of where agents work, which is not the same for those of an evaluation. */
export async function rolloutSurroundings(
  services: Services,
  overrides?: AgentOverrides,
): Promise<Result<Record<string, Part>, Infra>> {
  const deployment = agentDeployment(services.config, overrides);
  const base = await baseParts(services, deployment);
  if (!base.ok) return base;
  const { limits, network } = rolloutSettings(services.config, deployment);
  return success({ ...base.value, limits: { value: limits as Json }, network: { value: network } });
}

/** What each player is by now: settings, model, files. A player that cannot be told is its own fact. */
export async function playersFacts(players: readonly Player[], services: Services): Promise<Json> {
  const facts = await Promise.all(
    players.map(async (player): Promise<[string, Json]> => {
      if (player.kind === 'patches') return [player.sample, await patchesPart(player.files, services)];
      const plan = await planOf(player, services);
      return [player.sample, plan.ok ? plan.value.part : `unknown: ${plan.fault.detail}`];
    }),
  );
  return Object.fromEntries(facts);
}

/** Items by blocks of the dataset; what passed is part of a chunk's name. */
export async function expandRollouts(
  node: StageNode,
  dataset: Collection,
  players: readonly Player[],
  wanted: (row: CatalogueRow) => boolean,
  services: Services,
): Promise<Result<{ chunks: Chunk<RolloutItem>[] }, Infra>> {
  const record = dataset.record('');
  if (record === null) return fault(infra('upstream-infra', `${dataset.address} is not known`));
  for (const player of players) {
    if (player.kind !== 'agent') continue;
    const plan = await planOf(player, services);
    if (!plan.ok) return plan;
    const wrong = await templateFault(plan.value);
    if (wrong !== null) return fault(wrong);
  }
  const catalogue = await readCatalogue(record, services);
  const assignment = assignmentOf(node.dataset, catalogue, services);
  const facts = canonicalJson(await playersFacts(players, services));
  const chunks = catalogue.blocks.map((block) =>
    chunkOf(block, catalogue, assignment, players, wanted, facts),
  );
  return success({ chunks });
}

function chunkOf(
  block: CatalogueBlock,
  catalogue: Catalogue,
  assignment: Assignment,
  players: readonly Player[],
  wanted: (row: CatalogueRow) => boolean,
  facts: string,
): Chunk<RolloutItem> {
  const rows = catalogue.rowsOf(block).filter(wanted);
  const names = rows.map((row) => row.id);
  return {
    digest: digestOfList('rollouts block', [catalogue.digestOf(block), facts, ...names]),
    size: rows.length * players.length,
    items: () => rows.flatMap((row) => players.map((player) => rolloutItem(row, player, assignment))),
  };
}

function rolloutItem(
  row: CatalogueRow,
  player: Player,
  { environments, placeOf }: Assignment,
): Item<RolloutItem> {
  const environment = environments[placeOf(row).environment]!.name;
  return {
    name: itemName(row.id, player.sample),
    needs: { dataset: '', environment },
    data: { row, player },
  };
}

export async function rolloutParts(
  { data: { row, player } }: Item<RolloutItem>,
  needs: Records,
  services: Services,
): Promise<Result<Record<string, Part>, Infra>> {
  if (player.kind === 'patches')
    return success({
      patches: { value: await patchesPart(player.files, services) },
      instance: { value: row.id },
      sample: { value: player.sample },
    });
  const plan = await planOf(player, services);
  if (!plan.ok) return plan;
  const instance = await readInstance(needs.dataset!, row, services);
  return success({
    task: { digest: taskDigest(instance, plan.value.settings) },
    source: { value: row.source },
    environment: { digest: needs.environment!.digest },
    player: { value: plan.value.part },
    seed: { value: seedFor(player, row) },
  });
}

function seedFor(player: Extract<Player, { kind: 'agent' }>, row: CatalogueRow): number {
  return seedOf(player.overrides?.seed ?? player.agent.seed, row.id, player.sample);
}

/** Runs an item of rollouts or of predict whose player is an agent. */
export async function runRolloutItem(
  { data: { row, player } }: Item<RolloutItem>,
  needs: Records,
  context: ActionContext,
  isValidated: boolean,
): Promise<ActionResult> {
  if (player.kind !== 'agent') throw new Error('someone else’s patches are not played');
  const environment = needs.environment!;
  if (environment.outcome.status !== 'ok') {
    const detail = 'detail' in environment.outcome ? environment.outcome.detail : '';
    return { outcome: { status: 'failed', reason: 'environment-failed', detail }, outputs: {} };
  }
  const plan: Result<Plan, Infra> = await planOf(player, context);
  if (!plan.ok) return { outcome: plan.fault, outputs: {} };
  const instance = await readInstance(needs.dataset!, row, context);
  const deployment = agentDeployment(context.config, player.overrides);
  const { play } = await import('./play.ts');
  return play(
    {
      plan: plan.value,
      sample: player.sample,
      seed: seedFor(player, row),
      deployment,
      instance,
      environment,
      isValidated,
    },
    context,
  );
}

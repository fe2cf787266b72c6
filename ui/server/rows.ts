/**
 * Every instance of a project and how far it came, from one read of its answers. Sixty thousand of them take a few
 * megabytes. What needs records is left to the page of one instance, and to the tally that reads in the background.
 */

import { isBaseline } from '../../agent/kinds/registry.ts';
import { ask } from '../../contract/question.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { addressOf, type Entry, type StageNode } from '../../contract/stage.ts';
import type { NodeState } from '../../engine/node-state.ts';
import type { RunEnd } from '../../engine/run.ts';
import { rewardOf } from '../../grading/grade-verdict.ts';
import { type Catalogue, type CatalogueRow, readCatalogue } from '../../stages/dataset/blocks/catalogue.ts';
import { readAssignment } from '../../stages/environments/assignment.ts';
import { itemName, splitItem } from '../../stages/rollouts/item-name.ts';
import { FUNNEL, type FunnelStep } from '../shapes.ts';
import type { Keys } from './keys.ts';
import type { Snapshot } from './opened.ts';

export interface Sample {
  sample: string;
  /** Its solver: empty for the agent, else the name of a baseline or of an evaluated model. */
  who: string;
  stage: string;
  status: string;
  reward: 0 | 1 | null;
  reason: string;
  /** Numbers of the keys of its rollout and of its grade; null: not answered. */
  rollout: number | null;
  grade: number | null;
}

export interface Row {
  dataset: string;
  id: string;
  repo: string;
  environment: string;
  status: string;
  reason: string;
  /** Number of the key of its validation. */
  validation: number | null;
  step: FunnelStep;
  samples: Sample[];
}

export interface Rows {
  all: Row[];
  find(dataset: string, id: string): Row | null;
  datasets: string[];
  /** Steps that the project has, per dataset. */
  steps: Map<string, FunnelStep[]>;
  /** Numbers of the keys of each node's answers. */
  answers: Map<string, number[]>;
}

/** Instances whose trajectories were kept, and that are trained on, by dataset; null while they are being read. */
export type Kept = (dataset: string, step: 'kept' | 'trained on') => ReadonlySet<string> | null;

export async function rowsOf({ session, end }: Snapshot, keys: Keys): Promise<Rows> {
  const all: Row[] = [];
  const byId = new Map<string, Map<string, Row>>();
  const steps = new Map<string, FunnelStep[]>();
  for (const { state, blocked } of end.nodes.values()) {
    if (state.node.stage !== 'dataset' || blocked !== null) continue;
    const { dataset } = state.node;
    const record = state.record('');
    if (record === null || record.outcome.status !== 'ok') continue;
    const catalogue = await readCatalogue(record, session.services);
    const environmentOf = await environmentNames(session, dataset, catalogue);
    const status = stateOf(end, 'validate', dataset) === null ? '' : 'open';
    const own = new Map<string, Row>();
    for (const block of catalogue.blocks) {
      for (const { id, group } of catalogue.rowsOf(block)) {
        const { repo } = catalogue.groups[group]!;
        const environment = environmentOf({ id, group });
        const row: Row = {
          ...{ dataset, id, repo, environment, status },
          ...{ reason: '', validation: null, step: 'read', samples: NONE },
        };
        all.push(row);
        own.set(id, row);
      }
    }
    byId.set(dataset, own);
    steps.set(dataset, knownSteps(end, dataset));
  }
  const answers = new Map<string, number[]>();
  for (const [address, { state, blocked }] of end.nodes)
    if (blocked === null) answers.set(address, numbersOf(state, byId.get(state.node.dataset), keys));
  return {
    ...{ all, steps, answers, datasets: [...byId.keys()] },
    find: (dataset, id) => byId.get(dataset)?.get(id) ?? null,
  };
}

/** Brings every row to the last step that it reached. */
export function setSteps({ all, steps }: Rows, kept: Kept): void {
  for (const row of all) row.step = stepOf(row, row.dataset, steps.get(row.dataset)!, kept);
}

/** The numbers of a node's answers, which are put into the rows that they are about. */
function numbersOf(state: NodeState, rows: ReadonlyMap<string, Row> | undefined, keys: Keys): number[] {
  const numbers: number[] = [];
  const { stage } = state.node;
  for (const entry of state.eachEntry()) {
    const number = entry.key === null ? null : keys.add(entry.key);
    if (number !== null) numbers.push(number);
    if (stage === 'validate') {
      const row = rows?.get(entry.name);
      if (row === undefined) continue;
      row.status = entry.outcome.status;
      row.reason = reasonOf(entry);
      row.validation = number;
    } else if (stage === 'rollouts' || stage === 'predict') {
      const { instance, sample } = splitItem(entry.name);
      const row = rows?.get(instance);
      if (row === undefined) continue;
      const { status } = entry.outcome;
      const who = stage === 'predict' || isBaseline(sample) ? sample : '';
      const own = { sample, who, stage, status, reward: null, reason: '', rollout: number, grade: null };
      if (row.samples === NONE) row.samples = [own];
      else row.samples.push(own);
    } else if (stage === 'grade') {
      const { instance, sample } = splitItem(entry.name);
      for (const own of rows?.get(instance)?.samples ?? []) {
        if (own.sample !== sample) continue;
        own.reward = rewardOf(entry.outcome);
        own.reason = reasonOf(entry);
        own.grade = number;
      }
    }
  }
  return numbers;
}

/** Every item of a node with the number of its key; the repository is empty where it is about no row. */
export function* itemsOf(
  { all }: Rows,
  state: NodeState,
  keys: Keys,
): Generator<{ name: string; repo: string; key: number | null }> {
  const { stage, dataset } = state.node;
  if (!isInRows(state.node)) {
    for (const { name, key } of state.eachEntry())
      yield { name, repo: '', key: key === null ? null : keys.add(key) };
    return;
  }
  for (const row of all) {
    if (row.dataset !== dataset) continue;
    const { id, repo } = row;
    if (stage === 'validate') yield { name: id, repo, key: row.validation };
    else
      for (const own of row.samples)
        if (stage === 'grade' || stage === own.stage)
          yield { name: itemName(id, own.sample), repo, key: stage === 'grade' ? own.grade : own.rollout };
  }
}

/** Number of the key of an item that is in the rows; null: it has no answer, or there is no such item. */
export function keyOf(rows: Rows, { stage, dataset }: StageNode, name: string): number | null {
  if (stage === 'validate') return rows.find(dataset, name)?.validation ?? null;
  const { instance, sample } = splitItem(name);
  const own = rows
    .find(dataset, instance)
    ?.samples.find((one) => one.sample === sample && (stage === 'grade' || stage === one.stage));
  return (stage === 'grade' ? own?.grade : own?.rollout) ?? null;
}

/** Stages whose items are in the rows. */
const IN_ROWS = ['validate', 'rollouts', 'predict', 'grade'];

export function isInRows({ stage }: Pick<StageNode, 'stage'>): boolean {
  return IN_ROWS.includes(stage);
}

/** Shared by the rows that have no sample. */
const NONE: Sample[] = [];

function reasonOf({ outcome }: Entry): string {
  return 'reason' in outcome ? outcome.reason : '';
}

/** The environment of each row, as stages assign it; by the name of its group if that cannot be read. */
async function environmentNames(
  { services }: Snapshot['session'],
  dataset: string,
  catalogue: Catalogue,
): Promise<(row: Pick<CatalogueRow, 'id' | 'group'>) => string> {
  const asking: Pick<PlanReader, 'ask' | 'dataset'> = {
    dataset,
    ask: (kind, argument) => ask(kind, argument, services),
  };
  // Verdicts use these environments; their names have no suffix.
  const builtOn = { deployment: services.config.validation.deployment, suffix: '' };
  const assignment = await readAssignment(asking, catalogue, builtOn);
  if (!assignment.ok) return ({ group }) => catalogue.groups[group]!.environment_name;
  const { environments, assignmentOf } = assignment.value;
  return (row) => environments[assignmentOf(row).environment]!.name;
}

export function stateOf(end: RunEnd, stage: string, dataset: string): NodeState | null {
  const node = end.nodes.get(addressOf(stage, dataset));
  return node === undefined || node.blocked !== null ? null : node.state;
}

function knownSteps(end: RunEnd, dataset: string): FunnelStep[] {
  const has = (stage: string) => end.nodes.has(addressOf(stage, dataset));
  return FUNNEL.filter((step) => {
    if (step === 'built' || step === 'valid') return has('validate');
    if (step === 'rolled out') return has('rollouts');
    if (step === 'solved') return has('rollouts') && has('grade');
    if (step === 'kept') return has('golden');
    return step === 'read' || has('sft-data');
  });
}

/** Reasons of an instance whose environment could not be built. */
const UNBUILT = ['environment-failed', 'install-failed'];

/** The last step that it reached; it reached all steps before it, too. */
function stepOf(row: Row, dataset: string, steps: readonly FunnelStep[], kept: Kept): FunnelStep {
  const own = row.samples.filter(({ who }) => who === '');
  const reached: Record<FunnelStep, boolean> = {
    read: true,
    built: row.status !== 'open' && !UNBUILT.includes(row.reason),
    valid: row.status === 'ok',
    'rolled out': own.some(({ status }) => status === 'ok'),
    solved: own.some(({ reward }) => reward === 1),
    kept: kept(dataset, 'kept')?.has(row.id) ?? false,
    'trained on': kept(dataset, 'trained on')?.has(row.id) ?? false,
  };
  let last: FunnelStep = 'read';
  for (const step of steps) {
    if (!reached[step]) return last;
    last = step;
  }
  return last;
}

/** How many instances came as far as each step, or farther. */
export function funnelsOf({ all, datasets, steps }: Rows) {
  return datasets.map((dataset) => {
    const known = steps.get(dataset)!;
    const ends = new Map<FunnelStep, number>();
    for (const row of all) if (row.dataset === dataset) ends.set(row.step, (ends.get(row.step) ?? 0) + 1);
    const counted = known.map((name, index) => ({
      name,
      count: known.slice(index).reduce((sum, step) => sum + (ends.get(step) ?? 0), 0),
    }));
    return { dataset, steps: counted };
  });
}

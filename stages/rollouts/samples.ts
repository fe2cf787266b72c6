/**
 * Samples of agents as items: what decides one, and how it is run. Rollouts and predictions differ only in which
 * agent works on which instances.
 */

import { outsideSettings } from '../../agent/kinds/outside/layered.ts';
import { asksModel } from '../../agent/kinds/registry.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import { askedModels } from '../../contract/asked-models.ts';
import type { PlannedChunk } from '../../contract/define.ts';
import type { Input, Inputs, Opened } from '../../contract/input.ts';
import { AGENT_SERVICES, type AgentServices, inside, type Machine } from '../../contract/machine.ts';
import type { ItemReader, ItemResult, PlanReader } from '../../contract/reader.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { installationOf } from '../../tasks/agent/installation.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import { ASSIGNMENT_ASKS, readAssignment } from '../environments/assignment.ts';
import type { RolloutContext } from './context.ts';
import { itemName } from './item-name.ts';
import { resolveSolver, SOLVER, TOKENIZERS, templateFault } from './resolve-solver.ts';
import { agentBehind, type SolverRef } from './solver.ts';
import { seedOf, seenInstance, taskDigest } from './task.ts';

/** What samples ask of the world. */
export const SAMPLE_ASKS = [...ASSIGNMENT_ASKS, WORK, SOLVER, TOKENIZERS];

/** An agent that makes samples. */
export interface PlannedSolver {
  ref: SolverRef;
  /** Settings, model and judge, as keys hold them. */
  part: Input<Json>;
  settings: AgentSettings;
  /** Digests of what its agent sees of a row, read once for all samples of an instance. */
  tasks: WeakMap<CatalogueRow, Promise<Digest>>;
  /** The agent's seed, from which each sample gets its own. Agents that ask no model need none. */
  seed: number;
  /** Item of the stage `agents` with its program; null: nothing is installed for it. */
  program: string | null;
}

/** One sample of one instance. */
export interface SampleItem {
  row: CatalogueRow;
  sample: string;
  solver: PlannedSolver;
  work: Input<Work>;
  isValidated: boolean;
}

/** The agent behind `ref`, asked for; a fault names what is missing of it. */
export async function readSolver(reader: PlanReader, ref: SolverRef, seed: number): Attempt<PlannedSolver> {
  const part = await reader.ask(SOLVER, { ...ref });
  if (!part.ok) return part;
  const tokenizers = await reader.ask(TOKENIZERS, { ...ref });
  if (!tokenizers.ok) return tokenizers;
  const { agent } = part.value as unknown as { agent: AgentSettings };
  const program = installationOf(agent.type, outsideSettings(agent))?.name ?? null;
  const failed = program === null ? null : failedProgram(reader, program);
  if (failed !== null) return fault(failed);
  return success({
    ref,
    part: reader.value(part.value),
    settings: agent,
    tasks: new WeakMap(),
    seed: asksModel(agent.type) ? seed : 0,
    program,
  });
}

/** Without its program an agent has done nothing, so there is nothing to reward. */
function failedProgram(reader: PlanReader, program: string): Infra | null {
  const outcome = reader.input('agents').entry(program)?.outcome;
  if (outcome?.status === 'ok') return null;
  const detail = outcome !== undefined && 'detail' in outcome ? outcome.detail : 'it was not installed';
  return infra('upstream-infra', `agents@${program}: ${detail}`);
}

/** A fault when a template of an agent cannot be rendered; tried before anything is rolled out. */
export async function solversFault(
  solvers: readonly PlannedSolver[],
  machine: Machine,
): Promise<Outcome | null> {
  const services = inside(machine, ...AGENT_SERVICES);
  for (const { ref } of solvers) {
    const plan = await resolveSolver(agentBehind(ref, services.config)!, services);
    const wrong = plan.ok ? await templateFault(plan.value) : plan.fault;
    if (wrong !== null) return wrong;
  }
  return null;
}

export interface SamplesPlan<D> {
  /** The items of one instance. */
  itemsOf(
    row: CatalogueRow,
    work: Input<Work>,
  ): { sample: string; data: D; program: string | null; needsWorkspace: boolean }[];
  wanted(row: CatalogueRow): boolean;
}

/** Items by blocks of the dataset; what is wanted of a block is part of a chunk's name. */
export async function planSamples<D>(
  reader: PlanReader,
  machine: Machine,
  { itemsOf, wanted }: SamplesPlan<D>,
): Attempt<{ chunks: PlannedChunk<D>[] }> {
  const rows = reader.single('dataset');
  if (!rows.ok) return rows;
  const catalogue = await readCatalogue(rows.value, machine);
  const where = (await readWorkDeployments(reader)).agent;
  const assignment = await readAssignment(reader, catalogue, where.builtOn);
  if (!assignment.ok) return assignment;
  const work = await readWork(reader, where.deployment, 'rollout');
  if (!work.ok) return work;
  const { environments, assignmentOf } = assignment.value;
  const { memory } = work.value.open().limits;
  const startsServers = startsModels(inside(machine, ...AGENT_SERVICES).config);
  // Each sample's key has its own; an agent that was installed anew is another one under the same name.
  const programs = reader.hasInput('agents')
    ? [...reader.input('agents').entries()].flatMap(({ digest }) => digest ?? [])
    : [];
  const chunks = catalogue.blocks.map((block): PlannedChunk<D> => {
    const chosen = catalogue.rowsOf(block).filter(wanted);
    const items = () =>
      chosen.flatMap((row) => {
        const needs = { dataset: '', environment: environments[assignmentOf(row).environment]!.name };
        return itemsOf(row, work.value).map(({ sample, data, program, needsWorkspace }) => ({
          name: itemName(row.id, sample),
          needs: program === null ? needs : { ...needs, agents: program },
          ...(needsWorkspace
            ? {
                resources: { rollout: 1, sandbox: 1, ...(memory === undefined ? {} : { memory }) },
                ...(startsServers ? {} : { deployment: where.deployment }),
              }
            : { resources: { cpu: 1 } }),
          data,
        }));
      });
    const names = chosen.map(({ id }) => id);
    const size = chosen.length === 0 ? 0 : chosen.length * itemsOf(chosen[0]!, work.value).length;
    return {
      digest: digestOfList('samples', [catalogue.digestOf(block), ...programs, ...names]),
      size,
      items,
    };
  });
  return success({ chunks });
}

/** A rollout that asks a model server of this command must run on the same machine. */
function startsModels(config: AgentServices['config']): boolean {
  return askedModels(config).some(({ serve }) => serve !== undefined);
}

/** What decides a sample. */
export async function sampleInputs(item: ItemReader, data: SampleItem, machine: Machine) {
  const { row, sample, solver, work, isValidated } = data;
  const { settings, tasks } = solver;
  const dataset = item.result('dataset');
  const read = async () => seenInstance(await readInstance(dataset, row, machine), settings);
  const digest = (instance: Instance) => taskDigest(instance, settings);
  const known = tasks.get(row) ?? read().then(digest);
  tasks.set(row, known);
  // What could not be read is tried again by the next one.
  known.catch(() => tasks.delete(row));
  return {
    work,
    task: item.content(await known, read, digest),
    source: item.value(row.source),
    environment: item.need('environment'),
    // An agent without a program has no such part in its key.
    ...(item.names('agents') ? { program: item.output('agents', 'agent') } : {}),
    solver: solver.part,
    seed: item.value(seedOf(solver.seed, row.id, sample)),
    // What it is called, and where its agent stands in the project.
    place: item.unkeyed({ sample, ref: solver.ref, isValidated }),
  };
}

type SampleInputs = Opened<Awaited<ReturnType<typeof sampleInputs>> & Inputs>;

/** Rolls a sample out. */
export async function runSample(
  inputs: Pick<SampleInputs, 'work' | 'task' | 'environment' | 'program' | 'solver' | 'seed' | 'place'>,
  tools: Tools,
): Promise<ActionResult> {
  const { work, task, environment, solver, seed, place } = inputs;
  const broken = failedEnvironment(environment);
  if (broken !== null) return { outcome: broken, outputs: {} };
  const services = inside(tools.machine, ...AGENT_SERVICES);
  const plan = await resolveSolver(agentBehind(place.ref, services.config)!, services);
  if (!plan.ok) return { outcome: plan.fault, outputs: {} };
  if (digestOf(canonicalJson(plan.value.part)) !== digestOf(canonicalJson(solver)))
    return { outcome: infra('internal', 'the agent is not the one that the key names'), outputs: {} };
  const instance: Instance = await task();
  const { log, waits, isForced } = tools;
  const context: RolloutContext = { ...services, log, waits, isForced };
  const { makeRollout } = await import('./make-rollout.ts');
  const { sample, isValidated } = place;
  const request = { solver: plan.value, sample, seed, work, instance, environment, isValidated };
  // Only samples whose agent is installed have this input, and any other one must not be read.
  const program = 'program' in inputs ? inputs.program : null;
  return makeRollout(program == null ? request : { ...request, program }, context);
}

function failedEnvironment({ outcome }: ItemResult): Outcome | null {
  if (outcome.status === 'ok') return null;
  const detail = 'detail' in outcome ? outcome.detail : '';
  return { status: 'failed', reason: 'environment-failed', detail };
}

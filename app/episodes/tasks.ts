/**
 * The tasks of a project by name, for callers that ask for single ones. Answers of builds are used. What is missing
 * is built first, at the same time for all who wait for it.
 */
import { byCodeUnit, canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { closest } from '../../basics/suggest.ts';
import { closure, nodesOfTarget } from '../../compiler/graph.ts';
import type { Machine } from '../../contract/machine.ts';
import { ItemReader, type ItemResult, PlanReader } from '../../contract/reader.ts';
import type { Collections, StageNode } from '../../contract/stage.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import type { RunEnd } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { baselineOf, presetTable, type Rules, readRules } from '../../grading/grading-rules.ts';
import type { IntegrityBaseline } from '../../grading/rules/integrity.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, infra, type Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe, RowTests } from '../../schemas/recipe.ts';
import { installationsOn } from '../../stages/agents/programs.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../../stages/dataset/blocks/catalogue.ts';
import { testsInput } from '../../stages/dataset/instance-input.ts';
import { ASSIGNMENT_ASKS, type Assignment, readAssignment } from '../../stages/environments/assignment.ts';
import { evaluationDatasets, rolloutDatasets } from '../../stages/rollouts/datasets.ts';
import { type Session, work } from '../session.ts';

/** A sound task with everything that a rollout and its verdict need. */
export interface Task {
  dataset: string;
  instance(): Promise<Instance>;
  /** What its agent works in. */
  environment: ItemResult;
  /** What its patch is graded in. */
  ofVerdict: ItemResult;
  /** Programs of agents that swemake installed, by their names. */
  programs: ReadonlyMap<string, ItemResult>;
  rollout: Work;
  grade: Work;
  /** Of the environment for verdicts, and what that environment is called. */
  recipe: BuildRecipe;
  environmentName: string;
  tests: RowTests;
  rules: Rules;
  baseline: IntegrityBaseline | null;
  isValidated: boolean;
}

/** Why there is no task of that name: the project does not have it, or its validation says that it is not sound. */
export interface NoTask {
  kind: 'refused' | 'fault';
  outcome: Exclude<Outcome, { status: 'ok' }>;
}

/** What must be built before it is known, as a target. */
interface Missing {
  missing: string;
}

/** A dataset as its plan was read. */
interface OpenDataset {
  name: string;
  node: StageNode;
  inputs: Collections;
  rows: Map<string, CatalogueRow>;
  /** To the environments that agents work in. */
  worked: Assignment;
  /** To those that patches are graded in. */
  graded: Assignment;
  rollout: Work;
  grade: Work;
  rules: Rules;
}

export class Tasks {
  readonly #session: Session;
  readonly #names: string[];
  #open: Attempt<OpenDataset[]> | null = null;
  /** Items that the next build makes, and that build. */
  #wanted = new Set<string>();
  #next: Promise<void> | null = null;
  #building: Promise<void> = Promise.resolve();

  /** @param datasets those that are looked at; absent: those that there are rollouts of. */
  constructor(session: Session, datasets?: readonly string[]) {
    this.#session = session;
    const { config } = session.project;
    this.#names = [...new Set(datasets ?? [...rolloutDatasets(config), ...evaluationDatasets(config)])];
  }

  /** @param dataset null: the only one that has the instance; the first of several that have the same row. */
  async find(dataset: string | null, instance: string): Promise<Result<Task, NoTask>> {
    const first = await this.#find(dataset, instance);
    if (!('missing' in first)) return first;
    await this.#build(first.missing);
    const second = await this.#find(dataset, instance);
    if (!('missing' in second)) return second;
    return fault({
      kind: 'fault',
      outcome: infra('upstream-infra', `${instance} could not be built; see its log`),
    });
  }

  /** What was learned of environments is looked at again, since one of them broke. */
  forget(): void {
    this.#open = null;
  }

  async #find(dataset: string | null, instance: string): Promise<Result<Task, NoTask> | Missing> {
    this.#open ??= this.#plan();
    const opened = await this.#open;
    if (!opened.ok) {
      this.#open = null;
      return fault({ kind: 'fault', outcome: opened.fault as NoTask['outcome'] });
    }
    const having = opened.value.filter(({ name, rows }) => (dataset ?? name) === name && rows.has(instance));
    if (having.length === 0 || !(await this.#areSame(having, instance)))
      return fault({ kind: 'refused', outcome: unknown(dataset, instance, opened.value, having) });
    return this.#task(having[0]!, instance);
  }

  /** Whether the datasets have the same row by this name, as where a benchmark is a part of what is trained on. */
  async #areSame(having: readonly OpenDataset[], instance: string): Promise<boolean> {
    if (having.length === 1) return true;
    const read = async ({ rows, inputs }: OpenDataset) =>
      canonicalJson(
        await readInstance(inputs.dataset!.record('')!, rows.get(instance)!, this.#session.services),
      );
    return new Set(await Promise.all(having.map(read))).size === 1;
  }

  async #task(opened: OpenDataset, instance: string): Promise<Result<Task, NoTask> | Missing> {
    const { node, inputs, rows, worked, graded, ...rest } = opened;
    const row = rows.get(instance)!;
    const { tests, environment: index } = graded.assignmentOf(row);
    const { recipe, name: environmentName } = graded.environments[index]!;
    const nameIn = ({ environments, assignmentOf }: Assignment) =>
      environments[assignmentOf(row).environment]!.name;
    const dataset = inputs.dataset!.record('');
    const environment = inputs.environment!.record(nameIn(worked));
    const ofVerdict = inputs.environment!.record(nameIn(graded));
    const validation = inputs.validate?.record(instance) ?? null;
    const { config } = this.#session.project;
    const programs = installationsOn(rest.name, config).map((installed) => {
      return { name: installed.name, record: inputs.agents!.record(installed.name) };
    });
    if (inputs.validate !== undefined && validation === null)
      return { missing: `${inputs.validate.address}@${instance}` };
    if (dataset === null || environment === null)
      return { missing: `${inputs.environment!.address}@${nameIn(worked)}` };
    if (ofVerdict === null) return { missing: `${inputs.environment!.address}@${nameIn(graded)}` };
    const lacking = programs.find(({ record }) => record === null);
    if (lacking !== undefined) return { missing: `${inputs.agents!.address}@${lacking.name}` };
    if (validation !== null && validation.outcome.status !== 'ok')
      return fault({ kind: 'refused', outcome: unsound(instance, validation.outcome) });
    const machine: Machine = this.#session.services;
    const item = new ItemReader(node.address, { dataset, environment }, inputs);
    const resultOf = ({ outcome, outputs, digest }: ItemResult): ItemResult => ({ outcome, outputs, digest });
    return success({
      dataset: rest.name,
      instance: () => readInstance(dataset, row, machine),
      environment: resultOf(environment),
      ofVerdict: resultOf(ofVerdict),
      programs: new Map(programs.map(({ name, record }) => [name, resultOf(record!)])),
      rollout: rest.rollout,
      grade: rest.grade,
      recipe,
      environmentName,
      tests: (await testsInput(item, row, tests, machine)).open(),
      rules: rest.rules,
      baseline: await baselineOf(validation, machine),
      isValidated: validation !== null,
    });
  }

  /** One build at a time; whatever is asked for meanwhile is in the next. */
  #build(target: string): Promise<void> {
    this.#wanted.add(target);
    this.#next ??= this.#building.then(async () => {
      const targets = [...this.#wanted].sort(byCodeUnit);
      this.#wanted = new Set();
      this.#next = null;
      const done = this.#run(targets, false);
      this.#building = done.then(
        () => undefined,
        () => undefined,
      );
      await done;
      this.#open = null;
    });
    return this.#next;
  }

  async #plan(): Attempt<OpenDataset[]> {
    const known = new Set(this.#session.graph.nodes.map(({ address }) => address));
    const all = this.#names.flatMap((name) => [`environments.${name}`, `validate.${name}`, `agents.${name}`]);
    // Which tasks there are is known only from the rows.
    await this.#run(
      this.#names.map((name) => `dataset.${name}`),
      false,
    );
    const end = await this.#run(
      all.filter((address) => known.has(address)),
      true,
    );
    const opened: OpenDataset[] = [];
    for (const name of this.#names) {
      const one = await this.#openDataset(name, end);
      if (!one.ok) return one;
      opened.push(one.value);
    }
    return success(opened);
  }

  /** Builds the targets, or looks what of them is answered. */
  #run(targets: string[], dryRun: boolean): Promise<RunEnd> {
    const { graph } = this.#session;
    const wanted = new Set(targets.flatMap((target) => nodesOfTarget(graph, target)));
    const within = closure(graph, wanted);
    return work(this.#session, {
      jobs: null,
      selection: new Selection(within, targets, []),
      graph: within,
      dryRun,
      targets,
      drain: new AbortController().signal,
      show: () => undefined,
    });
  }

  async #openDataset(name: string, end: RunEnd): Attempt<OpenDataset> {
    const machine: Machine = this.#session.services;
    const state = (stage: string) => end.nodes.get(`${stage}.${name}`)?.state;
    const [dataset, environment] = [state('dataset')!, state('environments')!];
    const [validate, agents] = [state('validate'), state('agents')];
    const inputs: Collections = {
      ...{ dataset, environment },
      ...(validate === undefined ? {} : { validate }),
      ...(agents === undefined ? {} : { agents }),
    };
    const addresses = Object.fromEntries(
      Object.entries(inputs).map(([role, { address }]) => [role, address]),
    );
    const node: StageNode = {
      address: `serve.${name}`,
      stage: 'serve',
      dataset: name,
      inputs: addresses,
      exports: false,
    };
    const reader = new PlanReader(node, inputs, this.#session.services, [...ASSIGNMENT_ASKS, WORK]);
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const catalogue = await readCatalogue(rows.value, machine);
    const used = await readWorkDeployments(reader);
    const worked = await readAssignment(reader, catalogue, used.agent.builtOn);
    if (!worked.ok) return worked;
    const graded = await readAssignment(reader, catalogue, used.grade.builtOn);
    if (!graded.ok) return graded;
    const rollout = await readWork(reader, used.agent.deployment, 'rollout');
    if (!rollout.ok) return rollout;
    const grade = await readWork(reader, used.grade.deployment, 'grade');
    if (!grade.ok) return grade;
    return success({
      name,
      node,
      inputs,
      rows: new Map(catalogue.rows.map((row) => [row.id, row])),
      worked: worked.value,
      graded: graded.value,
      rollout: rollout.value.open(),
      grade: grade.value.open(),
      rules: await readRules(reader, presetTable(), 'training'),
    });
  }
}

function unknown(
  dataset: string | null,
  instance: string,
  all: readonly OpenDataset[],
  having: readonly OpenDataset[],
): NoTask['outcome'] {
  const detail =
    having.length > 1
      ? `${instance} is in ${having.map(({ name }) => name).join(' and ')}: say which dataset`
      : `there is no instance ${instance}${dataset === null ? '' : ` in dataset ${dataset}`}${hint(instance, all)}`;
  return { status: 'failed', reason: 'invalid-row', detail };
}

function hint(instance: string, all: readonly OpenDataset[]): string {
  const near = closest(
    instance,
    all.flatMap(({ rows }) => [...rows.keys()]),
  );
  return near === null ? '' : `; did you mean ${near}?`;
}

function unsound(instance: string, outcome: Outcome): NoTask['outcome'] {
  const detail = 'detail' in outcome ? `: ${outcome.detail}` : '';
  return {
    status: 'failed',
    reason: 'invalid-row',
    detail: `${instance} did not pass validation (${outcome.status}${detail})`,
  };
}

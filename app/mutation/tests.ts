/**
 * The tests of code that is mutated, run in the environment that a build of the project makes or finds in its cache. Each
 * run has a workspace of its own with the network that verdicts have, so what is measured here holds in a build.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { readText } from '../../cache/cache.ts';
import type { Locks } from '../../cache/key-lock.ts';
import { closure } from '../../compiler/graph.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { workDeployments } from '../../contract/work-deployments.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { RunEvent } from '../../engine/events.ts';
import { Selection } from '../../engine/selection.ts';
import type { Deployment, EnvironmentView, OpenOptions, Workspace } from '../../executors/deployment.ts';
import { type Hindered, hinderedBy, triedAgain } from '../../executors/hindrance.ts';
import { evalScript } from '../../grading/logs/eval-script.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import { longestWait, serviceFault, serviceLines } from '../../grading/rules/services.ts';
import { lostService } from '../../grading/run/lost-service.ts';
import { startWorkspace } from '../../grading/run/start.ts';
import { findParser, type LogParser } from '../../parsers/registry.ts';
import { type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import { resolveRecipe } from '../../stages/environments/recipe.ts';
import { environmentView, readEnvironment } from '../../tasks/environment/view.ts';
import type { MutationRow } from '../../tasks/mutation/row.ts';
import { closeAll } from '../close-all.ts';
import type { CommandIo } from '../io.ts';
import type { ProjectValues } from '../open-project.ts';
import { openSession, type Session, work } from '../session.ts';
import { shown } from '../shown.ts';
import type { Stop } from '../signals.ts';
import { type ChangedFile, type RunTests, type TestRun, withServices } from './measure.ts';
import type { MutateFailure, MutateOptions } from './mutate-package.ts';
import { MUTATED, mutationProject, type ProjectChoice } from './project.ts';

/** Where the code of one run of `mutate` is tested. */
export interface MutationSession {
  /** For {@link MutateOptions}. */
  openTests: MutateOptions['openTests'];
  /** Endings of files that are mutated for rows with this repo, version and recipe. */
  endings: MutateOptions['endings'];
  sourcesFolder: string;
  locks: Locks;
  close(): Promise<void>;
}

/** Opens the cache of the project that is chosen; null after its errors were printed. */
export async function openMutationSession(
  choice: ProjectChoice,
  values: ProjectValues,
  stop: Stop,
  io: CommandIo,
): Promise<MutationSession | null> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-mutate-'));
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  const rows = join(folder, 'rows.jsonl');
  let project: ResolvedProject | null = null;
  try {
    project = await mutationProject(choice, values, rows, io);
  } finally {
    if (project === null) await remove();
  }
  if (project === null) return null;
  const session = await openSession(project, io, stop.abort);
  return {
    sourcesFolder: session.cache.folder.sources,
    locks: session.cache.locks,
    endings: (row) => ecosystemNamed(recipeOf(row, session.project).ecosystem).sources ?? [],
    async openTests(row, source, failed) {
      writeFileSync(rows, `${JSON.stringify(row)}\n`);
      const bed = await testBed(session, source, stop, failed);
      for (const warning of session.deployments.warnings()) io.stderr.write(shown(`warning: ${warning}\n`));
      if (!bed.ok) return bed;
      const recipe = recipeOf(row, session.project);
      return success({ command: recipe.test, run: testRunner(recipe, row, bed.value) });
    },
    close: () => closeAll([remove, () => session.close()]),
  };
}

function testRunner(recipe: Recipe, { test_patch = '' }: MutationRow, bed: TestBed): RunTests {
  const parser = findParser(recipe.parser)!;
  const { tests } = ecosystemNamed(recipe.ecosystem);
  const commandFor = tests?.command ?? testCommand;
  return withServices((changed, lists, timeout) => {
    const all = () => tests?.all?.(recipe.test) ?? recipe.test;
    const command = lists === null ? all() : commandFor(recipe.test, { ...lists, test_patch });
    return runTests({ recipe, parser, command, changed, timeout }, bed);
  });
}

/** What every run of the tests begins with. */
interface TestBed {
  deployment: Deployment;
  environment: EnvironmentView;
  options: OpenOptions & { signal: AbortSignal };
  /** Run when a workspace is opened. */
  start: readonly string[];
  /** The clean source. */
  source: string;
}

const ENVIRONMENTS = `environments.${MUTATED}`;

/** As a build resolves it for the row. */
export function recipeOf(
  { repo, version, recipe = {} }: Pick<MutationRow, 'repo' | 'version' | 'recipe'>,
  { config }: ResolvedProject,
): Recipe {
  const source = { spec: '', digest: '' };
  const names = { repo, version, environment_name: `${repo}@${version}` };
  const group = { ...names, recipe, source, environment_source: source };
  // How tests are run does not depend on pins, whose files are not read here.
  const rules = config.environments.recipes.map(({ freeze: _, ...rule }) => rule);
  return resolveRecipe(group, '', rules);
}

/** Builds the environment of the row; `source` is the layer with the clean source. */
async function testBed(
  session: Session,
  source: string,
  stop: Stop,
  failed: (log: string) => void,
): Promise<Result<TestBed, MutateFailure>> {
  const { services, project } = session;
  const graph = closure(session.graph, new Set([ENVIRONMENTS]));
  const targets = [ENVIRONMENTS];
  const selection = new Selection(graph, targets, []);
  let faultLog: string | null = null;
  const show = (event: RunEvent) => {
    if (event.type === 'item-finished' && event.stage === ENVIRONMENTS) faultLog = event.log ?? null;
  };
  const quietly = { jobs: null, dryRun: false, drain: stop.drain, show };
  const { nodes } = await work(session, { ...quietly, selection, graph, targets });
  if (stop.drain.aborted) return fault(infra('cancelled', 'cancelled'));
  const { state, blocked } = nodes.get(ENVIRONMENTS)!;
  const [built] = blocked === null ? state.entries() : [];
  const failure = blocked ?? built?.outcome ?? unread(nodes.get(`dataset.${MUTATED}`)?.blocked ?? null);
  if (failure.status !== 'ok') {
    const record = built === undefined ? null : state.record(built.name);
    const log = record === null ? faultLog : await readText(session.cache, record.notes.log);
    if (log !== null) failed(log);
    return fault(failure);
  }
  const { builtOn } = workDeployments(project.config, MUTATED).validate;
  const described = await readEnvironment(state.record(built!.name)!, services);
  const environment = await environmentView(described, services, builtOn);
  if (!environment.ok) return fault(notMade(environment.fault));
  const deployment = await services.deployment(builtOn.deployment);
  if (!deployment.ok) return deployment;
  const { limits, network } = project.config.deployments[builtOn.deployment]!;
  const options = { limits, network: network.grade, storage: 'memory', signal: stop.abort } as const;
  const start = described.start ?? [];
  return success({ deployment: deployment.value, environment: environment.value, options, start, source });
}

function unread(outcome: Outcome | null): Outcome {
  return outcome ?? { status: 'failed', reason: 'invalid-row', detail: 'the code cannot be read as a task' };
}

interface OneRun {
  recipe: Recipe;
  parser: LogParser;
  command: string;
  changed: ChangedFile | null;
  timeout: number;
}

/** Tests that were hindered are run once more. */
async function runTests(one: OneRun, bed: TestBed): ReturnType<RunTests> {
  const again = { title: 'the tests', log: () => undefined, limit: one.timeout };
  const ran = await triedAgain(
    () => runOnce(one, bed),
    (end) => (end.ok ? end.value.hindered : null),
    { ...again, alone: (_, work) => work() },
  );
  return ran.ok ? ran.value : ran;
}

type RanOnce = Result<TestRun & { hindered: Hindered | null }, Infra>;

async function runOnce(one: OneRun, bed: TestBed): Promise<RanOnce> {
  const opened = await bed.deployment.open(bed.environment, { layer: bed.source }, bed.options);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  try {
    return await runIn(workspace, one, bed);
  } finally {
    await workspace.close();
  }
}

async function runIn(
  workspace: Workspace,
  { recipe, parser, command, changed, timeout }: OneRun,
  { start, options }: TestBed,
): Promise<RanOnce> {
  const { signal } = options;
  const refused = await startWorkspace(workspace, start, signal);
  if (refused !== null) return fault(asInfra(refused));
  if (changed !== null) {
    const written = await workspace.write(`/testbed/${changed.path}`, changed.bytes);
    if (!written.ok) return fault(infra('helper', `${changed.path}: ${written.fault.detail}`));
  }
  const evalCommands = [...serviceLines(recipe.background), ...recipe.eval_commands];
  const script = evalScript({ evalCommands, testCommand: command });
  const limit = timeout + longestWait(recipe.background);
  const ran = await workspace.exec(script, { timeout: limit, signal });
  // What ended its own workspace passed no test.
  if (!ran.ok)
    return isFault(ran.fault)
      ? fault(ran.fault)
      : success({ statuses: new Map(), timedOut: false, hindered: null });
  const notReady = serviceFault(ran.value);
  if (notReady !== null) return fault(notReady);
  const lost = ran.value.timedOut ? '' : await lostService(workspace, recipe.background, signal);
  if (lost !== '') return fault(infra('service-not-ready', `recipe key background: ${lost}`));
  const { output, timedOut } = ran.value;
  return success({ statuses: parser.parse(output), timedOut, output, hindered: hinderedBy(ran.value) });
}

function notMade(outcome: Infra | Outcome): MutateFailure {
  return outcome.status === 'ok' ? infra('internal', 'no environment was made') : outcome;
}

function asInfra(outcome: Infra | Outcome): Infra {
  if (isFault(outcome)) return outcome;
  return infra('service-not-ready', 'detail' in outcome ? outcome.detail : outcome.status);
}

/**
 * The tests of code that is mutated, run in the environment that a build of the project makes or finds in its cache. Each
 * run has a workspace of its own with the network that verdicts have, so what is measured here holds in a build.
 */

import { writeFileSync } from 'node:fs';
import { asJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { readText } from '../../cache/cache.ts';
import type { Part } from '../../cache/key.ts';
import type { Locks } from '../../cache/key-lock.ts';
import { closure } from '../../compiler/graph.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { WORK } from '../../contract/work.ts';
import { workDeployments } from '../../contract/work-deployments.ts';
import { complaintIn } from '../../ecosystems/complaint.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { RunEvent } from '../../engine/events.ts';
import { Selection } from '../../engine/selection.ts';
import { withTracebacks } from '../../grading/logs/loading.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import { findParser } from '../../parsers/registry.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
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
import { type KeptRuns, keptRuns, type RunCounts } from './kept-runs.ts';
import type { CleanSource, MutateFailure, MutateOptions, OpenTests } from './mutate-package.ts';
import { emptyProject, MUTATED, type ProjectChoice } from './project.ts';
import {
  COLLECTED,
  type RunTests,
  runTests,
  type TestBed,
  TO_THE_END,
  WHOLE,
  withLongerLimit,
  withServices,
} from './test-run.ts';

/** Where the code of one run of `mutate` is tested. */
export interface MutationSession {
  /** For {@link MutateOptions}. */
  openTests: MutateOptions['openTests'];
  /** Endings of files that are mutated for rows with this repo, version and recipe. */
  endings: MutateOptions['endings'];
  /** Runs of the tests so far. */
  runs: RunCounts;
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
  const made = await emptyProject(choice, values, io);
  if (made === null) return null;
  const { rows, remove } = made;
  const session = await openSession(made.project, io, stop.abort);
  const runs = { executed: 0, cached: 0 };
  return {
    runs,
    sourcesFolder: session.cache.folder.sources,
    locks: session.cache.locks,
    endings: (row) => ecosystemNamed(recipeOf(row, session.project).ecosystem).sources ?? [],
    async openTests(row, source, failed) {
      writeFileSync(rows, `${JSON.stringify(row)}\n`);
      const say = (text: string) => void io.stderr.write(shown(`${text}\n`));
      const bed = await testBed(session, source, stop, { failed, say });
      for (const warning of session.deployments.warnings()) io.stderr.write(shown(`warning: ${warning}\n`));
      if (!bed.ok) return bed;
      const recipe = recipeOf(row, session.project);
      const { project, cache, run } = session;
      const kept = { cache, run, project: project.config.name, counts: runs, signal: stop.abort };
      const { unseen, fileOf } = ecosystemNamed(recipe.ecosystem).tests ?? {};
      const runTests = testRunner(recipe, row, bed.value, kept);
      return success({ recipe, run: runTests, load: loadRunner(recipe, bed.value), unseen, fileOf });
    },
    close: () => closeAll([async () => remove(), () => session.close()]),
  };
}

/** The tests of code with this recipe; runs that were made are kept. */
export function testRunner(
  recipe: Recipe,
  { test_patch = '' }: MutationRow,
  { parts, ...bed }: KeyedBed,
  kept: Omit<KeptRuns, 'parts' | 'testsOf'>,
): RunTests {
  const parser = findParser(recipe.parser)!;
  const { tests } = ecosystemNamed(recipe.ecosystem);
  const commandFor = tests?.command ?? testCommand;
  const complaint = tests?.complaint ?? complaintIn;
  const commandOf = (lists: TestLists | null) =>
    lists === null
      ? (tests?.all?.(recipe.test) ?? recipe.test)
      : commandFor(recipe.test, { ...lists, test_patch });
  const run = withServices(
    withLongerLimit((changed, lists, timeout) =>
      runTests(
        {
          ...{ recipe, parser, command: commandOf(lists), changed, timeout, complaint },
          options: lists === null ? WHOLE : TO_THE_END,
        },
        bed,
      ),
    ),
  );
  const { eval_commands, background, build, build_timeout, parser: parser_name } = recipe;
  const beside = {
    eval_commands,
    background,
    parser: parser_name,
    start: [...bed.start],
    ...(build && { build, build_timeout }),
  };
  const testsOf = (lists: TestLists | null) => asJson({ command: commandOf(lists), ...beside });
  return keptRuns(run, { ...kept, parts, testsOf });
}

/** Has pytest load the modules of tests once more, where the recipe's command hides why it cannot; null: it hides nothing. */
function loadRunner(recipe: Recipe, bed: TestBed): OpenTests['load'] {
  const command = ecosystemNamed(recipe.ecosystem).tests === null ? withTracebacks(recipe.test) : null;
  if (command === null) return null;
  const parser = findParser(recipe.parser)!;
  return async (timeout) => {
    const one = { recipe, parser, command, changed: null, timeout, options: COLLECTED };
    const ran = await runTests({ ...one, complaint: complaintIn }, bed);
    return ran.ok ? success(ran.value.output ?? '') : ran;
  };
}

/** With what of it decides how tests end. */
type KeyedBed = TestBed & { parts: Record<string, Part> };

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

/** Builds the environment of the row. */
async function testBed(
  session: Session,
  source: CleanSource,
  stop: Stop,
  { failed, say }: Pick<MutateOptions, 'failed' | 'say'>,
): Promise<Result<KeyedBed, MutateFailure>> {
  const { services, project } = session;
  const graph = closure(session.graph, new Set([ENVIRONMENTS]));
  const targets = [ENVIRONMENTS];
  const selection = new Selection(graph, targets, []);
  let faultLog: string | null = null;
  const show = (event: RunEvent) => {
    if (!('stage' in event) || event.stage !== ENVIRONMENTS) return;
    if (event.type === 'item-finished') faultLog = event.log ?? null;
    if (event.type === 'item-log') for (const step of finishedSteps(event.text)) say(`  ${step}`);
  };
  const quietly = { jobs: null, dryRun: false, drain: stop.drain, show };
  const { nodes } = await work(session, { ...quietly, selection, graph, targets });
  if (stop.drain.aborted) return fault(infra('cancelled', 'cancelled'));
  const { state, blocked } = nodes.get(ENVIRONMENTS)!;
  const [built] = blocked === null ? state.entries() : [];
  const rows = nodes.get(`dataset.${MUTATED}`);
  const unread = [...(rows?.state.entries() ?? [])].find(({ outcome }) => outcome.status !== 'ok')?.outcome;
  const failure = unread ?? rows?.blocked ?? blocked ?? built?.outcome ?? NO_TASK;
  if (failure.status !== 'ok') {
    const record = built === undefined ? null : state.record(built.name);
    const log = record === null ? faultLog : await readText(session.cache, record.notes.log);
    if (log !== null) failed(log);
    return fault(failure);
  }
  const { builtOn } = workDeployments(project.config, MUTATED).validate;
  const record = state.record(built!.name)!;
  const described = await readEnvironment(record, services);
  const environment = await environmentView(described, services, builtOn);
  if (!environment.ok) return fault(notMade(environment.fault));
  const deployment = await services.deployment(builtOn.deployment);
  if (!deployment.ok) return deployment;
  const { limits, network } = project.config.deployments[builtOn.deployment]!;
  const options = { limits, network: network.grade, storage: 'memory', signal: stop.abort } as const;
  const rules = await WORK.answer({ deployment: builtOn.deployment, kind: 'grade' }, services);
  if (!rules.ok) return fault(notMade(rules.fault));
  const parts = {
    environment: { digest: record.digest },
    source: { value: source.identity },
    work: { value: asJson(rules.value) },
  };
  return success({
    ...{ deployment: deployment.value, environment: environment.value, options, parts },
    ...{ start: described.start ?? [], source: source.layer, say },
  });
}

/** Headings of steps in a part of an environment's log; a first build of a language takes minutes. */
function finishedSteps(log: string): string[] {
  return [...log.matchAll(/^== (\S+ · exit code \d+ · .+)$/gm)].map(([, step]) => step!);
}

const NO_TASK: Outcome = {
  status: 'failed',
  reason: 'invalid-row',
  detail: 'the code cannot be read as a task',
};

function notMade(outcome: Outcome): MutateFailure {
  return outcome.status === 'ok' ? infra('internal', 'no environment was made') : outcome;
}

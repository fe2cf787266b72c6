/** One run of the tests of code that is mutated, in a workspace of its own. */
import { fault, type Result, success } from '../../basics/result.ts';
import type {
  Deployment,
  EnvironmentView,
  ExecResult,
  OpenOptions,
  Workspace,
} from '../../executors/deployment.ts';
import { type Hindered, hinderedBy, triedAgain } from '../../executors/hindrance.ts';
import { hinderedByLack, killOf, lackFault } from '../../executors/lack.ts';
import { evalScript } from '../../grading/logs/eval-script.ts';
import { MAX_TEST_OUTPUT, OUTPUT_CUT } from '../../grading/logs/long-output.ts';
import { longestWait, serviceFault, serviceLines } from '../../grading/rules/services.ts';
import { lostService } from '../../grading/run/lost-service.ts';
import { startWorkspace } from '../../grading/run/start.ts';
import type { LogParser } from '../../parsers/registry.ts';
import type { Status } from '../../parsers/status.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { Recipe } from '../../schemas/recipe.ts';

export interface TestRun {
  statuses: ReadonlyMap<string, Status>;
  timedOut: boolean;
  /** Of the command, where it is known. */
  exitCode?: number | null;
  /** What the tests printed. */
  output?: string;
  /** How long it took, also when it was made earlier. */
  seconds?: number;
  /** What the changed code did to its tests or to a service of them, so that they say nothing. */
  broke?: string;
}

/** A file of the source and what is in it in place of its own bytes. */
export interface ChangedFile {
  /** Relative to the source. */
  path: string;
  bytes: Uint8Array;
}

/**
 * Runs the tests of the clean source, or of the source with one file changed: those of `lists` as an instance's are
 * run, or all of them. `timeout` is in seconds.
 */
export type RunTests = (
  changed: ChangedFile | null,
  lists: TestLists | null,
  timeout: number,
) => Promise<Result<TestRun, Infra>>;

/** What every run of the tests begins with. */
export interface TestBed {
  deployment: Deployment;
  environment: EnvironmentView;
  options: OpenOptions & { signal: AbortSignal };
  /** Run when a workspace is opened. */
  start: readonly string[];
  /** The clean source. */
  source: string;
  /** Told why tests are run once more, which may take long. */
  say(text: string): void;
}

export interface OneRun {
  recipe: Recipe;
  parser: LogParser;
  command: string;
  changed: ChangedFile | null;
  timeout: number;
  /** Options for pytest, which others do not read. */
  options: string;
  /** The lines of a failed build that say what does not compile. */
  complaint(output: string): string;
}

/** Tests that were hindered, or that a signal ended, are run once more. What the machine may have ended is a fault. */
export async function runTests(one: OneRun, bed: TestBed): ReturnType<RunTests> {
  const log = (text: string) => bed.say(`  ${text.replace(/^== |\n$/g, '')}`);
  const again = { title: 'a run of the tests', log, limit: one.timeout };
  const ran = await triedAgain(
    (stretch) => runOnce({ ...one, timeout: one.timeout * stretch }, bed),
    (end) => (end.ok ? end.value.hindered : null),
    { ...again, trusted: true, alone: (_, work) => work() },
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
  { recipe, parser, command, changed, timeout, options: pytest, complaint }: OneRun,
  { start, options }: TestBed,
): Promise<RanOnce> {
  const { signal } = options;
  const refused = await startWorkspace(workspace, start, signal);
  if (refused !== null) return fault(asInfra(refused));
  if (changed !== null) {
    const written = await workspace.write(`/testbed/${changed.path}`, changed.bytes);
    if (!written.ok) return fault(infra('helper', `${changed.path}: ${written.fault.detail}`));
  }
  const { build = [], build_timeout, eval_commands } = recipe;
  if (build.length > 0) {
    const compile = [...eval_commands, 'set -e', ...build].join('\n');
    const built = await workspace.exec(compile, { timeout: build_timeout, signal });
    if (!built.ok) return lostWorkspace(built.fault);
    if (built.value.exitCode !== 0) return unbuilt(built.value, complaint, build_timeout);
    const ended = await workspace.endProcesses();
    if (!ended.ok) return lostWorkspace(ended.fault);
  }
  const evalCommands = [...serviceLines(recipe.background), ...eval_commands, withOptions(pytest)];
  const script = evalScript({ evalCommands, testCommand: command });
  const limit = timeout + longestWait(recipe.background);
  const ran = await workspace.exec(script, { timeout: limit, signal, maxOutput: MAX_TEST_OUTPUT });
  if (!ran.ok) return lostWorkspace(ran.fault);
  const notReady = serviceFault(ran.value);
  if (notReady !== null) return fault(notReady);
  const lost = ran.value.timedOut ? '' : await lostService(workspace, recipe.background, signal);
  if (lost !== '') return fault(infra('service-not-ready', `recipe key background: ${lost}`));
  const killed = killOf(ran.value);
  const byMachine = lackFault('the tests', killed);
  if (byMachine !== null) return fault(byMachine);
  const { output, timedOut } = ran.value;
  const hindered = hinderedBy(ran.value) ?? hinderedByLack(killed);
  // A test that is not seen may have passed.
  if (ran.value.truncated && !timedOut)
    return success({ statuses: new Map(), timedOut, output: OUTPUT_CUT, broke: OUTPUT_CUT, hindered });
  const { exitCode } = ran.value;
  const statuses = parser.parse(output);
  return success({ statuses, timedOut, exitCode, output: parser.text(output), hindered });
}

/** pytest runs all tests, also where its configuration ends a run at the first failure. */
export const TO_THE_END = '--maxfail=0';
/** It runs those of the modules that it can load, too. Tests of an instance are run without: a module of theirs that does not load ends the run, as in grading. */
export const WHOLE = `${TO_THE_END} --continue-on-collection-errors`;
/** It runs no test, and says why it cannot load some. */
export const COLLECTED = `${WHOLE} --collect-only -q`;

/** The commands before it may have said `set -u`. */
function withOptions(options: string): string {
  return `export PYTEST_ADDOPTS="\${PYTEST_ADDOPTS-} ${options}"`;
}

/** Code that ends its own workspace, twice, passed no test. */
function lostWorkspace(lost: Outcome): RanOnce {
  return isFault(lost) ? fault(lost) : success({ statuses: new Map(), timedOut: false, hindered: ENDED });
}

/** The result of a build that failed or ran into its limit. */
function unbuilt(ran: ExecResult, complaint: OneRun['complaint'], limit: number): RanOnce {
  const killed = killOf(ran);
  const byMachine = lackFault('the build', killed);
  if (byMachine !== null) return fault(byMachine);
  const { output, timedOut } = ran;
  const why = timedOut ? `the build ran into its limit of ${limit} s` : complaint(output);
  const broke = `it does not compile: ${why}`;
  const hindered = hinderedBy(ran) ?? hinderedByLack(killed);
  return success({ statuses: new Map(), timedOut: false, output, broke, hindered });
}

const ENDED: Hindered = { by: 'loss', words: 'was ended by a signal', timedOut: false };

/**
 * Tests that lost a service, or had none, or that the machine may have ended, say nothing of the code. They are run once more. If it
 * happens again with a file changed, and not with the clean source, the change is the cause; else it is a fault.
 */
export function withServices(run: RunTests): RunTests {
  return async (changed, lists, timeout) => {
    const first = await run(changed, lists, timeout);
    if (!isOfCode(first)) return first;
    const again = await run(changed, lists, timeout);
    if (!isOfCode(again) || changed === null) return again;
    const clean = await run(null, lists, timeout);
    if (!clean.ok) return clean;
    return success({ statuses: new Map(), timedOut: false, broke: again.fault.detail });
  };
}

/** Whether the tests ran into their time limit on a busy or paused machine. Such a run says nothing about the code. */
export function isHindered({ reason }: Infra): boolean {
  return reason === 'busy' || reason === 'paused';
}

/** The second run's limit, as a multiple of the first one's. */
const LONGER = 4;

/** Tests that run into their limit on a busy machine are run once more with a longer limit. */
export function withLongerLimit(run: RunTests): RunTests {
  return async (changed, lists, timeout) => {
    const first = await run(changed, lists, timeout);
    return first.ok || !isHindered(first.fault) ? first : run(changed, lists, timeout * LONGER);
  };
}

/** Whether it is a fault that the code may have caused. */
function isOfCode(ran: Result<TestRun, Infra>): ran is { ok: false; fault: Infra } {
  return !ran.ok && ['service-not-ready', 'killed', 'uncounted'].includes(ran.fault.reason);
}

function asInfra(outcome: Outcome): Infra {
  if (isFault(outcome)) return outcome;
  return infra('service-not-ready', 'detail' in outcome ? outcome.detail : outcome.status);
}

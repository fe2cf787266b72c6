/**
 * One step of a build, run in a workspace of its own. Its end is either an answer about the recipe or a fault of the
 * machine.
 */
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { INDEX_FAULT } from '../../contract/build-index.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Work } from '../../contract/work.ts';
import { MANIFEST_DIFF } from '../../ecosystems/after-patch.ts';
import type { EnvironmentView, ExecResult, NetworkSeen, Workspace } from '../../executors/deployment.ts';
import { fileFault } from '../../executors/helper-fault.ts';
import { type Hindered, hinderedBy, isLoadUnknown, LOAD_UNKNOWN } from '../../executors/hindrance.ts';
import { hinderedByLack, type Lack, lackFault, lackOf } from '../../executors/lack.ts';
import { ABSENT, type Absence, absenceOf } from '../../schemas/absence.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import type { BuiltBase } from '../../tasks/base/built.ts';
import { notFoundIn } from '../../tasks/index/not-found.ts';
import { absentPackages, releaseAnswer } from '../../tasks/index/release-answer.ts';
import { constraints } from '../../tasks/pins.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';
import type { HistorySeen } from '../../tasks/source/history-seen.ts';
import { sourceDepsOf } from '../../tasks/source/instance-source.ts';
import type { BuildTree } from './build-tree.ts';
import { lacksSubmodule, recipeHint, submoduleNote } from './hints.ts';
import { isOwnLimit, networkFault, networkStall, refusal, unproxied } from './outside.ts';
import { type BuildStep, isOurs, tellingLine } from './steps.ts';

/** Path inside, for builds whose packages must be those of a lock file. */
export const CONSTRAINTS = '/tmp/swemake-constraints.txt';

/** The histories that its steps see: of the code that is installed, and of the code whose requirements are read. */
export interface Histories {
  source?: HistorySeen;
  requirements?: HistorySeen;
}

/** What is built, and where. */
export interface Build {
  work: Work;
  recipe: BuildRecipe;
  source: PinnedSource;
  requirements: PinnedSource | null;
  histories: Histories;
  /** What its instances' own patches change of the manifests; null: nothing. */
  afterPatch: string | null;
  /** Packages that the environment must hold by the lock file; null without one. */
  packages: readonly string[] | null;
  view: EnvironmentView;
  python: PreparedPython;
  interpreter: string;
  /** Layers of toolchains by `NAME VERSION`; none for Python. */
  toolchains: Record<string, Digest>;
  /** The root file system that it is built on. Absent: the machine's own system. */
  base?: BuiltBase;
  /** Digest of all that decides a step, apart from its tree and its command. */
  basis: Digest;
  /** The same for steps in which the recipe has no part, so that builds of all recipes share them. */
  bare: Pick<Build, 'view' | 'basis' | 'packages'>;
  /** The day of the package index; null for today's. */
  asOf: string | null;
  /** Called with the step that failed, and the tree that it began with. */
  stopped?(step: BuildStep, tree: BuildTree): void;
}

/** What steps are run with. */
export interface StepJob
  extends Pick<Build, 'work' | 'view' | 'packages' | 'asOf'>,
    Partial<Pick<Build, 'afterPatch'>> {
  recipe: Pick<BuildRecipe, 'timeout' | 'submodules'>;
  python: Pick<PreparedPython, 'mend' | 'dialect'>;
}

/** A workspace that shows the tree. */
export async function openBuild(
  tree: BuildTree,
  { work, view, packages, afterPatch = null }: StepJob,
  tools: Tools,
): Attempt<Workspace> {
  const deployment = await inside(tools.machine, 'deployment').deployment(work.deployment);
  if (!deployment.ok) return deployment;
  const { limits, network } = work;
  const shown = {
    ...view,
    layers: [...view.layers, ...tree.layers],
    mounts: [...view.mounts, ...tree.mounts],
  };
  const opened = await deployment.value.open(shown, null, {
    limits,
    network,
    storage: 'disk',
    signal: tools.signal,
  });
  if (!opened.ok) return opened;
  return withFiles(opened.value, {
    ...(packages === null ? {} : { [CONSTRAINTS]: constraints(packages) }),
    ...(afterPatch === null ? {} : { [MANIFEST_DIFF]: afterPatch }),
  });
}

/** The workspace with files, text by path. One that does not take them is closed: steps would do less without them. */
export async function withFiles(
  workspace: Workspace,
  files: Readonly<Record<string, string>>,
): Attempt<Workspace> {
  for (const [path, text] of Object.entries(files)) {
    const written = await workspace.write(path, text);
    if (written.ok) continue;
    await workspace.close();
    return fault(fileFault(`writing ${path}`, written.fault));
  }
  return success(workspace);
}

/** How a step failed. */
export interface StepFailure {
  outcome: Outcome;
  /** What may have kept it from another end; null for nothing. */
  hindered: Hindered | null;
}

/** Runs the step; null when it succeeded. */
export async function runStep(
  workspace: Workspace,
  step: BuildStep,
  limit: number,
  job: StepJob,
  tools: Tools,
): Promise<StepFailure | null> {
  const since = performance.now();
  const ran = await workspace.exec(step.command, { timeout: limit, signal: tools.signal });
  if (!ran.ok) return { outcome: ran.fault, hindered: null };
  tools.log(stepLog(step, ran.value));
  if (!ran.value.timedOut && ran.value.exitCode === 0) {
    // A step that goes on without what it could not fetch makes less than it would have made.
    const { dialect } = job.python;
    const lost = dialect === undefined ? null : lostIndex(dialect, since, tools);
    return lost === null
      ? null
      : { outcome: infra('package-index', `${step.name}: ${lost}`), hindered: null };
  }
  const seen = workspace.network(since);
  const lack = lackOf(ran.value, job.work.limits.memory);
  const failed = { step, ran: ran.value, seen, since, lack };
  const absent = ran.value.timedOut ? success([]) : await absences(ran.value.output, since, job, tools);
  const outside = (await outsideFault(failed, job, tools)) ?? (absent.ok ? null : absent.fault);
  const { output } = ran.value;
  const refused = outside === null ? refusal(step.command, output, seen) || unproxied(output, seen) : '';
  if (refused !== '') tools.log(`== note: ${refused}\n`);
  if (isLoadUnknown(ran.value)) tools.log(`== note: ${LOAD_UNKNOWN}\n`);
  const missed = step.phase === 'installation' ? await missedSubmodules(workspace, ran.value, job) : '';
  tools.log(missed);
  const outcome =
    outside ??
    failure(step, ran.value, job.recipe.timeout, {
      refused,
      missed,
      absent: absent.ok ? absent.value : [],
    });
  return { outcome, hindered: hinderedBy(ran.value) ?? hinderedByLack(lack) };
}

/** A line for the log, or nothing. */
async function missedSubmodules(
  workspace: Workspace,
  { output }: ExecResult,
  { recipe }: StepJob,
): Promise<string> {
  const read = await workspace.read('/testbed/.gitmodules');
  if (!read.ok || read.value === null) return '';
  return submoduleNote(output, Buffer.from(read.value).toString(), recipe.submodules ?? []);
}

/** What the step did not find on the package index and in its registry; a fault where one does not answer. */
async function absences(
  output: string,
  since: number,
  { work, asOf, python: { dialect } }: StepJob,
  tools: Tools,
): Promise<Result<Absence[], Infra>> {
  const index = inside(tools.machine, 'packageIndex').packageIndex;
  if (index === undefined || work.network === 'off') return success([]);
  const packages = dialect === undefined ? success([]) : await absentPackages(index, dialect, asOf, since);
  if (!packages.ok) return packages;
  const found: Absence[] = [...packages.value];
  const asked = new Set(index.asked(asOf, since));
  for (const { project, version } of notFoundIn(output, (name) => asked.has(name))) {
    const answer = await releaseAnswer(index, project, version, asOf);
    if (!answer.ok) return answer;
    // A version that is there fits for some other reason, which further files may change.
    const isExact = version !== null && answer.value === ABSENT;
    const files = isExact ? answer : await releaseAnswer(index, project, null, asOf);
    if (!files.ok) return files;
    found.push(absenceOf({ kind: 'release', project, version: isExact ? version : null, asOf }, files.value));
  }
  return success(found);
}

interface Reasons {
  refused: string;
  absent: readonly Absence[];
  /** A note about missed submodules, or nothing. */
  missed: string;
}

function failure(
  step: BuildStep,
  ran: ExecResult,
  timeout: number,
  { refused, absent, missed }: Reasons,
): Outcome {
  if (ran.timedOut) {
    const detail = `${step.name} ran into the recipe’s limit of ${timeout} s`;
    return { status: 'timeout', reason: 'time-limit', detail };
  }
  const isKeyBetter = refused === '' || lacksSubmodule(ran.output);
  const key = isKeyBetter ? recipeHint(`${missed}${ran.output}`) : `; ${refused}`;
  const detail = `${step.name}: ${tellingLine(ran.output)}${key}`;
  return { status: 'failed', reason: 'install-failed', detail, ...(absent.length === 0 ? {} : { absent }) };
}

interface FailedStep {
  step: BuildStep;
  ran: ExecResult;
  seen: NetworkSeen | null;
  /** When it began, as performance.now() says it. */
  since: number;
  lack: Lack | null;
}

/** Why a step failed, if the reason lies outside of the recipe; null if the failure is the recipe's answer. */
async function outsideFault(
  failed: FailedStep,
  { work, python }: StepJob,
  tools: Tools,
): Promise<Infra | null> {
  const { step, ran, lack } = failed;
  const lacked = lackFault(step.name, lack);
  if (lacked !== null) return lacked;
  if (isOurs(step) && !isOwnLimit(ran, work.limits.memory)) {
    const damage = await python.mend();
    const how = ran.timedOut ? 'it took too long' : tellingLine(ran.output);
    return infra('helper', `${step.name}: ${damage ?? how}`);
  }
  return lostNetwork(failed, work, tools);
}

/**
 * The fault when packages cannot be reached: a connection was lost while the step ran, or the index does not answer
 * now. A package manager without an answer may just say that there is no such package.
 */
async function lostNetwork(
  { step, ran, seen, since }: FailedStep,
  { network }: Work,
  tools: Tools,
): Promise<Infra | null> {
  if (network === 'off') return null;
  const shown = ran.timedOut ? networkStall(ran.output, seen) : networkFault(ran.output, seen);
  if (shown !== null) {
    const isIndex = seen?.lost?.startsWith(INDEX_FAULT) === true;
    return infra(isIndex ? 'package-index' : 'network', `${step.name}: ${shown}`);
  }
  // Without a proxy nothing but the index itself knows what it could not answer.
  const lost = seen === null && !ran.timedOut ? lostIndex(null, since, tools) : null;
  if (lost !== null) return infra('package-index', `${step.name}: ${lost}`);
  const asked = await sourceDepsOf(inside(tools.machine, ...HOST_SERVICES)).index.files('pip', tools.signal);
  if (asked.ok || !isFault(asked.fault)) return null;
  const detail = `${step.name} did not succeed while the index was out of reach: ${asked.fault.detail}`;
  return infra('package-index', detail);
}

function lostIndex(dialect: string | null, since: number, { machine }: Tools): string | null {
  return inside(machine, 'packageIndex').packageIndex?.lost(dialect, since) ?? null;
}

function stepLog(step: BuildStep, ran: ExecResult): string {
  const end = ran.timedOut ? 'time limit' : `exit code ${ran.exitCode ?? ran.exitSignal}`;
  return `== ${step.name} · ${end} · ${(ran.durationMs / 1000).toFixed(1)} s\n$ ${step.command}\n${ran.output}\n`;
}

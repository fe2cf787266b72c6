/** Installs a program below `/opt/agent`, keeps what is there as a layer, and tries whether it starts. */
import { resolve } from 'node:path';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import type { Layer } from '../../cache/layers.ts';
import { HOST_SERVICES, type HostServices, inside } from '../../contract/machine.ts';
import type { AgentPins } from '../../contract/pins.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { mountsOf, type Work } from '../../contract/work.ts';
import type { EnvironmentView, Workspace } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';
import type { Absence } from '../../schemas/absence.ts';
import { type Attempt, type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import { type Installation, platformProblem } from '../../tasks/agent/installation.ts';
import { type AgentPython, agentPython } from '../../tasks/agent/python.ts';
import { sourceDigest } from '../../tasks/agent/source.ts';
import { agentView, type BuiltAgent, withAgent } from '../../tasks/agent/view.ts';
import type { Base } from '../../tasks/base/base.ts';
import { openRoot } from '../../tasks/base/root.ts';
import { ENVIRONMENT_VARIABLES } from '../../tasks/environment/view.ts';
import { npmMount } from '../../tasks/npm/tool.ts';
import { buildSettings } from '../../tasks/python/settings.ts';
import { openBuild, runStep, type StepFailure, type StepJob, withFiles } from '../environments/build-step.ts';
import { type BuildTree, EMPTY_TREE } from '../environments/build-tree.ts';
import { withFolders } from '../environments/environment-layer.ts';
import { networkFault } from '../environments/outside.ts';
import { stepOver } from '../environments/step-layers.ts';
import { type BuildStep, tellingLine } from '../environments/steps.ts';
import { GIVEN, lockedFiles, NPM_VARIABLES, npmCommand, pipCommand, SOURCE_COMMAND } from './commands.ts';
import { dryCall } from './dry-call.ts';
import { npmAbsence, npmComplaint, npmLost, npmOther } from './npm-output.ts';
import { agentDrift, LIST, LOCK_AGAIN, withSource } from './packages.ts';

/** Seconds for one step. The slowest ones wait for an index. */
const STEP_TIMEOUT = 3600;
/** Seconds until a program has shown that it starts; its files may be read from the disk for the first time. */
const CHECK_TIMEOUT = 300;

interface AgentRequest {
  work: Work;
  installation: Installation;
  /** Where its source is, and what was there when it was planned; null: it needs none. */
  source: { path: string; digest: string } | null;
  /** What installs it, as its key has it. */
  by: Json;
  base: Base | null;
  /** What it must hold; null: whatever comes. */
  locked: AgentPins | null;
}

/** All that the steps share. */
interface AgentBuild extends AgentRequest {
  view: EnvironmentView;
  python: AgentPython | null;
  redact(text: string): string;
}

export async function install(request: AgentRequest, tools: Tools): Promise<ActionResult> {
  const prepared = await prepare(request, tools);
  if (!prepared.ok) return { outcome: prepared.fault, outputs: {} };
  const build = prepared.value;
  const log = (text: string) => tools.log(build.redact(text));
  const logged = { ...tools, log };
  const made = await runSteps(build, logged);
  if (!made.ok) return { outcome: made.fault, outputs: {} };
  return keep(made.value, build, logged);
}

async function prepare(request: AgentRequest, tools: Tools): Attempt<AgentBuild> {
  const { work, installation, base, source } = request;
  const foreign = platformProblem(installation.install);
  if (foreign !== null)
    return fault(
      infra('deployment', `${foreign}; to try it, write it as agent.program with install.platforms`),
    );
  const services = inside(tools.machine, ...HOST_SERVICES);
  const index = services.packageIndex;
  const { npm: ofNpm, pip } = installation.install;
  const isFetched = ofNpm !== undefined || pip !== undefined;
  if (index === undefined || (isFetched && work.network === 'off')) return fault(withoutNetwork(work));
  const python = pip === undefined ? success(null) : await pythonFor(request, services);
  if (!python.ok) return python;
  const npm = ofNpm === undefined ? success(null) : await npmMount(services);
  if (!npm.ok) return npm;
  const { asOf } = installation;
  const registry = npm.value === null ? null : await index.registry('npm', work.network, asOf);
  const urls = await index.urls(work.network, asOf);
  const host = buildSettings(
    services.env,
    work.network,
    registry === null ? urls : [...urls, registry.origin],
  );
  const root = base === null ? success(null) : await openRoot(base, services, pullOf(work, services));
  if (!root.ok) return root;
  const prepared = python.value?.prepared;
  const layers = root.value?.layers.map(({ folder }) => folder);
  const view: EnvironmentView = {
    ...(layers === undefined ? {} : { base: { layers, testbed: false, place: null } }),
    layers: [],
    mounts: [
      ...(prepared?.mounts ?? []),
      ...(npm.value === null ? [] : [npm.value]),
      ...(source === null ? [] : [{ from: resolve(services.projectFolder, source.path), to: GIVEN }]),
      ...host.mounts,
      ...mountsOf(work, tools.machine),
    ],
    links: prepared?.links ?? {},
    variables: {
      ...ENVIRONMENT_VARIABLES,
      ...host.variables,
      ...prepared?.variables,
      ...NPM_VARIABLES,
      ...registry?.variables,
    },
  };
  return success({ ...request, view, python: python.value, redact: host.redact });
}

function withoutNetwork({ deployment }: Work): Infra {
  return infra(
    'deployment',
    `deployment ${deployment} builds without a network, and the agent is installed from a package index; write network.build: proxy`,
  );
}

function pullOf({ deployment }: Work, { config }: HostServices) {
  return config.deployments[deployment]!.pull;
}

/** On another root the machine's own /usr is not there, so the interpreter must be one that can be shown. */
async function pythonFor(
  { installation, base }: AgentRequest,
  services: HostServices,
): Promise<Result<AgentPython, Infra>> {
  const wanted = installation.install.python ?? null;
  const found = await agentPython(wanted, services);
  if (!found.ok || base === null || found.value.interpreter.mounts.length > 0) return found;
  const { executable, version } = found.value.interpreter;
  const minor = wanted ?? version.split('.').slice(0, 2).join('.');
  return fault(
    infra(
      'python-missing',
      `${executable} belongs to this system and cannot be shown on ${base.name}; this provides one that can: uv python install ${minor}`,
    ),
  );
}

async function runSteps(build: AgentBuild, tools: Tools): Attempt<BuildTree> {
  const { installation, source, python, work, base, by, view, locked } = build;
  const { deployment: _, ...rules } = work;
  const decides = [
    ...[rules, by, base?.digest ?? null, installation.asOf, process.arch, NPM_VARIABLES],
    ...(locked === null ? [] : [locked]),
    ...(source === null ? [] : [source.digest]),
  ];
  const basis = digestOf(canonicalJson(decides));
  const steps: BuildStep[] = [
    ...(source === null ? [] : [step('source', SOURCE_COMMAND)]),
    ...(installation.install.npm === undefined
      ? []
      : [step('npm', npmCommand(installation, process.arch, locked?.npm_lock !== undefined))]),
    ...(python === null ? [] : [step('pip', pipCommand(installation, python.prepared, locked !== null))]),
  ];
  let tree = EMPTY_TREE;
  for (const step of steps) {
    const job: StepJob = {
      work,
      view,
      packages: null,
      python: python?.prepared ?? NO_PYTHON,
      recipe: { timeout: STEP_TIMEOUT },
      asOf: installation.asOf,
    };
    const open = async (shown: BuildTree) => {
      const opened = await openBuild(shown, job, tools);
      return opened.ok && locked !== null ? withFiles(opened.value, lockedFiles(locked)) : opened;
    };
    const run = async (workspace: Workspace) => {
      const isLocked = locked !== null;
      const failed =
        step.name === 'npm'
          ? await runNpm(workspace, step, { ...job, locked }, tools)
          : await runPip(workspace, step, job, tools);
      if (failed?.outcome.status !== 'failed' || !isLocked) return failed;
      return { ...failed, outcome: noLonger(lacking(failed.outcome.absent) ?? failed.outcome.detail) };
    };
    const end = await stepOver(tree, step, STEP_TIMEOUT, { basis, open, run }, tools);
    if (!end.ok) return end;
    tree = end.value.tree;
  }
  return success(tree);
}

function step(name: 'source' | 'npm' | 'pip', command: string): BuildStep {
  return { name, phase: 'dependencies', command };
}

/** What was installed once can be installed again, unless the index has changed. */
function noLonger(why: string): Infra {
  const what = 'it was installed when it was locked, and now it cannot be';
  return infra('lock-drift', `${what}: ${why}; ${LOCK_AGAIN}`);
}

/** Releases that the index of Python does not have, as a text; null: it has all. */
function lacking(absent: readonly Absence[] = []): string | null {
  const releases = absent.flatMap(({ sought }) =>
    sought.kind === 'release' ? [[sought.project, sought.version].filter(Boolean).join('==')] : [],
  );
  return releases.length === 0 ? null : `the package index lacks ${releases.join(', ')}`;
}

/** For steps that have nothing to do with Python. */
const NO_PYTHON = { mend: async () => null };

async function runPip(
  workspace: Workspace,
  step: BuildStep,
  job: StepJob,
  tools: Tools,
): Promise<StepFailure | null> {
  const failed = await runStep(workspace, step, STEP_TIMEOUT, job, tools);
  return failed === null ? null : { ...failed, outcome: asAgentFailure(failed.outcome) };
}

async function runNpm(
  workspace: Workspace,
  step: BuildStep,
  { locked, ...job }: StepJob & Pick<AgentBuild, 'locked'>,
  tools: Tools,
): Promise<StepFailure | null> {
  const since = performance.now();
  let printed = '';
  const log = (text: string) => {
    printed += text;
    tools.log(text);
  };
  // Whether Python's index answers says nothing of npm.
  const alone = { ...job, work: { ...job.work, network: 'off' as const } };
  const failed = await runStep(workspace, step, STEP_TIMEOUT, alone, { ...tools, log });
  const { packageIndex: index } = inside(tools.machine, 'packageIndex');
  for (const { project, text } of index?.notes(job.asOf, since) ?? [])
    tools.log(`== note: ${project}: ${text}\n`);
  if (failed === null || isFault(failed.outcome)) return failed;
  const unreached = networkFault(printed, workspace.network(since));
  const [missing] = index?.missing(job.asOf, since) ?? [];
  const other = unreached === null && locked !== null ? npmOther(printed, locked.packages) : null;
  if (other !== null) return { ...failed, outcome: noLonger(other) };
  const lost = unreached ?? npmLost(printed);
  if (lost !== null) return { ...failed, outcome: infra('network', `npm: ${lost}`) };
  const absent = npmAbsence(printed) === null ? null : (missing?.why ?? npmAbsence(printed));
  if (absent !== null) return { ...failed, outcome: infra('package-index', `npm: ${absent}`) };
  return { ...failed, outcome: asAgentFailure(failed.outcome, `npm: ${npmComplaint(printed)}`) };
}

/** In one file, or in all. */
const OVER_DISK = /over the disk limit|File size limit exceeded|\bEFBIG\b/;

/** An installation has no recipe whose limit it could meet. */
function asAgentFailure(outcome: Outcome, detail?: string): Outcome {
  if (outcome.status === 'timeout')
    return infra('package-index', `installing it took longer than ${STEP_TIMEOUT} s`);
  if (outcome.status !== 'failed') return outcome;
  const why = detail ?? outcome.detail;
  const remedy = OVER_DISK.test(why) ? '; write more in limits.disk of its deployment' : '';
  return { ...outcome, reason: 'agent-failed', detail: `${why}${remedy}` };
}

/** Keeps what lies below `/opt/agent`, once the program has shown that it starts. */
async function keep(tree: BuildTree, build: AgentBuild, tools: Tools): Promise<ActionResult> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const own = tree.entries.filter(({ path }) => path.startsWith('opt/agent/'));
  const layer = await services.cache.layers.compose(withFolders(own));
  if (layer === null) throw new LostOutput('a file of an agent');
  const { installation, python } = build;
  const built: BuiltAgent = {
    layer: layer.digest,
    python:
      python === null
        ? null
        : { version: installation.install.python ?? null, interpreter: python.interpreter.identity },
  };
  const tried = await tryOut(built, build, tools);
  const changed = await sourceChange(build.source, services);
  if (changed !== null) return { outcome: changed, outputs: {} };
  const packages = build.source === null ? tried.packages : withSource(tried.packages, build.source.digest);
  const drift = agentDrift(build.locked, packages);
  if (drift !== null) return { outcome: drift, outputs: {} };
  const notes = await notesOf(layer, packages, tools);
  if (tried.outcome.status !== 'ok') return { outcome: tried.outcome, outputs: {}, notes };
  return {
    outcome: tried.outcome,
    outputs: {
      agent: tools.store(canonicalJson(built)),
      layer: { kind: 'layer', digest: layer.digest },
    },
    notes,
  };
}

/** A fault where the source is not what it was when it was planned; null: it is. */
async function sourceChange(source: AgentRequest['source'], services: HostServices): Promise<Infra | null> {
  if (source === null) return null;
  const now = await sourceDigest(source.path, services);
  if (now.ok && now.value === source.digest) return null;
  return infra(
    'deployment',
    `the agent’s source at ${source.path} changed while it was installed; build again`,
  );
}

async function notesOf(
  { files, bytes }: Layer,
  packages: string,
  tools: Tools,
): Promise<NonNullable<ActionResult['notes']>> {
  return { packages: tools.store(packages), size: tools.store(canonicalJson({ files, bytes })) };
}

interface TriedOut {
  outcome: Outcome;
  /** Lock file of npm's packages and list of Python's. */
  packages: string;
}

/** In a workspace like those that agents work in, without a network. */
async function tryOut(
  built: BuiltAgent,
  { work, view, installation }: AgentBuild,
  tools: Tools,
): Promise<TriedOut> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const [shown, deployment] = [await agentView(built, services), await services.deployment(work.deployment)];
  if (!shown.ok) return { outcome: shown.fault, packages: '' };
  if (!deployment.ok) return { outcome: deployment.fault, packages: '' };
  const bare: EnvironmentView = {
    ...(view.base === undefined ? {} : { base: view.base }),
    layers: [],
    mounts: mountsOf(work, tools.machine),
    links: {},
    variables: { ...ENVIRONMENT_VARIABLES, HOME: '/tmp' },
  };
  const { signal } = tools;
  const { value: place } = deployment;
  const openAt = (reach: readonly string[]) =>
    place.open(withAgent(bare, shown.value), null, {
      limits: work.limits,
      network: 'off',
      storage: 'disk',
      reach,
      signal,
    });
  const tryCall = async (): Promise<Outcome> => {
    const { tried } = installation;
    if (tried === undefined) return { status: 'ok' };
    const called = await dryCall(tried.program, tried.version, (socket) => openAt([socket]), tools);
    return called.ok ? { status: 'ok' } : called.fault;
  };
  const opened = await openAt([]);
  if (!opened.ok) return { outcome: opened.fault, packages: '' };
  try {
    const listed = await opened.value.exec(LIST, { cwd: '/', timeout: CHECK_TIMEOUT, signal });
    if (!listed.ok) return { outcome: listed.fault, packages: '' };
    const packages = listed.value.stdout;
    const { check } = installation.install;
    if (check === undefined) return { outcome: await tryCall(), packages };
    const ran = await opened.value.exec(check, { cwd: '/', timeout: CHECK_TIMEOUT, signal });
    if (!ran.ok) return { outcome: ran.fault, packages };
    tools.log(
      `== check · exit code ${ran.value.exitCode ?? ran.value.exitSignal}\n$ ${check}\n${ran.value.output}\n`,
    );
    const hindered = helperFault('starting it', ran.value);
    if (hindered !== null && isFault(hindered) && hindered.reason !== 'tool-missing')
      return { outcome: hindered, packages };
    if (ran.value.exitCode === 0) return { outcome: await tryCall(), packages };
    const detail = `it does not start: ${tellingLine(ran.value.output)}`;
    return { outcome: { status: 'failed', reason: 'agent-failed', detail }, packages };
  } finally {
    await opened.value.close();
  }
}

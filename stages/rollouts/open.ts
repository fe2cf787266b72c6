/**
 * Opening the workspace of a rollout: few at a time, and on the first state of its instance.
 */

import type { Beginning } from '../../agent/rollout.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { Semaphore } from '../../basics/semaphore.ts';
import type { AgentServices } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { ItemResult } from '../../contract/reader.ts';
import type { Work } from '../../contract/work.ts';
import type { EnvironmentView, Workspace, WorkspaceKilled } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';
import { startWorkspace } from '../../grading/run/start.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { agentView, readAgent, withAgent } from '../../tasks/agent/view.ts';
import { type BuiltEnvironment, environmentView, readEnvironment } from '../../tasks/environment/view.ts';
import { firstState } from '../../tasks/first-state/first-state.ts';
import { openOnState } from '../../tasks/first-state/open.ts';
import { noteBreakage } from '../environments/breakage.ts';

/** Workspaces that are being opened at the same time if the project does not say it. */
const START_UPS = 8;

export interface OpenedWorkspace extends Beginning {
  workspace: Workspace;
  /** Milliseconds from having a place to being ready. */
  openMs: number;
  /** Milliseconds of waiting for a place. */
  queuedMs: number;
}

/** What a workspace is opened for. */
export interface AgentWorkspaceRequest {
  instance: Instance;
  environment: ItemResult;
  /** The program that works in it; absent: none was installed. */
  program?: Output;
  work: Work;
  /** The instance was validated, so its source could be fetched then. */
  isValidated: boolean;
}

export interface AgentOpenOptions {
  /** Unix sockets of the host that programs inside reach. */
  reach: readonly string[];
}

type OnState = Pick<OpenedWorkspace, 'workspace' | 'base'>;

/** Opens a workspace for an agent. */
export async function openForAgent(
  place: AgentWorkspaceRequest & AgentOpenOptions,
  services: AgentServices,
): Attempt<OpenedWorkspace> {
  const askedAt = performance.now();
  return startUps(services).run(async () => {
    const startedAt = performance.now();
    const opened = await open(place, services);
    if (!opened.ok) return opened;
    const openMs = performance.now() - startedAt;
    return success({ ...opened.value, openMs, queuedMs: startedAt - askedAt });
  });
}

async function open(
  { instance, environment, program, work, isValidated, reach }: AgentWorkspaceRequest & AgentOpenOptions,
  services: AgentServices,
): Attempt<Pick<OpenedWorkspace, 'workspace' | 'base' | 'anew'>> {
  const { signal } = services;
  const deployment = await services.deployment(work.deployment);
  if (!deployment.ok) return deployment;
  const built = await readEnvironment(environment, services);
  const bare = await environmentView(built, services, work);
  if (!bare.ok) return bare;
  const view = program === undefined ? bare : await viewWithAgent(bare.value, program, services);
  if (!view.ok) return view;
  const { limits, network } = work;
  const place = {
    ...{ instance, environment: view.value, ecosystem: built.ecosystem?.ecosystem },
    ...{ deployment: deployment.value, limits, isValidated },
  };
  const options = { limits, network, storage: 'memory', signal, reach } as const;
  const openHere = async (): Attempt<OnState> => {
    const state = await firstState(place, services);
    if (!state.ok) return state;
    const opened = await openOnState(state.value, view.value, deployment.value, options);
    return opened.ok ? success({ workspace: opened.value, base: state.value.commit }) : opened;
  };
  const first = await openHere();
  if (!first.ok) return first;
  const { workspace, base } = first.value;
  const broken =
    (await brokenPython(workspace, built, services)) ??
    (await startWorkspace(workspace, built.start ?? [], signal));
  const anew = async () => {
    const again = await openHere();
    return again.ok ? success(again.value.workspace) : again;
  };
  if (broken === null) return success({ workspace, base, anew });
  await workspace.close();
  return fault(broken);
}

async function viewWithAgent(
  view: EnvironmentView,
  program: Output,
  services: AgentServices,
): Promise<Result<EnvironmentView, Infra>> {
  const agent = await agentView(await readAgent(program, services), services);
  return agent.ok ? success(withAgent(view, agent.value)) : agent;
}

/** Seconds; an interpreter on a slow disk is read for the first time. */
const START = 600;
const PROBE =
  'if [ -e /opt/env/bin/python ] || [ -L /opt/env/bin/python ]; then /opt/env/bin/python -c pass; fi';

/** Environments by name, with whether their Python starts: as the last question found, or will find. */
const sound = perRun((_: AgentServices) => new Map<string, Promise<boolean>>());

/** The fault when the environment's Python does not start. One that started once in this run is not asked again. */
async function brokenPython(
  workspace: Workspace,
  built: BuiltEnvironment,
  services: AgentServices,
): Promise<Infra | null> {
  const name = `${built.layer} ${built.base?.digest ?? ''}`;
  if (await sound(services).get(name)) return null;
  const asking = startPython(workspace, built, services);
  const found = asking.then(
    (broken) => broken === null,
    () => false,
  );
  sound(services).set(name, found);
  return asking;
}

async function startPython(
  workspace: Workspace,
  { layer }: BuiltEnvironment,
  services: AgentServices,
): Promise<Infra | null> {
  const ran = await workspace.exec(PROBE, { cwd: '/', timeout: START, signal: services.signal });
  if (!ran.ok) return asInfra(ran.fault);
  const broken = helperFault('starting its Python', ran.value);
  if (ran.value.exitCode === 0) return null;
  // A program that is missing is the environment's own, too.
  if (broken !== null && broken.reason !== 'tool-missing') return asInfra(broken);
  await noteBreakage(layer, services);
  const last = ran.value.output.trim().split('\n').at(-1) ?? '';
  return infra('environment-broken', `its Python does not start: ${last}`);
}

function asInfra(outcome: Infra | WorkspaceKilled): Infra {
  return isFault(outcome) ? outcome : infra('workspace-lost', outcome.detail);
}

const startUps = perRun(
  ({ config }: AgentServices) => new Semaphore(config.resources.sandbox_start_up ?? START_UPS),
);

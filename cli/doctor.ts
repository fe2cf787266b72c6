/** `doctor`: what this machine can do for a project. Each problem has the command that solves it. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findContainer, hostProbes, remedyInside } from '../app/doctor/host.ts';
import type { Needs } from '../app/doctor/needs.ts';
import type { CommandIo } from '../app/io.ts';
import { openProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { cacheRoot, openSession } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { usedDeployments } from '../contract/work-deployments.ts';
import {
  type DeploymentKind,
  deploymentKinds,
  outcomesOf,
  type Probe,
  type WorkspaceKind,
} from '../executors/kind.ts';
import { KINDS } from '../executors/registry.ts';
import type { DeploymentConfig } from '../schemas/generated/project.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';

const DOCTOR = {
  name: 'doctor',
  summary:
    'Say what this machine can do, and what it lacks. Ends with code 3 when something needed is missing.',
  positionals: [{ name: 'PROJECT', description: 'also check what this project needs' }],
  options: { ...PROJECT_OPTIONS, json: { type: 'boolean', description: 'print one JSON object' } },
  examples: [
    ['swemake doctor', 'this machine'],
    ['swemake doctor project.yaml', 'and what a project needs of it'],
  ],
} as const satisfies CommandSpec;

export async function doctorCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(DOCTOR, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [file] = parsed.positionals;
  const project = file === undefined ? null : await openProject(file, parsed.values, io);
  if (file !== undefined && project === null) return 2;
  const container = findContainer(io.env);
  const folder = project === null ? tmpdir() : cacheRoot(project);
  mkdirSync(folder, { recursive: true });
  const { baseProbes, programProbes } = await import('../app/doctor/programs.ts');
  const { gpuAskers, gpuProbe, gpusAsked } = await import('../app/doctor/gpu.ts');
  const found = [
    ...hostProbes(container),
    ...(await programProbes()),
    ...(await kindProbes(folder)),
    ...(await hostsProbes(project, io)),
    ...baseProbes(Object.values(project?.config.deployments ?? {}).map(({ base }) => base)),
    ...(await needsProbes(project, folder, io)),
    await gpuProbe(gpuAskers(project?.config ?? {}), { env: io.env }, gpusAsked(project?.config ?? {})),
  ];
  const probes = found.map((probe) => remedyInside(probe, container));
  const usable = verdict(probes, project);
  if (parsed.values.json) io.stdout.write(jsonLine({ probes, container, ...usable }));
  else io.stdout.write(shown(`${linesOf(probes)}${usable.summary}\n`));
  return usable.ok ? 0 : 3;
}

/** What each kind of executor needs, one by one, and the proof: all together. */
async function kindProbes(folder: string): Promise<Probe[]> {
  const probes: Probe[] = [];
  for (const kind of KINDS) {
    if (kind.opens !== 'workspaces' || kind.probe === undefined) continue;
    probes.push(...(await kind.probe.needs(folder)), proof(kind, await kind.probe.attempt()));
  }
  return probes;
}

/** The hosts that deployments name. */
async function hostsProbes(project: ResolvedProject | null, { env }: CommandIo): Promise<Probe[]> {
  const deployments = Object.values(project?.config.deployments ?? {});
  const probes: Probe[] = [];
  for (const kind of KINDS) {
    if (kind.opens === 'jobs') {
      for (const one of deployments.filter(({ type }) => type === kind.name))
        probes.push(await kind.probe(one));
      continue;
    }
    if (kind.opens !== 'workspaces' || kind.hosts === undefined) continue;
    const own = deployments.filter(({ type }) => type === kind.name);
    probes.push(...(await kind.hosts(own, env)));
  }
  return probes;
}

function proof({ name }: WorkspaceKind, problem: string | null): Probe {
  if (problem === null) return { name, kind: name, status: 'ok', detail: 'a command ran in one' };
  return { name, kind: name, status: 'miss', detail: problem, remedy: 'see what is missing above' };
}

/** What depends on the project, and the same for none. */
async function needsProbes(project: ResolvedProject | null, folder: string, io: CommandIo): Promise<Probe[]> {
  const { agentProbes } = await import('../app/doctor/agents.ts');
  const { pythonProbes } = await import('../app/doctor/python.ts');
  const { remoteProbes } = await import('../app/doctor/remote.ts');
  const { fleetProbes } = await import('../app/doctor/fleet.ts');
  const around = await import('../app/doctor/surroundings.ts');
  const { diskProbe, memoryProbe, projectNeeds } = await import('../app/doctor/needs.ts');
  if (project === null) return [...(await pythonProbes(null, null, io)), await diskProbe(folder, null, null)];
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const needs: Needs = await projectNeeds(session);
    return [
      ...(await pythonProbes(project, needs, io)),
      ...(await around.toolchainProbes(needs.toolchains, session.services)),
      ...around.secretProbes(project, io.env),
      ...(await around.endpointProbes(project, io.env)),
      ...(await around.portProbes(project)),
      ...(await agentProbes(project, io)),
      await diskProbe(folder, needs, session),
      memoryProbe(session),
      ...(await remoteProbes(project, session.services.secrets)),
      ...(await fleetProbes(project, io.env)),
    ];
  } finally {
    await session.close();
  }
}

/** A remedy for several problems in a row is printed once. */
function linesOf(probes: readonly Probe[]): string {
  return probes
    .map(({ name, status, detail, remedy }, index) => {
      const again = remedy !== undefined && probes[index - 1]?.remedy === remedy;
      const help = remedy === undefined ? '' : `  → ${again ? 'the same' : remedy}`;
      return `${status.padEnd(5)} ${name}: ${detail}${help}\n`;
    })
    .join('');
}

/** Whether a missing thing prevents the project from being built: a need of another kind of executor does not. */
function verdict(
  probes: readonly Probe[],
  project: ResolvedProject | null,
): { ok: boolean; summary: string } {
  const missing = probes.filter((probe) => probe.status === 'miss');
  if (missing.length === 0) return { ok: true, summary: 'this machine is ready' };
  const kinds = deploymentKinds(KINDS);
  const used = project === null ? [] : usedDeployments(project.config);
  const [usual] = kinds.values();
  const all =
    used.length === 0
      ? [choiceOf(usual!, {})]
      : used
          .map((name) => project!.config.deployments[name]!)
          .map((one) => choiceOf(kinds.get(one.type)!, one));
  const lacks = (kind: WorkspaceKind) => missing.some((probe) => probe.kind === kind.name);
  const usableOf = ({ outcomes }: Choice) => outcomes.find((one) => !lacks(one));
  const names = missing.map((probe) => probe.name).join(', ');
  const stuck = all.find((choice) => usableOf(choice) === undefined);
  if (stuck !== undefined || missing.some((probe) => probe.kind === undefined))
    return { ok: false, summary: `missing: ${names}${stuck === undefined ? '' : stuck.otherwise}` };
  const chosen = all.find((choice) => usableOf(choice) !== choice.outcomes[0]) ?? all[0]!;
  const [best, usable] = [chosen.outcomes[0]!, usableOf(chosen)!];
  if (usable === best) {
    const others = [...new Set(missing.map((probe) => probe.kind))].join(' or ');
    return { ok: true, summary: `this machine is ready: type ${chosen.type} needs no ${others}` };
  }
  return {
    ok: true,
    summary: `${best.title} does not work here (${names}); the fallback of type ${chosen.type} is ${usable.title}`,
  };
}

/** The kinds of workspaces that a deployment may open, the best first. */
interface Choice {
  type: string;
  outcomes: readonly WorkspaceKind[];
  /** What people can write when none of them works, to be added to a message. */
  otherwise: string;
}

function choiceOf(kind: DeploymentKind, config: Pick<DeploymentConfig, 'fallback'>): Choice {
  const trusted =
    kind.opens === 'choice' ? kind.fallbacks.map(({ name }) => `type: ${name}`).join(' or ') : '';
  return {
    type: kind.name,
    outcomes: outcomesOf(kind, config),
    otherwise: trusted === '' ? '' : `; for code that you trust: ${trusted}`,
  };
}

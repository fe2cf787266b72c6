/** What installs the agents of a project: npm, the registry of its packages, and Python. */
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Probe } from '../../executors/kind.ts';
import type { AgentInstall } from '../../schemas/generated/project.ts';
import { installationsOn, installedDatasets } from '../../stages/agents/programs.ts';
import { platformProblem } from '../../tasks/agent/installation.ts';
import { askNpm } from '../../tasks/index/npm/packages.ts';
import { installedBytes } from '../../tasks/npm/size.ts';
import { findNpm } from '../../tasks/npm/tool.ts';
import { seenBytes } from '../agent-sizes.ts';
import type { CommandIo } from '../io.ts';

export async function agentProbes(project: ResolvedProject, { env }: CommandIo): Promise<Probe[]> {
  const { config } = project;
  const all = installedDatasets(config).flatMap((dataset) => installationsOn(dataset, config));
  const byName = new Map(all.map(({ name, install }) => [name, install]));
  if (byName.size === 0) return [];
  const probes: Probe[] = [];
  if ([...byName.values()].some(({ npm }) => npm !== undefined)) probes.push(await npmProbe(env));
  for (const [name, install] of byName) probes.push(await packagesProbe(name, install, env));
  return probes;
}

async function npmProbe(env: NodeJS.ProcessEnv): Promise<Probe> {
  const found = findNpm(env);
  if (found.ok)
    return { name: 'npm', status: 'ok', detail: `${found.value.version} at ${found.value.folder}` };
  const [detail, remedy] = found.fault.detail.split('; this provides it: ');
  return { name: 'npm', status: 'miss', detail: detail!, ...(remedy === undefined ? {} : { remedy }) };
}

/** Whether the registry has what is installed first; Python's index is asked by builds alone. */
async function packagesProbe(name: string, install: AgentInstall, env: NodeJS.ProcessEnv): Promise<Probe> {
  const probe = `agent ${name}`;
  const foreign = platformProblem(install);
  if (foreign !== null)
    return {
      name: probe,
      status: 'miss',
      detail: foreign,
      remedy: 'build on one of these, or write the agent as agent.program with install.platforms',
    };
  if (install.pip !== undefined)
    return {
      name: probe,
      status: 'ok',
      detail: `of Python’s index: ${install.pip.join(' ')}${sizeText(seenBytes(name))}`,
    };
  const found = await installedBytes(install, askNpm(env));
  const packages = (install.npm ?? []).join(' ');
  if (found !== null) {
    return { name: probe, status: 'ok', detail: `npm’s registry has ${packages}${sizeText(found.bytes)}` };
  }
  return {
    name: probe,
    status: 'miss',
    detail: `npm’s registry does not answer, or has no ${packages}`,
    remedy: 'name a registry that has it: npm config set registry URL',
  };
}

function sizeText(bytes: number | null): string {
  return bytes === null ? '' : `, about ${Math.round(bytes / 1e6)} MB`;
}

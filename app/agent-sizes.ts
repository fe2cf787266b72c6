/**
 * What agents will take that are still to be installed, before anything is fetched: as npm's registry says it, or as this swemake saw it. Python's
 * index does not say what the packages take that a program requires.
 */
import type { RunEnd } from '../engine/run.ts';
import { PROGRAMS } from '../schemas/generated/agents.ts';
import { installationsOn } from '../stages/agents/programs.ts';
import { askNpm } from '../tasks/index/npm/packages.ts';
import { installedBytes } from '../tasks/npm/size.ts';
import type { Session } from './session.ts';

export interface AgentSize {
  /** As `agents.DATASET@NAME`. */
  agent: string;
  /** Bytes of its packages; null: not known. */
  bytes: number | null;
}

/** One for each that `end` says would be installed. */
export async function agentSizes({ project, services }: Session, end: RunEnd): Promise<AgentSize[]> {
  const sizes: AgentSize[] = [];
  for (const [address, { state, blocked }] of end.nodes) {
    const { stage, dataset } = state.node;
    if (stage !== 'agents' || blocked !== null || state.planned === 0) continue;
    const registry = askNpm(services.env, services.signal);
    for (const { name, install } of installationsOn(dataset, project.config)) {
      if (state.record(name) !== null) continue;
      const found = install.pip === undefined ? await installedBytes(install, registry) : null;
      sizes.push({ agent: `${address}@${name}`, bytes: found?.bytes ?? seenBytes(name) });
    }
  }
  return sizes;
}

/** Bytes of an agent by name in the version that this swemake was tried with; null: not known. */
export function seenBytes(installation: string): number | null {
  const program = PROGRAMS.find(({ name }) => installation.startsWith(`${name}-`));
  return program?.bytes ?? null;
}

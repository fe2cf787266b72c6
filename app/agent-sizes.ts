/** What agents will take that are still to be installed, as npm's registry says it, before anything is fetched. */
import type { RunEnd } from '../engine/run.ts';
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
      sizes.push({ agent: `${address}@${name}`, bytes: found?.bytes ?? null });
    }
  }
  return sizes;
}

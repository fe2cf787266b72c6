/** Plain processes on a private copy, not isolated from the host: for machines that refuse namespaces. */
import { success } from '../../basics/result.ts';
import { baseIdentity } from '../base-identity.ts';
import { LIMITS, NETWORK } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';
import { shellLimits } from '../sandbox/limits.ts';

export const localKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'local',
  title: 'plain processes',
  summary: 'plain processes on a private copy, not isolated from the host',
  keys: { limits: LIMITS, network: NETWORK },
  isolation: 'local',
  networks: ['host'],
  proxyBy: 'port',
  reaches: true,
  capacity: 128,
  // Its processes are the shell's own.
  base: () => ({ ...baseIdentity(), ...shellLimits(undefined, '') }),
  async open({ name, stateFolder, runId, proxy }) {
    const { createLocal } = await import('./local.ts');
    const proxyUrl = proxy?.url ?? null;
    return success(
      await createLocal({ name, stateFolder, runId, ...(proxyUrl === null ? {} : { proxyUrl }) }),
    );
  },
  async sweep(stateFolder) {
    const { sweepLocal } = await import('./sweep.ts');
    return sweepLocal(stateFolder);
  },
};

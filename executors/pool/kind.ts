/** Workspaces on other machines, leased from a pool server. */
import { fault, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { BASE, LIMITS, NETWORK, PULL } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';
import { TOKEN, URL_OF_POOL } from './keys.ts';

export const poolKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'pool',
  title: 'the pool',
  summary: 'containers of many machines, leased from a pool server',
  keys: { limits: LIMITS, network: NETWORK, base: BASE, pull: PULL, url: URL_OF_POOL, token: TOKEN },
  isolation: 'sandbox',
  // Its machines have systems of their own, and no key tells them apart.
  needsBase: true,
  networks: ['off', 'host'],
  proxyBy: 'socket',
  capacity: 256,
  // What a root holds is in the keys of the environments that stand on it; which machine shows it decides nothing.
  base: () => ({ architecture: process.arch, base: 'its own' }),
  async open({ name, config, stateFolder, runId, nodes = [], secrets }) {
    const token = config.token === undefined ? success({}) : secrets?.reveal({ token: config.token });
    if (token?.ok === false) return token;
    const known = (token?.value as { token?: string } | undefined)?.token ?? null;
    const { PoolDeployment } = await import('./pool.ts');
    if (config.url !== undefined)
      return success(new PoolDeployment({ name, url: config.url, token: known, runId }));
    if (nodes.length === 0)
      return fault(infra('executor', `deployment ${name} has no url, and the project has no nodes`));
    const { startOwnPool } = await import('./own-pool.ts');
    const own = await startOwnPool({ nodes, token: known, stateFolder, env: process.env });
    if (!own.ok) return own;
    return success(new PoolDeployment({ name, url: own.value.url, token: known, runId, end: own.value.end }));
  },
  // A pool of one's own ends with the process that started it, and what it left on nodes is ended by the next one.
  async sweep() {},
};

/** Workspaces on other machines, leased from a pool server. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { fault, success } from '../../basics/result.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';
import { infra } from '../../schemas/outcome.ts';
import { BASE, LIMITS, NETWORK, PREWARM, PULL } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';
import { BACKEND, BACKEND_DEFAULT, TOKEN, URL_OF_POOL } from './keys.ts';
import type { Needs } from './pool.ts';

export const poolKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'pool',
  title: 'the pool',
  summary: 'containers of many machines, leased from a pool server',
  keys: {
    ...{ limits: LIMITS, network: NETWORK, base: BASE, pull: PULL, prewarm: PREWARM },
    ...{ url: URL_OF_POOL, token: TOKEN, backend: BACKEND },
  },
  isolation: 'sandbox',
  // The systems of a pool's machines are in no key.
  needsBase: true,
  networks: ['off', 'host'],
  proxyBy: 'socket',
  reaches: false,
  capacity: 256,
  // What a root holds is in the keys of the environments that stand on it. Which machine shows it decides nothing, as long as it
  // is one that shows it in this way: each lease asks for that.
  base: (config) => {
    const { held, ...machine } = needsOf(config);
    return { ...machine, base: 'its own', ...held };
  },
  async open({ name, config, stateFolder, runId, nodes = [], secrets }) {
    const token = config.token === undefined ? success({}) : secrets?.reveal({ token: config.token });
    if (token?.ok === false) return token;
    const known = (token?.value as { token?: string } | undefined)?.token ?? null;
    const { PoolDeployment } = await import('./pool.ts');
    const needs = needsOf(config);
    // Limits of a node server's shell hold for all of its containers.
    const held = { ...needs.held, 'limits of the shell': 'none' };
    // Its name ends with the tag of this process, by which the sweep knows whose it was.
    const folder = `${runId}-${randomBytes(3).toString('hex')}.${processTag(thisProcess())}`;
    const options = { name, runId, scratch: join(stateFolder, folder), needs: { ...needs, held } };
    if (config.url !== undefined)
      return success(new PoolDeployment({ ...options, token: known, url: config.url }));
    if (nodes.length === 0)
      return fault(infra('deployment', `deployment ${name} has no url, and the project has no nodes`));
    const { startOwnPool } = await import('./own-pool.ts');
    const own = await startOwnPool({ nodes, token: known, stateFolder, env: process.env });
    if (!own.ok) return own;
    return success(new PoolDeployment({ ...options, ...own.value }));
  },
  // A pool of one's own ends with the process that started it, and what it left on nodes is ended by the next one.
  async sweep(stateFolder) {
    const { sweepArchives } = await import('./sweep.ts');
    return sweepArchives(stateFolder);
  },
};

/** What a machine must have so that its answers fit the key. */
function needsOf({ backend, limits }: Pick<DeploymentConfig, 'backend' | 'limits'>): Needs {
  const { memory, cpus } = limits ?? {};
  // A process that asks for too much is ended by a group, and gets an error from a limit of its own: one task, two verdicts.
  const held = {
    ...(memory === undefined ? {} : { 'memory held by': 'group' }),
    ...(cpus === undefined ? {} : { 'cpus held by': 'group' }),
  };
  return { architecture: process.arch, backend: backend ?? BACKEND_DEFAULT, held };
}

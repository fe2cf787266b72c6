/** Workspaces in containers of a Docker engine, on this machine or another one. */
import { dirname, join } from 'node:path';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { fault, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { ALLOW_HOSTS, BASE, LIMITS, MOUNTS, NETWORK, PREWARM, PULL } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';
import { addressText, clientVariables, engineAddress } from './address.ts';
import { translate } from './args.ts';
import { ARGS, ENV, HOST } from './keys.ts';

export const dockerKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'docker',
  title: 'docker',
  summary: 'containers of a Docker engine',
  keys: {
    ...{ limits: LIMITS, network: NETWORK, allow_hosts: ALLOW_HOSTS, base: BASE, pull: PULL, mounts: MOUNTS },
    ...{ prewarm: PREWARM, host: HOST, env: ENV, args: ARGS },
  },
  isolation: 'sandbox',
  needsBase: true,
  networks: ['off', 'proxy', 'host'],
  proxyBy: 'socket',
  reaches: true,
  capacity: 32,
  async hosts(deployments, env) {
    const { engineProbes } = await import('./hosts.ts');
    return engineProbes(deployments, env);
  },
  async engine({ host }, env) {
    const address = engineAddress(host, env);
    if (!address.ok) return fault(infra('deployment', address.fault));
    const { connect } = await import('./engine.ts');
    const found = await connect(address.value, env);
    if (!found.ok) return found;
    const { processors, memory } = found.value.info;
    const variables = host === undefined ? {} : clientVariables(address.value);
    return success({ name: addressText(address.value), processors, memory, variables });
  },
  // The content of a root is in the keys of the environments on it. Which engine shows it decides nothing.
  base: ({ env = {}, args = [] }) => ({
    architecture: process.arch,
    base: 'its own',
    // Without the host's network names are those of a sandbox, and ::1 is there.
    hosts: 'as in a sandbox',
    ...(Object.keys(env).length === 0 ? {} : { env: canonicalJson(env as Json) }),
    ...(args.length === 0 ? {} : { args: canonicalJson([...args].sort()) }),
  }),
  async open({ name, config, stateFolder, runId, proxy }) {
    const address = engineAddress(config.host, process.env);
    if (!address.ok) return fault(infra('deployment', `deployment ${name}: ${address.fault}`));
    const extra = translate(config.args ?? []);
    if (!extra.ok) return fault(infra('deployment', `deployment ${name}: args: ${extra.fault}`));
    const { createDocker } = await import('./docker.ts');
    return createDocker({
      ...{ name, stateFolder, runId, address: address.value, extra: extra.value },
      // Not in the state folder, which is searched for remains of killed runs.
      keptFolder: join(dirname(stateFolder), 'docker-images'),
      variables: config.env ?? {},
      env: process.env,
      ...(proxy === undefined ? {} : { proxy }),
    });
  },
  async sweep(stateFolder) {
    const { sweepContainers } = await import('./sweep.ts');
    return sweepContainers(stateFolder, process.env);
  },
};

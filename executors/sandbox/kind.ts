/** Workspaces in Linux namespaces of their own, rootless where the kernel allows it, with no daemon. */
import { dirname, join } from 'node:path';
import { fault } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { baseIdentity } from '../base-identity.ts';
import { ALLOW_HOSTS, BASE, LIMITS, MOUNTS, NETWORK, PREWARM, PULL } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';
import { hostRights } from './host-rights.ts';
import { heldLimits, shellLimits } from './limits.ts';

export const sandboxKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'sandbox',
  title: 'the sandbox',
  summary: 'Linux namespaces',
  keys: {
    limits: LIMITS,
    network: NETWORK,
    allow_hosts: ALLOW_HOSTS,
    base: BASE,
    pull: PULL,
    prewarm: PREWARM,
    mounts: MOUNTS,
  },
  isolation: 'sandbox',
  networks: ['off', 'proxy', 'host'],
  proxyBy: 'socket',
  reaches: true,
  // Far more than processors, since most wait.
  capacity: 128,
  probe: {
    circumstances: hostRights,
    async look() {
      const { lookForSandbox } = await import('./attempt.ts');
      return lookForSandbox();
    },
    async attempt() {
      const { trySandbox } = await import('./attempt.ts');
      return trySandbox();
    },
    async needs(folder) {
      const { probeSandbox } = await import('./probe.ts');
      return probeSandbox(folder);
    },
  },
  // What a root of its own holds is in the keys of the environments that stand on it.
  base: ({ base, limits }) => ({
    ...(base === 'host' ? baseIdentity() : { architecture: process.arch, base: 'its own' }),
    ...heldLimits(limits),
    ...shellLimits(),
  }),
  async open({ name, stateFolder, runId, proxy }) {
    const { createSandbox } = await import('./sandbox.ts');
    // Not in it: what lies there is looked through for what killed runs left.
    const keptFolder = join(dirname(stateFolder), 'skeletons');
    const options = { name, stateFolder, keptFolder, runId };
    const made = await createSandbox({ ...options, ...(proxy === undefined ? {} : { proxy }) });
    return made.ok ? made : fault(infra('tool-missing', `${made.fault.reason}; ${made.fault.remedy}`));
  },
  async sweep(stateFolder) {
    const { sweepSandboxes } = await import('./sweep.ts');
    return sweepSandboxes(stateFolder);
  },
};

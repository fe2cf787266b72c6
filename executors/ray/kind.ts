/** Items on the machines of a Ray cluster, each in sandboxes of the machine on which it runs. */
import { success } from '../../basics/result.ts';
import type { ClusterKind } from '../kind.ts';
import { sandboxKind } from '../sandbox/kind.ts';
import { CLUSTER_KEYS } from './keys.ts';

export const rayKind: ClusterKind = {
  opens: 'jobs',
  name: 'ray',
  summary: 'sandboxes on the machines of a Ray cluster, to which items are sent as jobs',
  keys: CLUSTER_KEYS,
  among: [sandboxKind],
  async connect({ address }) {
    const { rayService } = await import('./service.ts');
    return success(rayService(address!));
  },
  async probe({ address }) {
    const { probeCluster } = await import('./service.ts');
    return probeCluster(address!);
  },
};

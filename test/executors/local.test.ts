/** The local executor: the deployment contract, and what it promises beyond. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocal } from '../../executors/local/local.ts';
import { describeDeploymentContract } from './contract.ts';

describeDeploymentContract('local', async () => {
  const state = await mkdtemp(join(tmpdir(), 'swemake-local-'));
  const deployment = await createLocal({ name: 'local', stateFolder: state, runId: 'test' });
  return {
    deployment,
    cleanup: async () => {
      await deployment.close();
      await rm(state, { recursive: true, force: true });
    },
  };
});

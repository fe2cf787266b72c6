/** The docker deployment keeps the deployment contract, on a real engine. */
import { describe } from 'vitest';
import { describeDeploymentContract } from './contract.ts';
import { makeDocker, noEngine, onDebian } from './docker-fixture.ts';

describe.skipIf(noEngine !== null)('containers', () => {
  describeDeploymentContract('docker', async () => {
    const made = await makeDocker();
    return { deployment: onDebian(made.deployment), cleanup: made.cleanup };
  });
});

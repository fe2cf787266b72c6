/** The sandbox keeps the deployment contract, started by root and by a user without rights. */
import { describeDeploymentContract } from './contract.ts';
import { kinds, makeSandbox } from './sandbox-fixture.ts';

for (const kind of kinds) describeDeploymentContract(`sandbox ${kind.name}`, () => makeSandbox(kind));

/** The sandbox keeps the deployment contract; `sandbox-ways.deep.test.ts` has the other ways to start it. */
import { describeDeploymentContract } from './contract.ts';
import { giveTo, kinds, makeSandbox } from './sandbox-fixture.ts';

const kind = kinds.at(-1)!;
describeDeploymentContract(`sandbox ${kind.name}`, async (fixture) => {
  await giveTo(kind, fixture.root);
  return makeSandbox(kind);
});

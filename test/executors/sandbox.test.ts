/** The sandbox keeps the deployment contract, started by root and by a user without rights. */
import { describeDeploymentContract } from './contract.ts';
import { giveTo, kinds, makeSandbox } from './sandbox-fixture.ts';

for (const kind of kinds) {
  describeDeploymentContract(`sandbox ${kind.name}`, async (fixture) => {
    await giveTo(kind, fixture.root);
    return makeSandbox(kind);
  });
}

describeDeploymentContract('sandbox with copied layers', async (fixture) => {
  const kind = kinds.at(-1)!;
  await giveTo(kind, fixture.root);
  return makeSandbox(kind, { layering: 'copy' });
});

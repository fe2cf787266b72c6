/** The sandbox keeps the deployment contract when root starts it, and where layers are copied. */
import { describeDeploymentContract } from './contract.ts';
import { giveTo, kinds, makeSandbox } from './sandbox-fixture.ts';

// As a user without rights: sandbox.test.ts.
for (const kind of kinds.slice(0, -1)) {
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

/** The root that an environment was built on, as its workspaces show it. */
import { fault, success } from '../../basics/result.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { BaseView } from '../../executors/deployment.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import type { Base } from './base.ts';
import { openRoot } from './root.ts';
import { systemLayer } from './system.ts';

export interface BuiltBase extends Base {
  /** Debian packages that were installed on it, and the digest of all its packages then; null: none were installed. */
  system: { packages: readonly string[]; digest: string } | null;
  /** The folder of the environment that it brings; null: the environment was built on it. */
  place: string | null;
  /** What it says of running in it. */
  variables: Record<string, string>;
}

export async function openBuiltBase(
  { system, place, ...base }: BuiltBase,
  deployment: string,
  services: HostServices,
): Attempt<BaseView> {
  const root = await openRoot(base, services, services.config.deployments[deployment]!.pull);
  if (!root.ok) return root;
  const view = { layers: root.value.layers.map(({ folder }) => folder), testbed: false, place };
  if (system === null) return success(view);
  const request = { base, view: { ...view, place: null }, packages: system.packages, deployment };
  const above = await systemLayer(request, services);
  if (!above.ok) return above;
  if (above.value.digest !== system.digest)
    return fault(
      infra(
        'environment-broken',
        'the index has newer system packages than when it was built; build it with --force',
      ),
    );
  return success({ ...view, layers: [...view.layers, above.value.folder] });
}

/** How strongly the work of a project is isolated: as strongly as in the weakest deployment that it uses. */
import { usedDeployments } from '../contract/work-deployments.ts';
import { ISOLATIONS, type Isolation } from '../executors/deployment.ts';
import type { Session } from './session.ts';

/** `none`: one of them does not work here. */
export async function weakestIsolation({ deployments, project }: Session): Promise<Isolation | 'none'> {
  const used = usedDeployments(project.config);
  const found = await Promise.all(used.map((name) => deployments.identity(name)));
  if (found.some(({ ok }) => !ok)) return 'none';
  const all = found.flatMap((one) => (one.ok ? [one.value.isolation] : []));
  return ISOLATIONS.find((isolation) => all.includes(isolation)) ?? 'none';
}

/**
 * Where a run keeps its endpoints, so that whoever ends the run can close them. Nothing of the client is loaded here:
 * most commands ask no model.
 */
import type { Endpoints } from '../../agent/client/endpoint.ts';
import type { Services } from '../../contract/machine.ts';

const NAME = 'endpoints';

/** The run's endpoints, made when they are first asked for. */
export function endpointsOf({ shared }: Pick<Services, 'shared'>, make: () => Endpoints): Endpoints {
  const known = shared.get(NAME) as Endpoints | undefined;
  if (known !== undefined) return known;
  const endpoints = make();
  shared.set(NAME, endpoints);
  return endpoints;
}

/** Cuts their connections; to be called once no action is running. */
export async function closeEndpoints({ shared }: Pick<Services, 'shared'>): Promise<void> {
  const known = shared.get(NAME) as Endpoints | undefined;
  shared.delete(NAME);
  // One that could not be opened need not be closed, and what is closed after it must be.
  await known?.close().catch(() => undefined);
}

/**
 * Where a run keeps its endpoints and the model servers that it starts, so that they can be closed at its end. The
 * client is not loaded here, since most commands ask no model.
 */
import type { Endpoints } from '../../agent/client/endpoint.ts';
import type { ModelDoor } from '../../agent/door/door.ts';
import type { Services } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { Replicas } from '../../tasks/serving/replicas.ts';

interface Held {
  endpoints: Endpoints | null;
  door: Promise<ModelDoor> | null;
}

const held = perRun((_: Pick<Services, 'shared'>): Held => ({ endpoints: null, door: null }));

/** The run's endpoints, made when they are first asked for. */
export function endpointsOf(services: Pick<Services, 'shared'>, make: () => Endpoints): Endpoints {
  const own = held(services);
  own.endpoints ??= make();
  return own.endpoints;
}

/** The run's model door, for agents that drive themselves; opened when it is first asked for. */
export function doorOf(services: Pick<Services, 'shared'>): Promise<ModelDoor> {
  const own = held(services);
  own.door ??= import('../../agent/door/door.ts').then(({ ModelDoor }) => ModelDoor.open());
  return own.door;
}

/** The run's servers of models, by all that makes them. */
export const serversOf = perRun((_: Pick<Services, 'shared'>) => new Map<string, Replicas>());

/** Cuts their connections; to be called once no action is running. */
export async function closeEndpoints(services: Pick<Services, 'shared'>): Promise<void> {
  const own = held(services);
  const known = own.endpoints;
  own.endpoints = null;
  const door = own.door;
  own.door = null;
  // A door that could not be opened was reported to those that needed it.
  await (await door?.catch(() => undefined))?.close();
  // An endpoint that could not be opened need not be closed, but the ones after it must be.
  await known?.close().catch(() => undefined);
  const servers = [...serversOf(services).values()];
  serversOf(services).clear();
  await Promise.allSettled(servers.map((server) => server.close()));
}

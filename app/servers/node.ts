/** A node server with what it stands on: a cache of its own, a deployment of the kind that was chosen, its images. */
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import type { SourceServices } from '../../contract/machine.ts';
import { newRunId } from '../../engine/journal.ts';
import { ISOLATIONS, type Limits } from '../../executors/deployment.ts';
import { deploymentKinds, keysOf, type WorkspaceKind } from '../../executors/kind.ts';
import { KINDS } from '../../executors/registry.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';
import type { Listening } from '../../servers/http/listen.ts';
import type { Backend } from '../../servers/node/backend.ts';
import { UnpackedImages } from '../../servers/node/images.ts';
import { startNode } from '../../servers/node/node.ts';
import { UnpackedBackend } from '../../servers/node/unpacked-backend.ts';
import { stateFolder, sweepExecutors } from '../deployments.ts';
import type { CommandIo } from '../io.ts';
import { shown } from '../shown.ts';
import { packageVersion } from '../version.ts';
import { makeFolder, type ServeSettings } from './settings.ts';

export interface NodeSettings extends ServeSettings {
  /** Name of a kind of executor. */
  backend: string;
  maxContainers: number;
  limits: Limits;
  network: 'off' | 'host';
  keptLog: number;
  /** Whether registries are asked for images that are not here. */
  pull: 'missing' | 'never';
  /** Whole name -> path. */
  images: ReadonlyMap<string, string>;
}

/** Kinds that a node server can be backed by. */
export function backendKinds(): WorkspaceKind[] {
  return [...deploymentKinds(KINDS).values()].filter(
    (kind): kind is WorkspaceKind =>
      kind.opens === 'workspaces' &&
      kind.isolation === ISOLATIONS.at(-1) &&
      kind.keys.base !== undefined &&
      kind.keys.url === undefined,
  );
}

export async function openNode(settings: NodeSettings, io: CommandIo): Promise<Result<Listening, string>> {
  const { folder, backend: name, images, pull, ...rest } = settings;
  const kind = backendKinds().find((one) => one.name === name)!;
  makeFolder(folder);
  const cache = await openCache(join(folder, 'cache'));
  await sweepExecutors(cache, [kind]);
  const stop = new AbortController();
  const ground: SourceServices = {
    cache,
    projectFolder: io.cwd,
    env: io.env,
    signal: stop.signal,
    shared: {},
  };
  const backend = await openBackend(kind, cache, new UnpackedImages(ground, images, pull));
  if (!backend.ok) {
    await cache.close();
    return backend;
  }
  const started = await startNode({
    ...rest,
    backend: backend.value,
    folder,
    version: packageVersion(),
    log: (text) => io.stderr.write(shown(`${text}\n`)),
  });
  if (!started.ok) {
    await backend.value.close();
    await cache.close();
    return started;
  }
  const close = async () => {
    stop.abort();
    await started.value.close();
    await cache.close();
  };
  return success({ ...started.value, close });
}

async function openBackend(
  kind: WorkspaceKind,
  cache: Cache,
  images: UnpackedImages,
): Promise<Result<Backend, string>> {
  const { mkdirSync } = await import('node:fs');
  const folder = stateFolder(cache, kind);
  mkdirSync(folder, { recursive: true });
  const runId = newRunId(new Date(), process.pid);
  const request = { name: 'node', config: defaultsOf(kind), stateFolder: folder, runId };
  const opened = await kind.open(request);
  if (!opened.ok) return fault(opened.fault.detail);
  // What needs an image for each workspace is asked for another deployment, which opens none.
  const look = async () => {
    const again = await kind.open(request);
    if (!again.ok) return again;
    await again.value.close();
    return success(null);
  };
  const parts = { name: kind.name, held: heldBy(kind), deployment: opened.value, images };
  return success(new UnpackedBackend({ ...parts, look: kind.needsBase === true ? look : null }));
}

/** How this machine holds the limits of containers, in the words of the kind's keys; nothing of a kind whose engine does. */
function heldBy(kind: WorkspaceKind): Record<string, string> {
  const config = { ...defaultsOf(kind), base: 'image', limits: { memory: 1, cpus: 1 } };
  const guarantees = Object.entries(kind.base(config)).filter(([name]) => / held by$|^limits of /.test(name));
  return guarantees.length === 0 ? {} : { 'limits of the shell': 'none', ...Object.fromEntries(guarantees) };
}

/** A deployment of the kind as a project has it that says nothing of it. */
function defaultsOf(kind: WorkspaceKind): DeploymentConfig {
  const keys = Object.entries(keysOf(kind)) as [string, { default?: unknown }][];
  const values = keys.flatMap(([key, { default: value }]) => (value === undefined ? [] : [[key, value]]));
  return { type: kind.name, ...Object.fromEntries(values) } as DeploymentConfig;
}

/**
 * The model servers that a project starts: one for all who ask the same model, with the weights, GPUs and machines
 * that the project names.
 */

import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { byCodeUnit, canonicalJson } from '../../basics/canonical.ts';
import { Credential } from '../../basics/credential.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { AgentServices } from '../../contract/machine.ts';
import type { RunningServer, ServerRequest } from '../../executors/process-runner.ts';
import type { ModelConfig, ServeConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { hubModelOf, modelName, pinnedRevision } from '../../tasks/pins.ts';
import { readyPath, serverCommand } from '../../tasks/serving/command-line.ts';
import type { ServingEngine, Weights } from '../../tasks/serving/engines/kind.ts';
import { ENGINES, findEngine } from '../../tasks/serving/engines/registry.ts';
import { ModelServer } from '../../tasks/serving/model-server.ts';
import { Replicas } from '../../tasks/serving/replicas.ts';
import { answersOneToken } from '../../tasks/serving/watch.ts';
import { serversOf } from './endpoints.ts';
import { fixedIdentity } from './fixed-identity.ts';
import { CHECKPOINT } from './solver.ts';

/** Beginnings of variables of the host that servers of models read: those of their libraries, and of the engines. */
const SERVER_VARIABLES = [
  ...['CUDA_', 'NVIDIA_', 'HF_', 'HUGGINGFACE_', 'TRANSFORMERS_', 'TORCH_', 'OMP_', 'NCCL_'],
  ...ENGINES.flatMap(({ variables }) => variables),
];

type Managed = ModelConfig & { serve: ServeConfig };

/** The servers that the project says to start; null: none. */
export function managedServer(config: ModelConfig, services: AgentServices): Replicas | null {
  const { base_url: url, serve } = config;
  if (serve === undefined) return null;
  const checkpoint = checkpointOf(config);
  const name = `server ${canonicalJson([serve, url ?? null, checkpoint, config.name ?? null])}`;
  const known = serversOf(services).get(name);
  if (known !== undefined) return known;
  const managed = { ...config, serve };
  const hosts: readonly (string | null)[] = serve.hosts ?? Array.from({ length: serve.replicas }, () => null);
  const log = join(services.cache.folder.root, 'servers', digestOf(name).slice(0, 12));
  const servers = hosts.map((host, index) => {
    const own = hosts.length === 1 ? log : `${log}-r${index}`;
    return oneServer({ config: managed, host, log: own }, services);
  });
  const needsRouter = servers.length > 1 || serve.port !== undefined;
  const replicas = new Replicas(servers, needsRouter ? (serve.port ?? 0) : null);
  serversOf(services).set(name, replicas);
  return replicas;
}

interface ServerSpec {
  config: Managed;
  /** null: this machine. */
  host: string | null;
  /** Path of its logs, without an ending. */
  log: string;
}

function oneServer(place: ServerSpec, services: AgentServices): ModelServer {
  const { config } = place;
  return new ModelServer({
    start: (number, onWanted) => start(place, { number, onWanted }, services),
    signal: services.signal,
    hang: config.serve.hang,
    async probe(url, ms) {
      const { api_key: key } = config;
      const revealed = services.secrets.reveal(key === undefined ? {} : { key });
      const text = revealed.ok ? revealed.value.key : undefined;
      const credential = text === undefined ? null : Credential.bearer(text, url);
      return answersOneToken(`${url}${pathOf(config)}`, { name: config.name ?? '', credential, ms });
    },
  });
}

/** Where the API begins. */
function pathOf({ base_url: url }: ModelConfig): string {
  return url === undefined ? '/v1' : new URL(url).pathname.replace(/\/+$/, '');
}

async function start(
  { config, host, log }: ServerSpec,
  { number, onWanted }: { number: number; onWanted: () => void },
  services: AgentServices,
): Promise<Result<RunningServer, Infra>> {
  const { serve, base_url: url } = config;
  const weights = await weightsOf(config, services);
  if (!weights.ok) return weights;
  const deployment = serve.deployment === undefined ? null : services.config.deployments[serve.deployment];
  const of = deployment?.resources?.gpu ?? 0;
  const request: ServerRequest = {
    command: serverCommand({
      ...{ serve, name: config.name ?? '', weights: weights.value, host },
      activate: deployment?.activate ?? null,
    }),
    ready: readyPath(serve),
    timeout: serve.timeout,
    cwd: services.projectFolder,
    env: serve.env,
    // The log of a server that ended is not overwritten by the next one.
    log: number === 0 ? `${log}.log` : `${log}.${number}.log`,
    inherit: Object.keys(services.env).filter((variable) =>
      SERVER_VARIABLES.some((start) => variable.startsWith(start)),
    ),
    signal: services.signal,
    ...(deployment?.resources === undefined ? {} : { pids: deployment.resources.pids }),
    ...(host === null ? {} : { host: host.slice(host.indexOf('@') + 1) }),
    ...(deployment == null || host !== null ? {} : { gpus: { count: serve.gpus, of, onWanted } }),
    ...(url === undefined ? {} : { url: new URL(url).origin }),
  };
  return services.processes.startServer(request);
}

/** Where the weights are on this machine, or what the engine fetches; null: the command knows. */
async function weightsOf(config: Managed, services: AgentServices): Promise<Result<Weights | null, Infra>> {
  const { weights = {} } = config.serve;
  const engine = findEngine(config.serve.engine);
  const checkpoint = checkpointOf(config);
  if (checkpoint !== null) {
    const folder = await services.cache.layers.open(checkpoint as Digest);
    if (folder === null)
      return fault(infra('upstream-infra', 'the checkpoint is gone from the cache; build it again'));
    return success({ kind: 'path', path: await modelFile(folder, engine) });
  }
  if (weights.path !== undefined) {
    const path = resolve(services.projectFolder, weights.path);
    return success({ kind: 'path', path: await modelFile(path, engine) });
  }
  if (weights.id === undefined) return success(null);
  const { id, revision = 'main' } = weights;
  // What the identity means, unless the project names that itself.
  const fixed =
    config.identity === undefined ? await fixedIdentity(modelName({ id, revision }), services) : null;
  if (fixed !== null && !fixed.ok) return fixed;
  const commit =
    fixed === null ? pinnedRevision({ ...weights, id }, services.pins) : hubModelOf(fixed.value)?.revision;
  return success({ kind: 'hub', id, revision: commit ?? null });
}

/** For an engine that takes one file, the first of a folder: it names the others of a model in several. */
async function modelFile(path: string, engine: ServingEngine | null): Promise<string> {
  const ending = engine?.file;
  if (ending === undefined) return path;
  const found = await stat(path).catch(whenAbsent(null));
  if (found === null || !found.isDirectory()) return path;
  const files = (await readdir(path)).filter((name) => name.endsWith(ending)).sort(byCodeUnit);
  return files.length === 0 ? path : join(path, files[0]!);
}

/** Digest of the checkpoint of this project that is served; null: none. */
function checkpointOf({ identity }: ModelConfig): string | null {
  return identity?.startsWith(CHECKPOINT) ? identity.slice(CHECKPOINT.length) : null;
}

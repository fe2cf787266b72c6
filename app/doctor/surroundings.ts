/**
 * What a project asks of its surroundings, by what is known before anything runs: secrets that are set, endpoints that
 * answer, ports that are free, toolchains that the registries have. Nothing is sent to an endpoint: a connection is opened.
 */
import { connect, createServer } from 'node:net';
import { plural } from '../../basics/plural.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { HostServices } from '../../contract/machine.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { Probe } from '../../executors/kind.ts';
import { whereToolchain } from '../../tasks/toolchains/toolchain.ts';
import type { WantedToolchain } from './needs.ts';

/** Milliseconds for an answer from elsewhere: builds wait for it before they begin. */
const TIMEOUT = 1000;

/** Sections of a project by the stages that need what they name. */
const USED_BY: Readonly<Record<string, readonly string[]>> = {
  agent: ['rollouts', 'predict'],
  evaluation: ['predict', 'evaluate'],
  dataset: ['dataset'],
  trainer: ['sft-train', 'rl-model', 'rl-train'],
};

/** Whether a part of the project is used by one of these stages; null: all stages are meant. */
function isUsed(path: readonly string[], stages: ReadonlySet<string> | null): boolean {
  const by = USED_BY[path[0] ?? ''];
  return stages === null || by === undefined || by.some((stage) => stages.has(stage));
}

/** Every text of the project with its path. */
function* textsIn(value: unknown, path: string[] = []): Generator<[path: string[], text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, below] of Object.entries(value)) yield* textsIn(below, [...path, key]);
}

/** Variables of secrets that are not set; one probe says that all of them are. */
export function secretProbes(
  { config, secrets }: Pick<ResolvedProject, 'config' | 'secrets'>,
  env: NodeJS.ProcessEnv,
  stages: ReadonlySet<string> | null = null,
): Probe[] {
  const users = new Map<string, string>();
  for (const [path, text] of textsIn(config))
    for (const [placeholder, name] of secrets)
      if (text.includes(placeholder) && isUsed(path, stages) && !users.has(name))
        users.set(name, path.join('.'));
  const missing = [...users].filter(([name]) => (env[name] ?? '') === '');
  if (users.size > 0 && missing.length === 0)
    return [{ name: 'secrets', status: 'ok', detail: `${[...users.keys()].join(', ')} set` }];
  return missing.map(([name, place]) => ({
    name: `secret ${name}`,
    status: 'miss',
    detail: `the variable is not set, and ${place} needs it`,
    remedy: `export ${name}=…`,
  }));
}

/** Endpoints of models that somebody else starts: whether something listens there. */
export async function endpointProbes(
  { config }: Pick<ResolvedProject, 'config'>,
  env: NodeJS.ProcessEnv,
  stages: ReadonlySet<string> | null = null,
): Promise<Probe[]> {
  const places = new Map<string, string>();
  for (const [path, text] of textsIn(config)) {
    if (path.at(-1) !== 'base_url' || !isUsed(path, stages) || isServed(config, path)) continue;
    if (!places.has(text)) places.set(text, path.join('.'));
  }
  const asked = [...places].map(async ([url, place]): Promise<Probe[]> => {
    const address = addressIn(url, env);
    if (address === null) return [];
    const problem = await connectionProblem(address);
    if (problem === null)
      return [{ name: `endpoint ${url}`, status: 'ok', detail: 'it accepts connections' }];
    return [
      {
        name: `endpoint ${url}`,
        status: 'soft',
        detail: `${problem}; ${place} names it, and rollouts wait for it`,
        remedy: 'start its server, or write another address',
      },
    ];
  });
  return (await Promise.all(asked)).flat();
}

/** Whether swemake starts the server behind this address itself. */
function isServed(config: unknown, path: readonly string[]): boolean {
  let value = config as Record<string, unknown> | undefined;
  for (const key of path.slice(0, -1)) value = value?.[key] as Record<string, unknown> | undefined;
  return value?.serve !== undefined;
}

interface Address {
  host: string;
  port: number;
}

/** null: it is reached through a proxy, or is no address of this kind. */
function addressIn(text: string, env: NodeJS.ProcessEnv): Address | null {
  if (!URL.canParse(text)) return null;
  const { hostname, port, protocol } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isHere = /^(localhost|127\..*|::1)$/.test(host);
  const isProxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some(
    (name) => env[name] || env[name.toLowerCase()],
  );
  if (isProxied && !isHere) return null;
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** Why no connection can be made in time; null: one was. */
function connectionProblem({ host, port }: Address): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT });
    const end = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`nothing answers within ${TIMEOUT / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message),
    );
  });
}

/** Ports that swemake's own model servers are to have: whether they are free. */
export async function portProbes(
  { config }: Pick<ResolvedProject, 'config'>,
  stages: ReadonlySet<string> | null = null,
): Promise<Probe[]> {
  const ports = new Map<number, string>();
  const visit = (value: unknown, path: string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const { serve } = value as { serve?: { port?: number } };
    if (typeof serve?.port === 'number' && isUsed(path, stages))
      ports.set(serve.port, [...path, 'serve', 'port'].join('.'));
    for (const [key, below] of Object.entries(value)) visit(below, [...path, key]);
  };
  visit(config, []);
  const asked = [...ports].map(async ([port, place]): Promise<Probe> => {
    const name = `port ${port}`;
    if (await isFree(port)) return { name, status: 'ok', detail: `free, for ${place}` };
    return {
      name,
      status: 'miss',
      detail: `another program listens on 127.0.0.1:${port}, and ${place} needs it`,
      remedy: `end that program (ss -ltnp 'sport = :${port}' names it), or write another port`,
    };
  });
  return Promise.all(asked);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Toolchains of other ecosystems that the selected rows need: whether the cache, the machine or their registry has them. */
export async function toolchainProbes(
  wanted: readonly WantedToolchain[],
  services: HostServices,
): Promise<Probe[]> {
  const asked = wanted.map(async ({ ecosystem, name, version, environments }): Promise<Probe> => {
    const probe = `${name} ${version}`;
    const by = `asked for by ${plural(environments, 'environment')}`;
    const source = ecosystemNamed(ecosystem).toolchains[name]!;
    const signal = AbortSignal.timeout(5 * TIMEOUT);
    const found = await whereToolchain(name, version, source, { ...services, signal });
    if (found.ok) return { name: probe, status: 'ok', detail: `${found.value}; ${by}` };
    return {
      name: probe,
      // A slow registry is none that lacks something.
      status: signal.aborted ? 'soft' : 'miss',
      detail: `${found.fault}; ${by}`,
      remedy: `write a version that is there into toolchain.${name}, or provide this one`,
    };
  });
  return Promise.all(asked);
}

/**
 * Opens the configured deployments, with the kinds of executors that are passed in. A choice among kinds is made
 * once. The chosen kind is part of every key, and every summary says so if it is not the best one.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fault, type Result, success } from '../basics/result.ts';
import type { Cache } from '../cache/cache.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import type { DeploymentIdentity } from '../contract/machine.ts';
import { once } from '../contract/once.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { Deployment } from '../executors/deployment.ts';
import { deploymentKinds, type ExecutorKind, outcomesOf, type WorkspaceKind } from '../executors/kind.ts';
import type { OwnHost } from '../executors/proxy/exchange.ts';
import { type Infra, infra } from '../schemas/outcome.ts';
import { closeAll } from './close-all.ts';
import { isExpected, works } from './kind-works.ts';

export interface Deployments {
  identity(name: string): Promise<Result<DeploymentIdentity, Infra>>;
  /** As `identity`, for commands that only read: nothing is tried. */
  expected(name: string): Promise<Result<DeploymentIdentity, Infra>>;
  open(name: string): Promise<Result<Deployment, Infra>>;
  /** What every summary must say, such as a weaker isolation. */
  warnings(): string[];
  close(): Promise<void>;
}

export interface DeploymentSettings {
  kinds: readonly ExecutorKind[];
  config: ResolvedConfig;
  cache: Cache;
  run: string;
  env: NodeJS.ProcessEnv;
  /** Absent where no deployment that has some is opened. */
  secrets?: Pick<Secrets, 'reveal'>;
  /** What build proxies serve themselves. */
  own?: OwnHost;
}

export function createDeployments(settings: DeploymentSettings): Deployments {
  /** Owns what is opened and chosen once. */
  const owner = {};
  const kinds = deploymentKinds(settings.kinds);
  const degraded = new Map<string, { best: WorkspaceKind; used: WorkspaceKind }>();
  const opened: Opened[] = [];
  const opening = new Set<Promise<unknown>>();
  /** Each is read once: the C library's version is searched in 2 MB. */
  const bases = new Map<string, Record<string, string>>();
  const configOf = (name: string) => settings.config.deployments[name]!;
  const outcomes = (name: string) => outcomesOf(kinds.get(configOf(name).type)!, configOf(name));
  const kindOf = (name: string) =>
    once(owner, `kind ${name}`, () => chooseKind(name, outcomes(name), settings), isSuccess);
  /** Whether its workspaces are those of other machines, so that nothing is to be tried on this one. */
  const isAway = (name: string) => kinds.get(configOf(name).type)!.opens === 'jobs';
  const identityOf = (name: string, kind: WorkspaceKind): DeploymentIdentity => {
    const base = bases.get(name) ?? kind.base(configOf(name));
    bases.set(name, base);
    return { kind: kind.name, isolation: kind.isolation, base };
  };
  return {
    async identity(name) {
      const best = outcomes(name)[0]!;
      if (isAway(name)) return success(identityOf(name, best));
      const kind = await kindOf(name);
      if (!kind.ok) return kind;
      if (kind.value !== best) degraded.set(name, { best, used: kind.value });
      return success(identityOf(name, kind.value));
    },
    async expected(name) {
      const candidates = outcomes(name);
      for (const kind of candidates)
        if (kind === candidates.at(-1) || (await isExpected(kind, settings.cache.database)))
          return success(identityOf(name, kind));
      throw new Error(`deployment ${name} is of a kind that opens nothing`);
    },
    open(name) {
      const make = async (): Promise<Result<Deployment, Infra>> => {
        const kind = await kindOf(name);
        if (!kind.ok) return kind;
        const made = await openDeployment(name, settings, kind.value);
        if (!made.ok) return made;
        opened.push(made.value);
        return success(made.value.deployment);
      };
      const made = once(owner, `open ${name}`, make, isSuccess);
      opening.add(made);
      return made;
    },
    warnings: () => [
      ...[...degraded].map(
        ([name, { best, used }]) =>
          `deployment ${name}: ${best.title} does not work here (swemake doctor says why); ${used.title} are used`,
      ),
      ...opened.flatMap(({ deployment }) => deployment.warnings()),
    ],
    async close() {
      // What is on its way would be left open.
      await Promise.allSettled(opening);
      await closeAll(opened.reverse().map((one) => () => one.close()));
    },
  };
}

/** A deployment with the proxy that its builds use. */
interface Opened {
  deployment: Deployment;
  close(): Promise<void>;
}

function isSuccess({ ok }: Result<unknown, unknown>): boolean {
  return ok;
}

/** The first kind that works. A fallback is not tried: it works everywhere. */
async function chooseKind(
  deployment: string,
  candidates: readonly WorkspaceKind[],
  { cache, config, kinds }: DeploymentSettings,
): Promise<Result<WorkspaceKind, Infra>> {
  for (const kind of candidates) {
    if (kind !== candidates[0] || (await works(kind, cache.database))) return success(kind);
  }
  const { title } = candidates[0]!;
  const detail = `${title} does not work on this host; \`swemake doctor\` says what is missing`;
  const { type } = config.deployments[deployment]!;
  const { opens } = deploymentKinds(kinds).get(type)!;
  // Other people's code is run unprotected only where that was asked for.
  const other =
    opens === 'choice'
      ? `. For code that you trust, write deployments: { ${deployment}: { type: local } }, by which it can do whatever you can`
      : '';
  return fault(infra('tool-missing', detail + other));
}

async function openDeployment(
  name: string,
  { cache, run, config, env, own, secrets }: DeploymentSettings,
  kind: WorkspaceKind,
): Promise<Result<Opened, Infra>> {
  const folder = stateFolder(cache, kind);
  mkdirSync(folder, { recursive: true });
  const { openBuildProxy } = await import('./build-proxy.ts');
  const settings = config.deployments[name]!;
  const proxy = await openBuildProxy(settings, cache, run, env, {
    tcp: kind.proxyBy === 'port',
    ...(own === undefined ? {} : { own }),
  });
  const closeProxy = async () => proxy?.close();
  try {
    const nodes = config.nodes.filter(({ roles }) => roles.includes('node-server'));
    const request = {
      ...{ name, config: settings, stateFolder: folder, runId: run, nodes },
      ...(secrets === undefined ? {} : { secrets }),
    };
    const made = await kind.open({ ...request, ...(proxy === null ? {} : { proxy }) });
    if (!made.ok) {
      await closeProxy();
      return made;
    }
    const deployment = made.value;
    return success({ deployment, close: () => closeAll([() => deployment.close(), closeProxy]) });
  } catch (error) {
    await closeProxy();
    throw error;
  }
}

/** Where a kind of executor keeps what lives. */
export function stateFolder(cache: Cache, { name }: Pick<ExecutorKind, 'name'>): string {
  return join(cache.folder.executors, name);
}

/** Removes what earlier, killed runs left: processes, folders, control groups; and folders that were given up. */
export async function sweepExecutors(cache: Cache, kinds: readonly ExecutorKind[]): Promise<void> {
  for (const kind of kinds) {
    if (kind.opens === 'choice' || kind.opens === 'jobs') continue;
    const folder = stateFolder(cache, kind);
    if (holdsAnything(folder)) await kind.sweep(folder);
  }
  if (['harness', 'training'].some((kind) => holdsAnything(join(cache.folder.executors, kind)))) {
    const { sweepScratch } = await import('../cache/scratch.ts');
    sweepScratch(cache.folder, Date.now());
  }
}

function holdsAnything(path: string): boolean {
  return existsSync(path) && readdirSync(path).length > 0;
}

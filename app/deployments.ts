/**
 * Where configured deployments become real ones: the only place that knows the executors. `auto` is the sandbox
 * where it works, and plain processes with a warning where it does not; what it came to is part of every key.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fault, type Result, success } from '../basics/result.ts';
import type { Cache } from '../cache/cache.ts';
import type { DeploymentConfig, ResolvedConfig } from '../contract/config.ts';
import type { DeploymentIdentity } from '../contract/machine.ts';
import { once } from '../contract/once.ts';
import { baseIdentity } from '../executors/base-identity.ts';
import type { Deployment, Isolation } from '../executors/deployment.ts';
import { type Infra, infra } from '../schemas/outcome.ts';
import type { BuildProxy } from './build-proxy.ts';
import { closeAll } from './close-all.ts';
import { sandboxExpected, sandboxWorks } from './sandbox-probe.ts';

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
  config: ResolvedConfig;
  cache: Cache;
  run: string;
  env: NodeJS.ProcessEnv;
}

export function createDeployments(settings: DeploymentSettings): Deployments {
  /** Owns what is opened and chosen once. */
  const owner = {};
  const degraded = new Set<string>();
  const opened: Opened[] = [];
  const opening = new Set<Promise<unknown>>();
  /** Read once: the C library's version is searched in 2 MB. */
  let base: Record<string, string> | undefined;
  const configOf = (name: string) => settings.config.deployments[name]!;
  const kindOf = (name: string) =>
    once(owner, `kind ${name}`, () => chooseKind(configOf(name), settings), isSuccess);
  const identityOf = (isolation: Isolation): DeploymentIdentity => {
    base ??= baseIdentity();
    return { isolation, base };
  };
  return {
    async identity(name) {
      const kind = await kindOf(name);
      if (!kind.ok) return kind;
      if (kind.value === 'local' && configOf(name).type === 'auto') degraded.add(name);
      return success(identityOf(kind.value));
    },
    async expected(name) {
      const { type } = configOf(name);
      const isLocal =
        type === 'local' || (type === 'auto' && !(await sandboxExpected(settings.cache.database)));
      return success(identityOf(isLocal ? 'local' : 'sandbox'));
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
        (name) =>
          `deployment ${name}: the sandbox does not work here (swemake doctor says why); plain processes are used`,
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

async function chooseKind(
  config: DeploymentConfig,
  settings: DeploymentSettings,
): Promise<Result<Isolation, Infra>> {
  if (config.type === 'local') return success('local');
  const works = await sandboxWorks(settings.cache.database);
  if (works) return success('sandbox');
  if (config.type === 'auto') return success('local');
  return fault(
    infra('tool-missing', 'the sandbox does not work on this host; `swemake doctor` says what is missing'),
  );
}

async function openDeployment(
  name: string,
  { cache, run, config, env }: DeploymentSettings,
  kind: Isolation,
): Promise<Result<Opened, Infra>> {
  const stateFolder = join(cache.folder.executors, kind);
  mkdirSync(stateFolder, { recursive: true });
  const { openBuildProxy } = await import('./build-proxy.ts');
  const proxy = await openBuildProxy(config.deployments[name]!, cache, run, env, kind === 'local');
  const closeProxy = async () => proxy?.close();
  try {
    const make = kind === 'local' ? local : sandbox;
    const made = await make(name, stateFolder, run, proxy);
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

async function local(
  name: string,
  stateFolder: string,
  runId: string,
  proxy: BuildProxy | null,
): Promise<Result<Deployment, Infra>> {
  const { createLocal } = await import('../executors/local/local.ts');
  return success(
    await createLocal({ name, stateFolder, runId, ...(proxy?.url == null ? {} : { proxyUrl: proxy.url }) }),
  );
}

async function sandbox(
  name: string,
  stateFolder: string,
  runId: string,
  proxy: BuildProxy | null,
): Promise<Result<Deployment, Infra>> {
  const { createSandbox } = await import('../executors/sandbox/sandbox.ts');
  const made = await createSandbox({ name, stateFolder, runId, ...(proxy === null ? {} : { proxy }) });
  return made.ok ? made : fault(infra('tool-missing', `${made.fault.reason}; ${made.fault.remedy}`));
}

/** Removes what earlier, killed runs left: processes, folders, control groups; and folders that were given up. */
export async function sweepExecutors(cache: Cache): Promise<void> {
  const folder = (kind: string) => join(cache.folder.executors, kind);
  if (holdsAnything(folder('sandbox'))) {
    const { sweepSandboxes } = await import('../executors/sandbox/sweep.ts');
    await sweepSandboxes(folder('sandbox'));
  }
  if (holdsAnything(folder('local'))) {
    const { sweepLocal } = await import('../executors/local/sweep.ts');
    await sweepLocal(folder('local'));
  }
  if (holdsAnything(folder('process'))) {
    const { sweepProcesses } = await import('../executors/process/sweep.ts');
    await sweepProcesses(folder('process'));
  }
  if (holdsAnything(folder('harness'))) {
    const { sweepScratch } = await import('../cache/scratch.ts');
    sweepScratch(cache.folder, Date.now());
  }
}

function holdsAnything(path: string): boolean {
  return existsSync(path) && readdirSync(path).length > 0;
}

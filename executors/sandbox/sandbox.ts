/**
 * The sandbox deployment: workspaces in Linux namespaces of their own, rootless where the kernel allows it, with
 * no daemon. Layers lie read-only below an overlay; what is written is private and goes with the workspace.
 * root.py describes how a workspace is made, supervisor.py what its process 1 does.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { readableText } from '../../basics/readable.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  Changes,
  Deployment,
  EnvironmentView,
  NetworkSeen,
  OpenOptions,
  SourceView,
  Workspace,
  WorkspaceLost,
} from '../deployment.ts';
import { removeTree } from '../local/remove-tree.ts';
import { type Loopback, openLoopback } from '../loopback.ts';
import { COMMAND_VARIABLES, PROXY_PORT, PROXY_VARIABLES } from './command-variables.ts';
import { type ControlGroups, findControlGroups, limitWarnings, planLimits } from './limits.ts';
import { memoryCount, NOT_COUNTED } from './memory.ts';
import { findPython } from './python.ts';
import { SpareProcesses } from './spare.ts';
import { Spawner, type Way } from './spawner.ts';
import { type Ask, SupervisedWorkspace } from './workspace.ts';

export interface SandboxOptions {
  name: string;
  /** Where run folders, written layers and sockets live; any length. Its path must be usable by this user. */
  stateFolder: string;
  /** Where runs keep what they share, in the same file system; absent: nothing is kept. */
  keptFolder?: string;
  /** Label of the run: part of the names of folders and control groups. */
  runId: string;
  /** Needed for workspaces with network `proxy`. */
  proxy?: { socketPath: string; connections?: { since(moment: number): NetworkSeen } };
  /** `overlay` falls back to copies, with a warning, where overlayfs is refused. */
  layering?: 'overlay' | 'copy';
  /** Run as this user instead of the own one; for root only. */
  user?: { uid: number; gid: number };
}

/** Why there can be no sandbox here, and what would help. */
export interface Unavailable {
  reason: string;
  remedy: string;
}

/** Checks cheaply that sandboxes can work here; `probeSandbox` tries. Nothing is started before the first open. */
export async function createSandbox(options: SandboxOptions): Promise<Result<Deployment, Unavailable>> {
  if (process.platform !== 'linux')
    return fault({ reason: 'the sandbox needs Linux', remedy: 'use a deployment of type local' });
  const python = findPython();
  if (python === null)
    return fault({
      reason: 'python3 was not found',
      remedy: 'install Python 3.8 or newer, for instance apt-get install python3-minimal',
    });
  const rootless = options.user !== undefined || process.getuid?.() !== 0;
  const refused = namespacesRefused(rootless);
  if (refused !== null) return fault(refused);
  return success(new Sandbox(options, python, options.user !== undefined ? {} : findControlGroups()));
}

/** The kernel's setting that refuses user namespaces, read in /proc/sys; null: none does. */
function namespacesRefused(rootless: boolean): Unavailable | null {
  const setting = (name: string) => readableText(`/proc/sys/${name}`).trim();
  if (setting('user/max_user_namespaces') === '0')
    return { reason: 'user namespaces are off', remedy: 'sysctl -w user.max_user_namespaces=16384' };
  if (rootless && setting('kernel/unprivileged_userns_clone') === '0')
    return {
      reason: 'user namespaces are for root only',
      remedy: 'sysctl -w kernel.unprivileged_userns_clone=1',
    };
  if (rootless && setting('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return {
      reason: 'AppArmor restricts user namespaces',
      remedy: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or run as root',
    };
  return null;
}

class Sandbox implements Deployment {
  readonly name: string;
  private spawner: Promise<Spawner> | null = null;
  private count = 0;
  private copies: string | null = null;
  private isClosed = false;
  private readonly spare = new SpareProcesses();

  constructor(
    private readonly options: SandboxOptions,
    private readonly python: string,
    private readonly groups: ControlGroups,
  ) {
    this.name = options.name;
  }

  warnings(): string[] {
    return [...limitWarnings(this.groups), ...(this.copies === null ? [] : [this.copies])];
  }

  async open(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    if (options.signal?.aborted === true) return fault(infra('cancelled', 'cancelled before it opened'));
    if (options.network === 'proxy' && this.options.proxy === undefined)
      return fault(infra('deployment', 'network "proxy" needs a proxy, and none was given'));
    const spawner = await this.start();
    if (!spawner.ok) return spawner;
    const reach = options.reach ?? [];
    if (options.network !== 'host') {
      const ports = reach.map((_, index) => PROXY_PORT + 1 + index);
      return this.openWith(spawner.value, environment, source, options, { ports, close: () => undefined });
    }
    const loopback = await openLoopback(reach);
    if (!loopback.ok) return loopback;
    const opened = await this.openWith(spawner.value, environment, source, options, loopback.value);
    if (!opened.ok) loopback.value.close();
    return opened;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // One that did not start was reported to those that needed it.
    const spawner = await this.spawner?.catch(() => null);
    await spawner?.close();
  }

  /** True when layers were copied. Every summary then warns of it. */
  private noteCopies(refusal: unknown): boolean {
    if (typeof refusal !== 'string') return false;
    this.copies = `layers are copied, which is slow: ${refusal}`;
    return true;
  }

  private async start(): Promise<Result<Spawner, Infra>> {
    this.spawner ??= this.startSpawner();
    const starting = this.spawner;
    try {
      const spawner = await starting;
      if (!spawner.isGone || this.isClosed) return success(spawner);
      // Another program ended it, such as the kernel when memory ran out. Its workspaces are lost; new ones get another spawner.
      if (this.spawner === starting) this.spawner = null;
      return this.start();
    } catch (error) {
      // The next `open` tries again: a full disk, for example, may have room then.
      if (this.spawner === starting) this.spawner = null;
      const { message, errno } = error as NodeJS.ErrnoException;
      return fault(refusal(`the sandbox could not start: ${message}`, errno === undefined ? null : -errno));
    }
  }

  private startSpawner(): Promise<Spawner> {
    const { options, python, groups } = this;
    const label = `swemake-${options.runId}-${randomBytes(3).toString('hex')}`;
    return Spawner.start({
      ...{ python, label, cgroups: groups, kept: options.keptFolder ?? null },
      folder: join(options.stateFolder, `${label}.${processTag(thisProcess())}`),
      ...(options.user === undefined ? {} : { user: options.user }),
    });
  }

  /** The ports of a workspace's own network, and the sockets that they lead to. */
  private ways({ network, reach = [] }: OpenOptions, ports: readonly number[]): Way[] {
    if (network === 'host') return [];
    const proxy = network === 'proxy' ? this.options.proxy : undefined;
    const ways = reach.map((socket, index): Way => [ports[index]!, socket]);
    return proxy === undefined ? ways : [[PROXY_PORT, proxy.socketPath], ...ways];
  }

  private openWith(
    spawner: Spawner,
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
    loopback: Loopback,
  ): Promise<Result<Workspace, Infra>> {
    const id = `w${++this.count}`;
    const connections = this.options.proxy?.connections;
    const request = {
      base: environment.base ?? null,
      layers: source === null ? environment.layers : [...environment.layers, source.layer],
      mounts: environment.mounts,
      links: environment.links,
      network: options.network,
      storage: options.storage,
      copy: this.options.layering === 'copy' ? 'as configured' : null,
      ...planLimits(this.groups, options),
    };
    const variables = {
      ...COMMAND_VARIABLES,
      ...(options.network === 'proxy' ? PROXY_VARIABLES : {}),
      ...environment.variables,
    };
    const { folder, label } = spawner.options;
    const written = options.storage === 'disk' ? join(folder, id) : null;
    const free = async () => {
      loopback.close();
      if (written !== null) await removeTree(written);
    };
    return new Promise((resolve) => {
      let workspace: SupervisedWorkspace | null = null;
      const { signal } = options;
      const onAbort = () => spawner.end(id);
      signal?.addEventListener('abort', onAbort, { once: true });
      const settle = (result: Result<Workspace, Infra>) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(
          signal?.aborted === true && !result.ok
            ? fault(infra('cancelled', 'cancelled while it opened'))
            : result,
        );
      };
      spawner.open(id, this.ways(options, loopback.ports), request, {
        connected: (socket, first, reader) => {
          if (first.header.ready !== true)
            return settle(fault(refusal(String(first.header.detail), first.header.code as number | null)));
          const copied = this.noteCopies(first.header.copied);
          workspace = new SupervisedWorkspace({
            id: `${label}-${id}`,
            ports: loopback.ports,
            variables,
            source: source?.layer ?? null,
            socket,
            reader,
            isBounded: written === null,
            cpus: options.limits.cpus,
            spare: () => this.spare.left(),
            gather: written === null ? null : gatherFrom(written, copied),
            end: () => spawner.end(id),
            memory: memoryCount(first.header.memory) ?? NOT_COUNTED,
            network:
              options.network === 'proxy' && connections !== undefined ? (at) => connections.since(at) : null,
            free,
          });
          settle(success(workspace));
        },
        refused: (detail, code) => {
          workspace?.ended(detail);
          settle(fault(refusal(detail, code)));
        },
        ended: (ended) => {
          workspace?.ended(ended);
          settle(
            fault(
              infra('killed', `process 1 ended with wait status ${ended.status} while the workspace opened`),
            ),
          );
          // What cannot be removed is left to the sweep.
          if (workspace === null) free().catch(() => undefined);
        },
      });
    });
  }
}

/** `copied`: layers were copied, so changes are kept in a folder of their own. */
function gatherFrom(written: string, copied: boolean) {
  return async (ask: Ask): Promise<Result<Changes, WorkspaceLost>> => {
    const answer = await ask('changes');
    if (!answer.ok) return answer;
    return success({
      folder: join(written, copied ? 'changes' : 'up'),
      removed: answer.value.removed as string[],
    });
  };
}

const ENOSPC = 28;

function refusal(detail: string, code: number | null): Infra {
  return infra(code === ENOSPC ? 'disk-full' : 'machine', detail);
}

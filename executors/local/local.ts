/**
 * The local executor: plain processes on a private copy, for machines that refuse namespaces. It protects against
 * accidents, not against code that wants to get out. Its warnings say what it cannot enforce, and its isolation is
 * part of every key.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Deployment, EnvironmentView, OpenOptions, SourceView, Workspace } from '../deployment.ts';
import { type Loopback, openLoopback } from '../loopback.ts';
import { baselineOf } from './capture.ts';
import { FIXED_PREFIXES, relocation } from './relocation.ts';
import { removeTree } from './remove-tree.ts';
import { copyLayer, linkPlaces, placeLinks } from './tree.ts';
import { LocalWorkspace, makeSkeleton } from './workspace.ts';

export interface LocalOptions {
  /** The key under `deployments` in the project. */
  name: string;
  /** Workspaces live here. Give a short path: interpreter lines of scripts are bounded by the system. */
  stateFolder: string;
  /** Written beside each workspace, to identify its owner. */
  runId: string;
  /** Address of swemake's proxy, with its credential, for the network mode `proxy`. */
  proxyUrl?: string;
}

const WARNINGS = [
  'isolation is local: code runs as this user and can read and write whatever this user can',
  'network cannot be cut off: off is not enforced, proxy is a setting that code may ignore',
  'limits are soft: memory bounds each process, disk bounds each file, pids and cpus bound nothing',
  'a process that hides its environment and leaves its folder can outlive its workspace',
];

/** Random hex digits of a workspace's name: fixed, because a path's length enters compiled files. */
const ID_BYTES = 8;

/** Opens the local executor on `stateFolder`. */
export async function createLocal(options: LocalOptions): Promise<Deployment> {
  await mkdir(options.stateFolder, { recursive: true, mode: 0o700 });
  return new LocalDeployment(options, await realpath(options.stateFolder));
}

class LocalDeployment implements Deployment {
  readonly name: string;
  private readonly workspaces = new Set<Workspace>();
  private readonly options: LocalOptions;
  private readonly state: string;

  constructor(options: LocalOptions, state: string) {
    this.name = options.name;
    this.options = options;
    this.state = state;
  }

  warnings(): string[] {
    return WARNINGS;
  }

  async open(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    if (options.signal?.aborted)
      return fault(infra('cancelled', 'cancelled before the workspace was opened'));
    if (environment.base !== undefined)
      return fault(
        infra(
          'deployment',
          'plain processes have no root of their own; use type sandbox, or write base: host',
        ),
      );
    const loopback = await openLoopback(options.reach ?? []);
    if (!loopback.ok) return loopback;
    const id = randomBytes(ID_BYTES).toString('hex');
    const root = join(this.state, id);
    try {
      await writeFile(ownerFile(this.state, id), ownerText(this.options.runId));
      const workspace = await this.fill(id, root, environment, source, options, loopback.value);
      this.workspaces.add(workspace);
      return success(workspace);
    } catch (error) {
      loopback.value.close();
      await removeTree(root);
      await rm(ownerFile(this.state, id), { force: true });
      if (options.signal?.aborted)
        return fault(infra('cancelled', 'cancelled while the workspace was opened'));
      return fault(openFault(error as NodeJS.ErrnoException));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.workspaces].map((workspace) => workspace.close()));
  }

  private async fill(
    id: string,
    root: string,
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
    loopback: Loopback,
  ): Promise<Workspace> {
    const placed = linkPlaces(environment);
    const moved = relocation(root, [...FIXED_PREFIXES, ...placed]);
    await makeSkeleton(moved);
    for (const layer of [...environment.layers, ...(source === null ? [] : [source.layer])]) {
      options.signal?.throwIfAborted();
      await copyLayer(layer, moved);
    }
    await placeLinks(environment, moved);
    const workspace: Workspace = new LocalWorkspace({
      id,
      ports: loopback.ports,
      relocation: moved,
      variables: { ...environment.variables, ...this.proxyVariables(options) },
      source: source?.layer ?? null,
      limits: options.limits,
      placed,
      baseline: options.storage === 'disk' ? await baselineOf(root) : null,
      changesFolder: join(this.state, `${id}.changes`),
      closed: async () => {
        loopback.close();
        this.workspaces.delete(workspace);
        await rm(ownerFile(this.state, id), { force: true });
      },
    });
    return workspace;
  }

  private proxyVariables(options: OpenOptions): Record<string, string> {
    const url = this.options.proxyUrl;
    if (options.network !== 'proxy' || url === undefined) return {};
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: 'localhost,127.0.0.1' };
  }
}

/** Names the run and the process that a workspace belongs to; read by the sweep. */
function ownerFile(state: string, id: string): string {
  return join(state, `${id}.owner`);
}

function ownerText(runId: string): string {
  return `${processTag(thisProcess())}\n${runId}\n`;
}

function openFault(error: NodeJS.ErrnoException): Infra {
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return infra('disk-full', error.message);
  return infra('machine', error.message);
}

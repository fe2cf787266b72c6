/** The pool deployment: workspaces are containers that a pool server leases, on whichever of its nodes has a place. */
import { randomBytes } from 'node:crypto';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Deployment, EnvironmentView, OpenOptions, SourceView, Workspace } from '../deployment.ts';
import { removeTree } from '../local/remove-tree.ts';
import { faultOf, PoolClient } from './client.ts';
import { SentLayers } from './sent.ts';
import { PoolWorkspace } from './workspace.ts';

/** Requirements for a machine, and how it must enforce limits. */
export interface Needs {
  architecture: string;
  backend: string;
  held: Readonly<Record<string, string>>;
}

export interface PoolOptions {
  name: string;
  url: string;
  token: string | null;
  /** Label in the names of what is leased. */
  runId: string;
  /** Folder for what is on its way, on the file system of the cache. It is removed with the deployment. */
  scratch: string;
  needs: Needs;
  /** Ends the pool with the deployment; absent for one that others have started. */
  end?(): Promise<void>;
}

/** Milliseconds between heartbeats, far below the time after which an idle lease ends. */
const HEARTBEAT = 60_000;
const CANNOT_REACH =
  'workspaces of a pool are on other machines, so they cannot run agents that bring their own program yet; use a deployment of type sandbox, docker or local';
/** Seconds for which a request for a lease waits; then the next one is sent. */
const WAIT = 120;

export class PoolDeployment implements Deployment {
  readonly name: string;
  readonly #options: PoolOptions;
  readonly #client: PoolClient;
  readonly #layers: SentLayers;
  readonly #open = new Map<string, Workspace>();
  readonly #beating: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.name = options.name;
    this.#options = options;
    this.#client = new PoolClient(options.url, options.token);
    this.#layers = new SentLayers(this.#client, options.scratch);
    this.#beating = setInterval(() => this.#beat(), HEARTBEAT);
    this.#beating.unref();
  }

  warnings(): string[] {
    return [];
  }

  async open(
    environment: EnvironmentView,
    source: SourceView | null,
    { limits, network, storage, reach = [], signal }: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    if (signal?.aborted === true) return fault(infra('cancelled', 'cancelled before it opened'));
    if (network === 'proxy') return fault(infra('deployment', 'a pool has no proxy'));
    if (reach.length > 0) return fault(infra('deployment', CANNOT_REACH));
    const request = {
      image: 'layers',
      instance_id: this.#options.runId,
      idempotency_key: randomBytes(12).toString('hex'),
      wait: WAIT,
      options: { limits, network, storage },
      needs: this.#options.needs,
    };
    const lease = await this.#lease(() => this.#layers.view(environment, source), request, signal);
    if (!lease.ok) return lease;
    const workspace = new PoolWorkspace({
      client: this.#client,
      lease: lease.value,
      source: source?.layer ?? null,
      storage,
      scratch: this.#options.scratch,
      closed: () => this.#open.delete(lease.value),
    });
    this.#open.set(lease.value, workspace);
    if (!isAborted(signal)) return success(workspace);
    await workspace.close();
    return fault(infra('cancelled', 'cancelled while it opened'));
  }

  bring(environment: EnvironmentView): Promise<Result<object, Infra>> {
    return this.#layers.view(environment, null);
  }

  /** Asks until there is a place, since it is not known how long others work. `bring` brings the layers that the pool lacks. */
  async #lease(
    bring: () => Promise<Result<object, Infra>>,
    request: object,
    signal: AbortSignal | undefined,
  ): Promise<Result<string, Infra>> {
    let isBroughtAgain = false;
    for (;;) {
      const view = await bring();
      if (!view.ok) return view;
      const reply = await this.#client.post('/allocate', { ...request, view: view.value });
      if (!reply.ok) return reply;
      const { json } = reply.value;
      if (json.ok === true) return success(String(json.lease_id));
      if (json.error_code === 'layers_missing' && !isBroughtAgain) {
        isBroughtAgain = true;
        this.#layers.forget();
        continue;
      }
      if (json.error_code === 'unsuitable') return fault(this.#unsuitable(String(json.error)));
      if (json.error_code !== 'capacity_limited') return fault(faultOf(reply.value));
      if (signal?.aborted === true) return fault(infra('cancelled', 'cancelled while it waited for a place'));
    }
  }

  /** Asking again is useless: the pool has no other machines. */
  #unsuitable(why: string): Infra {
    return infra(
      'tool-missing',
      `deployment ${this.name}: ${why}; set its backend to the one that its machines use, and limits only where they have control groups`,
    );
  }

  #beat(): void {
    for (const lease_id of this.#open.keys()) void this.#client.post('/heartbeat', { lease_id });
  }

  async close(): Promise<void> {
    clearInterval(this.#beating);
    await Promise.all([...this.#open.values()].map((workspace) => workspace.close()));
    await this.#client.close();
    await removeTree(this.#options.scratch);
    await this.#options.end?.();
  }
}

/** A call, because the value changes while others run. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

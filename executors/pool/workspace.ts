/** A workspace behind a lease: each operation is a request to the pool, which passes it on to the container's node. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  Changes,
  DiffRefused,
  ExecOptions,
  ExecResult,
  FileRefused,
  KeepAdded,
  Workspace,
  WorkspaceKilled,
  WorkspaceLost,
} from '../deployment.ts';
import { diffWorkspace } from '../diff.ts';
import { noCommand } from '../no-command.ts';
import { unpackTree } from './archive.ts';
import { faultOf, type PoolClient, type PoolReply } from './client.ts';

export interface PoolWorkspaceParts {
  client: PoolClient;
  lease: string;
  /** Host folder of the source layer. */
  source: string | null;
  storage: 'memory' | 'disk';
  /** Folder for what was written, on the file system of the cache. */
  scratch: string;
  /** Called when it is closed. */
  closed(): void;
}

/** Seconds; the server takes no longer ones. */
const MAX_TIMEOUT = 604_800;
/** Bytes of a path, with the byte that ends it: Linux's PATH_MAX. */
const MAX_PATH = 4096;
/** Milliseconds until a command has ended that is cancelled. */
const CANCEL = 30_000;

export class PoolWorkspace implements Workspace {
  readonly id: string;
  readonly ports = [];
  readonly #parts: PoolWorkspaceParts;
  #gone: WorkspaceLost | null = null;
  #closing: Promise<void> | null = null;
  #changes: string | null = null;

  constructor(parts: PoolWorkspaceParts) {
    this.#parts = parts;
    this.id = parts.lease;
  }

  async exec(command: string, options: ExecOptions): Promise<Result<ExecResult, WorkspaceLost>> {
    const { cwd, env, timeout, signal, maxOutput, login } = options;
    if (isAborted(signal)) return fault(infra('cancelled', 'cancelled before it started'));
    const none = noCommand(command, options);
    if (none !== null) return success(none);
    const key = randomBytes(12).toString('hex');
    const body = {
      ...{ command, detail: true, timeout: Math.min(MAX_TIMEOUT, timeout), idempotency_key: key },
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(maxOutput === undefined ? {} : { max_output: maxOutput }),
      ...(login === undefined ? {} : { login }),
    };
    // The answer comes when the command has ended. If it does not come, the request itself is cancelled.
    const giveUp = new AbortController();
    let late: NodeJS.Timeout | undefined;
    const onAbort = () => {
      late = setTimeout(() => giveUp.abort(), CANCEL);
      void this.#ask('/cancel', { idempotency_key: key });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const reply = await this.#ask('/exec', body, giveUp.signal);
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(late);
    if (isAborted(signal)) return fault(infra('cancelled', 'cancelled while it ran'));
    return reply.ok ? success(reply.value.result as ExecResult) : (reply as Result<never, WorkspaceLost>);
  }

  async endProcesses(): Promise<Result<null, WorkspaceLost>> {
    const reply = await this.#ask('/end', {});
    return reply.ok ? success(null) : (reply as Result<never, WorkspaceLost>);
  }

  async write(
    path: string,
    bytes: Uint8Array | string,
    mode?: number,
  ): Promise<Result<null, WorkspaceLost | FileRefused>> {
    if (!isPath(path)) return refusedPath(`write ${path}`);
    const body = {
      path,
      bytes: Buffer.from(bytes).toString('base64'),
      ...(mode === undefined ? {} : { mode }),
    };
    const reply = await this.#ask('/write', body);
    return reply.ok ? success(null) : (reply as Result<never, WorkspaceLost | FileRefused>);
  }

  async read(path: string): Promise<Result<Uint8Array | null, WorkspaceLost | FileRefused>> {
    if (!isPath(path)) return refusedPath(`read ${path}`);
    const reply = await this.#ask('/read', { path });
    if (!reply.ok) return reply as Result<never, WorkspaceLost | FileRefused>;
    const { bytes } = reply.value as { bytes: string | null };
    return success(bytes === null ? null : Buffer.from(bytes, 'base64'));
  }

  diff(base?: string, keep?: KeepAdded): Promise<Result<string, WorkspaceLost | DiffRefused>> {
    return diffWorkspace(this, { base, keep, layer: this.#parts.source });
  }

  async changes(): Promise<Result<Changes, WorkspaceLost>> {
    if (this.#parts.storage !== 'disk') throw new Error('changes() needs storage "disk"');
    if (this.#gone !== null) return fault(this.#gone);
    const reply = await this.#parts.client.stream('/changes', { lease_id: this.#parts.lease });
    if (!reply.ok) return fault('json' in reply.fault ? this.#lostBy(reply.fault) : reply.fault);
    const { scratch } = this.#parts;
    await mkdir(scratch, { recursive: true });
    const place = await mkdtemp(join(scratch, 'changes-'));
    await this.#dropChanges();
    this.#changes = place;
    const [archive, folder] = [join(place, 'changes.tar'), join(place, 'tree')];
    try {
      await pipeline(reply.value.body, createWriteStream(archive));
      await mkdir(folder);
      await unpackTree(archive, folder);
      await rm(archive);
      await chmod(place, 0o755);
    } catch (error) {
      return fault(infra('pool', `what was written arrived incomplete: ${(error as Error).message}`));
    }
    const removed = Buffer.from(String(reply.value.headers['x-removed'] ?? ''), 'base64').toString();
    return success({ folder, removed: JSON.parse(removed) as string[] });
  }

  /** No proxy watches the network of the container. */
  network(): null {
    return null;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#gone ??= infra('workspace-lost', 'the workspace is closed');
    this.#parts.closed();
    // A lease that cannot be closed ends by itself.
    await this.#parts.client.post('/close', { lease_id: this.#parts.lease });
    await this.#dropChanges();
  }

  async #dropChanges(): Promise<void> {
    // While they are being unpacked, files come into folders that are being removed.
    const again = { maxRetries: 10, retryDelay: 50 };
    if (this.#changes !== null) await rm(this.#changes, { recursive: true, force: true, ...again });
  }

  async #ask(
    route: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<Result<Record<string, unknown>, WorkspaceLost | FileRefused>> {
    if (this.#gone !== null) return fault(this.#gone);
    const reply = await this.#parts.client.post(route, { lease_id: this.#parts.lease, ...body }, { signal });
    // The result of a request to a workspace that was closed meanwhile cannot be distinguished from its end.
    if (!reply.ok) return fault(this.#gone ?? reply.fault);
    const { json } = reply.value;
    if (json.ok === true) return success(json);
    if (json.error_code === 'refused') return fault(json.refused as FileRefused);
    return fault(this.#lostBy(reply.value));
  }

  #lostBy(reply: PoolReply): Infra | WorkspaceKilled {
    const killed = reply.json.killed as WorkspaceKilled | undefined;
    return killed ?? faultOf(reply);
  }
}

/** Whether a system takes it as a path. A server refuses a request with any other one. */
function isPath(text: string): boolean {
  return !text.includes('\0') && Buffer.byteLength(text) < MAX_PATH;
}

function refusedPath(what: string): Result<never, FileRefused> {
  return fault({ status: 'refused', reason: 'place', detail: `${what.slice(0, 200)}: no path` });
}

/** A call, because the value changes while others run. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

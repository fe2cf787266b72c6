/**
 * Node's side of the spawner: starts it once per run, hands it requests, and pairs the workspaces that connect
 * back with those who asked. Nothing is spawned after that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, constants, openSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { encodeFrame, type Frame, FrameReader } from './frames.ts';
import { type ControlGroups, processLimits } from './limits.ts';
import { type MemoryCount, memoryCount } from './memory.ts';
import { makeRunFolder, removeRun } from './run-folder.ts';

export interface SpawnerOptions {
  python: string;
  /** The run's own folder; made here, removed when the spawner ends. */
  folder: string;
  /** Where runs keep what they share; null: nothing is kept. */
  kept: string | null;
  /** Begins the names of control groups. */
  label: string;
  cgroups: ControlGroups;
  /** Run as this user instead of the own one. */
  user?: { uid: number; gid: number };
}

/** A port of the loopback inside, and the path of the host socket at which its connections end. */
export type Way = readonly [port: number, socket: string];

/** How a workspace's process 1 ended. */
export interface Ended {
  /** As waitpid gives it. */
  status: number;
  /** What the kernel counted of its memory; null when it was ended by us. */
  memory: MemoryCount | null;
}

/** A workspace as the spawner sees it; callbacks are set by the code that opened it. */
export interface Listener {
  /** Its process 1 is connected; `first` is ready or the fault that kept it from being so. */
  connected(socket: Socket, first: Frame, reader: FrameReader): void;
  refused(detail: string, code: number | null): void;
  ended(ended: Ended): void;
}

export class Spawner {
  private readonly listeners = new Map<string, Listener>();
  private readonly child: ChildProcess;
  private readonly control: Socket;
  private stderr = '';
  private dead: string | null = null;
  readonly exited: Promise<void>;

  private constructor(
    readonly options: SpawnerOptions,
    private readonly server: Server,
    private readonly folderHandle: number,
  ) {
    const settings = {
      folder: options.folder,
      kept: options.kept,
      label: options.label,
      cgroups: options.cgroups,
      limits: processLimits(),
    };
    const script = join(packageRoot(), 'executors/sandbox/spawner.py');
    const child = spawn(options.python, ['-ISEB', script, JSON.stringify(settings)], {
      cwd: '/',
      env: { LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      ...options.user,
    });
    this.child = child;
    this.control = child.stdio[3] as Socket;
    child.stderr!.setEncoding('utf8');
    child.stderr!.on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-4000);
    });
    const reader = new FrameReader();
    this.control.on('data', (chunk: Buffer) => {
      for (const frame of reader.feed(chunk)) this.onEvent(frame);
    });
    this.control.on('error', () => undefined);
    // Node must not end before it has heard why the process did.
    this.control.on('close', () => this.awaitEnd());
    this.exited = new Promise((resolve) => {
      child.on('error', (error) => this.onExit(error.message, resolve));
      child.on('close', (code, signal) => this.onExit(`it ended with ${signal ?? code}`, resolve));
    });
    // The run ends when its work is done, whether or not somebody closed the deployment.
    child.unref();
    (child.stderr as Socket).unref();
    this.control.unref();
    server.on('connection', (socket) => this.onConnection(socket));
    server.unref();
  }

  /** Makes the run's folder and starts the Python process; faults of either show up when a workspace opens. */
  static async start(options: SpawnerOptions): Promise<Spawner> {
    makeRunFolder(options.folder, options.cgroups);
    if (options.user !== undefined) chownSync(options.folder, options.user.uid, options.user.gid);
    // Socket addresses hold 107 bytes; a folder's descriptor makes a short path of any folder.
    const folderHandle = openSync(options.folder, constants.O_RDONLY | constants.O_DIRECTORY);
    const path = `/proc/self/fd/${folderHandle}/control.sock`;
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    // The folder is closed to others; a spawner of another user must be able to connect.
    chmodSync(path, 0o666);
    return new Spawner(options, server, folderHandle);
  }

  /** Its process has ended. */
  get isGone(): boolean {
    return this.dead !== null;
  }

  /** Asks for a workspace; the listener hears everything that becomes of it. */
  open(name: string, ways: readonly Way[], request: object, listener: Listener): void {
    if (this.dead !== null) {
      listener.refused(this.dead, null);
      return;
    }
    this.listeners.set(name, listener);
    this.control.write(encodeFrame({ op: 'open', name, ways }, Buffer.from(JSON.stringify(request))));
    this.hold();
  }

  /** Kills a workspace; its listener hears of the end. */
  end(name: string): void {
    if (this.dead === null) this.control.write(encodeFrame({ op: 'end', name }));
  }

  /** Ends all workspaces and the process, and removes the run's folder. */
  async close(): Promise<void> {
    if (this.dead !== null) return;
    this.awaitEnd();
    this.control.end();
    await this.exited;
  }

  /** Node runs on until the process has ended and its stderr is closed: another process may hold it a little longer. */
  private awaitEnd(): void {
    this.child.ref();
    (this.child.stderr as Socket).ref();
  }

  private onConnection(socket: Socket): void {
    const reader = new FrameReader();
    socket.unref(); // spare workspaces are connected too
    socket.on('error', () => undefined);
    const onData = (chunk: Buffer): void => {
      const [first] = reader.feed(chunk);
      if (first === undefined) return;
      socket.off('data', onData);
      const listener = this.listeners.get(String(first.header.name));
      socket.ref();
      if (listener === undefined) socket.destroy();
      else listener.connected(socket, first, reader);
    };
    socket.on('data', onData);
  }

  private onEvent({ header }: Frame): void {
    const name = String(header.name);
    const listener = this.listeners.get(name);
    if (listener === undefined) return;
    if (header.event === 'refused')
      listener.refused(String(header.detail), (header.code as number | null) ?? null);
    if (header.event === 'refused' || header.event === 'closed') this.listeners.delete(name);
    if (header.event === 'closed')
      listener.ended({
        status: Number(header.status),
        memory: memoryCount(header.memory),
      });
    this.hold();
  }

  /** The process keeps Node running only while workspaces are open. */
  private hold(): void {
    if (this.listeners.size > 0) this.control.ref();
    else this.control.unref();
  }

  private onExit(reason: string, resolve: () => void): void {
    if (this.dead !== null) return;
    this.dead = `the sandbox's Python process is gone: ${this.stderr.trim() || reason}`;
    this.server.close();
    closeSync(this.folderHandle);
    for (const listener of [...this.listeners.values()]) listener.refused(this.dead, null);
    this.listeners.clear();
    // A spawner that was killed has removed nothing. What cannot be removed now is left to the next sweep.
    void removeRun(this.options.folder, this.options.label).then(resolve, resolve);
  }
}

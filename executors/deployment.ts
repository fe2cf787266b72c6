/**
 * The one interface behind which every backend opens workspaces. A workspace is an isolated, writable copy of
 * an environment plus an instance's source; inside it paths are always the same (`/testbed`, `/opt/env`).
 * Every backend passes the contract suite in test/executors/contract.ts.
 */

import type { Result } from '../basics/result.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { Hindrance } from './hindrance.ts';
import type { Counters } from './lack.ts';

/** `off`: loopback only. `proxy`: HTTP(S) through swemake's proxy with an allow-list. `host`: the host's network. */
export type Network = (typeof NETWORKS)[number];

/** From the tightest to the most open. */
export const NETWORKS = ['off', 'proxy', 'host'] as const;

/**
 * How strongly a workspace is isolated from the host. `local`: not at all, code can read and write whatever the user
 * can. `sandbox`: it sees only the folders of the host that it is shown, and everything that it leaves behind is
 * removed with the workspace.
 */
export type Isolation = (typeof ISOLATIONS)[number];

/** From the weakest to the strongest. */
export const ISOLATIONS = ['local', 'sandbox'] as const;

export function isIsolatedEnough(isolation: Isolation, least: Isolation): boolean {
  return ISOLATIONS.indexOf(isolation) >= ISOLATIONS.indexOf(least);
}

/** The strictest of the available networks that allows everything that `wanted` does. */
export function closestNetwork(wanted: Network, held: readonly Network[]): Network {
  const enough = NETWORKS.slice(NETWORKS.indexOf(wanted));
  return enough.find((network) => held.includes(network)) ?? wanted;
}

/** Caps for one workspace; an absent one is not limited. */
export interface Limits {
  /** Bytes of memory for all processes together. */
  memory?: number;
  /** Processes and threads alive at once. */
  pids?: number;
  /** Bytes that may be written. */
  disk?: number;
  /** Processors' worth of time, may be fractional. */
  cpus?: number;
}

/** A folder of the host that is shown read-only inside. */
export interface ReadOnlyMount {
  /** Absolute host path. */
  from: string;
  /** Absolute path inside. */
  to: string;
  /** Folders below `from`, as relative paths, that are shown empty; absent for none. The local executor cannot hide them. */
  hides?: readonly string[];
}

/** A whole root filesystem that a workspace shows instead of the host's folders. */
export interface BaseView {
  /** Absolute host folders of its layers, as overlayfs mounts them, the lowest first. */
  layers: readonly string[];
  /** Whether its own `/testbed` is visible. */
  testbed: boolean;
  /** The folder of an environment that it contains, also shown at `/opt/env`; null: it contains none. */
  place: string | null;
}

/** What a workspace shows below its writable layer. Layer trees are rooted at `/`; later ones lie on top. */
export interface EnvironmentView {
  /** Absent: the host's system folders. */
  base?: BaseView;
  /** Absolute host folders of read-only layer trees, lowest first. */
  layers: string[];
  mounts: ReadOnlyMount[];
  /** Symbolic links made in the root's skeleton: path inside -> target inside. */
  links: Record<string, string>;
  /** Variables of every command. Variables of the host are never passed on. */
  variables: Record<string, string>;
}

/** The source layer: a tree with the repository under `testbed/`. */
export interface SourceView {
  layer: string;
}

export interface OpenOptions {
  limits: Limits;
  network: Network;
  /** memory: writable layer in a sized tmpfs. disk: a folder, for builds whose changes are captured. */
  storage: 'memory' | 'disk';
  /**
   * Absolute paths, of at most 100 bytes, of Unix sockets of the host that programs inside reach by a port of the loopback
   * each, whatever the network. A connection to a port without a listener is reset. A workspace has at most 256 at once; others wait.
   * Where it shares the host's network, others are closed, and all programs of the host can use the port.
   */
  reach?: readonly string[];
  signal?: AbortSignal;
}

export interface ExecOptions {
  /** Default /testbed. */
  cwd?: string;
  /** Added to the environment's variables. */
  env?: Record<string, string>;
  /** Seconds, fractional allowed; the whole process tree inside is killed when they are over. Silence has no limit. */
  timeout: number;
  /**
   * Aborted: the whole process tree inside is killed, and the answer is the fault `cancelled`, which has no output. The
   * workspace still works.
   */
  signal?: AbortSignal;
  /** Bytes of `output` kept, head and tail; default 4 MiB. */
  maxOutput?: number;
  /**
   * Called with what the command prints, while it runs: both streams in the order in which they arrive, invalid UTF-8
   * replaced, and only the first `maxOutput` bytes. The local executor gives whole lines. A pool never calls it. It must not
   * throw.
   */
  onOutput?(text: string): void;
  /** In a login shell, which reads the profiles of the system and of the user first. */
  login?: boolean;
}

/** What the proxy saw of the network while something ran. */
export interface NetworkSeen {
  /** A connection that failed or broke; null when none did. */
  lost: string | null;
  /** At least one connection succeeded. */
  passed: boolean;
  /** At least one connection succeeded after the last one that was lost. */
  isOver: boolean;
  /** Hosts that the proxy does not let through, in the order of their names. */
  refused: string[];
}

export interface ExecResult {
  /** null when the command was killed by a signal or a timeout. */
  exitCode: number | null;
  /** Name such as SIGKILL when a signal ended it. */
  exitSignal: string | null;
  stdout: string;
  stderr: string;
  /** stdout and stderr in the order they arrived; invalid UTF-8 replaced. */
  output: string;
  timedOut: boolean;
  /** Output was cut in the middle; a marker says how many bytes are missing. */
  truncated: boolean;
  /** Without pauses. */
  durationMs: number;
  /** What kept it from running; absent when nothing is known of that. */
  hindrance?: Hindrance;
  /** Whether the workspace reached its memory limit during the command; absent when nothing counts that. */
  metMemoryLimit?: boolean;
  /** What was left of the machine; absent for a command that ended well, and where nothing can be read. */
  counters?: Counters;
}

/** Why a workspace cannot be used any more: the machine failed, or the code inside ended it. */
export type WorkspaceLost = Infra | WorkspaceKilled;

/**
 * A file that cannot be written or read because of the code inside, while the workspace still works. `place`: there
 * is a folder, a pipe, or a link that leads out. `full`: there is no space left.
 */
export interface FileRefused {
  status: 'refused';
  reason: 'place' | 'full';
  detail: string;
}

/** The repository cannot be compared, while the workspace still works. */
export interface DiffRefused {
  status: 'refused';
  detail: string;
  /** How git ended; null when it was not started. */
  end: ExecResult | null;
}

/**
 * Selects the new files that belong to the patch. Names of repositories inside this one end with a slash. `known`:
 * files that existed before. `sizeOf`: the bytes of a new file.
 */
export type KeepAdded = (
  added: readonly string[],
  known: readonly string[],
  sizeOf: (path: string) => number,
) => readonly string[];

/** Bytes of new files, and of changed large files, that a diff can hold. With more it is refused. */
export const MAX_BYTES = 64 << 20;
/** A file of more bytes is large. */
export const LARGE_FILE = 1 << 20;

/** The changes of a workspace to its layers: removed paths, and the folder with everything written. */
export interface Changes {
  /** Host folder with everything written, rooted at `/`. */
  folder: string;
  /** Paths without a slash in front. A removed folder stands for everything below it. */
  removed: readonly string[];
}

/**
 * Expected failures are results and never exceptions: a workspace that is lost, and an operation that the code inside
 * made impossible while the workspace still works.
 */
export interface Workspace {
  readonly id: string;
  /** Ports of 127.0.0.1 inside, one for each of the `reach` it was opened with, in that order. */
  readonly ports: readonly number[];
  /** Run a bash command. */
  exec(command: string, options: ExecOptions): Promise<Result<ExecResult, WorkspaceLost>>;
  /**
   * Ends every process inside, also running commands; the workspace still works. So a process that was left running
   * cannot delay or watch later commands.
   */
  endProcesses(): Promise<Result<null, WorkspaceLost>>;
  /** Write a file; parents are made. Without `mode` a file that is there keeps its own. Follows no symbolic link out of the workspace. */
  write(
    path: string,
    bytes: Uint8Array | string,
    mode?: number,
  ): Promise<Result<null, WorkspaceLost | FileRefused>>;
  /** Read a file; null when nothing is there. */
  read(path: string): Promise<Result<Uint8Array | null, WorkspaceLost | FileRefused>>;
  /**
   * Binary-safe unified diff of /testbed against commit `base`, its last one for none, with new files that are not
   * ignored; `keep` chooses among those. A pipe, socket or device is no file.
   */
  diff(base?: string, keep?: KeepAdded): Promise<Result<string, WorkspaceLost | DiffRefused>>;
  /** The changes so far, valid until close. @throws without storage `disk`. */
  changes(): Promise<Result<Changes, WorkspaceLost>>;
  /**
   * What the proxy saw of the network since a time of performance.now(); null without a proxy, and when code can
   * bypass it. Other workspaces of the deployment may have caused it.
   */
  network(since: number): NetworkSeen | null;
  /** Ends every process inside and frees everything. Idempotent. */
  close(): Promise<void>;
}

/** The code inside ended its own workspace: the task's fault, not the machine's. */
export interface WorkspaceKilled {
  status: 'failed';
  reason: 'workspace-killed';
  detail: string;
}

export interface Deployment {
  /** The key under `deployments` in the project. */
  readonly name: string;
  /** Weaknesses to print in every summary, such as "memory limit soft". */
  warnings(): string[];
  open(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>>;
  /**
   * Sends the files that such workspaces show to the machines where they are opened, before the first one is opened.
   * Absent where nothing is sent. Opening a workspace does the same if it was not done.
   */
  bring?(environment: EnvironmentView): Promise<Result<unknown, Infra>>;
  /** Ends all workspaces and the backend's own processes. */
  close(): Promise<void>;
}

/** An engine on which programs of the host start containers by themselves. */
export interface ContainerEngine {
  /** Its address, for people. */
  name: string;
  processors: number;
  /** Bytes. */
  memory: number;
  /** Variables that tell a program its address; empty when the program finds it without. */
  variables: Record<string, string>;
}

/**
 * Programs of the host that a stage runs as they are: an official harness, a model server, a trainer. They are not
 * isolated, so they get only the host variables that are named here. Processes that they leave behind are ended with
 * them, or at the next start.
 */

import type { Result } from '../basics/result.ts';
import type { Infra } from '../schemas/outcome.ts';

/** What is run. */
export interface ProcessSpec {
  /** Program and arguments, or one bash command line. */
  command: readonly string[] | string;
  /** Absolute host folder. */
  cwd: string;
  /** Variables in addition to the host's harmless ones. Values may be secrets, which are removed from every log. */
  env?: Readonly<Record<string, string>>;
  /** Further variables of the host that are passed on, such as DOCKER_HOST. */
  inherit?: readonly string[];
  /** Absolute path of a file that holds the output while it comes; its head and tail are kept. */
  log: string;
  /** Bytes of output kept, in the file and in the result; default 4 MiB. */
  maxOutput?: number;
  /** Called with output while the program runs, without secrets. */
  onOutput?: (text: string) => void;
  /** GPUs for it alone, out of so many that its deployment has; it waits until they are free. `onWanted` is called while others wait for them. Absent: GPUs are not restricted. */
  gpus?: { count: number; of: number; onWanted?: () => void };
  /** Processes and threads that it and its descendants may have; absent: 1024 for each processor, at least 4096. */
  pids?: number | undefined;
  /** It ends when this process ends, also by SIGKILL; absent: a later sweep ends it. */
  endsWithOwner?: boolean;
  signal?: AbortSignal;
}

export interface ProcessRequest extends ProcessSpec {
  /** Seconds until the whole process tree is ended; null: no limit. */
  timeout: number | null;
}

export interface ProcessEnd {
  /** null when a signal or the time limit ended it. */
  exitCode: number | null;
  /** Name such as SIGKILL. */
  exitSignal: string | null;
  timedOut: boolean;
  /** It reached this number of processes and threads, and was ended. */
  overPids?: number;
  /** stdout and stderr as they came, without secrets. */
  output: string;
  truncated: boolean;
  durationMs: number;
}

/** How a program ended that neither succeeded nor ran out of time, as the end of a sentence. */
export function endingOf({
  exitCode,
  exitSignal,
  overPids,
}: Pick<ProcessEnd, 'exitCode' | 'exitSignal' | 'overPids'>): string {
  if (overPids !== undefined)
    return `was ended at its limit of ${overPids} processes and threads (resources.pids)`;
  return exitCode === null ? `was ended by ${exitSignal}` : `ended with status ${exitCode}`;
}

export interface ServerRequest extends ProcessSpec {
  /** Path that answers 200 once the server can be used. */
  ready: string;
  /** Seconds until it must be ready. */
  timeout: number;
  /** Name of the machine that it listens on; default 127.0.0.1. */
  host?: string;
  /** Address without a path, when `command` holds no `{port}`. Otherwise `{port}` becomes a free port of this host. */
  url?: string;
}

export interface RunningServer {
  /** `http://HOST:PORT`, without a slash at its end. */
  readonly url: string;
  /** How it ended; pending while it runs. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends its process tree. Idempotent. */
  stop(): Promise<void>;
}

export interface ProcessRunner {
  /** Runs to the end. What the command leaves running in the background is ended too. */
  run(request: ProcessRequest): Promise<Result<ProcessEnd, Infra>>;
  /** Starts a server and waits until it is ready; the fault holds the end of its log. */
  startServer(request: ServerRequest): Promise<Result<RunningServer, Infra>>;
  /** Ends everything that still runs or is being started; nothing is started afterwards. */
  close(): Promise<void>;
}

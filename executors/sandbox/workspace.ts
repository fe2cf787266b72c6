/** A workspace whose process 1 is supervisor.py: requests to it over a stream, answers by number. */

import { constants } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAwake } from '../../basics/awake.ts';
import { DEFAULT_MAX_OUTPUT } from '../../basics/output.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  Changes,
  DiffRefused,
  ExecOptions,
  ExecResult,
  FileRefused,
  KeepAdded,
  NetworkSeen,
  Workspace,
  WorkspaceLost,
} from '../deployment.ts';
import { diffWorkspace } from '../diff.ts';
import type { Hindrance } from '../hindrance.ts';
import { type Counters, type DiskLeft, isMachineFull, isOverLimit } from '../lack.ts';
import { noCommand } from '../no-command.ts';
import { Telling } from '../telling.ts';
import { encodeFrame, type Frame, type FrameReader } from './frames.ts';
import { type MemoryCount, MemoryWatch, memoryKiller } from './memory.ts';
import { decodeSegments, type Segment } from './segments.ts';
import type { Ended } from './spawner.ts';

/** How long beyond its timeout a command may stay silent before the workspace counts as hung. */
const HANG_SECONDS = 60;
/** 128 and the number of SIGKILL. */
const KILLED = 137;
const NOTE = '\nswemake: over the memory limit\n';

const { errno } = constants;
/** What lies at a path, or leads to it, when the kernel says so. Any other code is the machine's. */
const PLACE: readonly number[] = [
  ...[errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EINVAL, errno.ELOOP, errno.ENAMETOOLONG],
  ...[errno.EACCES, errno.EPERM, errno.EROFS, errno.EXDEV, errno.ENXIO, errno.ENODEV, errno.ETXTBSY],
  errno.EFBIG,
];
const FULL: readonly number[] = [errno.ENOSPC, errno.EDQUOT];

/** What process 1 counted of one command. */
interface Counted {
  /** The command was running when swemake asked process 1 to end all processes. */
  ended?: boolean;
  memory?: [MemoryCount, MemoryCount];
  left?: Left;
}

/** What was left of the machine, at the least; absent for a command that ended well. */
interface Left {
  disk: DiskLeft | null;
  /** Bytes; null: not known. */
  memory: number | null;
  threads: number | null;
}

/** One request to process 1; a refusal of it is a fault of the machine. */
export type Ask = (op: string) => Promise<Result<Frame['header'], WorkspaceLost>>;

export interface WorkspaceParts {
  id: string;
  ports: readonly number[];
  variables: Record<string, string>;
  /** Host folder of the source layer. */
  source: string | null;
  /** Leads to process 1. */
  socket: Pick<Duplex, 'on' | 'write' | 'destroy'>;
  reader: FrameReader;
  /** What is written has a bound of its own: that nothing more fits is the doing of the code inside. */
  isBounded: boolean;
  /** Gathers what was written; null without storage `disk`. */
  gather: ((ask: Ask) => Promise<Result<Changes, WorkspaceLost>>) | null;
  /** Kills it; `ended` is called when it is gone. */
  end(): void;
  /** What the kernel had counted when it was opened. */
  memory: MemoryCount;
  /** What the proxy sees; null without one. */
  network: ((since: number) => NetworkSeen) | null;
  /** Takes what process 1 says without having been asked; absent: it says nothing of its own accord. */
  other?: (frame: Frame) => void;
  /** Processes that the groups above it still allow; absent: there are none, or they cannot be read. */
  spare?: () => number | null;
  /** Processors that it may use; undefined: all. */
  cpus: number | undefined;
  /** Frees what lies on the host once it is gone. */
  free(): Promise<void>;
}

export class SupervisedWorkspace implements Workspace {
  readonly id: string;
  readonly ports: readonly number[];
  /** What commands print while they run, by request. */
  private readonly tellings = new Map<number, Telling>();
  private readonly waiting = new Map<number, (answer: Frame | WorkspaceLost) => void>();
  private nextRequest = 1;
  private gone: WorkspaceLost | null = null;
  private closing: Promise<void> | null = null;
  private readonly memory: MemoryWatch;
  private announceEnd: () => void = () => undefined;
  private readonly end: Promise<void>;

  constructor(private readonly parts: WorkspaceParts) {
    this.id = parts.id;
    this.ports = parts.ports;
    this.memory = new MemoryWatch(parts.memory);
    this.end = new Promise((resolve) => {
      this.announceEnd = resolve;
    });
    parts.socket.on('data', (chunk: Buffer) => {
      for (const frame of parts.reader.feed(chunk)) this.onAnswer(frame);
    });
  }

  async exec(command: string, options: ExecOptions): Promise<Result<ExecResult, WorkspaceLost>> {
    const { signal } = options;
    if (isAborted(signal)) return fault(infra('cancelled', 'cancelled before it started'));
    const none = noCommand(command, options);
    if (none !== null) return success(none);
    const { onOutput, maxOutput = DEFAULT_MAX_OUTPUT } = options;
    const header = {
      op: 'exec',
      cwd: options.cwd ?? '/testbed',
      env: { ...this.parts.variables, ...options.env },
      timeout: options.timeout,
      maxOutput,
      live: onOutput === undefined ? 0 : maxOutput,
      login: options.login === true,
      cpus: this.parts.cpus ?? null,
    };
    const request = this.request(header, Buffer.from(command));
    const telling = onOutput === undefined ? null : new Telling(onOutput, maxOutput);
    if (telling !== null) this.tellings.set(request.id, telling);
    const onAbort = () => this.parts.socket.write(encodeFrame({ op: 'cancel', id: request.id }));
    signal?.addEventListener('abort', onAbort, { once: true });
    const calm = afterAwake((options.timeout + HANG_SECONDS) * 1000, () => this.hung(), false);
    const answer = await request.answer;
    this.tellings.delete(request.id);
    telling?.end();
    calm();
    signal?.removeEventListener('abort', onAbort);
    if (isAborted(signal)) return fault(infra('cancelled', 'cancelled while it ran'));
    if (!('header' in answer)) return fault(answer);
    if (answer.header.error !== undefined) return fault(infra('helper', String(answer.header.error)));
    return this.judged(toResult(answer), answer.header as unknown as Counted);
  }

  /** Process 1 keeps the limits of commands. If it does not, it stands still while this process runs. */
  private hung(): void {
    const detail = `process 1 of the workspace did not answer for ${HANG_SECONDS} s beyond a time limit`;
    this.lose(infra('paused', detail));
    this.parts.end();
  }

  /** What a command that ended says, held against what the kernel counted as it began and as it ended. */
  private judged(
    ended: ExecResult,
    { memory: counts, left, ended: byRequest = false }: Counted,
  ): Result<ExecResult, WorkspaceLost> {
    if (counts === undefined) return success(ended);
    const counters = left === undefined ? undefined : this.counters(left, counts);
    if (isMachineFull(counters?.disk))
      return fault(infra('disk-full', 'the disk under the workspace had no room when a command failed'));
    const result = counters === undefined ? ended : { ...ended, counters };
    for (const count of counts) this.memory.note(count);
    const killer = memoryKiller(...counts);
    const isDoubtful = killer === 'unknown' && !byRequest && wasKilled(result) && !isOverLimit(result.output);
    if (this.memory.hostKilled || isDoubtful)
      return fault(infra('killed', 'the host was out of memory and ended a process in the workspace'));
    const noted = killer === 'own' && wasKilled(result) ? withNote(result) : result;
    const [before, after] = counts.map(([met]) => met);
    if (before == null || after == null) return success(noted);
    return success({ ...noted, metMemoryLimit: after > before });
  }

  private counters(left: Left, [before, after]: [MemoryCount, MemoryCount]): Counters {
    const isOwnMet = before[0] === null || after[0] === null ? null : after[0] > before[0];
    const threads = this.parts.spare?.() ?? Number.POSITIVE_INFINITY;
    return {
      disk: left.disk,
      memory: after[1] === null ? null : { available: left.memory, isOwnMet },
      processes: left.threads === null ? null : { spare: Math.min(left.threads, threads) },
    };
  }

  network(since: number): NetworkSeen | null {
    return this.parts.network?.(since) ?? null;
  }

  async endProcesses(): Promise<Result<null, WorkspaceLost>> {
    const answer = await this.request({ op: 'end_all' }).answer;
    if (!('header' in answer)) return fault(answer);
    return 'error' in answer.header ? fault(machineFault('ending what runs', answer)) : success(null);
  }

  async write(
    path: string,
    bytes: Uint8Array | string,
    mode?: number,
  ): Promise<Result<null, WorkspaceLost | FileRefused>> {
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const header = { op: 'write', path: join('/', path), mode: mode ?? null };
    const answer = await this.request(header, body).answer;
    if (!('header' in answer)) return fault(answer);
    return 'error' in answer.header ? fault(this.refusal(`write ${path}`, answer)) : success(null);
  }

  async read(path: string): Promise<Result<Uint8Array | null, WorkspaceLost | FileRefused>> {
    const answer = await this.request({ op: 'read', path: join('/', path) }).answer;
    if (!('header' in answer)) return fault(answer);
    if ('error' in answer.header) return fault(this.refusal(`read ${path}`, answer));
    return success(answer.header.missing === true ? null : answer.body);
  }

  private refusal(what: string, answer: Frame): Infra | FileRefused {
    const { error, code } = answer.header;
    const detail = `${what}: ${String(error)}`;
    if (PLACE.includes(Number(code))) return { status: 'refused', reason: 'place', detail };
    if (!FULL.includes(Number(code))) return machineFault(what, answer);
    if (this.parts.isBounded) return { status: 'refused', reason: 'full', detail };
    return infra('disk-full', detail);
  }

  diff(base?: string, keep?: KeepAdded): Promise<Result<string, WorkspaceLost | DiffRefused>> {
    return diffWorkspace(this, { base, keep, layer: this.parts.source });
  }

  async changes(): Promise<Result<Changes, WorkspaceLost>> {
    const { gather } = this.parts;
    if (gather === null) throw new Error('changes() needs storage "disk"');
    if (this.gone !== null) return fault(this.gone);
    const gathered = await gather(async (op) => {
      const answer = await this.request({ op }).answer;
      if (!('header' in answer)) return fault(answer);
      return 'error' in answer.header ? fault(machineFault(op, answer)) : success(answer.header);
    });
    // What is missing then was removed by us.
    return this.gone === null ? gathered : fault(this.gone);
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  /** Called by the deployment when process 1 has ended, for whatever reason. */
  ended(reason: Ended | WorkspaceLost | string): void {
    const why = () =>
      typeof reason === 'object' && 'reason' in reason ? reason : whyItEnded(reason, this.memory);
    this.lose(this.closing === null ? why() : infra('cancelled', 'the workspace was closed'));
    this.parts.socket.destroy();
    this.announceEnd();
  }

  private async closeOnce(): Promise<void> {
    this.parts.end();
    await this.end;
    await this.parts.free();
  }

  private request(header: object, body?: Uint8Array): { id: number; answer: Promise<Frame | WorkspaceLost> } {
    const id = this.nextRequest++;
    if (this.gone !== null) return { id, answer: Promise.resolve(this.gone) };
    const answer = new Promise<Frame | WorkspaceLost>((resolve) => this.waiting.set(id, resolve));
    this.parts.socket.write(encodeFrame({ ...header, id }, body));
    return { id, answer };
  }

  private onAnswer(frame: Frame): void {
    if (frame.header.fatal !== undefined) this.lose(infra('workspace-lost', String(frame.header.fatal)));
    if (frame.header.live !== undefined)
      this.tellings.get(Number(frame.header.live))?.add(Number(frame.header.stream), frame.body);
    else if (frame.header.id === undefined) this.parts.other?.(frame);
    const id = Number(frame.header.id);
    this.waiting.get(id)?.(frame);
    this.waiting.delete(id);
  }

  private lose(reason: WorkspaceLost): void {
    if (this.gone !== null) return;
    this.gone = reason;
    for (const resolve of this.waiting.values()) resolve(reason);
    this.waiting.clear();
  }
}

function machineFault(what: string, { header: { error, code } }: Frame): Infra {
  const detail = `${what}: ${String(error)}`;
  if (FULL.includes(Number(code))) return infra('disk-full', detail);
  return infra(Number(code) === errno.ENOMEM ? 'out-of-memory' : 'workspace-lost', detail);
}

/** Nothing inside can signal process 1, so unless memory ran out, the host ended it. */
function whyItEnded(reason: Ended | string, memory: MemoryWatch): WorkspaceLost {
  if (typeof reason === 'string') return infra('workspace-lost', reason);
  if (reason.memory !== null && memory.since(reason.memory) === 'own')
    return {
      status: 'failed',
      reason: 'workspace-killed',
      detail: 'the workspace ran out of its memory limit',
    };
  return infra('killed', `the workspace's process 1 ended with wait status ${reason.status}`);
}

/** A call, because the value changes while others run. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function toResult({ header, body }: Frame): ExecResult {
  const status = Number(header.status);
  const signalled = (status & 0x7f) !== 0;
  return {
    exitCode: signalled || header.timedOut === true ? null : status >> 8,
    exitSignal: signalled ? signalName(status & 0x7f) : null,
    ...decodeSegments(header.segments as Segment[], body),
    timedOut: header.timedOut === true,
    truncated: header.truncated === true,
    durationMs: Number(header.seconds) * 1000,
    ...(header.paused === undefined ? {} : { hindrance: toHindrance(header) }),
  };
}

function toHindrance({ paused, load }: Frame['header']): Hindrance {
  const pausedMs = Number(paused) * 1000;
  if (load === undefined) return { pausedMs, load: null };
  const [used = 0, wanted = 0, stopped = 0] = load as number[];
  return { pausedMs, load: { used, wanted, stopped } };
}

/** By the kernel's memory killer or by anybody else; a shell tells of what it ran by its own exit code. */
function wasKilled({ exitCode, exitSignal, timedOut }: ExecResult): boolean {
  return !timedOut && (exitSignal === 'SIGKILL' || exitCode === KILLED);
}

/** Says what the watchdog says where the kernel does not hold the limit. */
function withNote(result: ExecResult): ExecResult {
  return { ...result, stderr: result.stderr + NOTE, output: result.output + NOTE };
}

function signalName(number: number): string {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return entry?.[0] ?? `SIG${number}`;
}

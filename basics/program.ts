/**
 * The one way to run a program of this machine: in a process group of its own, with exactly the variables that it is
 * given, and with an end that is a value, whatever it was. The caller decides what the end means.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAwake } from './awake.ts';
import { OutputBuffer } from './output.ts';
import { fault, type Result, success } from './result.ts';

export interface Program {
  /** The program and its arguments. No shell reads them. */
  argv: readonly string[];
  /** All variables that it gets. */
  env: Readonly<NodeJS.ProcessEnv>;
  cwd?: string | undefined;
  /** What it reads from its input, which is empty otherwise. */
  input?: string | Buffer;
}

export interface ProgramRun extends Program {
  /** Seconds. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Seconds between SIGTERM and SIGKILL when time is over or `signal` says so; SIGKILL comes at once without. */
  grace?: number;
  /** Bytes kept of each stream: the first and the last of them. */
  maxOutput?: number;
  /** What it prints, as it comes. */
  onOutput?(bytes: Buffer): void;
  /** What it started and left behind goes on running. It is ended otherwise. */
  leavesOthers?: boolean;
}

/** What a program printed. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they came. */
  readonly output: string;
  /** Something was left out in the middle. */
  readonly truncated: boolean;
}

export type ProgramEnd = Printed &
  (
    | { kind: 'exited'; exitCode: number }
    /** From outside. */
    | { kind: 'killed'; signal: string }
    | { kind: 'timeout' }
    | { kind: 'cancelled' }
    | NotStarted
  );

/** `missing`: there is no such program. `refused`: the machine would not start it. */
export interface NotStarted {
  kind: 'missing' | 'refused';
  detail: string;
}

/** A program that runs. Its streams must be read. */
export interface StartedProgram {
  /** It leads the process group of this number. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The end of the program itself; others may keep its streams open. */
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  /** Both streams are at their ends. */
  readonly closed: Promise<unknown>;
}

/** setTimeout holds no more than this. */
const MAX_MS = 2 ** 31 - 1;
/** How long the streams are read on when the program is gone and something else holds them. */
const DRAIN_MS = 10_000;
const MAX_OUTPUT = 64 << 20;

/** Starts a program for somebody who reads its streams and ends it. */
export async function startProgram(program: Program): Promise<Result<StartedProgram, NotStarted>> {
  const { execa } = await import('execa');
  const [name = '', ...args] = program.argv;
  const child = execa(name, args, {
    ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
    ...(program.input === undefined ? { stdin: 'ignore' } : { input: program.input }),
    env: program.env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
  if (child.pid === undefined) return fault(notStarted(program, await child));
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // execa's own promise also waits for other readers of the streams, so it is not used.
  child.catch(() => undefined);
  const { stdout, stderr } = child;
  const streams = [stdout, stderr];
  for (const stream of streams) stream.on('error', () => undefined);
  const closed = Promise.all(streams.map((one) => new Promise((done) => one.once('close', done))));
  return success({ pid: child.pid, stdout, stderr, exit, closed });
}

/** Runs a program to its end. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const kept = new Kept(run.maxOutput ?? MAX_OUTPUT);
  if (run.signal?.aborted) return kept.end({ kind: 'cancelled' });
  const started = await startProgram(run);
  if (!started.ok) return kept.end(started.fault);
  const program = started.value;
  kept.listen(program, run.onOutput);
  const ending = new Ending(program, (run.grace ?? 0) * 1000);
  const forget = afterAwake(run.timeout * 1000, () => ending.because('timeout'));
  const cancel = () => ending.because('cancelled');
  run.signal?.addEventListener('abort', cancel);
  if (run.signal?.aborted) cancel();
  const { code, signal } = await program.exit;
  forget();
  run.signal?.removeEventListener('abort', cancel);
  ending.finish();
  if (ending.reason !== null || run.leavesOthers !== true) signalGroup(program.pid, 'SIGKILL');
  await Promise.race([program.closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  program.stdout.destroy();
  program.stderr.destroy();
  if (ending.reason !== null) return kept.end({ kind: ending.reason });
  if (code === null) return kept.end({ kind: 'killed', signal: signal ?? 'a signal' });
  return kept.end({ kind: 'exited', exitCode: code });
}

/** It ended by itself, and with 0. */
export function hasSucceeded(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.exitCode === 0;
}

/** As `runProgram`, but synchronous: for short work inside code that cannot wait. */
export function runProgramNow(run: Program & { timeout: number; maxOutput?: number }): ProgramEndNow {
  const [name = '', ...args] = run.argv;
  const ended = spawnSync(name, args, {
    env: run.env,
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    ...(run.input === undefined ? {} : { input: run.input }),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: Math.min(run.timeout * 1000, MAX_MS),
    killSignal: 'SIGKILL',
    maxBuffer: run.maxOutput ?? MAX_OUTPUT,
  });
  const code = (ended.error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOBUFS') return { kind: 'overflow' };
  if (code === 'ETIMEDOUT') return { kind: 'timeout' };
  if (ended.status !== null) return { kind: 'exited', exitCode: ended.status, stdout: ended.stdout };
  if (ended.signal !== null) return { kind: 'killed', signal: ended.signal };
  return notStarted(run, { code, shortMessage: ended.error?.message });
}

export type ProgramEndNow =
  | { kind: 'exited'; exitCode: number; stdout: Buffer }
  | { kind: 'killed'; signal: string }
  | { kind: 'timeout' }
  /** It printed more than is kept, and was ended. */
  | { kind: 'overflow' }
  | NotStarted;

/** The complaint of a run that did not end with 0: its last line on stderr, or how it ended. */
export function complaintOf(end: ProgramEnd): string {
  const lines = end.stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((text) => /^(?:fatal|error|E):|\berror\b/i.test(text)) ?? lines.at(-1);
  switch (end.kind) {
    case 'exited':
      return line?.trim() ?? `it ended with status ${end.exitCode}`;
    case 'killed':
      return `it was ended by ${end.signal}`;
    case 'timeout':
      return 'it did not end in time';
    case 'cancelled':
      return 'cancelled';
    default:
      return end.detail;
  }
}

/** Sends a signal to all members of a process group. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalTo(-group, signal);
}

/** Sends a signal to a process, or to a group by its negative number, if it is still there and this user's. */
export function signalTo(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Ends a group, and remembers why. */
class Ending {
  reason: 'timeout' | 'cancelled' | null = null;
  readonly #group: number;
  readonly #grace: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ pid }: StartedProgram, grace: number) {
    this.#group = pid;
    this.#grace = grace;
  }

  because(reason: 'timeout' | 'cancelled'): void {
    if (this.reason !== null) return;
    this.reason = reason;
    signalGroup(this.#group, this.#grace === 0 ? 'SIGKILL' : 'SIGTERM');
    if (this.#grace > 0) this.#timer = setTimeout(() => signalGroup(this.#group, 'SIGKILL'), this.#grace);
  }

  finish(): void {
    clearTimeout(this.#timer);
  }
}

/** What is kept of a program's streams. */
class Kept {
  readonly #stdout: OutputBuffer;
  readonly #stderr: OutputBuffer;
  readonly #both: OutputBuffer;

  constructor(maxBytes: number) {
    this.#stdout = new OutputBuffer(maxBytes);
    this.#stderr = new OutputBuffer(maxBytes);
    this.#both = new OutputBuffer(maxBytes);
  }

  listen({ stdout, stderr }: StartedProgram, tell?: (bytes: Buffer) => void): void {
    for (const [stream, own] of [
      [stdout, this.#stdout],
      [stderr, this.#stderr],
    ] as const)
      stream.on('data', (bytes: Buffer) => {
        own.append(bytes);
        this.#both.append(bytes);
        tell?.(bytes);
      });
  }

  end<E extends object>(how: E): E & Printed {
    const [stdout, stderr, both] = [this.#stdout, this.#stderr, this.#both];
    return {
      ...how,
      stdout: stdout.text(),
      stderr: stderr.text(),
      // Made when it is asked for, as it may be large.
      get output() {
        return both.text();
      },
      truncated: stdout.truncated || stderr.truncated,
    };
  }
}

/** A working folder that is not there gives the same code as a program that is not. */
function notStarted({ argv, cwd }: Program, failed: object): NotStarted {
  const { code, shortMessage } = failed as { code?: string; shortMessage?: string };
  const detail = shortMessage ?? `${argv[0]} cannot be started`;
  if (code !== 'ENOENT') return { kind: 'refused', detail };
  const hasFolder = cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  return hasFolder
    ? { kind: 'missing', detail: `there is no program ${argv[0]}` }
    : { kind: 'refused', detail: `there is no folder ${cwd}` };
}

/** Runs one command as a process group of its own and collects what it prints, for as long as it runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAwake, awakeNow, pausedSoFar } from '../../basics/awake.ts';
import { OutputBuffer } from '../../basics/output.ts';
import { type StartedProgram, startProgram } from '../../basics/program.ts';
import type { ExecResult } from '../deployment.ts';
import type { Telling } from '../telling.ts';

export interface CommandRequest {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  maxOutput: number;
  /** Gets what is printed, while the command runs. */
  telling: Telling | null;
  /** Kills everything that the command may have started. */
  kill: () => Promise<void>;
  /** Called with the process group as soon as it exists. */
  started: (group: number) => void;
  signal: AbortSignal | undefined;
}

export type CommandEnd =
  | { kind: 'ended'; result: ExecResult }
  | { kind: 'aborted' }
  | { kind: 'not-started'; detail: string };

/** Quiet time after the command's own end in which the rest of its output is read. */
const DRAIN_MS = 25;
/** What keeps printing in the background is not waited for. */
const DRAIN_ROUNDS = 40;

/** Runs the command to its end, its timeout or its cancellation. */
export async function runCommand(request: CommandRequest): Promise<CommandEnd> {
  const [startedAt, pausedAt] = [awakeNow(), pausedSoFar()];
  const buffers = new Buffers(request.maxOutput, request.telling);
  const started = await startProgram(request);
  if (!started.ok) return { kind: 'not-started', detail: started.fault.detail };
  const child = started.value;
  request.started(child.pid);
  buffers.listen(child);

  let stop: 'timeout' | 'abort' | null = null;
  let killed: Promise<void> | null = null;
  const halt = (reason: 'timeout' | 'abort') => {
    stop ??= reason;
    killed ??= request.kill();
  };
  const forget = afterAwake(request.timeoutMs, () => halt('timeout'));
  const abort = () => halt('abort');
  request.signal?.addEventListener('abort', abort);
  if (request.signal?.aborted) abort();
  const exit = await child.exit;
  forget();
  request.signal?.removeEventListener('abort', abort);
  // Wait for the kill to finish, or it would also kill the next command.
  await killed;
  await buffers.drain(child);
  if (stop === 'abort') return { kind: 'aborted' };
  const result = buffers.result(exit, stop === 'timeout', awakeNow() - startedAt);
  // Stops and a lack of processors are not measured: the processes cannot be distinguished from others of the machine.
  const hindrance = { pausedMs: pausedSoFar() - pausedAt, load: null };
  return { kind: 'ended', result: { ...result, hindrance } };
}

interface Exit {
  code: number | null;
  signal: string | null;
}

class Buffers {
  private readonly stdout: OutputBuffer;
  private readonly stderr: OutputBuffer;
  private readonly both: OutputBuffer;
  private arrivals = 0;
  private open = 2;
  private end: () => void = () => undefined;
  private readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  constructor(
    maxOutput: number,
    private readonly telling: Telling | null,
  ) {
    this.stdout = new OutputBuffer(maxOutput);
    this.stderr = new OutputBuffer(maxOutput);
    this.both = new OutputBuffer(maxOutput);
  }

  listen(child: StartedProgram): void {
    for (const [number, stream, own] of [
      [1, child.stdout, this.stdout],
      [2, child.stderr, this.stderr],
    ] as const) {
      stream.on('data', (chunk: Buffer) => {
        this.arrivals++;
        own.append(chunk);
        this.both.append(chunk);
        this.telling?.add(number, chunk);
      });
      stream.once('close', () => {
        this.open--;
        if (this.open === 0) this.end();
      });
    }
  }

  /** Reads on until both pipes end or nothing has come for a while, then lets go of them. */
  async drain(child: StartedProgram): Promise<void> {
    for (let round = 0, seen = -1; round < DRAIN_ROUNDS && this.open > 0 && seen !== this.arrivals; round++) {
      seen = this.arrivals;
      await Promise.race([this.ended, sleep(DRAIN_MS)]);
      // The timer may be late: one turn of the loop reads what has been waiting.
      await new Promise(setImmediate);
    }
    child.stdout.destroy();
    child.stderr.destroy();
    this.telling?.end();
  }

  result(exit: Exit, timedOut: boolean, durationMs: number): ExecResult {
    return {
      exitCode: timedOut ? null : exit.code,
      exitSignal: exit.signal,
      stdout: this.stdout.text(),
      stderr: this.stderr.text(),
      output: this.both.text(),
      timedOut,
      truncated: this.both.truncated,
      durationMs,
    };
  }
}

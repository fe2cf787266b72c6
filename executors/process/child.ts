/**
 * One process and all of its descendants, until the last of them has ended. It leads a process group, and has a mark
 * in its environment by which children that left the group are found.
 */
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAwake, awakeNow } from '../../basics/awake.ts';
import { DEFAULT_MAX_OUTPUT } from '../../basics/output.ts';
import { identityOf, processTag, thisProcess } from '../../basics/process-identity.ts';
import { type StartedProgram, signalGroup, startProgram } from '../../basics/program.ts';
import type { Result } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { groupExists, killWorkspace, MARKER } from '../local/kill.ts';
import type { ProcessEnd, ProcessSpec } from '../process-runner.ts';
import { LogFile } from './log-file.ts';
import type { Redaction } from './redaction.ts';

/** Time to end by itself after SIGTERM, milliseconds: containers are removed then, and GPU memory is given back. */
const GRACE = 10_000;
/** Time for output on its way when all processes are gone, milliseconds. */
const DRAIN = 10_000;

export interface ChildSetup {
  spec: Pick<ProcessSpec, 'cwd' | 'log' | 'maxOutput' | 'onOutput'>;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  redaction: Redaction;
  /** Folder in which living processes are noted, for the sweep. */
  state: string;
  /** Unique, with this process's tag at its end. */
  id: string;
}

/** Name under which a process is noted; ends with its owner's tag, so that a sweep knows whose it was. */
export function childId(random: string): string {
  return `${random}.${processTag(thisProcess())}`;
}

export class Child {
  readonly ended: Promise<ProcessEnd>;
  readonly #id: string;
  readonly #state: string;
  readonly #group: number;
  #timedOut = false;
  #stopping: Promise<void> | null = null;
  readonly #exited: Promise<void>;

  private constructor(setup: ChildSetup, started: StartedProgram, at: number) {
    this.#id = setup.id;
    this.#state = setup.state;
    this.#group = started.pid;
    this.#exited = started.exit.then(() => undefined);
    this.ended = this.#finish(setup, started, at);
  }

  /** Starts it; a message when the program cannot be started. */
  static async start(setup: ChildSetup): Promise<Child | string> {
    const note = join(setup.state, setup.id);
    // Written before the process starts, so that the sweep knows its mark even if swemake is killed now.
    writeFileSync(note, '');
    const at = performance.now();
    const { argv, env, spec, id } = setup;
    const started = await startProgram({ argv, cwd: spec.cwd, env: { ...env, [MARKER]: id } });
    if (!started.ok) {
      await rm(note);
      return started.fault.detail;
    }
    const child = new Child(setup, started.value, at);
    // At once, or it might have ended and taken its note away by then.
    writeFileSync(note, JSON.stringify(identityOf(started.value.pid)));
    return child;
  }

  /** Ends it after so many seconds, and says so in its end. */
  endAfter(seconds: number): void {
    const forget = afterAwake(seconds * 1000, () => {
      this.#timedOut = true;
      this.stopSoon();
    });
    this.#exited.then(forget, forget);
  }

  /** Asks it to end, then ends whatever is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The same without waiting; `end` says how it went. */
  stopSoon(): void {
    this.stop().catch(() => undefined);
  }

  async #stop(): Promise<void> {
    signalGroup(this.#group, 'SIGTERM');
    const deadline = awakeNow() + GRACE;
    while (groupExists(this.#group) && awakeNow() < deadline) await sleep(20);
    await this.#killAll();
    await this.ended;
  }

  #killAll(): Promise<void> {
    return killWorkspace(this.#id, join(this.#state, this.#id), [this.#group]);
  }

  async #finish({ spec, redaction }: ChildSetup, started: StartedProgram, at: number): Promise<ProcessEnd> {
    const log = new LogFile(spec.log, spec.maxOutput ?? DEFAULT_MAX_OUTPUT);
    const write = (text: string) => {
      log.append(text);
      if (text !== '') spec.onOutput?.(text);
    };
    const streams = [started.stdout, started.stderr];
    for (const stream of streams) {
      // Of its own, as a character may be cut between two pieces of one stream.
      const decoder = new StringDecoder('utf8');
      stream.on('data', (bytes: Buffer) => write(redaction.push(decoder.write(bytes))));
    }
    const { code, signal } = await started.exit;
    const durationMs = performance.now() - at;
    if (this.#stopping === null) await this.#killAll();
    await Promise.race([started.closed, sleep(DRAIN, undefined, { ref: false })]);
    for (const stream of streams) stream.destroy();
    write(redaction.end());
    await rm(join(this.#state, this.#id), { force: true });
    return {
      exitCode: this.#timedOut ? null : code,
      exitSignal: signal,
      timedOut: this.#timedOut,
      ...log.end(),
      durationMs,
    };
  }
}

export type StartChild = (
  spec: ProcessSpec,
  command: ProcessSpec['command'],
) => Promise<Result<Child, Infra>>;

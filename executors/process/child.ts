/**
 * One process and all of its descendants, until the last of them has ended. They are in a control group, where one can
 * be made. It also leads a process group, and has a mark in its environment by which children that left that are found.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAwake, awakeNow } from '../../basics/awake.ts';
import { DEFAULT_MAX_OUTPUT } from '../../basics/output.ts';
import { identityOf, type ProcessIdentity, processTag, thisProcess } from '../../basics/process-identity.ts';
import { type StartedProgram, signalGroup, startProgram } from '../../basics/program.ts';
import { fault, type Result } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { groupExists, killWorkspace, MARKER } from '../local/kill.ts';
import type { ProcessEnd, ProcessSpec } from '../process-runner.ts';
import { findProgram } from '../sandbox/python.ts';
import { LogFile } from './log-file.ts';
import { endWithThisProcess } from './owner.ts';
import { endGroup, holdPids, type PidsHolder } from './pids.ts';
import type { Redaction } from './redaction.ts';

/** Time to end by itself after SIGTERM, milliseconds: containers are removed then, and GPU memory is given back. */
const GRACE = 10_000;
/** Time for output on its way when all processes are gone, milliseconds. */
const DRAIN = 10_000;

export interface ChildSetup {
  spec: Pick<ProcessSpec, 'cwd' | 'log' | 'maxOutput' | 'onOutput' | 'endsWithOwner'>;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  redaction: Redaction;
  /** Folder in which living processes are noted, for the sweep. */
  state: string;
  /** Unique, with this process's tag at its end. */
  id: string;
  /** Processes and threads that it may have. */
  pids: number;
}

/** What the sweep reads of a living process. */
export interface Note {
  leader: ProcessIdentity | null;
  /** Folder of the control group; null: there is none. */
  group: string | null;
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
  readonly #holder: PidsHolder;
  #timedOut = false;
  #isOverPids = false;
  #stopping: Promise<void> | null = null;
  readonly #exited: Promise<void>;

  private constructor(
    setup: ChildSetup,
    holder: PidsHolder,
    log: LogFile,
    started: StartedProgram,
    at: number,
  ) {
    this.#id = setup.id;
    this.#holder = holder;
    this.#state = setup.state;
    this.#group = started.pid;
    this.#exited = started.exit.then(() => undefined);
    this.ended = this.#finish(setup, log, started, at);
  }

  /** Starts it; a message when the program cannot be started. */
  static async start(setup: ChildSetup): Promise<Child | string> {
    const path = join(setup.state, setup.id);
    const { argv, env, spec, id, pids } = setup;
    // Before anything runs: output that has no place is not thrown away.
    const log = new LogFile(spec.log, spec.maxOutput ?? DEFAULT_MAX_OUTPUT);
    const holder = holdPids(pids, id);
    // Written before the process starts, so that the sweep knows its mark even if swemake is killed now.
    const note = (leader: ProcessIdentity | null) =>
      writeFileSync(path, JSON.stringify({ leader, group: holder.folder } satisfies Note));
    note(null);
    const owner = spec.endsWithOwner === true ? endWithThisProcess(holder.folder) : null;
    const at = performance.now();
    const started = isMissing(setup)
      ? fault({ detail: `there is no program ${argv[0]}` })
      : await startProgram({ argv: holder.within(argv), cwd: spec.cwd, env: { ...env, [MARKER]: id } });
    if (!started.ok) {
      owner?.forget();
      if (holder.folder !== null) await endGroup(holder.folder);
      await rm(path);
      log.end();
      return started.fault.detail;
    }
    owner?.watch(started.value.pid);
    const child = new Child(setup, holder, log, started.value, at);
    const forget = () => owner?.forget();
    child.ended.then(forget, forget);
    try {
      // At once, or it might have ended and taken its note away by then.
      note(identityOf(started.value.pid));
    } catch (error) {
      await child.stop();
      throw error;
    }
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

  /** The same without waiting; the next caller that stops it, or the close of the deployment, is told what went wrong. */
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
    return killAll(this.#id, this.#state, { groups: [this.#group], folder: this.#holder.folder });
  }

  /** Ends it at once: it would only go on to fork. */
  #endAtLimit(): void {
    this.#isOverPids = true;
    // All is ended once more when the program has ended.
    this.#killAll().catch(() => undefined);
  }

  async #finish(
    { spec, redaction, pids }: ChildSetup,
    log: LogFile,
    started: StartedProgram,
    at: number,
  ): Promise<ProcessEnd> {
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
    const unwatch = this.#holder.watch(() => this.#endAtLimit());
    const { code, signal } = await started.exit;
    unwatch();
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
      ...(this.#isOverPids && code !== 0 ? { overPids: pids } : {}),
      ...log.end(),
      durationMs,
    };
  }
}

/** Ends what has the mark `id`, is in a process group of `groups`, or in the control group. */
export async function killAll(
  id: string,
  state: string,
  { groups, folder }: { groups: readonly number[]; folder: string | null },
): Promise<void> {
  if (folder !== null) await endGroup(folder);
  await killWorkspace(id, join(state, id), groups);
}

/** Looked up here, as a shell that joins a group first would say it in words of its own. */
function isMissing({ argv: [name = ''], env, spec }: ChildSetup): boolean {
  return name.includes('/') ? !existsSync(resolve(spec.cwd, name)) : findProgram(name, env.PATH) === null;
}

export type StartChild = (
  spec: ProcessSpec,
  command: ProcessSpec['command'],
) => Promise<Result<Child, Infra>>;

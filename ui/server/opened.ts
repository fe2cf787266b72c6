/**
 * The state of the project while the page is open. It is read again after a run continued or the project's files
 * changed. Reading runs no item and asks no network. Only one read at a time is made, with pauses so that it does not
 * slow down a build.
 */

import { statSync } from 'node:fs';
import type { CommandIo } from '../../app/io.ts';
import { openSession, type Session, survey } from '../../app/session.ts';
import { shown } from '../../app/shown.ts';
import { bugOf, bugTrace } from '../../basics/bug.ts';
import { machineFault } from '../../basics/machine-fault.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { RunEnd } from '../../engine/run.ts';

export interface Snapshot {
  session: Session;
  end: RunEnd;
  madeAt: number;
  /** Number of this read. */
  number: number;
  /** Why this state is not the newest one, as a sentence; null: it is. */
  problem: string | null;
}

/** Reads the project's file again; the fault says why that failed. */
export type LoadAgain = () => Promise<ResolvedProject | string>;

export class OpenedProject {
  readonly #load: LoadAgain;
  readonly #io: CommandIo;
  readonly #signal: AbortSignal;
  #session: Session;
  /** Those before it that are open: answers on their way still read the last one. */
  readonly #before: Session[] = [];
  #now: Snapshot | null = null;
  #seen: string;
  #problem: string | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #took = 0;
  #waiting: NodeJS.Timeout | null = null;
  readonly #listeners = new Set<() => void>();

  private constructor(session: Session, load: LoadAgain, io: CommandIo, signal: AbortSignal) {
    this.#session = session;
    this.#load = load;
    this.#io = io;
    this.#signal = signal;
    this.#seen = stamp(session.project);
  }

  static async open(project: ResolvedProject, load: LoadAgain, io: CommandIo, signal: AbortSignal) {
    const opened = new OpenedProject(await openSession(project, io, signal), load, io, signal);
    await opened.#look();
    return opened;
  }

  /** The last state that was read. */
  get now(): Snapshot {
    return this.#now!;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something may have changed: reads again soon. The pause grows with the time that a read takes. */
  expire(): void {
    if (this.#waiting !== null) return;
    const pause = Math.max(1500, 6 * this.#took);
    this.#waiting = setTimeout(() => {
      this.#waiting = null;
      void this.alone(() => this.#look()).catch((error: unknown) => this.fail(error));
    }, pause);
    this.#waiting.unref();
  }

  /** Calls expire() when a file of the project was written. */
  watch(): void {
    if (stamp(this.#session.project) !== this.#seen) this.expire();
  }

  /** What keeps the state from being read is shown with the last state. A bug leaves its stack in the server's log. */
  fail(error: unknown): void {
    const problem = `The state cannot be read: ${machineFault(error) ?? (error as Error).message ?? String(error)}`;
    if (this.now.problem === problem) return;
    const bug = bugOf(error);
    if (bug !== null) this.#io.stderr.write(shown(bugTrace(bug)));
    this.#now = { ...this.now, problem };
    for (const listener of this.#listeners) listener();
  }

  /** Runs `work` while no other plan is made. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    // The caller is told; the next one only waits.
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(): Promise<void> {
    const seen = stamp(this.#session.project);
    if (seen !== this.#seen) {
      this.#seen = seen;
      await this.#reopen();
    }
    const since = performance.now();
    const end = await survey(this.#session);
    this.#took = performance.now() - since;
    this.#now = {
      session: this.#session,
      end,
      madeAt: Date.now(),
      number: (this.#now?.number ?? 0) + 1,
      problem: this.#problem,
    };
    for (const listener of this.#listeners) listener();
    while (this.#before.length > 1) await this.#before.shift()!.close();
  }

  async #reopen(): Promise<void> {
    const project = await this.#load();
    this.#problem =
      typeof project === 'string' ? `The project file cannot be read as it is now.\n${project}` : null;
    if (typeof project === 'string') return;
    const session = await openSession(project, this.#io, this.#signal);
    this.#before.push(this.#session);
    this.#session = session;
  }

  async close(): Promise<void> {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    await this.#turn;
    for (const session of [...this.#before, this.#session]) await session.close();
  }
}

/** Changes when a file of the project does. */
function stamp({ inputs }: ResolvedProject): string {
  return inputs.files
    .map(({ path }) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? 'gone' : `${stat.mtimeMs} ${stat.size}`;
    })
    .join(',');
}

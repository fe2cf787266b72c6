/**
 * The project as data routes read it: its last state, its rows, the numbers that were read so far, and the newest
 * run.
 */

import type { CommandIo } from '../../app/io.ts';
import { packageVersion } from '../../app/version.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { LiveJournal } from './live.ts';
import { type LoadAgain, OpenedProject, type Snapshot } from './opened.ts';
import { type Rows, rowsOf, setSteps } from './rows.ts';
import { TallyReader } from './tally.ts';

/** `run`: the run continued. `data`: answers or numbers changed. */
export type Change = 'run' | 'data';

export class LiveProject {
  readonly opened: OpenedProject;
  readonly live: LiveJournal;
  readonly tally: TallyReader;
  readonly version = packageVersion();
  readonly #listeners = new Set<(change: Change) => void>();
  #changes = 0;
  #rows: { of: Snapshot; rows: Promise<Rows> } | null = null;
  #watch: NodeJS.Timeout;

  private constructor(opened: OpenedProject) {
    this.opened = opened;
    this.tally = new TallyReader((isKept) => {
      if (isKept) void this.#steps().catch((error: unknown) => opened.fail(error));
      this.#tell('data');
    });
    const { session } = opened.now;
    this.live = new LiveJournal(
      session.cache.folder.runs,
      session.project.config.name,
      () => remaining(opened.now),
      (isAnswer) => {
        if (isAnswer) opened.expire();
        this.#tell('run');
      },
      (error) => opened.fail(error),
    );
    opened.onChange(() => {
      this.#tell('data');
      void this.#follow();
    });
    this.#watch = setInterval(() => opened.watch(), 2000);
    this.#watch.unref();
  }

  static async open(project: ResolvedProject, load: LoadAgain, io: CommandIo, signal: AbortSignal) {
    const made = new LiveProject(await OpenedProject.open(project, load, io, signal));
    void made.#follow();
    await made.live.start();
    return made;
  }

  async #follow(): Promise<void> {
    const of = this.snapshot;
    try {
      await this.tally.follow(of, await this.rows());
    } catch (error) {
      this.opened.fail(error);
    }
  }

  get snapshot(): Snapshot {
    return this.opened.now;
  }

  rows(): Promise<Rows> {
    const of = this.snapshot;
    if (this.#rows?.of !== of) {
      const rows = this.#read(of);
      this.#rows = { of, rows };
      // The next request reads the rows again.
      rows.catch(() => {
        this.#rows = null;
      });
    }
    return this.#rows.rows;
  }

  /** Which instances were kept is known now. */
  async #steps(): Promise<void> {
    const { end } = this.snapshot;
    setSteps(await this.rows(), this.tally.kept(end));
    this.#tell('data');
  }

  async #read(of: Snapshot): Promise<Rows> {
    const rows = await rowsOf(of, this.tally.keys);
    setSteps(rows, this.tally.kept(of.end));
    return rows;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How often data changed. An answer is as new as the number from before it was made. */
  get changes(): number {
    return this.#changes;
  }

  #tell(change: Change): void {
    if (change === 'data') this.#changes += 1;
    for (const listener of this.#listeners) listener(change);
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.live.stop();
    await this.opened.close();
  }
}

/** Items that a build would still run; null when a stage does not know its items yet. */
function remaining({ end }: Snapshot): number | null {
  let sum = 0;
  for (const { state, blocked } of end.nodes.values()) {
    if (blocked === null) sum += state.planned;
  }
  return sum === 0 ? null : sum;
}

/** Removes the files of sessions that ended long ago. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';

/** Milliseconds between two looks. */
const LOOK_MS = 3_600_000;

export class OldSessions {
  readonly #looking: NodeJS.Timeout;
  #work: Promise<void>;
  #isClosed = false;

  /** `keep`: milliseconds that a file stays after it was written. */
  constructor(folder: string, keep: number, log: (text: string) => void) {
    const look = () =>
      this.#remove(folder, keep).catch((error: Error) => log(`old sessions: ${error.message}\n`));
    this.#work = look();
    const again = () => {
      this.#work = this.#work.then(look);
    };
    this.#looking = setInterval(again, Math.max(1000, Math.min(LOOK_MS, keep / 2)));
    this.#looking.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    await this.#work;
  }

  async #remove(folder: string, keep: number): Promise<void> {
    for (const name of await readdir(folder)) {
      if (this.#isClosed) return;
      const path = join(folder, name);
      const written = await stat(path).then(({ mtimeMs }) => mtimeMs, whenAbsent(Number.POSITIVE_INFINITY));
      if (Date.now() - written >= keep) await rm(path, { force: true });
    }
  }
}

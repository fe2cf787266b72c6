/**
 * What was left of the machine's disk, memory and processes while a command of a local workspace ran, which shares them
 * with everything else: looked at twice a second and as it ends. lack.ts explains the numbers.
 */

import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenUnreadable } from '../../basics/absent.ts';
import { readableText } from '../../basics/readable.ts';
import type { Counters, DiskLeft } from '../lack.ts';
import { hostMemoryKills } from './host-memory.ts';

/** Milliseconds. */
const PERIOD = 500;
const TRIAL = Buffer.alloc(64 * 1024);
const REFUSALS: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];

export class LeftWatch {
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  #disk: Pick<DiskLeft, 'free' | 'files'> | null = null;
  #memory: number | null = null;
  #threads: number | null = null;

  /** `folder`: where the command writes. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#timer = setInterval(() => {
      // What cannot be looked at now is looked at in the end.
      this.#look().catch(() => undefined);
    }, PERIOD);
    this.#timer.unref();
  }

  /** Ends it without a last look, for a command that ended well. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** For a command that ended badly. */
  async end(): Promise<Counters> {
    this.stop();
    await this.#look();
    const isRefused = await this.#isRefused();
    return {
      disk: this.#disk === null ? null : { ...this.#disk, isRefused, isOwn: false },
      memory: hostMemoryKills() === null ? null : { available: this.#memory, isOwnMet: null },
      processes: this.#threads === null ? null : { spare: this.#threads },
    };
  }

  async #look(): Promise<void> {
    this.#memory = least(this.#memory, availableMemory());
    this.#threads = least(this.#threads, spareThreads());
    const found = await statfs(this.#folder).catch(whenUnreadable(null));
    // Some file systems have no numbers at all.
    if (found === null || found.blocks === 0) return;
    const files = found.files > 0 ? found.ffree : null;
    this.#disk = {
      free: least(this.#disk?.free ?? null, found.bavail * found.bsize)!,
      files: least(this.#disk?.files ?? null, files),
    };
  }

  /** Quotas show in no number, so a file is made. */
  async #isRefused(): Promise<boolean> {
    const place = join(this.#folder, `.swemake-room-${randomBytes(6).toString('hex')}`);
    try {
      await writeFile(place, TRIAL);
      return false;
    } catch (error) {
      return REFUSALS.includes((error as NodeJS.ErrnoException).code);
    } finally {
      // The folder may be gone or closed by now, and the file with it.
      await rm(place, { force: true }).catch(whenUnreadable(undefined));
    }
  }
}

function least(before: number | null, now: number | null): number | null {
  return before === null || now === null ? (now ?? before) : Math.min(before, now);
}

/** Bytes that the machine can still give; null where it does not say. */
function availableMemory(): number | null {
  const found = /^MemAvailable: +(\d+) kB$/m.exec(readableText('/proc/meminfo'))?.[1];
  return found === undefined ? null : Number(found) * 1024;
}

/** Threads that the machine can still start; null where it does not say. */
function spareThreads(): number | null {
  const there = /\d+\/(\d+)/.exec(readableText('/proc/loadavg'))?.[1];
  const most = ['threads-max', 'pid_max'].map((name) => Number(readableText(`/proc/sys/kernel/${name}`)));
  return there === undefined || most.includes(0) ? null : Math.max(0, Math.min(...most) - Number(there));
}

/**
 * That this process is at work in a folder, for other processes that may not be able to see it: it can be in a container,
 * or stopped. Each has a file there that it writes to every few seconds. What it holds, such as locks, names that file. If
 * nothing was written for a minute, others may end the presence: they move the file away and take over what was held. The
 * process, when it goes on, finds its file moved, has a new presence under another name, and commits nothing of what it
 * began under the old one.
 *
 * Ages are differences between times that the file system gave to files of this one folder, and a file counts as silent
 * only after it was also watched for a while. So no clock matters: neither that of another machine, nor one that is set.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { awakeNow } from '../basics/awake.ts';
import { namesIn } from '../basics/folder.ts';
import { parseTag, processTag, sightOf, thisProcess } from '../basics/process-identity.ts';
import { readableText } from '../basics/readable.ts';

/** Milliseconds. */
export interface PresenceTimes {
  /** Between two beats. */
  beat: number;
  /** Without a beat, after which others may take over. */
  silence: number;
}

const PRESENCE_TIMES: PresenceTimes = { beat: 5000, silence: 60_000 };

/** `silent`: it may go on at any moment, and its presence must be ended first. `gone`: it commits nothing any more. */
export type Standing = 'here' | 'silent' | 'gone';

/** The holder of something, as people are shown it. */
export interface Holder {
  pid: number;
  /** Null: not known. */
  host: string | null;
}

/** What another part of the cache does when a presence is ended. */
export interface Guard {
  /** Once it returns, nothing more is committed under `name`. */
  fence(name: string): void;
  /** Runs `work` while no other process runs such work on the same cache. */
  exclusively<T>(work: () => T): T;
}

/** What was begun is no longer this process's to finish: it was silent for so long that others took over. */
export class Ended extends Error {
  constructor() {
    super('this process stood still for so long that another one took over');
  }
}

const NO_GUARD: Guard = { fence: () => undefined, exclusively: (work) => work() };

/** Ends the name of the file of a presence that was ended. */
const ENDED = '.ended';
/** The first byte of a file: to write it again changes its time and nothing else. */
const FIRST = 's';

interface Watched {
  /** Time of its file, nanoseconds; null: it has none. */
  stamp: bigint | null;
  /** Awake milliseconds at which this time was seen first. */
  since: number;
}

/** One for each folder in which this process is present. */
const presences = new Map<string, Presence>();
let isBeating = false;

export class Presence {
  readonly #folder: string;
  readonly #times: PresenceTimes;
  readonly #watched = new Map<string, Watched>();
  #guard = NO_GUARD;
  #generation = 1;
  #users = 0;
  #beatAt = Number.NEGATIVE_INFINITY;
  #hasFile = false;

  private constructor(folder: string, times: PresenceTimes) {
    this.#folder = folder;
    this.#times = times;
  }

  /** Makes this process present in `folder` until {@link leave}. On a full disk it has no file. */
  static enter(folder: string, times: PresenceTimes = PRESENCE_TIMES): Presence {
    const presence = presences.get(folder) ?? new Presence(folder, times);
    presences.set(folder, presence);
    presence.#users += 1;
    if (presence.#users === 1) presence.#begin();
    if (!isBeating) setInterval(beatAll, times.beat).unref();
    isBeating = true;
    return presence;
  }

  /** Under which it holds things now. Another one, once the presence was ended by others. */
  get name(): string {
    const tag = processTag(thisProcess());
    return this.#generation === 1 ? tag : `${tag}-g${this.#generation}`;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Its file, to which others may append lines. */
  get path(): string {
    return join(this.#folder, this.name);
  }

  guardBy(guard: Guard): void {
    this.#guard = guard;
  }

  exclusively<T>(work: () => T): T {
    return this.#guard.exclusively(work);
  }

  /** False when `name` is no longer this process's own. Looks at the file if the last beat is long ago. */
  holds(name: string): boolean {
    if (performance.now() - this.#beatAt > this.#times.silence / 2) this.beat();
    return name === this.name;
  }

  /** Says that this process is still there. */
  beat(): void {
    this.#write(constants.O_WRONLY, FIRST);
  }

  /** Adds lines to its file. */
  note(lines: readonly string[]): void {
    if (lines.length > 0) this.#write(constants.O_WRONLY | constants.O_APPEND, `${lines.join('\n')}\n`);
  }

  /** Learns that nothing more is committed under `name`. */
  refused(name: string): void {
    this.beat();
    if (name === this.name) this.#renew();
  }

  /** Goes on under a new name after the presence was ended. What was noted in its file is still noted. */
  #renew(): void {
    const ended = `${this.path}${ENDED}`;
    this.#generation += 1;
    this.#begin(ended);
  }

  /** Writes to the file only if it is still there: a new one of this name would hide that the presence was ended. */
  #write(flags: number, text: string): void {
    for (let tries = 0; tries < 2 && this.#users > 0 && this.#hasFile; tries += 1) {
      try {
        const file = openSync(this.path, flags);
        try {
          writeSync(file, text);
        } finally {
          closeSync(file);
        }
        this.#beatAt = performance.now();
        return;
      } catch (error) {
        // A full disk: others may then remove what this process would have reused.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
        this.#renew();
      }
    }
  }

  /** How the process stands that calls itself `name`. `atOnce`: its file is not watched before it counts as silent. */
  standing(name: string, atOnce = false): Standing {
    if (name === this.name) return 'here';
    const identity = parseTag(name);
    if (identity === null) return 'gone';
    const own = thisProcess();
    if (identity.pid === own.pid && sightOf(identity) === 'alive') return 'gone';
    if (sightOf(identity) === 'dead' || existsSync(join(this.#folder, `${name}${ENDED}`))) return 'gone';
    return this.#isSilent(name, atOnce) ? 'silent' : 'here';
  }

  #isSilent(name: string, atOnce: boolean): boolean {
    const { silence, beat } = this.#times;
    const now = awakeNow();
    const stamp = stampOf(join(this.#folder, name));
    const before = this.#watched.get(name);
    const watched = before?.stamp === stamp ? before : { stamp, since: now };
    this.#watched.set(name, watched);
    const quiet = now - watched.since;
    if (quiet >= silence) return true;
    // The file may be old because a clock was set: then the next beat is soon.
    return (atOnce || quiet >= 2 * beat + beat / 2) && (this.ageOf(name) ?? 0) >= silence;
  }

  /** Milliseconds since the last beat of `name`, by the clock of the file system; null: it is not known. */
  ageOf(name: string): number | null {
    this.beat();
    const stamp = stampOf(join(this.#folder, name));
    const own = this.#hasFile ? stampOf(this.path) : null;
    return stamp === null || own === null ? null : Number((own - stamp) / 1_000_000n);
  }

  /** Ends the presence of `name`. From then on it commits nothing that it began under this name. */
  end(name: string): void {
    this.#guard.fence(name);
    const path = join(this.#folder, name);
    try {
      renameSync(path, `${path}${ENDED}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      writeFileSync(`${path}${ENDED}`, '');
    }
    this.#watched.delete(name);
  }

  /** The process that calls itself `name`. */
  holder(name: string): Holder {
    return { pid: parseTag(name)?.pid ?? 0, host: hostIn(join(this.#folder, name)) };
  }

  /** Names of all others that have a file here, whether they still run or not. */
  others(): string[] {
    return presentIn(this.#folder).filter((name) => name !== this.name);
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    rmSync(this.path, { force: true });
    this.#hasFile = false;
    this.#guard = NO_GUARD;
  }

  /** `from`: a file with what it had noted before. */
  #begin(from: string | null = null): void {
    this.#hasFile = false;
    try {
      mkdirSync(this.#folder, { recursive: true });
      while (existsSync(`${this.path}${ENDED}`)) this.#generation += 1;
      if (from !== null && existsSync(from) && statSync(from).size > 0) copyFileSync(from, this.path);
      else writeFileSync(this.path, `start ${Date.now()}\nhost ${hostname()}\n`);
      this.#hasFile = true;
      this.#beatAt = performance.now();
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Names of the files of presences in a folder. */
export function presentIn(folder: string): string[] {
  return namesIn(folder).filter((name) => !name.endsWith(ENDED));
}

/** Files, also of ended presences, of processes that are gone for certain. */
export function deadPresences(folder: string): string[] {
  return namesIn(folder).filter((file) => {
    const identity = parseTag(file.endsWith(ENDED) ? file.slice(0, -ENDED.length) : file);
    return identity === null || sightOf(identity) === 'dead';
  });
}

/** One timer for all: a beat costs three system calls. */
function beatAll(): void {
  for (const presence of presences.values()) presence.beat();
}

function stampOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? null;
}

function hostIn(path: string): string | null {
  return /^host (.*)$/m.exec(readableText(path))?.[1] ?? null;
}

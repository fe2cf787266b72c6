/**
 * Time during which this process could run, for everything that has a time limit. A process that is stopped, frozen with
 * its container, or on a machine that stands still, does no work, and its limits do not come nearer. Time is taken from
 * the monotonic clock, so a change of the wall clock does nothing. A regular beat that comes late shows a pause, if the
 * process did not work meanwhile.
 */

/** Milliseconds between beats. */
const BEAT = 250;
/** Milliseconds by which a beat is late at least when it counts: a loaded machine makes it late by less. */
const LEAST = 500;
/** setTimeout holds no more than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a clock is made of. Tests replace it. */
export interface Ticks {
  /** Milliseconds of the monotonic clock. */
  now(): number;
  /** Milliseconds of processor time that this process has used. */
  worked(): number;
}

/** Counts the milliseconds without pauses, as long as `beat` is called regularly. */
export class AwakeClock {
  readonly #ticks: Ticks;
  #paused = 0;
  #beatAt: number;
  #workedAt: number;

  constructor(ticks: Ticks) {
    this.#ticks = ticks;
    this.#beatAt = ticks.now();
    this.#workedAt = ticks.worked();
  }

  now(): number {
    this.beat();
    return this.#beatAt - this.#paused;
  }

  /** Milliseconds of pauses so far. */
  paused(): number {
    this.beat();
    return this.#paused;
  }

  beat(): void {
    const [now, worked] = [this.#ticks.now(), this.#ticks.worked()];
    const late = now - this.#beatAt - BEAT - (worked - this.#workedAt);
    if (late > LEAST) this.#paused += late;
    this.#beatAt = now;
    this.#workedAt = worked;
  }
}

let clock: AwakeClock | null = null;

/** The clock of this process. It beats from its first use on. */
function ownClock(): AwakeClock {
  if (clock === null) {
    const own = new AwakeClock({ now: () => performance.now(), worked: workedMs });
    setInterval(() => own.beat(), BEAT).unref();
    clock = own;
  }
  return clock;
}

function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of a clock that stands still while this process does. */
export function awakeNow(): number {
  return ownClock().now();
}

/** Milliseconds that this process stood still, since the first use of the clock. */
export function pausedSoFar(): number {
  return ownClock().paused();
}

/**
 * Calls `done` once this process could run for `milliseconds`, of any length.
 * @param isRef false: the process may end before.
 * @returns what stops it.
 */
export function afterAwake(milliseconds: number, done: () => void, isRef = true): () => void {
  const until = awakeNow() + milliseconds;
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(left)), MAX_TIMER_MS));
    if (!isRef) timer.unref();
  };
  const look = () => {
    const left = until - awakeNow();
    if (left > 0) wait(left);
    else done();
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

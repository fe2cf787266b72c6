/**
 * What kept a command from running while its time limit went on, and what that means for an answer. A pause is seen from
 * where no code inside can feign one, so a command that met its limit beside a pause has no answer. Stopped processes
 * and a lack of processor time can be arranged from inside, so they are worth one more try. Of code that is not trusted the second end
 * counts; where code has no reason to feign anything, a second lack of processor time is a fault of the machine.
 */
import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, infra } from '../schemas/outcome.ts';

/** Times of one command. */
export interface Hindrance {
  /** Milliseconds during which nothing in the workspace ran. They do not count against the time limit. */
  pausedMs: number;
  /** Of a command that met its time limit, where it can be seen; null otherwise. */
  load: Load | null;
}

interface Load {
  /** Seconds of processor time that its processes got. */
  used: number;
  /** Seconds that they could have used, within the limit of processors. */
  wanted: number;
  /** Seconds during which one of its processes was stopped by a signal. */
  stopped: number;
}

/** What is known of a command when it has ended. */
interface Ran {
  exitCode: number | null;
  timedOut: boolean;
  /** How long it ran, without pauses; absent: it worked all the time. */
  durationMs?: number | undefined;
  hindrance?: Hindrance | undefined;
}

/** Milliseconds of pauses, of stops and of a lack of processor time that count. Timers of tests are not shorter as a rule. */
const LEAST = 1000;
/** A lack of less than this share of the time does not decide whether a limit is met. */
const LEAST_SHARE = 0.05;
/** The most by which a second try may take longer than the first. */
const MAX_STRETCH = 8;
/** With less than this share of the processor time that it wanted, a command was not slow by itself. */
const ENOUGH = 0.5;

export interface Hindered {
  /**
   * All but `pause` may be the command's own doing. `loss`: of a process, or of what else it needs. `uncounted`: nothing
   * here counts what it lacked.
   */
  by: 'pause' | 'stop' | 'load' | 'loss' | 'uncounted';
  /** It ends a sentence about the command. */
  words: string;
  /** The time limit was met, so that what is missing is time. */
  timedOut: boolean;
  /** How many times longer a second try may take: of the first, the part that worked got so much less processor time than it wanted. Absent: no longer. */
  stretch?: number;
}

/** What may have kept the command from its answer; null for nothing. */
export function hinderedBy({ exitCode, timedOut, durationMs, hindrance }: Ran): Hindered | null {
  if (hindrance === undefined || (!timedOut && exitCode === 0)) return null;
  const { pausedMs, load } = hindrance;
  if (pausedMs >= LEAST) {
    const words = `stood still for ${seconds(pausedMs)} (a process, a container or the machine was paused)`;
    return { by: 'pause', words, timedOut };
  }
  if (!timedOut || load === null) return null;
  const { used, wanted, stopped } = load;
  if (stopped * 1000 >= LEAST)
    return { by: 'stop', words: `had stopped processes for ${seconds(stopped * 1000)}`, timedOut };
  const lackMs = (wanted - used) * 1000;
  if (used >= ENOUGH * wanted || lackMs < Math.max(LEAST, LEAST_SHARE * (durationMs ?? 0))) return null;
  const share = Math.round((100 * used) / wanted);
  const words = `got ${share} % of the processor time that it could use (the machine was busy)`;
  // What it waited for otherwise takes no longer on a busy machine.
  const working = durationMs === undefined ? 1 : Math.min(1, (wanted * 1000) / Math.max(durationMs, 1));
  const slower = Math.min(MAX_STRETCH, wanted / Math.max(used, 1e-3));
  return { by: 'load', words, timedOut, stretch: 1 + working * (slower - 1) };
}

/** Whether it is unknown how busy the machine was while a command met its limit. */
export function isLoadUnknown({ timedOut, hindrance }: Pick<Ran, 'timedOut' | 'hindrance'>): boolean {
  return timedOut && (hindrance?.load ?? null) === null;
}

export const LOAD_UNKNOWN = 'how busy the machine was until the time limit cannot be read here';

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The end of what met its limit beside a pause, or while the machine was busy. */
export function hinderedFault(what: string, { by, words }: Hindered): Infra {
  return infra(by === 'load' ? 'busy' : 'paused', `${what} met the time limit and ${words}`);
}

/** How a second try is made. */
export interface Again {
  /** Begins a line about it, such as the name of a step. */
  title: string;
  log(text: string): void;
  /** Runs work of at most so many seconds without neighbours, where that does not cost them much. */
  alone: RunAlone;
  /** Seconds that a try may take. */
  limit: number;
  /** The code is not a model's: it has no reason to feign a lack of processor time. Absent: it may. */
  trusted?: boolean;
}

export type RunAlone = <T>(seconds: number, work: () => Promise<T>) => Promise<T>;

/**
 * Runs `work` once more when it was hindered; after a lack of processors, or one that nothing counts, alone, if possible, and with a time limit
 * that makes up for the lack: `work` gets by what factor. The second end is the answer, unless its time limit was met beside a pause again, or trusted code lacked processor time again.
 */
export async function triedAgain<T>(
  work: (stretch: number) => Promise<T>,
  hindrance: (end: T) => Hindered | null,
  { title, log, alone, limit, trusted = false }: Again,
): Promise<Result<T, Infra>> {
  const first = await work(1);
  const why = hindrance(first);
  if (why === null) return success(first);
  const { stretch = 1 } = why;
  const longer = stretch === 1 ? '' : `, with ${stretch.toFixed(1)} times its time limit`;
  log(`== ${title} ${why.words}, and is run once more${longer}\n`);
  const isAlone = why.by === 'load' || why.by === 'uncounted';
  const second = isAlone ? await alone(limit * stretch, () => work(stretch)) : await work(1);
  const still = hindrance(second);
  if (still === null) return success(second);
  const isFault = still.by === 'pause' || (still.by === 'load' && trusted);
  if (isFault && still.timedOut) return fault(hinderedFault(title, still));
  if (still.by !== 'uncounted') log(`== note: ${title} ${still.words} again, and this end counts\n`);
  return success(second);
}

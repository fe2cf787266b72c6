/**
 * Whether a command lacked room, memory or processes, and whose lack that was: the one place that judges it. What a
 * command prints only says where to look. Counters decide: what was left of the disk, of memory and of processes while it
 * ran and as it ended, and whom the kernel's memory killer struck. Where they show a lack of the machine, there is no
 * answer. Where they show none, or that a limit of the workspace was met, the end is the command's own, since that limit
 * is in its key. Where they cannot be read, nothing can be told.
 */
import { type Infra, type InfraReason, infra } from '../schemas/outcome.ts';
import type { Hindered } from './hindrance.ts';

/** What counters show of a command that did not end well. null: it cannot be read here. */
export interface Counters {
  disk: DiskLeft | null;
  memory: MemoryLeft | null;
  processes: ProcessesLeft | null;
}

/** The least that was left of the file system that holds what the workspace writes. */
export interface DiskLeft {
  /** Bytes. */
  free: number;
  /** Files that could still be made; null where the file system has no such number. */
  files: number | null;
  /** A small file was refused for lack of room, or by a quota. */
  isRefused: boolean;
  /** Its bound is the workspace's own. */
  isOwn: boolean;
}

interface MemoryLeft {
  /** The least that the machine could still give, in bytes; null where it does not say. */
  available: number | null;
  /** The workspace's own limit: met, not met, or null where nothing counts that. */
  isOwnMet: boolean | null;
}

interface ProcessesLeft {
  /** The least number of threads that the machine, or a group above the workspace, still allowed. */
  spare: number;
}

/** What the judgement needs of a command's end. */
export interface Ran {
  exitCode: number | null;
  exitSignal: string | null;
  timedOut: boolean;
  output: string;
  counters?: Counters;
}

/**
 * `host`: the machine had none left. `none`: it speaks of a lack that no counter of the machine shows. `uncounted`:
 * nothing here counts it.
 */
export interface Lack {
  kind: 'host' | 'none' | 'uncounted';
  reason: InfraReason;
  /** The line that speaks of it, or the end itself. */
  line: string;
}

/** A machine with less free on its disk is full for a program that says so: it may have asked for much at once. */
const SCARCE_DISK = 2 ** 30;
const SCARCE_FILES = 1000;
const SCARCE_MEMORY = 256 * 2 ** 20;
const SCARCE_PROCESSES = 64;
/** With less, nothing can be written. */
const FULL = 64 * 1024;

/** What the watchdogs write when they end a command because of its workspace's own limit. */
const OVER_LIMIT = /swemake: over the (?:memory|disk) limit/;

type Resource = 'disk' | 'memory' | 'processes';

/** Words by which programs say that something lacked. */
const WORDS: readonly (readonly [Resource, RegExp])[] = [
  ['disk', /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/],
  ['memory', /internal compiler error: Killed|Killed signal terminated program|terminated with signal 9/],
  ['memory', /\(signal: 9, SIGKILL|died with <Signals\.SIGKILL|exit(?:ed with)? (?:status|code):? -9\b/],
  ['memory', /^(?:make.*: \*\*\* .*|.*: line \d+: +\d+ )Killed\b/],
  ['memory', /Cannot allocate memory|\[Errno 12\]|\bENOMEM\b|virtual memory exhausted|std::bad_alloc/],
  ['memory', /(?:cc1\w*|ld|collect2)\b.*out of memory|^\s*(?:[\w.]+\.)?_?(?:Array)?MemoryError(?::|\s*$)/],
  ['processes', /fork: (?:retry: )?Resource temporarily unavailable|\(limit of processes\)/],
  ['processes', /can't start new thread|pthread_create\b.*Resource temporarily unavailable/],
];

const REASON: Readonly<Record<Resource | 'kill', InfraReason>> = {
  disk: 'disk-full',
  memory: 'out-of-memory',
  processes: 'no-processes',
  kill: 'killed',
};

/** 128 and the numbers of SIGKILL and SIGTERM, by which a shell reports that its command was killed. */
const KILLED: readonly (number | null)[] = [137, 143];

export function isOverLimit(output: string): boolean {
  return OVER_LIMIT.test(output);
}

/** Whether a signal ended it, or a command of it. */
function wasKilled({ exitCode, timedOut }: Pick<Ran, 'exitCode' | 'timedOut'>): boolean {
  return !timedOut && (exitCode === null || KILLED.includes(exitCode));
}

/** Whether nothing at all can be written to the disk of the machine, so that no failure there is an answer. */
export function isMachineFull(disk: DiskLeft | null | undefined): boolean {
  if (disk == null || disk.isOwn) return false;
  return disk.isRefused || disk.free < FULL || disk.files === 0;
}

/**
 * What a command that did not end well lacked, by its words and its end, as the counters have it; null when it speaks
 * of no lack. `memory`: the limit of the workspace in bytes, for where each process is held to it alone.
 */
export function lackOf(ran: Ran, memory?: number): Lack | null {
  if (ran.timedOut) return null;
  const lacks = spokenOf(ran.output).map(({ of, line }): Lack => {
    return { kind: judged(of, ran, memory), reason: REASON[of], line };
  });
  if (wasKilled(ran)) lacks.push(kill(ran, memory));
  const of = (kind: Lack['kind']) => lacks.find((lack) => lack.kind === kind);
  return of('host') ?? of('uncounted') ?? of('none') ?? null;
}

/** The same for a command whose output is not to be trusted with anything, such as tests: only its end counts. */
export function killOf(ran: Ran, memory?: number): Lack | null {
  return wasKilled(ran) && !isOverLimit(ran.output) ? kill(ran, memory) : null;
}

function kill(ran: Ran, memory: number | undefined): Lack {
  const line = `it was ended by ${ran.exitSignal ?? `a signal (exit code ${ran.exitCode})`}`;
  return { kind: judged('memory', ran, memory), reason: REASON.kill, line };
}

function spokenOf(output: string): { of: Resource; line: string }[] {
  const found = new Map<Resource, string>();
  for (const line of output.split('\n'))
    for (const [of, words] of WORDS)
      if (!found.has(of) && words.test(line)) found.set(of, line.trim().slice(0, 300));
  return [...found].map(([of, line]) => ({ of, line }));
}

function judged(of: Resource, { output, counters }: Ran, limit: number | undefined): Lack['kind'] {
  if (of !== 'processes' && isOverLimit(output)) return 'none';
  const found = counters?.[of] ?? null;
  if (found === null) return 'uncounted';
  return isScarce(counters!, of, limit) ? 'host' : 'none';
}

function isScarce({ disk, memory, processes }: Counters, of: Resource, limit: number | undefined): boolean {
  switch (of) {
    case 'disk':
      return (
        !disk!.isOwn &&
        (disk!.isRefused || disk!.free < SCARCE_DISK || (disk!.files ?? SCARCE_FILES) < SCARCE_FILES)
      );
    case 'memory': {
      const { available, isOwnMet } = memory!;
      if (isOwnMet === true || available === null) return false;
      // Where each process has a limit of its own, a machine with less than that may have refused it first.
      return available < (isOwnMet === null ? Math.max(limit ?? 0, SCARCE_MEMORY) : SCARCE_MEMORY);
    }
    case 'processes':
      return processes!.spare < SCARCE_PROCESSES;
  }
}

/** The end of what lacked something that the machine had none of, or that nothing counts; null for an answer. */
export function lackFault(what: string, lack: Lack | null): Infra | null {
  if (lack === null || lack.kind === 'none') return null;
  if (lack.kind === 'host') return infra(lack.reason, `${what}: ${lack.line}`);
  return infra('uncounted', `${what}: ${lack.line}; nothing here counts whether the machine lacked it`);
}

/** Why it is tried once more; null for what speaks of no lack, or of one that another try at once cannot end. */
export function hinderedByLack(lack: Lack | null): Hindered | null {
  if (lack === null || lack.kind === 'host') return null;
  const by = lack.kind === 'uncounted' ? 'uncounted' : 'loss';
  return { by, words: `ended with "${lack.line}"`, timedOut: false };
}

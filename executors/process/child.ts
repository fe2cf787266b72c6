/**
 * One process and everything that it starts, from its beginning to the end of the last of them. It leads a process
 * group, and carries a mark in its environment by which children that left the group are found.
 */
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, processTag, thisProcess } from '../../basics/process-identity.ts';
import type { Result } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { groupExists, killWorkspace, MARKER } from '../local/kill.ts';
import { DEFAULT_MAX_OUTPUT } from '../output.ts';
import type { ProcessEnd, ProcessSpec } from '../process-runner.ts';
import { LogFile } from './log-file.ts';
import type { Redaction } from './redaction.ts';

/** Time to end by itself after SIGTERM, milliseconds: containers are removed then, and GPU memory is given back. */
const GRACE = 10_000;
/** setTimeout holds no more than this. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
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

  private constructor(setup: ChildSetup, started: StartedProcess) {
    this.#id = setup.id;
    this.#state = setup.state;
    this.#group = started.pid;
    this.#exited = started.exit.then(() => undefined);
    this.ended = this.#finish(setup, started);
  }

  /** Starts it; a message when the program cannot be started. */
  static async start(setup: ChildSetup): Promise<Child | string> {
    const note = join(setup.state, setup.id);
    // Before it lives, so that whenever we are killed the sweep knows the mark that it carries.
    writeFileSync(note, '');
    const started = await spawnProcess(setup);
    if (typeof started === 'string') {
      await rm(note);
      return started;
    }
    const child = new Child(setup, started);
    // At once, or it might have ended and taken its note away by then.
    writeFileSync(note, JSON.stringify(identityOf(started.pid)));
    return child;
  }

  /** Ends it after so many seconds, and says so in its end. */
  endAfter(seconds: number): void {
    const timer = setTimeout(
      () => {
        this.#timedOut = true;
        this.stopSoon();
      },
      Math.min(seconds * 1000, LONGEST_TIMEOUT),
    );
    const forget = () => clearTimeout(timer);
    this.#exited.then(forget, forget);
  }

  /** Asks it to end, then ends whatever is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The same where nobody can wait; how it went shows in its end. */
  stopSoon(): void {
    this.stop().catch(() => undefined);
  }

  async #stop(): Promise<void> {
    signalGroup(this.#group, 'SIGTERM');
    const deadline = Date.now() + GRACE;
    while (groupExists(this.#group) && Date.now() < deadline) await sleep(20);
    await this.#killAll();
    await this.ended;
  }

  #killAll(): Promise<void> {
    return killWorkspace(this.#id, join(this.#state, this.#id), [this.#group]);
  }

  async #finish({ spec, redaction }: ChildSetup, started: StartedProcess): Promise<ProcessEnd> {
    const log = new LogFile(spec.log, spec.maxOutput ?? DEFAULT_MAX_OUTPUT);
    const write = (text: string) => {
      log.append(text);
      if (text !== '') spec.onOutput?.(text);
    };
    for (const stream of started.streams) {
      // Of its own, as a character may be cut between two pieces of one stream.
      const decoder = new StringDecoder('utf8');
      stream.on('data', (bytes: Buffer) => write(redaction.push(decoder.write(bytes))));
      stream.on('error', () => undefined);
    }
    const { code, signal } = await started.exit;
    const durationMs = performance.now() - started.at;
    if (this.#stopping === null) await this.#killAll();
    await Promise.race([started.closed, sleep(DRAIN, undefined, { ref: false })]);
    for (const stream of started.streams) stream.destroy();
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

interface StartedProcess {
  pid: number;
  /** performance.now() */
  at: number;
  streams: [NodeJS.ReadableStream & { destroy(): void }, NodeJS.ReadableStream & { destroy(): void }];
  exit: Promise<{ code: number | null; signal: string | null }>;
  /** Both streams are at their ends. */
  closed: Promise<unknown>;
}

async function spawnProcess({ spec, argv, env, id }: ChildSetup): Promise<StartedProcess | string> {
  const { execa } = await import('execa');
  const [program, ...args] = argv;
  const at = performance.now();
  const child = execa(program!, args, {
    cwd: spec.cwd,
    env: { ...env, [MARKER]: id },
    extendEnv: false,
    detached: true,
    cleanup: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
  });
  if (child.pid === undefined) return (await child).message ?? 'it cannot be started';
  const { stdout, stderr } = child;
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // execa's own promise also waits for what others do with the pipes; nobody needs it.
  child.catch(() => undefined);
  const closed = Promise.all([stdout, stderr].map((one) => new Promise((done) => one.once('close', done))));
  return { pid: child.pid, at, streams: [stdout, stderr], exit, closed };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already.
  }
}

export type StartChild = (
  spec: ProcessSpec,
  command: ProcessSpec['command'],
) => Promise<Result<Child, Infra>>;

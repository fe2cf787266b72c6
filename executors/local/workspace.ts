/** One local workspace: plain processes on a private copy of the layers, paths exchanged at its boundary. */

import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { bugOf, bugText } from '../../basics/bug.ts';
import { DEFAULT_MAX_OUTPUT } from '../../basics/output.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  Changes,
  DiffRefused,
  ExecOptions,
  ExecResult,
  FileRefused,
  KeepAdded,
  Limits,
  Workspace,
  WorkspaceLost,
} from '../deployment.ts';
import { diffWorkspace } from '../diff.ts';
import { isMachineFull } from '../lack.ts';
import { noCommand } from '../no-command.ts';
import { byLines, Telling } from '../telling.ts';
import { type Baseline, capture } from './capture.ts';
import { type CommandEnd, runCommand } from './command.ts';
import { hostMemoryKills } from './host-memory.ts';
import { groupExists, killWorkspace, MARKER } from './kill.ts';
import { LeftWatch } from './left.ts';
import { asText } from './relocatable.ts';
import type { Relocation } from './relocation.ts';
import { removeTree } from './remove-tree.ts';
import { existingPath, writablePath } from './safe-path.ts';

export interface LocalParts {
  id: string;
  ports: readonly number[];
  relocation: Relocation;
  /** Variables of every command, inside paths. */
  variables: Record<string, string>;
  /** Host folder of the source layer. */
  source: string | null;
  limits: Limits;
  /** Inside paths of mounts and links. */
  placed: string[];
  /** State after opening; null when changes are not asked for. */
  baseline: Baseline | null;
  /** Where captured changes go. */
  changesFolder: string;
  /** Called once, after everything is removed. */
  closed: () => Promise<void>;
}

const DEFAULT_PATH = '/opt/env/bin:/usr/local/bin:/usr/bin:/bin';
const CLOSED = infra('workspace-lost', 'the workspace is closed');
/** Longer commands go through a file: the system bounds a single argument to 128 KiB. */
const MAX_ARGUMENT = 100_000;

export class LocalWorkspace implements Workspace {
  readonly id: string;
  readonly ports: readonly number[];
  private readonly groups = new Set<number>();
  private readonly closing = new AbortController();
  private ending: Promise<void> | null = null;
  /** How often swemake asked for all processes to be ended. */
  private ends = 0;
  private scripts = 0;
  private readonly parts: LocalParts;

  constructor(parts: LocalParts) {
    this.id = parts.id;
    this.ports = parts.ports;
    this.parts = parts;
  }

  async exec(command: string, options: ExecOptions): Promise<Result<ExecResult, Infra>> {
    if (this.ending !== null) return fault(CLOSED);
    if (options.signal?.aborted) return fault(infra('cancelled', 'cancelled before the command started'));
    const none = noCommand(command, options);
    if (none !== null) return success(none);
    const cwd = this.parts.relocation.path(options.cwd ?? '/testbed');
    if (!(await isFolder(cwd))) return success(noSuchFolder(options.cwd ?? '/testbed'));
    const [kills, ends] = [hostMemoryKills(), this.ends];
    const argv = await this.argv(command, options.login === true).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (!Array.isArray(argv)) return fault(machineFault('starting a command', argv));
    const left = new LeftWatch(this.parts.relocation.root);
    const { maxOutput = DEFAULT_MAX_OUTPUT } = options;
    // A path that is cut in two would not be replaced.
    const lines = byLines((text) => options.onOutput?.(this.parts.relocation.outward(text)));
    const end = await runCommand({
      argv,
      cwd,
      env: this.environment(options.env ?? {}),
      timeoutMs: options.timeout * 1000,
      maxOutput,
      telling: options.onOutput === undefined ? null : new Telling(lines.add, maxOutput),
      kill: () => this.kill(),
      started: (group) => this.groups.add(group),
      signal: options.signal ? AbortSignal.any([options.signal, this.closing.signal]) : this.closing.signal,
    });
    lines.end();
    for (const group of this.groups) if (!groupExists(group)) this.groups.delete(group);
    left.stop();
    if (end.kind !== 'ended' || end.result.exitCode === 0) return this.answer(end);
    const counters = await left.end();
    // Plain processes share the host's disk, so a failure on a full disk is no answer of the task.
    if (isMachineFull(counters.disk))
      return fault(infra('disk-full', `the disk of ${this.parts.relocation.root} is full`));
    if (ends === this.ends && wasKilled(end.result) && (hostMemoryKills() ?? 0) > (kills ?? 0))
      return fault(infra('killed', 'the host was out of memory while a command was killed'));
    return this.answer({ ...end, result: { ...end.result, counters } });
  }

  /** The code can bypass any proxy. */
  network(): null {
    return null;
  }

  async endProcesses(): Promise<Result<null, Infra>> {
    if (this.ending !== null) return fault(CLOSED);
    this.ends += 1;
    await this.kill();
    return success(null);
  }

  write(path: string, bytes: Uint8Array | string, mode?: number): Promise<Result<null, Infra | FileRefused>> {
    return this.onFile(`write ${path}`, async () => {
      const place = await writablePath(this.parts.relocation.root, this.parts.relocation.path(path));
      if (place === null) return refusedPlace(`write ${path}: it leads out of the workspace`);
      const present = await stat(place).catch(whenAbsent(null));
      if (present?.isFile() === false) return refusedPlace(`write ${path}: it is not a file`);
      const content = Buffer.from(bytes as Uint8Array);
      const script = content.subarray(0, 2).toString() === '#!' ? asText(content) : null;
      await writeFile(place, script === null ? content : this.parts.relocation.inward(script));
      if (mode !== undefined || present === null) await chmod(place, mode ?? 0o644);
      return success(null);
    });
  }

  read(path: string): Promise<Result<Uint8Array | null, Infra | FileRefused>> {
    const { root, outward } = this.parts.relocation;
    return this.onFile(`read ${path}`, async () => {
      const place = await existingPath(root, this.parts.relocation.path(path));
      if (place === null) return success(null);
      if (!(await stat(place)).isFile()) return refusedPlace(`read ${path}: it is not a file`);
      const bytes = await readFile(place);
      const text = bytes.includes(root) ? asText(bytes) : null;
      return success(text === null ? bytes : Buffer.from(outward(text)));
    });
  }

  private async onFile<T>(
    what: string,
    work: () => Promise<Result<T, Infra | FileRefused>>,
  ): Promise<Result<T, Infra | FileRefused>> {
    if (this.ending !== null) return fault(CLOSED);
    const done = await work().catch((error: NodeJS.ErrnoException) => fault(fileFault(what, error)));
    // After close, a missing file was removed by swemake itself.
    return this.ending === null ? done : fault(CLOSED);
  }

  diff(base?: string, keep?: KeepAdded): Promise<Result<string, WorkspaceLost | DiffRefused>> {
    return diffWorkspace(this, { base, keep, layer: this.parts.source });
  }

  async changes(): Promise<Result<Changes, Infra>> {
    const { baseline, relocation, placed, changesFolder: folder } = this.parts;
    if (baseline === null) throw new Error('changes() needs a workspace opened with storage "disk"');
    if (this.ending !== null) return fault(CLOSED);
    try {
      const removed = await capture(relocation, baseline, placed, folder);
      return this.ending === null ? success({ folder, removed }) : fault(CLOSED);
    } catch (error) {
      return fault(machineFault('changes', error as NodeJS.ErrnoException));
    }
  }

  close(): Promise<void> {
    this.ending ??= this.end();
    return this.ending;
  }

  private async end(): Promise<void> {
    this.closing.abort();
    await this.kill();
    await removeTree(this.parts.relocation.root);
    await removeTree(this.parts.changesFolder);
    await this.parts.closed();
  }

  private kill(): Promise<void> {
    return killWorkspace(this.id, this.parts.relocation.root, this.groups);
  }

  /** bash on the relocated command; limits are set by an outer bash, which the inner one replaces. */
  private async argv(command: string, isLogin: boolean): Promise<string[]> {
    const text = this.parts.relocation.inward(command);
    let tail = ['-c', text];
    if (Buffer.byteLength(text) > MAX_ARGUMENT) {
      const script = join(this.parts.relocation.path('/tmp'), `.swemake-command-${this.scripts++}`);
      await writeFile(script, text);
      tail = [script];
    }
    if (isLogin) tail.unshift('-l');
    // As everywhere else: modes of new files are no matter of the shell that swemake was called from.
    const mask = process.umask() === 0o022 ? '' : 'umask 022; ';
    const limits = mask + limitCommands(this.parts.limits);
    return limits === ''
      ? ['/bin/bash', ...tail]
      : ['/bin/bash', '-c', `${limits}exec /bin/bash "$@"`, 'bash', ...tail];
  }

  private environment(own: Record<string, string>): Record<string, string> {
    const { inward } = this.parts.relocation;
    const merged: Record<string, string> = { PATH: DEFAULT_PATH, TZ: 'UTC', ...this.parts.variables, ...own };
    const moved = Object.fromEntries(Object.entries(merged).map(([name, value]) => [name, inward(value)]));
    return { ...moved, ...this.privateFolders(moved), [MARKER]: this.id };
  }

  /** A home or temporary folder that lies on the host is never passed on. */
  private privateFolders(variables: Record<string, string>): Record<string, string> {
    const { root, path } = this.parts.relocation;
    const keep = (name: string, other: string) =>
      variables[name]?.startsWith(`${root}/`) ? variables[name] : path(other);
    return { HOME: keep('HOME', '/tmp/home'), TMPDIR: keep('TMPDIR', '/tmp') };
  }

  private answer(end: CommandEnd): Result<ExecResult, Infra> {
    if (end.kind === 'not-started') return fault(infra('machine', end.detail));
    if (end.kind === 'aborted')
      return fault(
        infra(this.ending === null ? 'cancelled' : 'workspace-lost', 'stopped before the command ended'),
      );
    const { outward } = this.parts.relocation;
    const { stdout, stderr, output } = end.result;
    return success({
      ...end.result,
      stdout: outward(stdout),
      stderr: outward(stderr),
      output: outward(output),
    });
  }
}

function refusedPlace(detail: string): Result<never, FileRefused> {
  return fault({ status: 'refused', reason: 'place', detail });
}

/** Error codes that are caused by what is at a path or above it. Any other code is a fault of the machine. */
const PLACE = [
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EROFS'],
  ...['ENXIO', 'ENODEV', 'ETXTBSY', 'EFBIG', 'ERR_FS_FILE_TOO_LARGE', 'ERR_INVALID_ARG_VALUE'],
];

function fileFault(what: string, error: NodeJS.ErrnoException): Infra | FileRefused {
  if (!PLACE.includes(error.code ?? '')) return machineFault(what, error);
  return { status: 'refused', reason: 'place', detail: `${what}: ${error.code}` };
}

/** The disk is the host's, so a failure on a full disk is no answer of the task. */
function machineFault(what: string, error: NodeJS.ErrnoException): Infra {
  const bug = bugOf(error);
  if (bug !== null) return infra('internal', `${what}: ${bugText(bug)}`);
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return infra(isFull ? 'disk-full' : 'machine', `${what}: ${error.message}`);
}

/** Makes the folders that every workspace has. */
export async function makeSkeleton(relocation: Relocation): Promise<void> {
  for (const folder of ['/testbed', '/opt/env', '/tmp/home'])
    await mkdir(relocation.path(folder), { recursive: true });
}

/** A shell reports the end of its command by its own exit code. */
function wasKilled({ exitCode, exitSignal, timedOut }: ExecResult): boolean {
  return !timedOut && (exitSignal === 'SIGKILL' || exitCode === 137);
}

/** The limits that a shell can set: memory of each process and size of each file. See the deployment's warnings. */
function limitCommands(limits: Limits): string {
  const memory =
    limits.memory === undefined ? '' : `ulimit -v ${Math.ceil(limits.memory / 1024)} 2>/dev/null; `;
  const disk = limits.disk === undefined ? '' : `ulimit -f ${Math.ceil(limits.disk / 1024)} 2>/dev/null; `;
  return memory + disk;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(whenAbsent(null)))?.isDirectory() ?? false;
}

function noSuchFolder(cwd: string): ExecResult {
  const stderr = `bash: cd: ${cwd}: No such file or directory\n`;
  const streams = { stdout: '', stderr, output: stderr };
  return { exitCode: 1, exitSignal: null, ...streams, timedOut: false, truncated: false, durationMs: 0 };
}

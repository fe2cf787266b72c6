/** Files inside a workspace, for tools. A missing or unreadable file is a value; only a lost workspace is a fault. */
import { isUtf8 } from 'node:buffer';
import { fault, type Result, success } from '../../../basics/result.ts';
import { shellWord } from '../../../basics/shell.ts';
import type { FileRefused, Workspace, WorkspaceLost } from '../../../executors/deployment.ts';
import { infra } from '../../../schemas/outcome.ts';
import type { Limit } from '../../action-handler.ts';

export type PathStatus =
  | { kind: 'none' }
  | { kind: 'folder' }
  | { kind: 'file'; mode: number; size: number }
  | { kind: 'other' };

export class Files {
  constructor(private readonly workspace: Workspace) {}

  /** What lies at `path`, links followed. */
  async look(path: string, limit: Limit): Promise<Result<PathStatus, WorkspaceLost>> {
    const ran = await this.#run(`stat -L -c '%a %s %F' -- ${shellWord(path)}`, limit);
    if (!ran.ok) return ran;
    const [, mode, size, type] = /^(\d+) (\d+) (.*)$/m.exec(ran.value) ?? [];
    if (mode === undefined) return success({ kind: 'none' });
    if (type === 'directory') return success({ kind: 'folder' });
    if (!type!.startsWith('regular')) return success({ kind: 'other' });
    return success({ kind: 'file', mode: Number.parseInt(mode, 8), size: Number(size) });
  }

  /** Names of what lies in a folder, two levels deep, nothing hidden. */
  list(path: string, limit: Limit): Promise<Result<string, WorkspaceLost>> {
    return this.#run(
      `find ${shellWord(path)} -maxdepth 2 -not -path ${shellWord(`${path}/.*`)} -not -path '*/.*' | LC_ALL=C sort`,
      limit,
    );
  }

  /** The text of a file; null when it is none or cannot be read. */
  async read(path: string, limit: Limit): Promise<Result<string | null, WorkspaceLost>> {
    const read = refusedAsNull(await this.workspace.read(path), limit);
    if (!read.ok) return read;
    const bytes = read.value;
    const isText = bytes !== null && isUtf8(bytes) && !bytes.includes(0);
    return success(isText ? Buffer.from(bytes).toString() : null);
  }

  /** True when it was written. */
  async write(
    path: string,
    text: string,
    mode: number,
    limit: Limit,
  ): Promise<Result<boolean, WorkspaceLost>> {
    const done = await this.workspace.write(path, text, mode);
    const written = refusedAsNull(done.ok ? success(true) : done, limit);
    return written.ok ? success(written.value === true) : written;
  }

  async remove(path: string, limit: Limit): Promise<Result<string, WorkspaceLost>> {
    return this.#run(`rm -f -- ${shellWord(path)}`, limit);
  }

  /** What a command prints to its standard output. */
  async #run(command: string, { seconds, signal }: Limit): Promise<Result<string, WorkspaceLost>> {
    const ran = await this.workspace.exec(command, { cwd: '/', timeout: seconds, signal });
    return ran.ok ? success(ran.value.stdout) : ran;
  }
}

/** null for a refusal, such as a link out of the workspace or a read-only folder. A lost workspace is a fault. */
function refusedAsNull<T>(
  done: Result<T, WorkspaceLost | FileRefused>,
  { signal }: Limit,
): Result<T | null, WorkspaceLost> {
  if (done.ok) return done;
  if (done.fault.status === 'refused') return success(null);
  return fault(signal.aborted ? infra('cancelled', 'cancelled while a file was edited') : done.fault);
}

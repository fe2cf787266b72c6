/** Files inside a workspace, for tools: what is there, text and its line ends, and a fault only when the workspace is gone. */
import { isUtf8 } from 'node:buffer';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Workspace, WorkspaceKilled } from '../../executors/deployment.ts';
import { shellWord } from '../../grading/shell.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Limit } from '../action-handler.ts';

type Gone = Infra | WorkspaceKilled;

export type PathStatus =
  | { kind: 'none' }
  | { kind: 'folder' }
  | { kind: 'file'; mode: number; size: number }
  | { kind: 'other' };

export class Files {
  constructor(private readonly workspace: Workspace) {}

  /** What lies at `path`, links followed. */
  async look(path: string, limit: Limit): Promise<Result<PathStatus, Gone>> {
    const ran = await this.#run(`stat -L -c '%a %s %F' -- ${shellWord(path)}`, limit);
    if (!ran.ok) return ran;
    const [, mode, size, type] = /^(\d+) (\d+) (.*)$/m.exec(ran.value) ?? [];
    if (mode === undefined) return success({ kind: 'none' });
    if (type === 'directory') return success({ kind: 'folder' });
    if (!type!.startsWith('regular')) return success({ kind: 'other' });
    return success({ kind: 'file', mode: Number.parseInt(mode, 8), size: Number(size) });
  }

  /** Names of what lies in a folder, two levels deep, nothing hidden. */
  list(path: string, limit: Limit): Promise<Result<string, Gone>> {
    return this.#run(
      `find ${shellWord(path)} -maxdepth 2 -not -path ${shellWord(`${path}/.*`)} -not -path '*/.*' | LC_ALL=C sort`,
      limit,
    );
  }

  /** The text of a file; null when it is none or cannot be read. */
  async read(path: string, limit: Limit): Promise<Result<string | null, Gone>> {
    return this.#guarded(limit, async () => {
      const bytes = await this.workspace.read(path);
      return bytes === null || !isUtf8(bytes) || bytes.includes(0) ? null : Buffer.from(bytes).toString();
    });
  }

  /** True when it was written. */
  async write(path: string, text: string, mode: number, limit: Limit): Promise<Result<boolean, Gone>> {
    const written = await this.#guarded(limit, async () => {
      await this.workspace.write(path, text, mode);
      return true;
    });
    return written.ok ? success(written.value ?? false) : written;
  }

  async remove(path: string, limit: Limit): Promise<Result<string, Gone>> {
    return this.#run(`rm -f -- ${shellWord(path)}`, limit);
  }

  /** What a command prints to its standard output. */
  async #run(command: string, { seconds, signal }: Limit): Promise<Result<string, Gone>> {
    const ran = await this.workspace.exec(command, { cwd: '/', timeout: seconds, signal });
    return ran.ok ? success(ran.value.stdout) : ran;
  }

  /** A refusal (a link out of the workspace, a read-only place) is null; a workspace that is gone is a fault. */
  async #guarded<T>(limit: Limit, work: () => Promise<T>): Promise<Result<T | null, Gone>> {
    try {
      return success(await work());
    } catch {
      if (limit.signal.aborted) return fault(infra('cancelled', 'cancelled while a file was edited'));
      const alive = await this.#run('true', limit);
      return alive.ok ? success(null) : alive;
    }
  }
}

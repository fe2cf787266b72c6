/**
 * A shell that keeps its working folder, for models that were trained with one long-lived shell and rely on `cd`. Each
 * command has a process of its own, so other state is not kept.
 */
import { randomBytes } from 'node:crypto';
import { fault, type Result } from '../basics/result.ts';
import { shellWord } from '../basics/shell.ts';
import type { ExecResult, Workspace, WorkspaceKilled, WorkspaceLost } from '../executors/deployment.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { AgentSettings } from './settings.ts';

/** Bytes of one command's output that are kept; templates show far less. */
export const MAX_OUTPUT = 512 * 1024;

export class Shell {
  #cwd: string;
  readonly #note = `/tmp/.swemake-cwd-${randomBytes(4).toString('hex')}`;

  constructor(
    private readonly workspace: Workspace,
    private readonly settings: Pick<AgentSettings, 'env' | 'cwd'>,
  ) {
    this.#cwd = settings.cwd;
  }

  async run(
    command: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<Result<ExecResult, Infra | WorkspaceKilled>> {
    const { env, cwd } = this.settings;
    const moves = /\b(cd|pushd|popd)\b/.test(command);
    const script = [
      ...(this.#cwd === cwd ? [] : [`cd -- ${shellWord(this.#cwd)} 2>/dev/null`]),
      ...(moves ? [`trap 'pwd > ${this.#note}' EXIT`] : []),
      command,
    ].join('\n');
    const options = { cwd, env, timeout: seconds, signal, maxOutput: MAX_OUTPUT };
    const ran = await this.workspace.exec(script, options);
    if (!ran.ok) return ran;
    const lost = moves ? await this.#follow() : null;
    return lost !== null ? fault(lost) : ran;
  }

  /** If the file with the folder cannot be read, the working folder stays the same. */
  async #follow(): Promise<WorkspaceLost | null> {
    const noted = await this.workspace.read(this.#note);
    if (!noted.ok && noted.fault.status !== 'refused') return noted.fault;
    const path = noted.ok
      ? Buffer.from(noted.value ?? '')
          .toString()
          .replace(/\n$/, '')
      : '';
    if (path.startsWith('/')) this.#cwd = path;
    return null;
  }
}

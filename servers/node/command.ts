/** Commands as a container engine's `exec … bash -lc COMMAND` runs them, and their ends as it tells them. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { type Result, success } from '../../basics/result.ts';
import type { ExecOptions, ExecResult, Workspace, WorkspaceLost } from '../../executors/deployment.ts';

export interface Ended {
  /** -1 when its time was over. */
  returncode: number;
  /** What it wrote to its standard output, and after that what it wrote to the other one. */
  output: string;
  truncated: boolean;
  durationMs: number;
}

/** Bytes of a command that are handed over as an argument. */
const ARGUMENT = 60_000;

/** Runs a command in a login shell, whatever its length. */
export async function runLogin(
  workspace: Workspace,
  command: string,
  options: ExecOptions,
): Promise<Result<Ended, WorkspaceLost>> {
  let line = `exec bash -lc ${word(command)}`;
  if (Buffer.byteLength(command) > ARGUMENT) {
    const path = `/tmp/.swemake-command-${randomBytes(6).toString('hex')}`;
    const written = await workspace.write(path, command);
    if (!written.ok) {
      if (written.fault.status !== 'refused') return written as { ok: false; fault: WorkspaceLost };
      return success({
        returncode: 126,
        output: `bash: ${written.fault.detail}\n`,
        truncated: false,
        durationMs: 0,
      });
    }
    line = `exec bash -lc ${word(`_swemake=$(<${path}); rm -f ${path}; eval "unset _swemake"$'\\n'"$_swemake"`)}`;
  }
  const ran = await workspace.exec(line, options);
  return ran.ok ? success(endOf(ran.value, options.timeout)) : ran;
}

export function endOf(ran: ExecResult, timeout: number): Ended {
  const { stdout, stderr, timedOut, truncated, durationMs } = ran;
  const output = stdout + stderr;
  if (!timedOut) return { returncode: codeOf(ran), output, truncated, durationMs };
  const gap = output === '' || output.endsWith('\n') ? '' : '\n';
  return {
    returncode: -1,
    output: `${output}${gap}Command timed out after ${timeout}s`,
    truncated,
    durationMs,
  };
}

/** As a shell says it. */
function codeOf({ exitCode, exitSignal }: ExecResult): number {
  if (exitCode !== null) return exitCode;
  const number = (constants.signals as Readonly<Record<string, number>>)[exitSignal ?? 'SIGKILL'];
  return 128 + (number ?? constants.signals.SIGKILL);
}

function word(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

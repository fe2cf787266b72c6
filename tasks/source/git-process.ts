/** Runs git with bounded time and output, and reads its complaints into faults. */
import { spawn } from 'node:child_process';
import { infra } from '../../schemas/outcome.ts';
import { invalidRow, type SourceFault, withoutCredentials } from './fault.ts';

export interface GitResult {
  /** null when git could not be started (`missing`) or was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  missing: boolean;
}

export interface GitOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  signal?: AbortSignal | undefined;
  /** Seconds; default 1800. */
  timeout?: number;
}

/** Runs `git ...args`. The whole process group is killed at the timeout and when `signal` says so. */
export function git(args: string[], options: GitOptions): Promise<GitResult> {
  return new Promise((resolve) => {
    const child = spawn('git', args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group is gone already.
      }
    };
    const timer = setTimeout(kill, (options.timeout ?? 1800) * 1000);
    options.signal?.addEventListener('abort', kill);
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
    const finish = (code: number | null, missing: boolean) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', kill);
      const text = (parts: Buffer[]) => Buffer.concat(parts).toString();
      resolve({ code, stdout: text(stdout), stderr: text(stderr), missing });
    };
    child.on('error', () => finish(null, true));
    child.on('close', (code) => finish(code, false));
    if (options.signal?.aborted) kill();
  });
}

/**
 * Variables for talking to remotes: the user's own git settings (logins, proxies, URL rewrites) count, since the
 * commit is checked anyway; questions to a terminal do not come up, stalled transfers end.
 */
export function remoteEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !name.startsWith('GIT_') || /^GIT_(SSL|SSH|PROXY|ASKPASS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name),
  );
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '60',
    LC_ALL: 'C',
  };
}

/** Variables for work on files: no setting of the machine or the user counts. */
export function localEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    LC_ALL: 'C',
  };
}

/** What a failed command means: a ref that is not there is the row's fault, everything else the world's. */
export function gitFault(result: GitResult, doing: string, signal: AbortSignal | undefined): SourceFault {
  if (signal?.aborted) return infra('cancelled', `${doing}: cancelled`);
  if (result.missing) return infra('tool-missing', `${doing}: git is not installed`);
  const text = result.stderr;
  const line = lastComplaint(text);
  if (/couldn't find remote ref|not our ref|no such remote ref/i.test(text)) {
    return invalidRow(`${doing}: no such commit, tag or branch`);
  }
  if (/No space left on device|Disk quota exceeded/i.test(text))
    return infra('disk-full', `${doing}: ${line}`);
  const isNetwork =
    /could not resolve|connection|timed? ?out|early EOF|RPC failed|unable to access|unexpected disconnect|hung up/i;
  if (isNetwork.test(text)) return infra('network', `${doing}: ${line}`);
  return infra('source-fetch', `${doing}: ${line}`);
}

function lastComplaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((text) => /^(fatal|error):/.test(text)) ?? lines.at(-1) ?? 'git was killed';
  return line.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, withoutCredentials).slice(0, 300);
}

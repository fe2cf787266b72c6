/** Runs a program of the machine that fetches or makes a root, with its complaint as text. */
import { spawn } from 'node:child_process';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Ground } from '../../contract/machine.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Of what a program writes. */
const KEPT = 4000;
/** Seconds: images are large. */
const TIMEOUT = 3600;

/** `remedy` says how to get the program where there is none. */
export function runProgram(
  [name, ...args]: [string, ...string[]],
  remedy: string,
  { env, signal }: Pick<Ground, 'env' | 'signal'>,
  more: NodeJS.ProcessEnv = {},
): Promise<Result<null, Infra>> {
  return new Promise((resolve) => {
    const child = spawn(name, args, {
      env: { ...env, LC_ALL: 'C', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a group of its own, which is ended as a whole.
      detached: true,
    });
    let text = '';
    const note = (part: string) => {
      text = (text + part).slice(-KEPT);
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has just ended.
      }
    };
    const timer = setTimeout(kill, TIMEOUT * 1000);
    signal.addEventListener('abort', kill);
    const finish = (result: Result<null, Infra>) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      resolve(signal.aborted ? fault(infra('cancelled', `${name} was cancelled`)) : result);
    };
    child.on('error', () => finish(fault(infra('tool-missing', `there is no program ${name}; ${remedy}`))));
    child.on('close', (code) => finish(code === 0 ? success(null) : fault(complaint(name, text))));
    if (signal.aborted) kill();
  });
}

function complaint(name: string, text: string): Infra {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const line = (lines.findLast((one) => /fatal|error|^E:/i.test(one)) ?? lines.at(-1) ?? 'it failed').trim();
  const detail = `${name}: ${line.slice(0, 400)}`;
  if (/No space left|Disk quota/.test(text)) return infra('disk-full', detail);
  const isNetwork =
    /toomanyrequests|timeout|timed out|connection|resolve|unreachable|Failed to fetch|EOF/i.test(text);
  return infra(isNetwork ? 'network' : 'source-fetch', detail);
}

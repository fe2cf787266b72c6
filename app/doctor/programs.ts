/** Programs that every build needs, whatever opens its workspaces. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Probe } from '../../executors/kind.ts';
import { findProgram, findPython } from '../../executors/sandbox/python.ts';

const INSTALL = {
  python3: 'apt-get install python3-minimal',
  git: 'apt-get install git',
  patch: 'apt-get install patch',
  bash: 'apt-get install bash',
};

export function programProbes(): Promise<Probe[]> {
  const names = Object.keys(INSTALL) as (keyof typeof INSTALL)[];
  return Promise.all(
    names.map((name) => program(name, name === 'python3' ? findPython() : findProgram(name))),
  );
}

async function program(name: keyof typeof INSTALL, path: string | null): Promise<Probe> {
  if (path === null) return { name, status: 'miss', detail: 'not found', remedy: INSTALL[name] };
  const told = await promisify(execFile)(path, ['--version'], { timeout: 20_000 }).catch(() => null);
  const version = /\d+(?:\.\d+)+/.exec(told?.stdout ?? '')?.[0];
  if (version !== undefined) return { name, status: 'ok', detail: `${version} at ${path}` };
  return { name, status: 'miss', detail: `${path} does not run`, remedy: INSTALL[name] };
}

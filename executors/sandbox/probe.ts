/** What the sandbox needs, tried one by one, for `doctor`: each with what would help where it is missing. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import type { Probe } from '../kind.ts';
import { removeTree } from '../local/remove-tree.ts';
import { type Controller, findControlGroups } from './limits.ts';
import { findPython } from './python.ts';

/** Tries everything; `stateFolder` is where workspaces would write (its file system matters). */
export async function probeSandbox(stateFolder: string = tmpdir()): Promise<Probe[]> {
  const found = process.platform === 'linux' ? await onLinux(stateFolder) : [notLinux()];
  return found.map((probe) => ({ ...probe, kind: 'sandbox' }));
}

async function onLinux(stateFolder: string): Promise<Probe[]> {
  const python = findPython();
  // The search for programs reports that there is none.
  return [...(python === null ? [] : await tryKernel(python, stateFolder)), ...limits()];
}

function notLinux(): Probe {
  return { name: 'linux', status: 'miss', detail: process.platform, remedy: 'use type local' };
}

/** probe.py forks a child per check and prints them as JSON. */
async function tryKernel(python: string, stateFolder: string): Promise<Probe[]> {
  const folder = await mkdtemp(join(stateFolder, 'swemake-probe-'));
  const script = join(packageRoot(), 'executors/sandbox/probe.py');
  try {
    const argv = [python, '-ISEB', script, folder];
    const end = await runProgram({ argv, env: { LANG: 'C.UTF-8' }, timeout: 20 });
    if (hasSucceeded(end)) return JSON.parse(end.stdout) as Probe[];
    return [{ name: 'namespaces', status: 'miss', detail: complaintOf(end), remedy: 'see the detail' }];
  } finally {
    await removeTree(folder);
  }
}

const SOFTLY: Record<Controller, string> = {
  memory: 'watched four times a second, and RLIMIT_DATA for each process',
  pids: 'RLIMIT_NPROC',
  cpu: 'not held',
};

/** It is the same on every machine, so a build does not tell it. */
const DISK = 'held while tests and agents run; while environments are built, looked at four times a second';

function limits(): Probe[] {
  const groups = findControlGroups();
  const ofControllers = (Object.keys(SOFTLY) as Controller[]).map((name): Probe => {
    const group = groups[name];
    const label = `${name} limit`;
    if (group !== undefined)
      return { name: label, status: 'ok', detail: `control group v${group.version} at ${group.path}` };
    if (name === 'pids') return { name: label, status: 'ok', detail: SOFTLY.pids };
    const remedy =
      'run as root, or delegate a control group: systemd-run --user --scope -p Delegate=yes COMMAND';
    return { name: label, status: 'soft', detail: SOFTLY[name], remedy };
  });
  return [...ofControllers, { name: 'disk limit', status: 'ok', detail: DISK }];
}

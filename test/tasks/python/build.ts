/** Builds environments in local workspaces, for the tests of providers. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Network, Workspace } from '../../../executors/deployment.ts';
import { createLocal } from '../../../executors/local/local.ts';
import type { Interpreter } from '../../../tasks/python/interpreter.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import type { PreparedPython } from '../../../tasks/python/provider.ts';
import { buildSettings } from '../../../tasks/python/settings.ts';

/** Runs `body` in a fresh workspace in which `prepared` has made /opt/env. */
export async function withEnvironment<T>(
  prepared: PreparedPython,
  body: (workspace: Workspace, run: (command: string) => Promise<string>) => Promise<T>,
  make: (state: string) => Promise<Deployment> = localDeployment,
  network: Network = 'host',
): Promise<T> {
  const state = await mkdtemp(join(tmpdir(), 'swm-'));
  const deployment = await make(state);
  const settings = buildSettings(process.env, network);
  try {
    const opened = await deployment.open(
      {
        layers: [],
        mounts: [...prepared.mounts, ...settings.mounts],
        links: prepared.links,
        variables: { ...settings.variables, ...prepared.variables },
      },
      null,
      { limits: {}, network, storage: 'disk' },
    );
    if (!opened.ok) throw new Error(opened.fault.detail);
    const run = async (command: string) => {
      const result = await opened.value.exec(command, { timeout: 120 });
      if (!result.ok) throw new Error(result.fault.detail);
      if (result.value.exitCode !== 0) throw new Error(`${command}\n${result.value.output}`);
      return result.value.stdout;
    };
    for (const command of prepared.createCommands) await run(command);
    return await body(opened.value, run);
  } finally {
    await deployment.close();
    await rm(state, { recursive: true, force: true });
  }
}

function localDeployment(state: string): Promise<Deployment> {
  return createLocal({ name: 'local', stateFolder: state, runId: 'test' });
}

/** An interpreter of this machine, or null with the reason printed. */
export async function somePython(version: string | null): Promise<Interpreter | null> {
  const found = await findInterpreter(version, { env: process.env });
  if (found.ok) return found.value;
  console.log(`skipped: ${found.fault.detail}`);
  return null;
}

/** Whether sandboxes work here: first by files, and for certain by opening one and running a command in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from './sandbox.ts';

/** What speaks against sandboxes here; null for nothing. Starts nothing. */
export async function lookForSandbox(): Promise<string | null> {
  const made = await createSandbox({ name: 'expected', stateFolder: tmpdir(), runId: 'expected' });
  return made.ok ? null : made.fault.reason;
}

/** Opens a sandbox and runs a command in it; null when that went well, else what did not. */
export async function trySandbox(): Promise<string | null> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'swemake-probe-'));
  try {
    const made = await createSandbox({ name: 'probe', stateFolder, runId: 'probe' });
    if (!made.ok) return made.fault.reason;
    try {
      const view = { layers: [], mounts: [], links: {}, variables: {} };
      const opened = await made.value.open(view, null, { limits: {}, network: 'off', storage: 'memory' });
      if (!opened.ok) return opened.fault.detail;
      const ran = await opened.value.exec('true', { cwd: '/', timeout: 10 });
      await opened.value.close();
      if (!ran.ok) return ran.fault.detail;
      return ran.value.exitCode === 0 ? null : `a command in it ended with ${ran.value.exitCode}`;
    } finally {
      await made.value.close();
    }
  } finally {
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

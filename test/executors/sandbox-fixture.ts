/** Sandboxes for tests: as the user that runs the tests and, when that is root, as one without rights. */
import { chmod, lchown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, EnvironmentView, OpenOptions, Workspace } from '../../executors/deployment.ts';
import { createSandbox, type SandboxOptions } from '../../executors/sandbox/sandbox.ts';

export interface Kind {
  name: string;
  user?: { uid: number; gid: number };
}

const asRoot = process.getuid?.() === 0;
export const kinds: Kind[] = asRoot
  ? [{ name: 'as root' }, { name: 'without rights', user: { uid: 54321, gid: 54321 } }]
  : [{ name: 'without rights' }];

export interface MadeSandbox {
  deployment: Deployment;
  stateFolder: string;
  cleanup: () => Promise<void>;
}

/** Layers belong to the user that mounts them: only then can what lies in them be changed in a workspace. */
export async function giveTo(kind: Kind, folder: string): Promise<void> {
  if (kind.user === undefined) return;
  const { uid, gid } = kind.user;
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), uid, gid);
  await lchown(folder, uid, gid);
}

export async function makeSandbox(kind: Kind, more: Partial<SandboxOptions> = {}): Promise<MadeSandbox> {
  const stateFolder = more.stateFolder ?? (await mkdtemp(join(tmpdir(), 'swemake-sandbox-')));
  await chmod(stateFolder, 0o755);
  const options = { name: 'box', stateFolder, runId: 'test', ...more };
  const made = await createSandbox(kind.user === undefined ? options : { ...options, user: kind.user });
  if (!made.ok) throw new Error(`${made.fault.reason}; ${made.fault.remedy}`);
  const deployment = made.value;
  return {
    deployment,
    stateFolder,
    cleanup: async () => {
      await deployment.close();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}

export const EMPTY: EnvironmentView = { layers: [], mounts: [], links: {}, variables: {} };

/** Opens a workspace without layers, hands it to `body`, and closes it. */
export async function withWorkspace<T>(
  deployment: Deployment,
  body: (workspace: Workspace) => Promise<T>,
  options: Partial<OpenOptions> = {},
  view: Partial<EnvironmentView> = {},
): Promise<T> {
  const all: OpenOptions = { limits: {}, network: 'off', storage: 'memory', ...options };
  const opened = await deployment.open({ ...EMPTY, ...view }, null, all);
  if (!opened.ok) throw new Error(`open: ${opened.fault.detail}`);
  try {
    return await body(opened.value);
  } finally {
    await opened.value.close();
  }
}

/**
 * Containers for tests, on a real engine. The root is a small Debian made by mmdebstrap, once for all test files of a
 * machine. Without an engine, or as somebody who cannot make the root, tests skip and say why.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, EnvironmentView } from '../../executors/deployment.ts';
import { engineAddress } from '../../executors/docker/address.ts';
import { createDocker, type DockerOptions } from '../../executors/docker/docker.ts';

const ROOT = join(tmpdir(), 'swemake-test-debian-bookworm-2');
const PACKAGES = ['git', 'patch', 'python3', 'python3-venv'];

/** Why there can be no containers here; null: nothing speaks against them. */
export const noEngine: string | null = reasonAgainst();
if (noEngine !== null) console.log(`skipped: containers: ${noEngine}`);

function reasonAgainst(): string | null {
  if (process.getuid?.() !== 0) return 'a Debian root is made by root';
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0)
    return 'no engine for containers answers';
  return spawnSync('mmdebstrap', ['--version'], { stdio: 'ignore' }).status === 0
    ? null
    : 'there is no mmdebstrap';
}

/** Host folder of the root, made where it is not there. */
export function debianRoot(): string {
  if (existsSync(ROOT)) return ROOT;
  const made = mkdtempSync(`${ROOT}.`);
  const tree = join(made, 'tree');
  const archive = join(made, 'root.tar');
  execFileSync('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    'bookworm',
    archive,
  ]);
  mkdirSync(tree, { mode: 0o755 });
  execFileSync('tar', ['-C', tree, '--exclude=./dev/*', '-xf', archive]);
  try {
    renameSync(tree, ROOT);
  } catch {
    // Another test file was faster.
  }
  rmSync(made, { recursive: true, force: true });
  return ROOT;
}

export interface MadeDocker {
  deployment: Deployment;
  stateFolder: string;
  cleanup(): Promise<void>;
}

export async function makeDocker(more: Partial<DockerOptions> = {}): Promise<MadeDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'swemake-docker-'));
  const address = engineAddress(undefined, process.env);
  if (!address.ok) throw new Error(address.fault);
  const stateFolder = join(folder, 'state');
  const made = await createDocker({
    ...{ name: 'box', address: address.value, stateFolder, keptFolder: join(folder, 'kept'), runId: 'test' },
    ...{ extra: { host: {}, capabilities: { add: [], drop: [] } }, variables: {}, env: process.env },
    ...more,
  });
  if (!made.ok) throw new Error(made.fault.detail);
  const deployment = made.value;
  return {
    deployment,
    stateFolder,
    cleanup: async () => {
      await deployment.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same deployment; what names no root stands on the Debian one. */
export function onDebian(deployment: Deployment): Deployment {
  const base = { layers: [debianRoot()], testbed: false, place: null };
  const shown = (view: EnvironmentView): EnvironmentView => ({ ...view, base: view.base ?? base });
  return {
    name: deployment.name,
    warnings: () => deployment.warnings(),
    open: (view, source, options) => deployment.open(shown(view), source, options),
    close: () => deployment.close(),
  };
}

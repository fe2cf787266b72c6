/**
 * Debian packages on a root: installed once for all environments that want the same ones, into a layer above those of
 * the root. Inside, owners cannot be changed, so all files of packages belong to root.
 */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { BaseView, ExecResult, Workspace } from '../../executors/deployment.ts';
import { hinderedByLack, type Lack, lackFault, lackOf } from '../../executors/lack.ts';
import { type Attempt, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Base } from './base.ts';

/** Bump when the same packages give another layer. */
const VERSION = 3;
/** Seconds. */
const TIMEOUT = 3600;
const NAME = /^[a-z0-9][a-z0-9+.-]*(?::[a-z0-9]+)?(?:=[\w.+:~-]+)?$/;

export interface SystemLayer {
  folder: string;
  /** Of all packages that the root has with it, and their versions. */
  digest: string;
}

export interface SystemRequest {
  base: Base;
  /** The root below. */
  view: BaseView;
  packages: readonly string[];
  deployment: string;
  /** Takes what apt writes. */
  log?(text: string): void;
}

export async function systemLayer(
  { base, view, packages, deployment, log = () => undefined }: SystemRequest,
  services: HostServices,
): Attempt<SystemLayer> {
  const strange = packages.find((name) => !NAME.test(name));
  if (strange !== undefined) return fault(failed(`"${strange}" is not the name of a Debian package`));
  const owners = process.getuid?.() === 0 ? 'owners' : 'own';
  const wanted = [...new Set(packages)].sort();
  const name = digestOfList('system packages', [`${VERSION}`, base.digest, owners, ...wanted]);
  const make = (into: string) =>
    installTwice({ packages: wanted, base: view, deployment, into, log }, services);
  const held = await services.cache.bases.obtain(name, Number.POSITIVE_INFINITY, make, services.signal);
  if (!held.ok) return held;
  const { folder, description } = held.value;
  return success({ folder: join(folder, 'tree'), digest: description });
}

interface Installation {
  packages: readonly string[];
  base: BaseView;
  deployment: string;
  /** Empty folder: gets `tree`. */
  into: string;
  log(text: string): void;
}

/** What ended as if it had lacked something, though no counter shows it or none can be read, is tried once more. */
async function installTwice(wanted: Installation, services: HostServices): Attempt<string> {
  let lack: Lack | null = null;
  const saw = (ran: ExecResult) => {
    lack = lackOf(ran, services.config.deployments[wanted.deployment]!.limits.memory);
    return lack;
  };
  const first = await install(wanted, services, saw);
  const hindered = first.ok ? null : hinderedByLack(lack);
  if (hindered === null) return first;
  wanted.log(`== apt-get ${hindered.words}, and is run once more\n`);
  return install(wanted, services, saw);
}

/** The digest of all packages that there are then. */
async function install(
  { packages, base, deployment: name, into, log }: Installation,
  services: HostServices,
  saw: (ran: ExecResult) => Lack | null,
): Attempt<string> {
  const deployment = await services.deployment(name);
  if (!deployment.ok) return deployment;
  const { limits, network } = services.config.deployments[name]!;
  const view = { base, layers: [], mounts: [], links: {}, variables: {} };
  const options = { limits, network: network.build, storage: 'disk', signal: services.signal } as const;
  const opened = await deployment.value.open(view, null, options);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  try {
    const since = performance.now();
    const ran = await workspace.exec(script(packages), {
      cwd: '/',
      timeout: TIMEOUT,
      signal: services.signal,
    });
    if (!ran.ok) return ran;
    log(ran.value.output);
    if (ran.value.exitCode !== 0) return fault(refusal(ran.value, saw(ran.value), workspace, since));
    const list = await workspace.exec('dpkg-query -W', { cwd: '/', timeout: 60, signal: services.signal });
    if (!list.ok) return list;
    const changes = await workspace.changes();
    if (!changes.ok) return changes;
    const { folder } = changes.value;
    await mkdir(join(into, 'tree'), { mode: 0o755 });
    for (const entry of await readdir(folder)) await rename(join(folder, entry), join(into, 'tree', entry));
    return success(digestOf(list.value.stdout));
  } finally {
    await workspace.close();
  }
}

function refusal(
  { output, timedOut }: ExecResult,
  lack: Lack | null,
  workspace: Workspace,
  since: number,
): Outcome {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = (lines.findLast((one) => /^E:|error/i.test(one)) ?? lines.at(-1) ?? 'it wrote nothing').trim();
  const lacked = lackFault('apt-get', lack);
  if (lacked !== null) return lacked;
  const lost = workspace.network(since)?.lost ?? null;
  if (lost !== null) return infra('network', `apt-get: the proxy lost ${lost}`);
  const unfetched = unfetchedLine(output);
  if (timedOut || unfetched !== null) return infra('network', `apt-get: ${unfetched ?? line}`);
  return failed(line);
}

/** What a mirror of Debian does while it is out of reach, overloaded or being renewed, and what a login page in its place does. */
const UNFETCHED = [
  /Temporary failure|Could not (?:resolve|connect)|Unable to connect|Connection (?:failed|timed out)|Cannot initiate/,
  /^[EW]: .*\s(?:429|5\d\d) {2}|Error reading from server|Could not handshake/,
  /Hash Sum mismatch|File has unexpected size|does the network require authentication/,
];

/**
 * The line by which apt says that it could not fetch something; null: it does not say so. After a fault that may pass,
 * `apt-get update` ends well, and no package is known then.
 */
export function unfetchedLine(output: string): string | null {
  const found = output.split('\n').find((line) => UNFETCHED.some((sign) => sign.test(line)));
  return found?.trim() ?? null;
}

function failed(detail: string): Outcome {
  return { status: 'failed', reason: 'install-failed', detail: `system: ${detail}` };
}

/** Owners cannot be changed inside, so the programs that would change them do nothing. */
function script(packages: readonly string[]): string {
  return [
    'set -e; export DEBIAN_FRONTEND=noninteractive LC_ALL=C APT_CONFIG=/tmp/swemake-apt.conf',
    'command -v apt-get > /dev/null || { echo "E: the base has no apt-get"; exit 1; }',
    'mkdir -p /tmp/swemake-apt/lists/partial /tmp/swemake-apt/archives/partial /etc/apt',
    `for name in chown chgrp; do printf '#!/bin/sh\\nexit 0\\n' > /tmp/swemake-apt/$name; chmod 755 /tmp/swemake-apt/$name; done`,
    `printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d`,
    // Tools for users and groups give these back to their group, which no process inside may do.
    'for file in /etc/shadow /etc/gshadow; do if [ -f $file ]; then cp $file $file.own; chmod 640 $file.own; mv -f $file.own $file; fi; done',
    'cat > "$APT_CONFIG" <<END',
    'APT::Sandbox::User "root";',
    'APT::Install-Recommends "false";',
    // Those of the base may be another user's.
    'Dir::State::lists "/tmp/swemake-apt/lists";',
    'Dir::Cache::archives "/tmp/swemake-apt/archives";',
    'Dir::Log "/tmp/swemake-apt";',
    'Acquire::Languages "none";',
    'Acquire::Retries "2";',
    'DPkg::Path "/tmp/swemake-apt:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";',
    'DPkg::Options:: "--force-not-root";',
    'DPkg::Options:: "--force-unsafe-io";',
    'DPkg::Use-Pty "0";',
    'END',
    'apt-get update -q',
    `apt-get install -q -y --no-install-recommends -- ${packages.join(' ')}`,
    'rm -rf /usr/sbin/policy-rc.d /var/log/dpkg.log /var/cache/ldconfig/aux-cache /var/cache/apt/*.bin',
  ].join('\n');
}

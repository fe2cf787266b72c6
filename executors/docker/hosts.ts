/** What `doctor` says about engines: whether they answer, what they are, and which limits they enforce. */

import { statfs } from 'node:fs/promises';
import { whenUnreadable } from '../../basics/absent.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';
import type { Probe } from '../kind.ts';
import { addressText, addressWarning, type EngineAddress, engineAddress } from './address.ts';
import { connect, type EngineInfo } from './engine.ts';

/** Below this an image of a benchmark is unlikely to fit, bytes. */
const LITTLE = 10 * 1024 ** 3;
const ENCRYPT = 'set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or use ssh://';
const QUOTA = 'use btrfs, zfs, or overlay2 on xfs with quotas and args: [--storage-opt=size=10G]';
const GROUPS = 'give the engine control groups that it may write to';

/**
 * Checks the engines that deployments name. Without deployments it checks the default engine, which is not needed
 * then.
 */
export async function engineProbes(
  deployments: readonly DeploymentConfig[],
  env: NodeJS.ProcessEnv,
): Promise<Probe[]> {
  const written = deployments.length === 0 ? [undefined] : deployments.map(({ host }) => host);
  const probes: Probe[] = [];
  for (const host of new Set(written)) {
    const address = engineAddress(host, env);
    const found = address.ok ? await probesOf(address.value, env) : [missing('engine', address.fault)];
    probes.push(...found);
  }
  const isNeeded = deployments.length > 0;
  // An engine that no deployment names has one line.
  const wanted = isNeeded ? probes : probes.slice(0, 1);
  return wanted.map((probe) => ({
    ...probe,
    kind: 'docker',
    ...(probe.status === 'miss' && !isNeeded ? { status: 'none' as const } : {}),
  }));
}

async function probesOf(address: EngineAddress, env: NodeJS.ProcessEnv): Promise<Probe[]> {
  const name = `engine ${addressText(address)}`;
  const engine = await connect(address, env);
  if (!engine.ok) return [missing(name, engine.fault.detail)];
  const { info } = engine.value;
  const plain = addressWarning(address);
  const kind = `Docker ${info.version}, ${info.architecture}, ${info.storageDriver}, control groups v${info.cgroupVersion}`;
  const detail = `${kind}${info.rootless ? ', rootless' : ''}, ${info.processors} processors`;
  return [
    { name, status: 'ok', detail },
    ...(info.architecture === process.arch
      ? []
      : [
          missing(name, `its containers are for ${info.architecture}, and keys are made for ${process.arch}`),
        ]),
    ...(plain === null ? [] : [{ name, status: 'soft' as const, detail: plain, remedy: ENCRYPT }]),
    ...limitProbes(info),
    ...(address.kind === 'unix' ? await diskProbes(info.folder) : []),
  ];
}

function missing(name: string, detail: string): Probe {
  const remedy = 'start it (systemctl start docker), or name another one: host, DOCKER_HOST';
  return { name, status: 'miss', detail, remedy };
}

function limitProbes({ holds }: EngineInfo): Probe[] {
  const softly = {
    memory: 'not held',
    pids: 'not held',
    cpus: 'not held',
    disk: 'what a container wrote is looked at every few seconds',
  };
  return (Object.keys(softly) as (keyof typeof softly)[]).map((name) => ({
    name: `engine ${name} limit`,
    status: holds[name] ? 'ok' : 'soft',
    detail: holds[name] ? 'held by the engine' : softly[name],
    ...(holds[name] ? {} : { remedy: name === 'disk' ? QUOTA : GROUPS }),
  }));
}

/** Of an engine of this machine. */
async function diskProbes(folder: string): Promise<Probe[]> {
  const found = await statfs(folder).catch(whenUnreadable(null));
  if (found === null) return [];
  const free = found.bavail * found.bsize;
  const detail = `${Math.round(free / 1024 ** 3)} GiB free at ${folder}`;
  return free < LITTLE
    ? [{ name: 'engine disk', status: 'soft', detail, remedy: 'docker image prune -a' }]
    : [{ name: 'engine disk', status: 'ok', detail }];
}

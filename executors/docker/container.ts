/** The settings with which the container of a workspace is made. */
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { Limits, Network, ReadOnlyMount } from '../deployment.ts';
import type { Extra } from './args.ts';
import { type KnownStart, startCommand } from './inside.ts';

export interface ContainerRequest {
  image: string;
  labels: Record<string, string>;
  limits: Limits;
  network: Network;
  mounts: readonly ReadOnlyMount[];
  extra: Extra;
  /** It uses the Python that swemake adds. */
  brought: boolean;
  /** Null for the first container of an image. */
  known: KnownStart | null;
  /** The storage driver can enforce `limits.disk`. */
  holdsDisk: boolean;
}

/** Capabilities of Docker's default set that test programs use and that do not lead out of the container. */
const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'],
  ...['NET_BIND_SERVICE', 'SYS_CHROOT'],
];
/**
 * Capabilities that process 1 has at the start and gives up before it runs anything: names and the kernel's numbers.
 */
const AT_FIRST: Readonly<Record<string, number>> = { SETPCAP: 8, NET_ADMIN: 12 };
const SHARED_MEMORY = 1 << 30;

/** The capabilities that process 1 gives up. */
export function droppedCapabilities(): number[] {
  return Object.values(AT_FIRST);
}

export function containerSettings(request: ContainerRequest): ContainerCreateOptions {
  const { image, labels, extra, brought, known, network } = request;
  return {
    Image: image,
    Labels: labels,
    Hostname: extra.hostname ?? 'swemake',
    Entrypoint: startCommand(brought, known),
    Cmd: [],
    Env: ['LANG=C.UTF-8'],
    User: '0:0',
    WorkingDir: '/',
    // The kernel's new network, with the loopback alone, is all that it needs. An engine that makes it itself starts programs of
    // its own for it; what it would write to /etc/hosts lies in the image (image.ts), but for lines that were asked for.
    NetworkDisabled: network !== 'host' && extra.host.ExtraHosts === undefined,
    // With the one stream that is attached the input ends, and with it the container.
    ...{ Tty: false, OpenStdin: true, StdinOnce: true },
    ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true },
    HostConfig: hostSettings(request),
  };
}

function hostSettings({ limits, network, mounts, extra, holdsDisk }: ContainerRequest): HostConfig {
  const { add, drop } = extra.capabilities;
  const kept = drop.includes('ALL') ? [] : CAPABILITIES.filter((name) => !drop.includes(name));
  const isOwn = network !== 'host';
  // The host's network must not be changed.
  const first = Object.keys(AT_FIRST).filter((name) => isOwn || name !== 'NET_ADMIN');
  const { memory, pids, cpus, disk } = limits;
  const hidden = Object.fromEntries(
    mounts.flatMap(({ to, hides = [] }) => hides.map((name) => [`${to}/${name}`, 'ro'])),
  );
  return {
    // Otherwise the engine would write all output to a log.
    LogConfig: { Type: 'none', Config: {} },
    NetworkMode: isOwn ? 'none' : 'host',
    IpcMode: 'private',
    CapDrop: ['ALL'],
    CapAdd: [...new Set([...kept, ...add, ...first])],
    SecurityOpt: ['no-new-privileges'],
    ShmSize: SHARED_MEMORY,
    Binds: mounts.map(({ from, to }) => `${from}:${to}:ro`),
    ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
    ...(pids === undefined ? {} : { PidsLimit: pids + OWN_PROCESSES }),
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    ...extra.host,
    Tmpfs: { ...extra.host.Tmpfs, ...hidden },
    ...(disk === undefined || !holdsDisk
      ? {}
      : { StorageOpt: { size: String(disk), ...extra.host.StorageOpt } }),
  };
}

/** Process 1 does not count against the task's limit. */
const OWN_PROCESSES = 1;

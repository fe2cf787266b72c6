/** What kind of machine this is: Node, kernel and distribution, and whether a container lies around it. */
import { existsSync } from 'node:fs';
import { arch, release } from 'node:os';
import { join } from 'node:path';
import { readableText } from '../../basics/readable.ts';
import { baseIdentity } from '../../executors/base-identity.ts';
import type { Probe } from '../../executors/kind.ts';

/** Options of a container runtime that let sandboxes work in its containers, without privileges. */
const DOCKER_OPTIONS =
  'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined';
const KUBERNETES_OPTIONS =
  'securityContext: { seccompProfile: { type: Unconfined }, procMount: Unmasked } and hostUsers: false';

const CAP_SYS_ADMIN = 21n;

export type Container = 'docker' | 'podman' | 'kubernetes' | 'lxc' | 'container';

/** The container that this process runs in, by its files; null for none. `root` is for tests. */
export function findContainer(env: NodeJS.ProcessEnv, root = '/'): Container | null {
  const groups = readableText(join(root, 'proc/1/cgroup')) + readableText(join(root, 'proc/self/cgroup'));
  if (env.KUBERNETES_SERVICE_HOST !== undefined || /kubepods/.test(groups)) return 'kubernetes';
  if (existsSync(join(root, 'run/.containerenv'))) return 'podman';
  if (existsSync(join(root, '.dockerenv')) || /\/docker[/-]/.test(groups)) return 'docker';
  const named = env.container ?? '';
  if (/lxc/.test(named + groups)) return 'lxc';
  return named === '' ? null : 'container';
}

export function hostProbes(container: Container | null): Probe[] {
  const { distribution, release: version, libc } = baseIdentity();
  const kernel = `Linux ${release()} on ${arch()}, ${distribution} ${version}, ${libc}`;
  return [
    { name: 'node', status: 'ok', detail: process.version },
    {
      name: 'kernel',
      status: 'ok',
      detail: process.platform === 'linux' ? kernel : `${process.platform} ${release()}`,
    },
    ...(process.platform === 'linux' ? [controlGroups(), containerProbe(container)] : []),
  ];
}

function controlGroups(): Probe {
  const mounts = readableText('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '));
  const old = mounts
    .filter((fields) => fields[2] === 'cgroup')
    .map((fields) => fields[1]!.split('/').at(-1)!);
  const unified = mounts.find((fields) => fields[2] === 'cgroup2');
  const controllers =
    unified === undefined
      ? ''
      : readableText(join(unified[1]!, 'cgroup.controllers')).trim().replaceAll(' ', ', ');
  const found = [
    ...(unified === undefined ? [] : [`v2 (${controllers === '' ? 'no controllers' : controllers})`]),
    ...(old.length === 0 ? [] : [`v1 (${old.join(', ')})`]),
  ];
  const detail = found.length === 0 ? 'none are mounted' : found.join(' and ');
  return { name: 'control groups', status: found.length === 0 ? 'none' : 'ok', detail };
}

function containerProbe(container: Container | null): Probe {
  if (container === null) return { name: 'container', status: 'ok', detail: 'not in one' };
  const status = readableText('/proc/self/status');
  const field = (label: string) => new RegExp(`^${label}:\\s*(\\w+)`, 'm').exec(status)?.[1] ?? '';
  const administers = ((BigInt(`0x${field('CapEff') || '0'}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
  const user = process.getuid?.() === 0 ? 'root' : `user ${process.getuid?.()}`;
  const filter = field('Seccomp') === '0' ? 'no seccomp filter' : 'under a seccomp filter';
  const rights = administers ? 'may administer (CAP_SYS_ADMIN)' : 'without privileges';
  return { name: 'container', status: 'ok', detail: `${container}, ${user}, ${rights}, ${filter}` };
}

/** Remedies for users inside of a container, who cannot change the host's settings. */
export function remedyInside(probe: Probe, container: Container | null): Probe {
  if (container === null || probe.remedy === undefined) return probe;
  if (/namespace|proc|seccomp|^overlayfs$|sandbox/.test(probe.name)) {
    const remedy =
      container === 'kubernetes' ? KUBERNETES_OPTIONS : `start the container with: ${DOCKER_OPTIONS}`;
    return { ...probe, remedy };
  }
  if (/(memory|cpu) limit/.test(probe.name))
    return {
      ...probe,
      remedy:
        'the container’s own limits hold for all workspaces together; for one each, make /sys/fs/cgroup writable',
    };
  return probe;
}

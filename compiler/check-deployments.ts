/** Checks of `deployments`, and of what they mean for validation. */
import { posix } from 'node:path';
import type { DeploymentConfig, LimitsConfig } from '../schemas/generated/project.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { find } from './tree.ts';

/** Paths inside a workspace that have a meaning of their own. */
const RESERVED = ['/testbed', '/opt/env', '/proc', '/dev', '/sys', '/tmp'];
/** Below these Python does not start. */
const LEAST_MEMORY = 64 * 1024 * 1024;
const LEAST_PIDS = 8;

export function checkDeployments(context: CheckContext): void {
  for (const [name, deployment] of Object.entries(context.draft.deployments ?? {})) {
    if (deployment === undefined) continue;
    const path = ['deployments', name];
    if (deployment.type === 'local') checkLocal(path, deployment, context);
    else checkHosts(path, deployment, context);
    checkLimits([...path, 'limits'], deployment.limits ?? {}, context);
    checkMounts([...path, 'mounts'], deployment.mounts ?? [], context);
  }
  checkIsolation(context);
}

/** `local` promises no fence, so a key that asks for one must not look as if it were kept. */
function checkLocal(
  path: string[],
  deployment: Draft<DeploymentConfig>,
  { root, report }: CheckContext,
): void {
  for (const stage of ['build', 'rollout', 'grade']) {
    const written = find(root, [...path, 'network', stage]);
    if (written?.kind !== 'scalar' || written.value === null || written.value === 'host') continue;
    const message = `a local deployment cannot keep network ${stage}: ${written.value}`;
    report('E128', [...path, 'network', stage], message, 'use type: sandbox, or write host');
  }
  const ignored = (['mounts', 'allow_hosts'] as const).filter((key) => (deployment[key]?.length ?? 0) > 0);
  for (const key of ignored)
    report(
      'W202',
      [...path, key],
      `${key} has no effect on a local deployment`,
      'remove it, or use type: sandbox',
      'key',
    );
}

function checkHosts(
  path: string[],
  { allow_hosts: hosts, network }: Draft<DeploymentConfig>,
  { report }: CheckContext,
): void {
  if ((hosts?.length ?? 0) === 0 || Object.values(network ?? {}).includes('proxy')) return;
  report(
    'W202',
    [...path, 'allow_hosts'],
    'allow_hosts has no effect: no stage uses the proxy',
    'write network: { build: proxy }',
    'key',
  );
}

function checkLimits(path: string[], { memory, pids }: Draft<LimitsConfig>, { report }: CheckContext): void {
  if (memory !== undefined && memory < LEAST_MEMORY)
    report('W205', [...path, 'memory'], 'too little memory for Python to start', 'write 512MiB or more');
  if (pids !== undefined && pids < LEAST_PIDS)
    report('W205', [...path, 'pids'], 'too few processes for a shell and its tests', 'write 64 or more');
}

function checkMounts(
  path: string[],
  mounts: NonNullable<Draft<DeploymentConfig>['mounts']>,
  { exists, report }: CheckContext,
): void {
  const seen = new Map<string, number>();
  mounts.forEach((mount, index) => {
    const at = [...path, `${index}`];
    if (mount?.from !== undefined && !exists(mount.from))
      report('W201', [...at, 'from'], `"${mount.from}" does not exist`, null);
    if (mount?.to === undefined) return;
    const to = posix.normalize(`${mount.to}/`).replace(/(.)\/$/, '$1');
    const hidden = RESERVED.find((one) => one === to || one.startsWith(to === '/' ? to : `${to}/`));
    if (hidden !== undefined)
      report(
        'E127',
        [...at, 'to'],
        `a mount at ${to} would hide ${hidden}`,
        'choose a path below /opt or /mnt',
      );
    if (seen.has(to))
      report('E127', [...at, 'to'], `mounts[${seen.get(to)}] has the same place`, 'choose another path');
    seen.set(to, index);
  });
}

function checkIsolation({ draft, root, report }: CheckContext): void {
  const { deployment, allow_isolation: allowed } = draft.validation ?? {};
  const type = deployment === undefined ? undefined : draft.deployments?.[deployment]?.type;
  if (type !== 'local' || allowed !== 'sandbox') return;
  const path = find(root, ['validation', 'allow_isolation'])
    ? ['validation', 'allow_isolation']
    : ['validation', 'deployment'];
  const message = `verdicts of the local deployment "${deployment}" will not be used for training data`;
  report('W206', path, message, 'use type: sandbox, or write allow_isolation: local');
}

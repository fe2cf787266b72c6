/** Checks of `deployments`, and of what they mean for validation. */
import { posix } from 'node:path';
import { closest } from '../basics/suggest.ts';
import { findFormat } from '../formats/registry.ts';
import type { DeploymentConfig, LimitsConfig } from '../schemas/generated/project.ts';
import { isWritten } from './check-agent.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { isWeaker, type KindFacts, kindOf, typesAsIsolatedAs, typesThat } from './kinds.ts';
import { schemaAt } from './schema.ts';
import { find } from './tree.ts';

/** Paths inside a workspace that have a meaning of their own. */
const RESERVED = ['/testbed', '/opt/env', '/proc', '/dev', '/sys', '/tmp'];
/** The system of the machine itself. */
const HOST = 'host';
/** Below these Python does not start. */
const LEAST_MEMORY = 64 * 1024 * 1024;
const LEAST_PIDS = 8;

export function checkDeployments(context: CheckContext): void {
  for (const [name, deployment] of Object.entries(context.draft.deployments ?? {})) {
    if (deployment === undefined) continue;
    const path = ['deployments', name];
    const kind = kindOf(deployment.type);
    if (kind !== undefined) {
      checkNetwork(path, deployment, kind, context);
      checkKeys(path, deployment, kind, context);
      checkBase(path, deployment, kind, context);
      checkAway(path, deployment, kind, context);
      checkFallback(path, deployment, kind, context);
      if (kind.keys.includes('args')) checkFlags([...path, 'args'], deployment.args ?? [], context);
      if (kind.keys.includes('allow_hosts')) checkHosts(path, deployment, context);
    }
    checkLimits([...path, 'limits'], deployment.limits ?? {}, context);
    checkMounts([...path, 'mounts'], deployment.mounts ?? [], context);
  }
  checkMemoryOfAll(context);
  checkIsolation(context);
  checkSameBase(context);
}

/** Rollouts count by the limit of their deployment. */
function checkMemoryOfAll({ draft, root, report }: CheckContext): void {
  const path = ['resources', 'memory'];
  if (!isWritten(root, path)) return;
  if (Object.values(draft.deployments ?? {}).some((one) => one?.limits?.memory !== undefined)) return;
  const message = 'memory has no effect: no deployment has a limit of memory by which rollouts count';
  report('W202', path, message, 'write limits: { memory: 4GiB } in the deployment of the agent', 'key');
}

/** A workspace on another system must not look as if it had the machine's own. */
function checkBase(
  path: string[],
  { type, base }: Draft<DeploymentConfig>,
  { keys, needsBase }: KindFacts,
  { root, report }: CheckContext,
): void {
  if (needsBase && (base ?? HOST) === HOST) {
    const at = isWritten(root, [...path, 'base']) ? [...path, 'base'] : [...path, 'type'];
    const message = `a ${type} deployment cannot show the machine's own system`;
    report('E128', at, message, 'write base: image, image:NAME or debian:RELEASE');
  }
  if (base === undefined || base === HOST || keys.includes('base')) return;
  if (!isWritten(root, [...path, 'base'])) return;
  const able = typesThat((kind) => kind.keys.includes('base'));
  report(
    'E128',
    [...path, 'base'],
    `a ${type} deployment has no root of its own`,
    `use ${able}, or write base: ${HOST}`,
  );
}

/** Machines of a cluster get their inputs and return their answers through the remote cache. */
function checkAway(
  path: string[],
  { type, address }: Draft<DeploymentConfig>,
  { isAway }: KindFacts,
  { draft, report }: CheckContext,
): void {
  if (!isAway) return;
  const at = [...path, 'type'];
  if (address === undefined)
    report(
      'E104',
      at,
      `a ${type} deployment needs the address of its cluster`,
      'write address: http://HEAD:8265',
    );
  const remote = draft.cache?.remote;
  if (remote !== undefined && remote.read !== false && remote.write !== false) return;
  const message = `a ${type} deployment needs a remote cache that is read and written: answers travel through it`;
  report(
    'E128',
    at,
    message,
    'write cache: { remote: { url: … } }, or path: with a folder that all machines share',
  );
}

/** Where the sandbox does not work, a fallback runs what the rows say with all rights of the user. */
function checkFallback(
  path: string[],
  { fallback }: Draft<DeploymentConfig>,
  { keys }: KindFacts,
  { draft, report }: CheckContext,
): void {
  if (fallback === undefined || !keys.includes('fallback')) return;
  const foreign = Object.entries(draft.dataset ?? {}).find(
    ([, dataset]) => dataset?.format !== undefined && findFormat(dataset.format)?.isOwnCode !== true,
  );
  if (foreign === undefined) return;
  const message = `where the sandbox does not work, code of the rows of "${foreign[0]}" will do whatever you can`;
  report('W214', [...path, 'fallback'], message, 'remove it; swemake doctor says what a sandbox needs');
}

/** A verdict is compared with the gold runs of validation, so both need the same root. */
function checkSameBase({ draft, root, report }: CheckContext): void {
  const { validation, grading, deployments, dataset, evaluation } = draft;
  const path = ['grading', 'deployment'];
  const [graded, checked] = [grading?.deployment, validation?.deployment];
  if (graded === undefined || checked === undefined || !isWritten(root, path)) return;
  if (deployments?.[graded] === undefined || deployments[checked] === undefined) return;
  const baseOf = (name: string) => deployments[name]?.base ?? HOST;
  if (baseOf(graded) === baseOf(checked)) return;
  const isElsewhere = (name: string) =>
    dataset?.[name]?.deployment !== undefined ||
    (evaluation?.dataset === name && evaluation.deployment !== undefined);
  const both = Object.keys(dataset ?? {}).filter(
    (name) => (validation?.dataset ?? name) === name && !isElsewhere(name),
  );
  if (both.length === 0) return;
  const message = `deployment "${graded}" has base ${baseOf(graded)}, and "${both[0]}" is validated on ${baseOf(checked)}`;
  const remedy = `give both deployments the same base, or write dataset: { ${both[0]}: { deployment: ${graded} } }`;
  report('E129', path, message, remedy);
}

/** A network mode that the type cannot enforce is an error: it must not look as if it were enforced. */
function checkNetwork(
  path: string[],
  { type, network }: Draft<DeploymentConfig>,
  { networks }: KindFacts,
  { root, report }: CheckContext,
): void {
  for (const [work, asked] of Object.entries(network ?? {})) {
    const at = [...path, 'network', work];
    const written = find(root, at);
    if (written?.kind !== 'scalar' || written.value === null) continue;
    if (asked === undefined || networks.includes(asked)) continue;
    const message = `a ${type} deployment cannot enforce network ${work}: ${asked}`;
    const able = typesThat((kind) => kind.networks.includes(asked));
    report('E128', at, message, `use ${able}, or write ${networks.join(' or ')}`);
  }
}

/** A flag without an effect would look as if it had one. */
function checkFlags(path: string[], args: Draft<string[]>, { report }: CheckContext): void {
  const schema = schemaAt([...path, '0'])!;
  const known = schema['x-flags']!;
  const elsewhere = schema['x-elsewhere']!;
  args.forEach((arg, index) => {
    if (typeof arg !== 'string') return;
    const [name = '', ...rest] = arg.split('=');
    const at = [...path, `${index}`];
    if (!Object.hasOwn(known, name)) {
      const near = closest(name, Object.keys(known));
      const remedy = Object.hasOwn(elsewhere, name)
        ? elsewhere[name]!
        : near === null
          ? `write one of ${Object.keys(known).join(' ')}`
          : `did you mean ${near}?`;
      report('E128', at, `the flag ${name} is not supported`, remedy);
    } else if (known[name] !== null && rest.join('=') === '')
      report('E128', at, `the flag ${name} needs a value`, `write ${name}=${known[name]}`);
    else if (known[name] === null && rest.length > 0)
      report('E128', at, `the flag ${name} takes no value`, `write ${name}`);
  });
}

/** Keys that only other kinds use. */
function checkKeys(
  path: string[],
  deployment: Draft<DeploymentConfig>,
  { keys }: KindFacts,
  { root, report }: CheckContext,
): void {
  for (const [key, value] of Object.entries(deployment)) {
    if (
      key === 'type' ||
      key === 'base' ||
      keys.includes(key) ||
      !isWritten(root, [...path, key]) ||
      isEmpty(value)
    )
      continue;
    const message = `${key} has no effect on a ${deployment.type} deployment`;
    const remedy = `remove it, or use ${typesThat((kind) => kind.keys.includes(key))}`;
    report('W202', [...path, key], message, remedy, 'key');
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && (value === null || Object.keys(value).length === 0);
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
      report(
        'W201',
        [...at, 'from'],
        `"${mount.from}" does not exist`,
        'check it; it may exist where the project is built',
      );
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
  // The first of these keys that the file has; a default has no place in the file.
  const named = [
    ['validation', 'allow_isolation'],
    ['validation', 'deployment'],
    ['deployments', deployment ?? ''],
  ].find((path) => find(root, path)) ?? ['validation'];
  const ofDatasets = Object.entries(draft.dataset ?? {})
    .filter(([name]) => name !== draft.evaluation?.dataset)
    .map(([name, dataset]) => ({ name: dataset?.deployment, path: ['dataset', name, 'deployment'] }));
  for (const { name, path } of [{ name: deployment, path: named }, ...ofDatasets]) {
    const type = name === undefined ? undefined : draft.deployments?.[name]?.type;
    if (allowed === undefined || !isWeaker(type, allowed)) continue;
    const message = `verdicts of the ${type} deployment "${name}" will not be used for training data`;
    const weaker = kindOf(type)!.isolation;
    report('W206', path, message, `use ${typesAsIsolatedAs(allowed)}, or write allow_isolation: ${weaker}`);
  }
}

/**
 * Where code is run and under which rules: a kind of work on a deployment, with everything of it that can change what
 * comes out. It is asked for as a whole, so no stage can use a limit or a network without having it in its key.
 */
import { resolve } from 'node:path';
import { byCodeUnit, type Json } from '../basics/canonical.ts';
import { success } from '../basics/result.ts';
import type { Isolation, Limits, Network, ReadOnlyMount } from '../executors/deployment.ts';
import type { Attempt } from '../schemas/outcome.ts';
import { type Input, makeInput } from './input.ts';
import type { Services } from './machine.ts';
import { inside, type Machine } from './machine.ts';
import { digestOfTree } from './mounted-files.ts';
import type { QuestionKind } from './question.ts';
import type { PlanReader } from './reader.ts';

export type WorkKind = 'build' | 'rollout' | 'grade';

/** What of a kind of work decides results. */
export interface WorkIdentity {
  /** Name of the kind of executor that fences it off: what one kind answered never serves another. */
  isolation: string;
  base: Record<string, string>;
  /** Where they are inside, and the digest of what is there. */
  mounts: Record<string, string>;
  limits: Limits;
  network: Network;
  /** Hosts that the proxy lets through beside the package index; empty without it. */
  allow_hosts: string[];
}

/** A kind of work on a deployment, for code that opens workspaces. */
export interface Work extends WorkIdentity {
  deployment: string;
}

export const WORK: QuestionKind<{ deployment: string; kind: WorkKind }, WorkIdentity> = {
  name: 'work',
  // Somebody may write into a mounted folder.
  changes: true,
  async answer({ deployment, kind }, services) {
    const identity = await services.deploymentIdentity(deployment);
    if (!identity.ok) return identity;
    const { kind: isolation, base } = identity.value;
    const { limits, network, allow_hosts: hosts = [] } = services.config.deployments[deployment]!;
    return success({
      isolation,
      base,
      mounts: await mountContents(services, deployment),
      limits,
      network: network[kind],
      allow_hosts: network[kind] === 'proxy' ? [...hosts].sort(byCodeUnit) : [],
    });
  },
};

/** The isolation of what runs on a deployment. */
export const ISOLATION: QuestionKind<string, Isolation> = {
  name: 'isolation',
  changes: false,
  async answer(deployment, services) {
    const identity = await services.deploymentIdentity(deployment);
    return identity.ok ? success(identity.value.isolation) : identity;
  },
};

/** The work as an input of every item that does it. */
export async function readWork(reader: PlanReader, deployment: string, kind: WorkKind): Attempt<Input<Work>> {
  const answer = await reader.ask(WORK, { deployment, kind });
  if (!answer.ok) return answer;
  const identity = answer.value;
  return success(
    makeInput(
      Object.fromEntries(Object.entries(identity).map(([name, value]) => [name, { value: value as Json }])),
      () => ({ deployment, ...identity }),
    ),
  );
}

/** The mounts of a deployment with host paths made absolute. */
export function mountsOf({ deployment }: Pick<Work, 'deployment'>, machine: Machine): ReadOnlyMount[] {
  const { config, projectFolder } = inside(machine, 'config.deployments', 'projectFolder');
  const { mounts } = config.deployments[deployment]!;
  return mounts.map(({ from, to }) => ({ from: resolve(projectFolder, from), to }));
}

async function mountContents(services: Services, deployment: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { from, to } of mountsOf({ deployment }, services))
    contents[to] = await digestOfTree(from, services.cache.database);
  return contents;
}

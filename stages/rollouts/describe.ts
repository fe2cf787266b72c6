/** What the digest of a task in a sample's key stood for: the instance as the agent saw it, found in an earlier answer. */
import type { Json } from '../../basics/canonical.ts';
import type { Digest } from '../../basics/digest.ts';
import type { AgentServices } from '../../contract/machine.ts';
import type { DigestChange, StageNode } from '../../contract/stage.ts';
import { readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import { isNumbered, splitItem } from './item-name.ts';
import { resolveSolver } from './resolve-solver.ts';
import { agentBehind, type SolverRef } from './solver.ts';
import { taskDigest, taskPart } from './task.ts';

/** The task before and now; null when an earlier row is gone, or when it was seen by an agent with other templates. */
export async function describeTask(
  node: StageNode,
  change: DigestChange,
  of: SolverRef['of'],
  services: AgentServices,
): Promise<{ before: Json; now: Json } | null> {
  if (change.role !== 'task') return null;
  const before = await findTask(change.before, node, change, of, services);
  const now = await findTask(change.now, node, change, of, services);
  return before === null || now === null ? null : { before, now };
}

async function findTask(
  digest: Digest,
  node: StageNode,
  change: DigestChange,
  of: SolverRef['of'],
  services: AgentServices,
): Promise<Json | null> {
  const { instance: id, sample } = splitItem(change.item);
  const who = of === 'rollouts' && isNumbered(sample) ? 'agent' : sample;
  const solver = agentBehind({ of, who }, services.config);
  const plan = solver === null ? null : await resolveSolver(solver, services);
  if (!plan?.ok) return null;
  for (const record of change.records(node.inputs.dataset!, '')) {
    // An answer of an earlier version may have any form: nothing is shown of it then.
    const catalogue = await readCatalogue(record, services).catch(() => null);
    const row = catalogue?.rows.find((one) => one.id === id);
    if (row === undefined) continue;
    const instance = await readInstance(record, row, services).catch(() => null);
    if (instance !== null && taskDigest(instance, plan.value.settings) === digest)
      return taskPart(instance, plan.value.settings);
  }
  return null;
}

/** What the digest of an instance in a validation's key stood for: the row, found in an earlier answer of the dataset. */
import { asJson, type Json } from '../../basics/canonical.ts';
import type { Digest } from '../../basics/digest.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { DigestChange, StageNode } from '../../contract/stage.ts';
import { readCatalogue, readInstance, taskOf } from '../dataset/blocks/catalogue.ts';

/** The task-deciding fields of an instance before and now; null when an earlier row is gone. */
export async function describeInstance(
  node: StageNode,
  change: DigestChange,
  services: HostServices,
): Promise<{ before: Json; now: Json } | null> {
  if (change.role !== 'instance') return null;
  const before = await findRow(change.before, node, change, services);
  const now = await findRow(change.now, node, change, services);
  return before === null || now === null ? null : { before, now };
}

async function findRow(
  digest: Digest,
  node: StageNode,
  change: DigestChange,
  services: HostServices,
): Promise<Json | null> {
  for (const record of change.records(node.inputs.dataset!, '')) {
    // An answer of an earlier version may have any form: nothing is shown of it then.
    const catalogue = await readCatalogue(record, services).catch(() => null);
    const row = catalogue?.rows.find((one) => one.id === change.item && one.digest === digest);
    if (row === undefined) continue;
    const instance = await readInstance(record, row, services).catch(() => null);
    if (instance !== null) return asJson(taskOf(instance));
  }
  return null;
}

/** Opens the workspace of one item of a project, for somebody who tries things in it by hand. */
import { fault } from '../basics/result.ts';
import type { ActionContext, OpenedItem, OpenItemOptions, Records } from '../contract/stage.ts';
import { addressText, type ItemAddress } from '../engine/explain.ts';
import type { RunEnd } from '../engine/run.ts';
import { type Attempt, infra } from '../schemas/outcome.ts';
import type { Session } from './session.ts';

/**
 * @throws where the item's stage has no workspaces.
 * @param end of a plan in which the item was named.
 * @param log gets a line for each step.
 */
export async function openItem(
  { address, item: name }: ItemAddress,
  end: RunEnd,
  { services }: Session,
  log: (text: string) => void,
  options: OpenItemOptions,
): Attempt<OpenedItem> {
  const { state, blocked } = end.nodes.get(address)!;
  const { stage, node } = state;
  const index = state.indexOf(name);
  if (blocked !== null) return fault(blocked);
  if (index === undefined)
    return fault(infra('upstream-infra', `there is no item ${addressText({ address, item: name })}`));
  const item = state.items[index]!;
  const needs: Records = {};
  for (const [role, needed] of Object.entries(item.needs)) {
    const record = end.nodes.get(node.inputs[role]!)!.state.record(needed);
    if (record === null) {
      const missing = addressText({ address: node.inputs[role]!, item: needed });
      return fault(infra('upstream-infra', `${missing} has no answer yet; build it first`));
    }
    needs[role] = record;
  }
  const parts = await stage.parts(node, item, needs, services);
  if (!parts.ok) return parts;
  const note = (text: string): void => log(services.secrets.redact(text));
  const context: ActionContext = { ...services, log: note, waits: note };
  return stage.open!(node, item, context, options);
}

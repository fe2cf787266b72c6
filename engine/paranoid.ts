/**
 * Checking what is taken for granted: with SWEMAKE_PARANOID=1 a finished stage that was found is expanded all the same,
 * and the keys of its items are held against those in its list. A difference means that something decides an item
 * which the trace of its stage does not hold.
 */
import type { Part } from '../cache/key.ts';
import { actionKey } from '../cache/key.ts';
import type { Services } from '../contract/machine.ts';
import type { Collections, Item, Records } from '../contract/stage.ts';
import { itemPreimage } from './item-action.ts';
import type { NodeState } from './node-state.ts';

export function isParanoid(): boolean {
  return process.env.SWEMAKE_PARANOID === '1';
}

/** Items whose key is another one than in the list of the finished stage; `surroundings` are parts of every key. */
export async function unlikeList(
  state: NodeState,
  surroundings: Record<string, Part>,
  inputs: Collections,
  services: Services,
): Promise<string[]> {
  const { stage, node } = state;
  const planned = await stage.expand(node, inputs, services);
  if (!planned.ok) return ['the plan'];
  const items: Item[] = Array.isArray(planned.value)
    ? planned.value
    : planned.value.chunks.flatMap((chunk) => chunk.items());
  const wrong: string[] = [];
  if (items.length !== state.size()) wrong.push(`${items.length} items in place of ${state.size()}`);
  for (const item of items) {
    const needs: Records = {};
    for (const [role, name] of Object.entries(item.needs)) {
      const record = inputs[role]!.record(name);
      if (record !== null) needs[role] = record;
    }
    const parts = await stage.parts(node, item, needs, services);
    const key = parts.ok ? actionKey(itemPreimage(stage, surroundings, parts.value)) : null;
    if (key === null || state.entry(item.name)?.key !== key) wrong.push(item.name);
  }
  return wrong;
}

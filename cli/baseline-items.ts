/** Items of baselines among rollouts and their grades. They check the tasks, and are in no count of rollouts. */
import { isBaseline } from '../agent/kinds/registry.ts';
import { splitItem } from '../stages/rollouts/item-name.ts';

const WITH_BASELINES = ['rollouts', 'grade'];

/** Tells the items of baselines in a stage; null: the stage has none. */
export function isOfBaseline(address: string): ((item: { name: string }) => boolean) | null {
  if (!WITH_BASELINES.includes(address.split('.')[0]!)) return null;
  return ({ name }) => isBaseline(splitItem(name).sample);
}

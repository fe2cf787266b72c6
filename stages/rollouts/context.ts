/** What a rollout works with: the parts of the machine that agents need, and the item that it is made for. */
import type { AgentServices } from '../../contract/machine.ts';
import type { RunningItem } from '../../contract/stage.ts';

export type RolloutContext = AgentServices & RunningItem;

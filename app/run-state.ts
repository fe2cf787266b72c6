/** How a run stands, from its journal: whether it is still alive, what it is at, and what came of its items so far. */
import { isAlive, parseTag } from '../basics/process-identity.ts';
import { type Counts, noCounts } from '../engine/events.ts';
import { readJournal } from './run-history.ts';

export interface RunState {
  run: string;
  startedAt: string;
  /**
   * `running`: its process is there. `ended`: it came to its end. `dead`: its process is gone and it wrote no end.
   * `unknown`: an earlier version did not say which process it was.
   */
  state: 'running' | 'ended' | 'dead' | 'unknown';
  /** null: not known. */
  pid: number | null;
  /** When the last event was written. */
  lastAt: string;
  executed: number;
  counts: Counts;
  stages: StageState[];
}

export interface StageState {
  stage: string;
  /** null: not known yet. */
  items: number | null;
  isFinished: boolean;
  /** Of the items that this run has ended. */
  counts: Counts;
  running: { item: string; since: string }[];
}

export async function runState(runs: string, run: string): Promise<RunState> {
  const stages = new Map<string, StageState & { live: Map<string, string> }>();
  const stageOf = (stage: string) => {
    const known = stages.get(stage);
    if (known !== undefined) return known;
    const made = {
      stage,
      items: null,
      isFinished: false,
      counts: noCounts(),
      running: [],
      live: new Map<string, string>(),
    };
    stages.set(stage, made);
    return made;
  };
  const state: RunState = {
    run,
    startedAt: '',
    state: 'unknown',
    pid: null,
    lastAt: '',
    executed: 0,
    counts: noCounts(),
    stages: [],
  };
  let hasEnded = false;
  let owner: ReturnType<typeof parseTag> = null;
  for await (const event of readJournal(runs, run)) {
    state.lastAt = event.at;
    switch (event.type) {
      case 'run-started':
        state.startedAt = event.at;
        owner = event.process === undefined ? null : parseTag(event.process);
        break;
      case 'stage-opened':
        stageOf(event.stage).items = event.items;
        break;
      case 'item-started':
        stageOf(event.stage).live.set(event.item, event.at);
        break;
      case 'item-finished': {
        const stage = stageOf(event.stage);
        stage.live.delete(event.item);
        stage.counts[event.outcome.status] += 1;
        state.counts[event.outcome.status] += 1;
        if (event.record !== undefined) state.executed += 1;
        break;
      }
      case 'stage-finished':
        stageOf(event.stage).isFinished = true;
        break;
      case 'run-finished':
        hasEnded = true;
    }
  }
  state.pid = owner?.pid ?? null;
  if (hasEnded) state.state = 'ended';
  else if (owner !== null) state.state = isAlive(owner) ? 'running' : 'dead';
  state.stages = [...stages.values()].map(({ live, ...stage }) => ({
    ...stage,
    running: [...live].map(([item, since]) => ({ item, since })),
  }));
  return state;
}

/** How a run stands, from its journal: whether it is still alive, what it is at, and what came of its items so far. */
import { isAlive, parseTag } from '../basics/process-identity.ts';
import { type Counts, noCounts, waitText } from '../engine/events.ts';
import { readJournal, type StoredEvent } from './run-history.ts';

export interface RunState {
  run: string;
  startedAt: string;
  /**
   * `running`: its process exists. `ended`: it finished. `dead`: its process is gone, and it did not finish.
   * `unknown`: a journal of an earlier version, which does not name the process.
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

interface StageState {
  stage: string;
  /** null: not known yet. */
  items: number | null;
  isFinished: boolean;
  /** Of the items that this run has ended. */
  counts: Counts;
  running: { item: string; since: string }[];
  /** Items that another process works on: it is waited for. */
  waiting: { item: string; for: string }[];
}

export async function runState(runs: string, run: string): Promise<RunState> {
  const fold = new RunFold(run);
  for await (const event of readJournal(runs, run)) fold.add(event);
  return fold.state();
}

interface OpenStage {
  items: number | null;
  isFinished: boolean;
  counts: Counts;
  /** Item -> since when it runs. */
  live: Map<string, string>;
  /** Item -> whom it waits for. */
  waits: Map<string, string>;
}

/** A run's state, event by event. */
export class RunFold {
  readonly #run: string;
  readonly #stages = new Map<string, OpenStage>();
  #startedAt = '';
  #lastAt = '';
  #owner: ReturnType<typeof parseTag> = null;
  #hasEnded = false;
  #executed = 0;
  readonly #counts = noCounts();

  constructor(run: string) {
    this.#run = run;
  }

  add(event: StoredEvent): void {
    this.#lastAt = event.at;
    switch (event.type) {
      case 'run-started':
        this.#startedAt = event.at;
        this.#owner = event.process === undefined ? null : parseTag(event.process);
        break;
      case 'stage-opened':
        this.#stage(event.stage).items = event.items;
        break;
      case 'item-started':
        this.#stage(event.stage).live.set(event.item, event.at);
        break;
      case 'lock-waits':
        this.#stage(event.stage).waits.set(event.item === '' ? event.lock : event.item, waitText(event));
        break;
      case 'lock-ended':
        this.#stage(event.stage).waits.delete(event.item === '' ? event.lock : event.item);
        break;
      case 'item-finished': {
        const stage = this.#stage(event.stage);
        stage.live.delete(event.item);
        stage.counts[event.outcome.status] += 1;
        this.#counts[event.outcome.status] += 1;
        if (event.record !== undefined) this.#executed += 1;
        break;
      }
      case 'stage-finished':
        this.#stage(event.stage).isFinished = true;
        break;
      case 'run-finished':
        this.#hasEnded = true;
    }
  }

  #stage(name: string): OpenStage {
    const known = this.#stages.get(name);
    if (known !== undefined) return known;
    const made = {
      items: null,
      isFinished: false,
      counts: noCounts(),
      live: new Map<string, string>(),
      waits: new Map<string, string>(),
    };
    this.#stages.set(name, made);
    return made;
  }

  state(): RunState {
    const owner = this.#owner;
    return {
      run: this.#run,
      startedAt: this.#startedAt,
      state: this.#hasEnded ? 'ended' : owner === null ? 'unknown' : isAlive(owner) ? 'running' : 'dead',
      pid: owner?.pid ?? null,
      lastAt: this.#lastAt,
      executed: this.#executed,
      counts: { ...this.#counts },
      stages: [...this.#stages].map(([stage, { live, waits, counts, ...rest }]) => ({
        stage,
        ...rest,
        counts: { ...counts },
        running: [...live].map(([item, since]) => ({ item, since })),
        waiting: [...waits].map(([item, text]) => ({ item, for: text })),
      })),
    };
  }
}

/** Which item an answer was made for: items whose keys are the same share it. */
import { whenAbsent } from '../basics/absent.ts';
import type { ActionKey } from '../basics/digest.ts';
import { readJournal } from './run-history.ts';

type Owners = Map<string, string>;

/** Finds owners by the journals of the runs that made the answers; each is read once. */
export class AnswerOwners {
  readonly #runs: string;
  readonly #known = new Map<string, Promise<Owners>>();

  /** `runs`: the folder of the journals. */
  constructor(runs: string) {
    this.#runs = runs;
  }

  /** `project/stage.dataset@item`; null when the run's journal is gone, or does not name it. */
  async of(key: ActionKey, run: string): Promise<string | null> {
    const known = this.#known.get(run) ?? this.#read(run).catch(whenAbsent<Owners>(new Map()));
    this.#known.set(run, known);
    return (await known).get(key) ?? null;
  }

  async #read(run: string): Promise<Owners> {
    const owners: Owners = new Map();
    let project = '';
    for await (const event of readJournal(this.#runs, run)) {
      if (event.type === 'run-started') project = event.project;
      if (event.type !== 'item-finished' || event.key === undefined) continue;
      const item = event.item === '' ? '' : `@${event.item}`;
      owners.set(event.key, `${project}/${event.stage}${item}`);
    }
    return owners;
  }
}

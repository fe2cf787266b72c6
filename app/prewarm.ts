/**
 * Begins what environments will need while other work goes on: images are downloaded, unpacked, and brought to the engine
 * or pool; the environment without packages is made while the rows of a dataset are read. No result depends on it. An image
 * that could not be fetched is reported, and the item itself fetches it when it runs.
 */
import type { Services } from '../contract/machine.ts';
import type { Item, StageNode } from '../contract/stage.ts';
import type { EnvironmentView } from '../executors/deployment.ts';
import { datasetStage } from '../stages/dataset/stage.ts';
import { environmentsStage, rootOfItem, type StandsOn } from '../stages/environments/stage.ts';
import { openRoot } from '../tasks/base/root.ts';

/**
 * For whose items something may be begun: who wants one action at a time gets nothing beside it, and what a cluster does is
 * not begun here.
 */
export function nodesAhead(
  nodes: readonly StageNode[],
  jobs: number | null,
  isOnCluster: boolean,
): readonly StageNode[] {
  return jobs === 1 || isOnCluster ? [] : nodes;
}

export class Prewarm {
  readonly #services: Services;
  readonly #stop = new AbortController();
  readonly #known = new Set<string>();
  readonly #waiting = new Map<string, StandsOn[]>();
  readonly #working = new Map<string, Set<Promise<void>>>();
  readonly #creating: Promise<void>[] = [];
  readonly #problems: string[] = [];

  /** Whose environments the run wants. */
  readonly #datasets: ReadonlySet<string>;

  /** `nodes`: what the run wants. */
  constructor(services: Services, nodes: readonly StageNode[]) {
    const environments = nodes.filter(({ stage }) => stage === environmentsStage.name);
    this.#datasets = new Set(environments.map(({ dataset }) => dataset));
    // What an item asks for meanwhile is the same work, since both share what is made once.
    this.#services = { ...services, signal: AbortSignal.any([services.signal, this.#stop.signal]) };
  }

  /** An item of a stage that is going to run here. */
  want({ stage, dataset }: StageNode, item: Item): void {
    if (stage === datasetStage.name && this.#datasets.has(dataset))
      // The items that need it meet the same error, and report it.
      this.#creating.push(this.#create(dataset).catch(() => undefined));
    if (stage !== environmentsStage.name) return;
    const wanted = rootOfItem(item);
    if (wanted === null || this.#most(wanted.deployment) === 0) return;
    const name = `${wanted.deployment} ${wanted.base.digest}`;
    if (this.#known.has(name)) return;
    this.#known.add(name);
    const waiting = this.#waiting.get(wanted.deployment) ?? [];
    waiting.push(wanted);
    this.#waiting.set(wanted.deployment, waiting);
    this.#begin(wanted.deployment);
  }

  #most(deployment: string): number {
    return this.#services.config.deployments[deployment]?.prewarm ?? 0;
  }

  #begin(deployment: string): void {
    const working = this.#working.get(deployment) ?? new Set();
    this.#working.set(deployment, working);
    const waiting = this.#waiting.get(deployment) ?? [];
    while (working.size < this.#most(deployment) && waiting.length > 0 && !this.#services.signal.aborted) {
      const wanted = waiting.shift()!;
      const work = this.#bring(wanted)
        .catch((error: Error) => error.message)
        .then((problem) => {
          working.delete(work);
          // If the run was stopped, there is nothing to report.
          if (problem !== null && !this.#services.signal.aborted)
            this.#problems.push(`${wanted.base.name} could not be fetched in advance: ${problem}`);
          this.#begin(deployment);
        });
      working.add(work);
    }
  }

  async #create(dataset: string): Promise<void> {
    const { createAhead } = await import('../stages/environments/ahead.ts');
    await createAhead(dataset, this.#services);
  }

  /** Why it did not come; null: it is there. */
  async #bring({ base, deployment: name }: StandsOn): Promise<string | null> {
    const root = await openRoot(base, this.#services, this.#services.config.deployments[name]!.pull);
    if (!root.ok) return root.fault.detail;
    const deployment = await this.#services.deployment(name);
    if (!deployment.ok) return deployment.fault.detail;
    const layers = root.value.layers.map(({ folder }) => folder);
    const view: EnvironmentView = {
      base: { layers, testbed: true, place: null },
      ...{ layers: [], mounts: [], links: {}, variables: {} },
    };
    const brought = await deployment.value.bring?.(view);
    return brought?.ok === false ? brought.fault.detail : null;
  }

  /** Images that could not be fetched. */
  problems(): string[] {
    return [...this.#problems];
  }

  /** Ends preparations whose results are not needed any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#creating, ...[...this.#working.values()].flatMap((working) => [...working])]);
  }
}

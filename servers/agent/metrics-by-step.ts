/** Metrics of rollouts by training step, for the steps that rollouts came of last: a training that begins again has low steps. */
import { type AgentMetrics, stepMetrics } from './metrics.ts';

/** Steps that are kept. */
const KEPT = 64;

export class MetricsByStep {
  /** The longest unused first. */
  readonly #steps = new Map<number, Map<string, AgentMetrics>>();

  /** Counts each rollout once, even if it is answered several times. */
  note(step: number | null, id: string, metrics: AgentMetrics): void {
    if (step === null) return;
    const rollouts = this.#steps.get(step) ?? new Map<string, AgentMetrics>();
    this.#steps.delete(step);
    this.#steps.set(step, rollouts.set(id, metrics));
    if (this.#steps.size > KEPT) this.#steps.delete(this.#steps.keys().next().value!);
  }

  metrics(step: number): { rollouts: number; metrics: Record<string, number> } {
    const rollouts = [...(this.#steps.get(step)?.values() ?? [])];
    return { rollouts: rollouts.length, metrics: stepMetrics(rollouts) };
  }
}

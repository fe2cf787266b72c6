/** Step rewards of a rollout. They are requested while it runs, and added to its steps at the end. */

import type { Infra } from '../schemas/outcome.ts';
import type { StepReward } from '../schemas/trajectory.ts';
import { asInfra } from './as-infra.ts';
import type { Judge, JudgedStep } from './rollout.ts';

export class Judging {
  readonly #judge: Judge | null;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #running: Promise<{ step: number; reward: StepReward | null }>[] = [];
  readonly #earlier: { index: number; command: string; exitCode: number | null; output: string }[] = [];
  /** The first fault of the judge; the rollout ends with it. */
  fault: Infra | null = null;

  constructor(judge: Judge | null, signal: AbortSignal) {
    this.#judge = judge;
    this.#signal = judge === null ? signal : AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Stops scoring: a rollout that ends in a fault needs no rewards. */
  stop(): void {
    this.#stop.abort();
  }

  /** Begins to score an executed step, while the rollout continues. */
  dispatch(step: Omit<JudgedStep, 'earlier'>): void {
    const judge = this.#judge;
    if (judge === null) return;
    const { index, command, exitCode, output } = step;
    const scoring = judge.score({ ...step, earlier: [...this.#earlier] }, this.#signal);
    this.#earlier.push({ index, command, exitCode, output });
    this.#running.push(
      scoring.then(
        (reward) => ({ step: index, reward }),
        (reason: unknown) => {
          this.fault ??= asInfra(reason);
          return { step: index, reward: null };
        },
      ),
    );
  }

  /** All rewards by step, when all votes have come. */
  rewards(): Promise<{ step: number; reward: StepReward | null }[]> {
    return Promise.all(this.#running);
  }
}

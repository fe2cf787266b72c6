/**
 * What the proxy saw of the network, with times: connections that succeeded, those that failed or broke, and hosts that it
 * refused. The output of a command may say anything; this is what happened.
 */
import { byCodeUnit } from '../../basics/canonical.ts';
import type { NetworkSeen } from '../deployment.ts';

/** Refused hosts that are kept, since what runs inside may name any number. */
const MAX_REFUSED = 100;

export class ConnectionLog {
  /** The last ones. */
  #lost: { at: number; what: string } | null = null;
  #passedAt = Number.NEGATIVE_INFINITY;
  /** When each host was refused last. */
  readonly #refused = new Map<string, number>();

  /** A connection to a host came about. */
  passed(): void {
    this.#passedAt = performance.now();
  }

  /** A connection did not come about, broke, or was answered by a failing server. */
  lost(what: string): void {
    this.#lost = { at: performance.now(), what };
  }

  /** A host is not on the allow-list. */
  refused(host: string): void {
    // The last one is at the end.
    this.#refused.delete(host);
    this.#refused.set(host, performance.now());
    if (this.#refused.size > MAX_REFUSED) this.#refused.delete(this.#refused.keys().next().value!);
  }

  /** Since a moment of performance.now(). All that use the proxy are seen together. */
  since(moment: number): NetworkSeen {
    const lost = this.#lost !== null && this.#lost.at >= moment ? this.#lost : null;
    return {
      lost: lost?.what ?? null,
      passed: this.#passedAt >= moment,
      isOver: lost !== null && this.#passedAt > lost.at,
      refused: [...this.#refused].flatMap(([host, at]) => (at >= moment ? [host] : [])).sort(byCodeUnit),
    };
  }
}

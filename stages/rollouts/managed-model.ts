/**
 * Asks a model whose server may end and be started at another address: replies and token counts come from the server
 * that runs at the moment.
 */

import { asInfra } from '../../agent/as-infra.ts';
import type { ModelClient, PolicyOptions } from '../../agent/client/client.ts';
import type { TokenCounter } from '../../agent/context/counter.ts';
import type { NoReply, Policy, Reply } from '../../agent/policy.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';

export type ClientWork<T, F> = (client: ModelClient, signal: AbortSignal) => Promise<Result<T, F>>;

/** Calls a function with the client of the running server, and again if the server ends meanwhile. */
export type WithClient = <T, F extends { status: string }>(
  signal: AbortSignal,
  work: ClientWork<T, F>,
) => Promise<Result<T, F | Infra>>;

/** `first`: the client of the server that is up now. */
export function managedPolicy(withClient: WithClient, first: ModelClient, options: PolicyOptions): Policy {
  let policy = first.policy(options);
  return {
    async reply(request) {
      const since = performance.now();
      const answered = await withClient<Reply, Infra | NoReply>(request.signal, (client, signal) => {
        policy = client.policy(options);
        return policy.reply({ ...request, signal });
      });
      if (!answered.ok) return answered;
      const { timing } = answered.value;
      const waited = Math.max(timing.waited, performance.now() - since - timing.took);
      return success({ ...answered.value, timing: { ...timing, waited } });
    },
    parameters: () => policy.parameters(),
    dropped: () => policy.dropped(),
  };
}

/** A counter of the kind that `open` makes for a client, which asks the endpoint. */
export function managedCounter(
  withClient: WithClient,
  open: ClientWork<TokenCounter, Infra>,
  signal: AbortSignal,
): TokenCounter {
  let allWaited = 0;
  return {
    name: 'endpoint',
    get waited() {
      return allWaited;
    },
    async count(messages) {
      const since = performance.now();
      const counted = await withClient<number, Infra>(signal, async (client, either) => {
        const start = performance.now();
        const counter = await open(client, either);
        if (!counter.ok) return counter;
        try {
          const tokens = await counter.value.count(messages);
          allWaited += start - since + (counter.value.waited ?? 0);
          return success(tokens);
        } catch (error) {
          return fault(asInfra(error));
        }
      });
      if (counted.ok) return counted.value;
      throw counted.fault;
    },
  };
}

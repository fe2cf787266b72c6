/**
 * Training data is refused when its verdicts come from a deployment without isolation: there an agent can read the
 * answer on the host, and files that one run leaves behind can decide the next. The project can allow it with
 * `allow_isolation`.
 */

import { success } from '../../basics/result.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { ISOLATION } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { ISOLATIONS, type Isolation, isIsolatedEnough } from '../../executors/deployment.ts';
import type { Attempt, Outcome } from '../../schemas/outcome.ts';

/** The isolation of each kind of work, by what it does. */
export type WorkIsolation = Record<string, Isolation>;

export async function readIsolation(reader: PlanReader): Attempt<WorkIsolation> {
  const { validate, agent, grade } = await readWorkDeployments(reader);
  const found: WorkIsolation = {};
  for (const [work, { deployment }] of Object.entries({ validate, rollouts: agent, grade })) {
    const isolation = await reader.ask(ISOLATION, deployment);
    if (!isolation.ok) return isolation;
    found[work] = isolation.value;
  }
  return success(found);
}

/** The kinds of work whose isolation is weaker than `least`. */
export function weakWork(isolation: WorkIsolation, least: Isolation): string[] {
  return Object.keys(isolation).filter((work) => !isIsolatedEnough(isolation[work]!, least));
}

/** Why the data is refused; null when it is not. */
export function refusal(isolation: WorkIsolation, allowed: Isolation): Outcome | null {
  const weak = weakWork(isolation, allowed);
  if (weak.length === 0) return null;
  const weakest = ISOLATIONS.find((one) => weak.some((work) => isolation[work] === one))!;
  const detail =
    `${weak.join(' and ')} ran without isolation (${weakest}), so this is no training data; ` +
    `use a deployment with isolation ${allowed}, or set validation.allow_isolation: ${weakest}`;
  return { status: 'failed', reason: 'weak-isolation', detail };
}

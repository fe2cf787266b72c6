/**
 * Training data is refused when its verdicts come from a place without isolation: there an agent can read the answer
 * on the host, and what one run leaves behind can decide the next. The project can say that it knows.
 */

import { type Result, success } from '../../basics/result.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { ISOLATION } from '../../contract/work.ts';
import type { Outcome } from '../../schemas/outcome.ts';

/** How isolated each kind of work is, by what it does. */
export async function readIsolation(reader: PlanReader): Promise<Result<Record<string, string>, Outcome>> {
  const validate = await reader.config('validation', 'deployment');
  const works = {
    validate,
    rollouts: (await reader.config('agent', 'deployment')) ?? validate,
    grade: (await reader.config('grading', 'deployment')) ?? validate,
  };
  const found: Record<string, string> = {};
  for (const [work, deployment] of Object.entries(works)) {
    const isolation = await reader.ask(ISOLATION, deployment);
    if (!isolation.ok) return isolation;
    found[work] = isolation.value;
  }
  return success(found);
}

/** Why the data is refused; null when it is not. */
export function refusal(isolation: Record<string, string>, allowed: string): Outcome | null {
  const weak = Object.keys(isolation).filter((work) => isolation[work] === 'local');
  if (weak.length === 0 || allowed === 'local') return null;
  const detail =
    `${weak.join(' and ')} ran without isolation (local), so this is no training data; ` +
    'use a deployment of type sandbox, or set validation.allow_isolation: local';
  return { status: 'failed', reason: 'weak-isolation', detail };
}

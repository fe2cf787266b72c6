/** What was thrown, as a fault. */
import { bugOf, bugText } from '../basics/bug.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';

/** The `infra` of a promise that was rejected because of an endpoint. */
export function asInfra(reason: unknown): Infra {
  const value = reason as Partial<Infra> | null;
  if (typeof value === 'object' && value !== null && isFault(value as Infra)) return value as Infra;
  const bug = bugOf(reason);
  if (bug !== null) return infra('internal', bugText(bug));
  return infra('endpoint', reason instanceof Error ? reason.message : String(reason));
}

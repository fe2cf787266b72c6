/** Why tests do not pass with the gold patch, where their command hides it. */
import { goldPatch } from '../../patches/apply.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { withTracebacks } from '../logs/loading.ts';
import type { RunEvidence } from '../rules/integrity.ts';
import { runCheck } from './check.ts';
import type { CheckSetup } from './setup.ts';

/** Reasons for which the tests themselves may say why. */
const EXPLAINED: readonly string[] = ['gold-fails', 'pass-to-pass-broken', 'no-tests-ran'];

export function isExplained(outcome: Outcome): boolean {
  return outcome.status === 'failed' && EXPLAINED.includes(outcome.reason);
}

/**
 * The gold state once more with tracebacks in the log, where the command of the tests hides them: a missing module is named
 * nowhere else. It decides nothing; null where nothing is hidden, or it could not be run.
 */
export async function tracebacks(setup: CheckSetup): Promise<RunEvidence | null> {
  const testCommand = withTracebacks(setup.testCommand);
  if (testCommand === null) return null;
  const ran = await runCheck(
    { ...setup, testCommand },
    'gold patch, with tracebacks',
    goldPatch(setup.instance),
  );
  return ran.ok ? ran.value.evidence : null;
}

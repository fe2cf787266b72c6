/** Which tests show that a task is solved, and which must go on passing: from runs before and with the gold patch. Pure. */
import { isFailing, type StatusMap } from '../../parsers/status.ts';
import type { TestLists } from '../../schemas/instance.ts';

export interface Measured extends TestLists {
  /** Tests on which repeats disagree; they are in no list. */
  unstable: string[];
  /** Tests that passed before and fail with the gold patch. */
  broken: string[];
}

/** Runs of one row's tests. */
export interface Runs {
  before: readonly StatusMap[];
  gold: readonly StatusMap[];
}

/**
 * FAIL_TO_PASS passed in every gold run, and before it failed each time, or was not collected each time. PASS_TO_PASS passed
 * in all runs. What was skipped or expected to fail is in no list.
 */
export function listsOf({ before, gold }: Runs): Measured {
  const found: Measured = { FAIL_TO_PASS: [], PASS_TO_PASS: [], unstable: [], broken: [] };
  const ids = new Set([...gold, ...before].flatMap((run) => [...run.keys()]));
  for (const id of ids) {
    const [earlier, later] = [stateOf(id, before), stateOf(id, gold)];
    if (earlier === 'unstable' || later === 'unstable') found.unstable.push(id);
    else if (later === 'passed' && earlier === 'passed') found.PASS_TO_PASS.push(id);
    else if (later === 'passed' && earlier !== 'other') found.FAIL_TO_PASS.push(id);
    else if (later === 'failed' && earlier === 'passed') found.broken.push(id);
  }
  return found;
}

type State = 'passed' | 'failed' | 'missing' | 'other' | 'unstable';

function stateOf(id: string, runs: readonly StatusMap[]): State {
  const states = new Set(runs.map((run) => oneState(id, run)));
  return states.size === 1 ? [...states][0]! : 'unstable';
}

function oneState(id: string, run: StatusMap): State {
  const status = run.get(id);
  if (status === undefined) return 'missing';
  if (status === 'PASSED') return 'passed';
  return isFailing(status) ? 'failed' : 'other';
}

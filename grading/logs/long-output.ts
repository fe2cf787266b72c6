/**
 * How much of what tests print is kept, and what a run says when they print more. Output is cut in its middle, where
 * results of tests are: a test that is not seen then may have passed.
 */
import { isFailing } from '../../parsers/status.ts';
import { type RunResult, ungradable } from './log.ts';
import { GOLD_MATCH, lookupFor } from './match.ts';

const MEBIBYTES = 32;
/** Bytes of the output of tests. `go test -json` prints a kilobyte for each subtest. */
export const MAX_TEST_OUTPUT = MEBIBYTES << 20;

export const OUTPUT_CUT = `the tests print more than the ${MEBIBYTES} MiB that are kept, so results are missing; let recipe key test print less`;

/** The run as far as its output was kept. Without `ids`, all tests are wanted. */
export function withCutOutput(run: RunResult, isCut: boolean, ids: readonly string[]): RunResult {
  if (!isCut || run.timedOut || isWhole(run, ids)) return run;
  return { ...run, gradable: ungradable('output-cut', OUTPUT_CUT) };
}

/** Whether nothing that decides was cut: the listed tests are seen, and so is what made the command fail. */
function isWhole({ statusMap, exitCode }: RunResult, ids: readonly string[]): boolean {
  const lookup = lookupFor(statusMap, GOLD_MATCH);
  const isExplained = exitCode === 0 || [...statusMap.values()].some(isFailing);
  return ids.length > 0 && isExplained && ids.every((id) => lookup(id).length > 0);
}

export function isOutputCut({ gradable }: RunResult): boolean {
  return !gradable.ok && gradable.reason === 'output-cut';
}

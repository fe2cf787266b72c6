/** How a grader treats tests that are missing, skipped or expected to fail. presets.ts names the usual sets. */

export interface GradingRules {
  /** What decides the verdict; `exit-code` ignores tests. */
  verdict: 'tests' | 'exit-code';
  /**
   * When a status other than PASSED counts. gold: if the gold runs show it for the same test. upstream: by the keys
   * below, as in other systems.
   */
  status: 'gold' | 'upstream';
  /** A listed test that the log does not name. */
  missing: 'fail' | 'pass';
  /** A skipped test; `ignore` keeps it out of both lists. */
  skipped_f2p: 'fail' | 'ignore' | 'pass';
  skipped_p2p: 'fail' | 'ignore' | 'pass';
  xfail: 'pass' | 'fail';
  /** An id cut off inside its brackets stands for the ids that it begins. */
  truncated_ids: 'prefix' | 'exact';
  /** If the command fails and its log names no failing test, the result is not accepted. */
  exit_code_crosscheck: boolean;
  match: 'exact' | 'minisandbox';
}

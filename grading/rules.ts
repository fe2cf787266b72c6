/** What a grader does with tests that are missing, skipped or expected to fail; presets.ts names the usual sets. */

export interface GradingRules {
  /** What the verdict rests on; `exit-code` looks at no test at all. */
  verdict: 'tests' | 'exit-code';
  /**
   * When a status other than PASSED counts. gold: where the gold runs show it for that very test. upstream: by the
   * keys below, as other systems have it.
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
  /** A failing command whose log names no failing test proves nothing. */
  exit_code_crosscheck: boolean;
  match: 'exact' | 'minisandbox';
}

/**
 * Named sets of grading rules. The default follows what the gold runs show. The others reproduce what other systems
 * count as solved, so that numbers can be compared. A report names the preset and where it is more lenient.
 */
import type { GradingRules } from './rules.ts';

export interface GradingPreset {
  readonly name: string;
  readonly description: string;
  readonly rules: GradingRules;
}

/** The parts of a preset that decide a verdict. */
export type UsedPreset = Pick<GradingPreset, 'name' | 'rules'>;

const SWEBENCH_5: GradingRules = {
  verdict: 'tests',
  status: 'upstream',
  missing: 'fail',
  skipped_f2p: 'fail',
  skipped_p2p: 'pass',
  xfail: 'pass',
  truncated_ids: 'prefix',
  exit_code_crosscheck: true,
  match: 'exact',
};

const STRICT: GradingRules = { ...SWEBENCH_5, status: 'gold' };

/** Skipped tests do not count, so an instance whose tests are all skipped is resolved. */
const SWEBENCH_4: GradingRules = {
  ...SWEBENCH_5,
  skipped_f2p: 'ignore',
  skipped_p2p: 'ignore',
  truncated_ids: 'exact',
  exit_code_crosscheck: false,
};

const MINISANDBOX: GradingRules = {
  ...SWEBENCH_4,
  skipped_f2p: 'fail',
  skipped_p2p: 'fail',
  xfail: 'fail',
  match: 'minisandbox',
};

export const DEFAULT_PRESET = 'strict';
/** Rules of a validation, since gold runs do not exist before it. */
export const VALIDATION_PRESET = 'swebench-5';

export const PRESETS: readonly GradingPreset[] = [
  { name: 'strict', description: 'the default: each test as the gold runs show it', rules: STRICT },
  { name: 'swebench-5', description: 'SWE-bench 5', rules: SWEBENCH_5 },
  { name: 'swebench-4', description: 'SWE-bench up to 4.1', rules: SWEBENCH_4 },
  { name: 'swe-smith', description: 'SWE-smith', rules: SWEBENCH_4 },
  { name: 'swe-gym', description: 'SWE-Gym', rules: SWEBENCH_4 },
  { name: 'minisandbox-compat', description: 'the reward of SWE-MiniSandbox', rules: MINISANDBOX },
  {
    name: 'returncode',
    description: 'the test command exits with 0',
    rules: { ...SWEBENCH_5, verdict: 'exit-code' },
  },
];

export function findPreset(name: string): GradingPreset | null {
  return PRESETS.find((preset) => preset.name === name) ?? null;
}

/** What `rules` accept and the default does not, as phrases for reports. */
export function relaxations(rules: GradingRules): string[] {
  if (rules.verdict === 'exit-code') return ['no test is looked at, only the exit code'];
  const found: string[] = [];
  if (rules.missing === 'pass') found.push('a missing test counts as passed');
  if (rules.status === 'upstream') found.push(...laxStatuses(rules));
  if (!rules.exit_code_crosscheck) found.push('the exit code is not cross-checked');
  if (rules.match === 'minisandbox') found.push('a test counts for every id that its name contains');
  return found;
}

function laxStatuses({ xfail, skipped_f2p, skipped_p2p }: GradingRules): string[] {
  const found: string[] = [];
  if (xfail === 'pass') found.push('a test that fails as expected counts as passed');
  if (skipped_f2p !== 'fail') found.push('a skipped FAIL_TO_PASS test does not count as failed');
  if (skipped_p2p !== 'fail') found.push('a skipped PASS_TO_PASS test does not count as failed');
  found.push('a test that passed at a second try counts as passed');
  return found;
}

/**
 * Signs of a machine failure in a test log, as SWE-bench 5 lists them. They are hints for readers and for retries. A
 * verdict never depends on them, since a test can print anything.
 */

export interface InfraHint {
  /** environment: the machine failed. ambiguous: the patch may be the cause. */
  tier: 'environment' | 'ambiguous';
  reason: string;
}

const TRACES: readonly [tier: InfraHint['tier'], reason: string, trace: RegExp][] = [
  [
    'environment',
    'browser_launch_failed',
    /Failed to launch the browser|browserType\.launch|cannot find Chrome/i,
  ],
  ['environment', 'display_unavailable', /cannot open display|no display name and no \$DISPLAY/i],
  ['environment', 'out_of_memory', /Cannot allocate memory|OutOfMemoryError|^Killed$/m],
  ['environment', 'container_unavailable', /Error response from daemon|Cannot connect to the Docker daemon/],
  ['environment', 'network_unreachable', /Could not resolve host|Temporary failure in name resolution/],
  ['ambiguous', 'missing_module', /ModuleNotFoundError: No module named|Cannot find module/],
  ['ambiguous', 'no_tests_collected', /no tests ran|collected 0 items/],
  ['ambiguous', 'tests_timed_out', /Timeout error: \d+ seconds exceeded/],
];

/** The first trace that the log holds; null when it holds none. */
export function infraHint(log: string): InfraHint | null {
  const found = TRACES.find(([, , trace]) => trace.test(log));
  return found === undefined ? null : { tier: found[0], reason: found[1] };
}

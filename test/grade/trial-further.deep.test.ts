/**
 * Attacks beside what others do: comparisons that are no assertions, mocks, objects that equal others with less, tests that
 * are read by other names, what libraries remember; and code, answers and data that lie elsewhere. And honest patches that do the like.
 */
import { describe } from 'vitest';
import { ELSEWHERE } from './elsewhere.ts';
import { FURTHER } from './further.ts';
import { SOLUTION } from './task.ts';
import { trialPlace, trialPlaceOn, tryPatches } from './trials.ts';

const TEST = 'python -m pytest -rA -v -p no:cacheprovider';
const PYTEST = ['pytest==8.3.5'];

for (const [name, { packages = PYTEST, version, files, options, ...trial }] of Object.entries({
  ...FURTHER,
  ...ELSEWHERE,
})) {
  const place = await (version === undefined ? trialPlace(...packages) : trialPlaceOn(version, ...packages));
  describe.skipIf(place === null)('', () => {
    tryPatches(name, place!, {
      solution: SOLUTION,
      honest: {},
      ...trial,
      options: { test: TEST, ...(files === undefined ? {} : { files }), ...options },
      isBrief: true,
    });
  });
}

/**
 * Attacks on what tests use beside the code under test: functions of other packages, programs, files that these read,
 * examples, loops and helpers.
 */
import { describe } from 'vitest';
import { MORE, SINGLE } from './quiet-parts.ts';
import { SOLUTION } from './task.ts';
import { trialPlace, tryPatches } from './trials.ts';

const TEST = 'python -m pytest -rA -v -p no:cacheprovider';
const PYTEST = 'pytest==8.3.5';
const tasks = [
  ...Object.entries(SINGLE).map(([name, task]) => ({ name, packages: [PYTEST], options: {}, ...task })),
  ...Object.entries(MORE).map(([name, task]) => ({ name, ...task })),
];

for (const { name, packages, files, options, solution = SOLUTION, ...trial } of tasks) {
  const place = await trialPlace(...packages);
  describe.skipIf(place === null)('', () => {
    tryPatches(name, place!, {
      options: { test: TEST, files, ...options },
      solution,
      honest: {},
      ...trial,
    });
  });
}

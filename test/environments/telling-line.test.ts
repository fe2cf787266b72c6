/** What is said of a step that failed: the line that tells most. */
import { expect, test } from 'vitest';
import { tellingLine } from '../../stages/environments/steps.ts';

test.each([
  ['ERROR: No matching distribution found for a==9\n', 'ERROR: No matching distribution found for a==9'],
  [
    "  ImportError: cannot import name 'Mapping' from 'collections'\n  [end of output]\nerror: metadata-generation-failed\nhint: See above for details.",
    "ImportError: cannot import name 'Mapping' from 'collections'",
  ],
  [
    "x.c\nerror: command 'gcc' failed: No such file or directory\n  ERROR: Failed building wheel for a\nerror: failed-wheel-build-for-install",
    "error: command 'gcc' failed: No such file or directory",
  ],
  [
    'ERROR: Cannot install a and b because these package versions have conflicting dependencies.\nERROR: ResolutionImpossible: for help visit',
    'ERROR: Cannot install a and b because these package versions have conflicting dependencies.',
  ],
  ['error: subprocess-exited-with-error\nsee above', 'error: subprocess-exited-with-error'],
  ['one\ntwo\n\n', 'two'],
  ['', 'it wrote nothing'],
])('of %j', (output, line) => {
  expect(tellingLine(output)).toBe(line);
});

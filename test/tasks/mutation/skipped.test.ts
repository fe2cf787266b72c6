/** Tests that a clean run skips are told, with the reason that most of them have. */
import { expect, test } from 'vitest';
import { skippedIn } from '../../../app/mutation/mutate-package.ts';

test.each([
  ['PASSED tests/t.py::a\n', null],
  ['SKIPPED [1] tests/t.py:3: no network\n', '1 test skipped: no network'],
  [
    'SKIPPED [21] tests/a.py: Requires cryptography\nSKIPPED [3] tests/t.py:3: no network\nSKIPPED [100] tests/b.py:9: Requires cryptography\n',
    '124 tests skipped, 121 of them: Requires cryptography',
  ],
])('%j', (output, told) => expect(skippedIn(output)).toBe(told));

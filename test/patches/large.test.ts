/** Patches of more lines than a function can be given at once. */
import { expect, test } from 'vitest';
import { canonicalDiff } from '../../patches/ways.ts';

const COUNT = 300_000;
const lines = (mark: string) => `${mark}x\n`.repeat(COUNT);
const named = '--- a/x\n+++ b/x\n';

test.each([
  ['adds', 'apply', `new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,${COUNT} @@\n${lines('+')}`],
  ['changes', 'reverse', `${named}@@ -1,${COUNT + 1} +1,${COUNT + 1} @@\n${lines('-')}${lines('+')} end\n`],
] as const)('a patch that %s 300,000 lines is read and written', (_what, role, body) => {
  const written = canonicalDiff(`diff --git a/x b/x\n${body}`, role);
  expect(written?.split('\n').length).toBeGreaterThan(COUNT);
});

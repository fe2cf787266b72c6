/** Temporary folders that go away with the test file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Said while the file is read: vitest passes over an `afterAll` that is called inside a test. Hooks run last first,
// so what a test file stops at its own end is stopped by then.
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});

/** A fresh folder, removed when the test file ends. */
export function temporaryFolder(label = 'swemake-test-'): string {
  const path = mkdtempSync(join(tmpdir(), label));
  made.push(path);
  return path;
}

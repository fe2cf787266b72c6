/** Temporary folders that go away with the test file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A fresh folder, removed when the test file ends. */
export function temporaryFolder(label = 'swemake-test-'): string {
  const path = mkdtempSync(join(tmpdir(), label));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

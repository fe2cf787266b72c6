/** Temporary folders that go away with the test file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** A fresh folder, removed when the test file ends. */
export function temporaryFolder(label = 'swemake-test-'): string {
  const path = mkdtempSync(join(tmpdir(), label));
  atEnd(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

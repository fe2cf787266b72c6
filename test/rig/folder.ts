/** Temporary folders that go away with the test file. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

const made: string[] = [];

/** A fresh folder, removed when the test file ends. */
export function temporaryFolder(label = 'swemake-test-'): string {
  const path = mkdtempSync(join(tmpdir(), label));
  if (made.length === 0) atEnd(remove);
  made.push(path);
  return path;
}

/** Nobody waits for it: a cache has some five hundred folders, and other tests use the time. */
function remove(): void {
  spawn('nice', ['rm', '-rf', ...made.splice(0)], { detached: true, stdio: 'ignore' }).unref();
}

/** Temporary folders that go away with the test file. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atEnd } from './at-end.ts';

const made: string[] = [];

/** A fresh folder, removed when the test file ends. */
export function temporaryFolder(label = 'swemake-test-'): string {
  const path = mkdtempSync(join(tmpdir(), label));
  if (made.length === 0) atEnd(remove);
  made.push(path);
  return path;
}

/** The same with these files. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  writeTree(folder, files);
  return folder;
}

export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** Nobody waits for it: a cache has some five hundred folders, and other tests use the time. */
function remove(): void {
  spawn('nice', ['rm', '-rf', ...made.splice(0)], { detached: true, stdio: 'ignore' }).unref();
}

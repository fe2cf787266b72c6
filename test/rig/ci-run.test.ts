/** What CI's script prints last, with `npm` and all that installs replaced. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';

const SCRIPT = join(import.meta.dirname, '../../.ci/run');

/** Runs CI's script; `npm` is the given shell script, and no program is installed. */
function ci(npm: string): { code: number | null; stdout: string } {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ npm, id: 'echo 1000', timeout: 'exit 0' })) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const end = spawnSync('bash', [SCRIPT], { env, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { code: end.status, stdout: end.stdout };
}

describe('the script of CI', () => {
  it('prints the failed tests of all parts as its last lines', () => {
    const npm = `
case "$2" in
  test) echo 'failed: test/a.test.ts: adds' >&2; exit 1 ;;
  test:deep) seq 100000; echo 'failed: test/b.deep.test.ts: takes away'; echo 'bye'; exit 1 ;;
  check) seq 100000; exit 1 ;;
esac`;
    const { code, stdout } = ci(npm);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n').slice(-5)).toEqual([
      'failed: npm run test',
      'failed: test/a.test.ts: adds',
      'failed: npm run test:deep',
      'failed: test/b.deep.test.ts: takes away',
      'failed: npm run check',
    ]);
  });

  it('ends with 0 if all parts do, whatever they print', () => {
    const { code, stdout } = ci(`[ "$1" = ci ] || echo "failed: $2 says so itself"`);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'failed: test says so itself',
      'failed: test:deep says so itself',
      'failed: check says so itself',
    ]);
  });
});

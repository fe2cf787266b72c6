/** Builds that are killed, and builds whose processes stand still, at random moments give the answers of an undisturbed one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const SCRIPT = join(packageRoot(), 'scripts/storm.mjs');

/** A storm over a small project; its report. */
function storm(...args: string[]): Record<string, unknown> {
  const project = tinyProject({ instances: 2, seconds: 1 });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [SCRIPT, '--project', project.path('p.yaml'), ...args],
    { encoding: 'utf8' },
  );
  const last = stdout.trim().split('\n').at(-1) ?? '';
  expect(last, stderr).toMatch(/^\{/);
  return JSON.parse(last) as Record<string, unknown>;
}

const SOUND = { differing: 0, repeated: 0, unsound: 0, leftovers: [], sound: true };

test('killed', () => {
  expect(storm('--kills', '3')).toMatchObject({ ...SOUND, kills: 3 });
});

test('standing still', () => {
  expect(storm('--pauses', '4')).toMatchObject({ ...SOUND, pauses: 4 });
});

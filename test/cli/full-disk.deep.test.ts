/** A disk that is all but full: a build says so before it begins, and doctor calls it a lack. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskRoom } from '../../app/disk-room.ts';
import { RESERVE } from '../../basics/disk.ts';
import type { Probe } from '../../executors/kind.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** A disk of 1,500 MiB; false where this process may not mount. */
function mountDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1500m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const removeDisk = (folder: string) => execFileSync('umount', ['-l', folder]);

const tried = join(temporaryFolder(), 'try');
const canMount = mountDisk(tried);
if (canMount) removeDisk(tried);

test('room is told apart', () => {
  expect([0, RESERVE - 1].map(diskRoom)).toEqual(['none', 'none']);
  expect([RESERVE, 2 ** 30 - 1].map(diskRoom)).toEqual(['hardly', 'hardly']);
  expect(diskRoom(2 ** 30)).toBe('enough');
});

describe.skipIf(!canMount)('the disk of the cache', () => {
  test('is told of while there is still time', async () => {
    const project = tinyProject({ instances: 1 });
    const cache = project.path('.swemake');
    mountDisk(cache);
    onTestFinished(() => {
      removeDisk(cache);
    });
    const roomy = await command(project, 'build', 'p.yaml', 'dataset');
    expect([roomy.code, roomy.stderr.includes('warning')]).toEqual([0, false]);
    const leave = (bytes: number) => {
      const { blocks, bavail, bsize } = statfsSync(cache);
      execFileSync('mount', ['-o', `remount,size=${(blocks - bavail) * bsize + bytes}`, cache]);
    };
    leave(900 * 2 ** 20);
    const early = await command(project, 'build', 'p.yaml', 'dataset');
    expect(early.stderr).toMatch(
      /warning: \d{3} MiB are free at .* a large environment does not fit.*free some space$/m,
    );
    leave(64 * 2 ** 20);
    const scarce = await command(project, 'build', 'p.yaml', 'dataset');
    expect(scarce.stderr).toMatch(
      /warning: 6\d MiB are free at .*, and nothing is run below 8 MiB; free some space$/m,
    );
    leave(4 * 2 ** 20);
    const full = await command(project, 'build', 'p.yaml', 'dataset');
    expect(full.stderr).toMatch(/warning: \d MiB are free at .*: no answer can be kept below 8 MiB/);
    const doctor = await command(project, 'doctor', 'p.yaml', '--json');
    const { probes, ok } = JSON.parse(doctor.stdout) as { probes: Probe[]; ok: boolean };
    expect(probes.find(({ name }) => name === 'disk')).toMatchObject({
      status: 'miss',
      detail: expect.stringMatching(/^\d MiB free at /),
      remedy: expect.stringContaining('free some space'),
    });
    expect(ok).toBe(false);
  });
});

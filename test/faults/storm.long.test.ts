/**
 * The quickstart in a storm: whole builds are killed at random moments, and single processes of builds (its own, its helpers', those in
 * workspaces) stand still for 1 to 20 seconds. Each answer is that of an undisturbed build, but for the task that is
 * flaky on purpose. Needs a package index. 50 kills take half an hour, 50 pauses too.
 *
 * STORM_KILLS (50), STORM_PAUSES (50), STORM_SEED (1); STORM_MATCH, a pattern of the tasks (all).
 */
import { describe, expect, test } from 'vitest';
import { hasPackageIndex, quickstart } from '../rig/quickstart.ts';
import { CALM, storm } from '../rig/storm.ts';

const { STORM_KILLS = '50', STORM_PAUSES = '50', STORM_SEED = '1', STORM_MATCH } = process.env;
const words = STORM_MATCH === undefined ? [] : ['--set', `dataset.train.select.match=${STORM_MATCH}`];
const options = { seed: Number(STORM_SEED), words };

describe.skipIf(!hasPackageIndex())('the quickstart', { timeout: 0 }, () => {
  test('killed', async () => {
    const kills = Number(STORM_KILLS);
    expect(await storm(quickstart(), 'quickstart.yaml', { ...options, kills })).toMatchObject({
      ...CALM,
      kills,
    });
  });

  test('standing still', async () => {
    const pauses = Number(STORM_PAUSES);
    expect(await storm(quickstart(), 'quickstart.yaml', { ...options, pauses })).toMatchObject({
      ...CALM,
      pauses,
    });
  });
});

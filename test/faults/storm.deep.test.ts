/** Builds that are killed, and builds whose processes stand still, at random moments give the answers of an undisturbed one. */
import { expect, test } from 'vitest';
import { CALM, type StormOptions, storm } from '../rig/storm.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const onTiny = (options: StormOptions) =>
  storm(tinyProject({ instances: 2, seconds: 1, isCold: true }), 'p.yaml', options);

test('killed', async () => {
  expect(await onTiny({ kills: 3 })).toMatchObject({ ...CALM, kills: 3 });
});

test('standing still', async () => {
  expect(await onTiny({ pauses: 4 })).toMatchObject({ ...CALM, pauses: 4 });
});

import { configDefaults, defineConfig } from 'vitest/config';
import { FailedNames } from './test/rig/failed-names.ts';
import { filesLeftOut } from './test/rig/sampled.ts';
import { SlowFirst } from './test/rig/slow-first.ts';

/**
 * Tests that take more than some seven seconds: `npm run test:deep`, and no part of `npm test`. Those of them for which a whole run in CI has no time
 * are `npm run test:long`.
 */
const DEEP = 'test/**/*.deep.test.ts';
const LONG = 'test/**/*.long.test.ts';
const asked = process.env.TEST_DEEP !== undefined ? DEEP : process.env.TEST_LONG !== undefined ? LONG : null;

export default defineConfig({
  test: {
    include: [asked ?? 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(asked === null ? [DEEP, LONG] : filesLeftOut())],
    // A test that asserted nothing says `skip`, with a reason.
    expect: { requireAssertions: true },
    reporters: ['default', new FailedNames()],
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    // More than there are cores: tests wait for other processes for a third of their time.
    maxWorkers: 3,
    // Tests that run at once within a file only wait.
    maxConcurrency: 20,
    // Only what hangs is ended: a loaded machine takes a minute for what takes a second elsewhere.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ['test/rig/at-end.setup.ts', 'test/rig/sampled.setup.ts'],
    globalSetup: ['test/rig/warm-cache.setup.ts'],
  },
});

import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that take minutes: `npm run test:deep`, and no part of `npm test`. */
const isDeep = process.env.TEST_DEEP !== undefined;
const DEEP = 'test/**/*.deep.test.ts';

export default defineConfig({
  test: {
    include: [isDeep ? DEEP : 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isDeep ? [] : [DEEP])],
    // A test that asserted nothing says `skip`, with a reason.
    expect: { requireAssertions: true },
    pool: 'forks',
    // More than there are cores: tests wait for other processes for a third of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: [],
  },
});

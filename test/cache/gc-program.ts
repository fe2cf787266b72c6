/** gc as a program of its own: `gc-program.mjs CACHE MAX_AGE_DAYS IN_DAYS`. Prints its report. */
import { openCache } from '../../cache/cache.ts';
import { collectGarbage } from '../../cache/gc.ts';

const DAY = 24 * 3600 * 1000;
const [root, maxAge, inDays] = process.argv.slice(2);
const cache = await openCache(root!);
const limits = { maxSize: null, maxAge: Number(maxAge) * DAY, keepRuns: null, failed: false };
const options = { run: '20990101T000000-gc', now: Date.now() + Number(inDays) * DAY, dryRun: false };
const report = await collectGarbage(cache, limits, options);
await cache.close();
process.stdout.write(JSON.stringify(report));

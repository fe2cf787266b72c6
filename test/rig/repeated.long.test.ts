/**
 * The suite several times, beside busy processes if asked: how often it is red for reasons of its own. Without SUITE_RUNS
 * it skips. Each run is a line of `suite-runs.log`, which git ignores.
 *
 *     SUITE_RUNS=10 SUITE_BUSY=4 npm run test:long -- test/rig/repeated.long.test.ts
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { burners } from './pausing.ts';

const ROOT = join(import.meta.dirname, '../..');
const RESULTS = join(ROOT, 'suite-runs.log');

/** One run of the suite. */
interface Run {
  /** Of the sources, with a `+` where they were changed since. */
  commit: string;
  /** When it began, in UTC, and the seconds that it took. */
  began: string;
  seconds: number;
  /** Busy processes beside it, and the mean number of processes that ran or wanted to in its last minute. */
  busy: number;
  load: number;
  exitCode: number | null;
  /** Files and names of failed tests. */
  red: string[];
}

function commitOfSources(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
}

/** Runs `npm test`; `files` are the files that run, none for all. */
async function runSuite(files: readonly string[], busy: number): Promise<Run> {
  const began = new Date();
  const commit = commitOfSources();
  const { TEST_LONG: _, ...env } = process.env;
  const neighbours = burners(busy);
  try {
    const child = spawn('npm', ['test', '--', ...files], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const red = [...output.matchAll(/^failed: (.*)$/gm)].map((match) => match[1]!);
    const seconds = Math.round((Date.now() - began.getTime()) / 1000);
    const load = Number(loadavg()[0]!.toFixed(1));
    return { commit, began: began.toISOString(), seconds, busy, load, exitCode, red };
  } finally {
    neighbours.end();
  }
}

if (process.env.SUITE_RUNS === undefined)
  console.log('skipped: the suite several times: SUITE_RUNS says how often');

test.skipIf(process.env.SUITE_RUNS === undefined)(
  'the suite is green each time',
  { timeout: 0 },
  async () => {
    const files = (process.env.SUITE_FILES ?? '').split(' ').filter(Boolean);
    const runs: Run[] = [];
    for (let round = 0; round < Number(process.env.SUITE_RUNS); round += 1) {
      const run = await runSuite(files, Number(process.env.SUITE_BUSY ?? 0));
      appendFileSync(RESULTS, `${JSON.stringify(run)}\n`);
      runs.push(run);
    }
    expect(runs.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  },
);

/**
 * The witness of tests of JavaScript: code that Node loads before anything else, and that sees what a runner's tests came to where it is
 * decided. It adds two tests to each run, one that must pass and one that must fail, and names what is replaced while tests run. It is in the
 * process of the code under test, so code that looks for it can forge it.
 */
import { pathId, pathInId, withoutDuration } from '../../parsers/log-lines.ts';
import { recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { hasCanaries, type Run, readRun, stateOf } from '../records.ts';
import { COMMON } from './witness/common.ts';
import { JASMINE } from './witness/jasmine.ts';
import { JEST } from './witness/jest.ts';
import { MOCHA } from './witness/mocha.ts';
import { NODE_TEST, NODE_TEST_LOADER } from './witness/node-test.ts';
import { VITEST, VITEST_LOADER } from './witness/vitest.ts';

/** One part for each runner. */
const SOURCE = [COMMON, MOCHA, JEST, JASMINE, VITEST, NODE_TEST].join('');

export async function npmWitness({ folder, nonce, command }: WitnessRequest): Promise<EcosystemWitness> {
  const code = `${folder}.cjs`;
  const loader = `${folder}.mjs`;
  const testLoader = `${folder}-test.mjs`;
  const named = `const CODE = ${JSON.stringify(code)};\n`;
  return {
    files: {
      [code]: SOURCE,
      [loader]: `${named}${VITEST_LOADER}`,
      [testLoader]: `${named}${NODE_TEST_LOADER}`,
      [`${folder}/made`]: '',
    },
    before: [
      'export SWEMAKE_NODE_OPTIONS="$NODE_OPTIONS"',
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce} NODE_OPTIONS="--require=${code} $NODE_OPTIONS"`,
    ],
    command,
    watched: [code, loader, testLoader],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce),
  };
}

function seenIn(records: readonly string[], secret: string): Seen {
  const mark = secret.slice(0, 16);
  const isCanary = (id: string) => id.includes(mark);
  const named = (word: string) => (path: readonly string[]) => path.at(-1) === `swemake ${mark} ${word}`;
  const statuses = new Map<string, Status>();
  const runs = records.map((record) => readRun(record, secret));
  const sound = runs.filter((run) => run !== null);
  for (const { path, status } of sound.flatMap(({ tests }) => tests))
    if (status !== null && !path.some(isCanary))
      for (const id of idsOf(path)) recordWorst(statuses, id, status);
  const isSound = (run: Run) => run.isIdle || hasCanaries(run, named('passes'), named('fails'));
  return {
    state: stateOf(runs, ({ ended }) => ended),
    statuses,
    modified: [...new Set(sound.flatMap(({ modified }) => modified))],
    canaries: sound.every(isSound) ? null : 'in a run of the tests',
    isCanary,
  };
}

/**
 * The ids of a test as parsers write them. path: the file, the suites and the title; mocha's has the full title alone. Reporters name files from
 * where they were started, which may be any folder above.
 */
function* idsOf(path: readonly string[]): Generator<string> {
  if (path.length === 1) {
    const [name = ''] = path;
    yield name;
    // TAP has no number signs in titles.
    yield name.replaceAll('#', '');
    return;
  }
  const [file = '', ...written] = path;
  for (const titles of [written, written.map((title) => withoutDuration(title.trim()))]) {
    yield pathId(titles);
    yield titles.join(' ');
    yield titles.at(-1)!;
    const local = pathInId(file);
    for (let at = 0; at >= 0; at = local.indexOf('/', at + 1))
      yield pathId([local.slice(at === 0 ? 0 : at + 1), ...titles]);
  }
}

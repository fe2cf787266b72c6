/**
 * The witness of tests of JavaScript: code that Node loads before anything else, and that sees what a runner's tests came to where it is
 * decided. It adds two tests to each run, one that must pass and one that must fail, and names what is replaced while tests run. It is in the
 * process of the code under test, so code that looks for it can forge it.
 */
import { pathId, pathInId, withoutDuration } from '../../parsers/log-lines.ts';
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import { parseKarma } from '../../parsers/swebench-javascript.ts';
import { UNMEASURED } from '../../patches/test-files.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { hasCanaries, numbered, type Run, readRun, Sharing, stateOf } from '../records.ts';
import { COMMON } from './witness/common.ts';
import { JASMINE } from './witness/jasmine.ts';
import { JEST } from './witness/jest.ts';
import { KARMA, karmaScripts } from './witness/karma.ts';
import { MOCHA } from './witness/mocha.ts';
import { NODE_TEST, NODE_TEST_LOADER } from './witness/node-test.ts';
import { QUNIT } from './witness/qunit.ts';
import { VITEST, VITEST_LOADER } from './witness/vitest.ts';

/** One part for each runner. */
const SOURCE = [COMMON, MOCHA, JEST, JASMINE, VITEST, NODE_TEST, QUNIT, KARMA].join('');

export async function npmWitness({
  folder,
  nonce,
  command,
  instance,
  testFiles,
}: WitnessRequest): Promise<EcosystemWitness> {
  const code = `${folder}.cjs`;
  const loader = `${folder}.mjs`;
  const testLoader = `${folder}-test.mjs`;
  const inBrowsers = Object.entries(karmaScripts(markOf(nonce))).map(
    ([part, script]) => [`${folder}-karma-${part}.js`, script] as const,
  );
  const listed = new Set([...instance.FAIL_TO_PASS, ...instance.PASS_TO_PASS]);
  const named = `const CODE = ${JSON.stringify(code)};\n`;
  return {
    files: {
      [code]: SOURCE,
      [loader]: `${named}${VITEST_LOADER}`,
      [testLoader]: `${named}${NODE_TEST_LOADER}`,
      ...Object.fromEntries(inBrowsers),
      [`${folder}/made`]: '',
    },
    before: [
      'export SWEMAKE_NODE_OPTIONS="$NODE_OPTIONS"',
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce} NODE_OPTIONS="--require=${code} $NODE_OPTIONS"`,
    ],
    command,
    watched: [code, loader, testLoader, ...inBrowsers.map(([path]) => path)],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce, listed, new Set(testFiles)),
  };
}

const markOf = (secret: string) => secret.slice(0, 16);

function seenIn(
  records: readonly string[],
  secret: string,
  listed: ReadonlySet<string>,
  restored: ReadonlySet<string>,
): Seen {
  const mark = markOf(secret);
  const isCanary = (id: string) => id.includes(mark);
  const named = (word: string) => (path: readonly string[]) =>
    path.join(' ').endsWith(`swemake ${mark} ${word}`);
  const statuses = new Map<string, Status>();
  const files = listedFiles(listed);
  const runs = records.map((record) => readRun(record, secret));
  const sound = runs.filter((run) => run !== null);
  const sharing = new Sharing();
  const tests = sound.flatMap(numbered).filter(({ path }) => !path.some(isCanary));
  const ofMocha = mochaNames(
    tests.map(({ path }) => path),
    listed,
  );
  const namesOf = (path: readonly string[], status: Status) =>
    path[0] === MOCHA_PATH ? ofMocha(path, status) : idsOf(path);
  for (const { path, status, own } of tests)
    if (status !== null) {
      const isMocha = path[0] === MOCHA_PATH;
      if (!isMocha) for (const id of filesOf(path, status, files)) recordWorst(statuses, id, status);
      for (const id of namesOf(path, status)) {
        // TAP calls a skipped test `ok`, and says behind its title that it was skipped.
        recordWorst(statuses, id, isMocha && id.endsWith(SKIP) ? 'PASSED' : status);
        sharing.add(id, own);
      }
    }
  for (const run of sound)
    for (const [id, status] of parseKarma(karmaTree(run)))
      if (isStatus(status)) recordWorst(statuses, id, status);
  const isSound = (run: Run) => run.isIdle || hasCanaries(run, named('passes'), named('fails'));
  return {
    state: stateOf(runs, ({ ended }) => ended),
    statuses,
    several: sharing.counts(),
    modified: [...new Set(sound.flatMap(({ modified }) => modified))],
    observed: observedIn(sound, listed, restored, (path) => namesOf(path, 'PASSED')),
    canaries: sound.every(isSound) ? null : 'in a run of the tests',
    isCanary,
  };
}

/** What the grader compares: of tests by the listed ids that name them. Lines are the same only in files that a patch cannot change. */
function observedIn(
  runs: readonly Run[],
  listed: ReadonlySet<string>,
  restored: ReadonlySet<string>,
  namesOf: (path: readonly string[]) => Iterable<string>,
): [string, string, string][] {
  const found: [string, string, string][] = [];
  const failures = new Map<string, number>();
  const local = (path: string) => path.replace(/^\/testbed\//, '');
  const placeOf = (place: string) => {
    const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(local(place)) ?? [];
    return restored.has(file) ? `${file}:${line}` : place === '*' ? place : '?';
  };
  for (const [subject = '', value = '', ...key] of runs.flatMap(({ seen }) => seen)) {
    if (subject !== 'asserted' && subject !== 'failures') {
      found.push([subject, local(key.join(' ')), local(value)]);
      continue;
    }
    for (const id of new Set(namesOf(key))) {
      if (!listed.has(id)) continue;
      if (subject === 'asserted')
        for (const place of value.split(' ')) found.push([subject, id, placeOf(place)]);
      else failures.set(id, (failures.get(id) ?? 0) + Number(value));
    }
  }
  return [
    ...found,
    ...[...failures].map(([id, count]): [string, string, string] => ['failures', id, `${count}`]),
  ];
}

/**
 * What karma-mocha-reporter prints of a run in karma: each suite once. SWE-bench's parser of it reads other suites than there are where a suite ends
 * within another one, so its ids are known from the whole tree alone.
 */
function karmaTree({ tests }: Run): string {
  const lines = ['Starting browser'];
  const printed = new Set<string>();
  for (const { path, status } of tests.filter(({ path: [runner] }) => runner === 'karma')) {
    const suites = path.slice(1, -1);
    for (const [at, title] of suites.entries()) {
      const whole = JSON.stringify(suites.slice(0, at + 1));
      if (!printed.has(whole)) lines.push(`${'  '.repeat(at + 1)}${title}`);
      printed.add(whole);
    }
    const mark = status === 'PASSED' ? '✔' : status === 'SKIPPED' ? 'ℹ' : '✖';
    lines.push(`${'  '.repeat(path.length - 1)}${mark} ${path.at(-1)}${mark === 'ℹ' ? ' (skipped)' : ''}`);
  }
  return lines.join('\n');
}

/**
 * The listed ids that are files, as SWE-smith's and Multi-SWE-bench's parsers have them: a file passes though it skips tests.
 */
function filesOf(
  [file = '', ...titles]: readonly string[],
  status: Status,
  files: ReturnType<typeof listedFiles>,
) {
  if (titles.length === 0 || status === 'SKIPPED') return [];
  const parts = pathInId(file).split('/');
  return parts.flatMap((_, at) => files.get(parts.slice(at).join('/')) ?? []);
}

/** Listed ids by the file that they may be: vitest names it with how many tests it has. */
function listedFiles(listed: ReadonlySet<string>): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const id of listed) {
    const file = id.replace(/\s{1,9}\(\d{1,9} tests?(?: \| [^()]{0,99})?\)$/, '');
    found.set(file, [...(found.get(file) ?? []), id]);
  }
  return found;
}

/** The first part of the path of mocha's tests. */
const MOCHA_PATH = 'mocha';
/** What mocha's TAP has behind the title of a skipped test. */
const SKIP = ' # SKIP -';

/**
 * Ids of mocha's tests, by the path and the status of each: those of its ids that rows list, so that each test counts once, else all. `spec` has the
 * suites and the title in parts, and some parsers of it the title alone, which counts where no test has it as its full title. JSON names the file.
 */
function mochaNames(paths: readonly (readonly string[])[], listed: ReadonlySet<string>) {
  const whole = new Set(
    paths.filter(([runner]) => runner === MOCHA_PATH).map(([, fullTitle = '']) => fullTitle),
  );
  const isMeasured = listed.size > 0 && !listed.has(UNMEASURED);
  return ([, fullTitle = '', file = '', ...titles]: readonly string[], status: Status): string[] => {
    // TAP has no number signs in titles.
    const tap = fullTitle.replaceAll('#', '');
    const usual = [fullTitle, tap, ...(status === 'SKIPPED' ? [`${tap}${SKIP}`] : [])];
    const title = titles.at(-1) ?? '';
    const suites = titles.slice(0, -1);
    const printed = titles.map((one) => one.trim());
    const short = [withoutDuration(title.trim()), title.trim(), title];
    const joined = suites.join(' ').trim();
    const further = [
      pathId([pathInId(file), joined, title]),
      // Before mocha 7.2 JSON has no file.
      pathId([joined, title]),
      ...short.map((last) => pathId([...printed.slice(0, -1), last])),
      ...short.filter((last) => !whole.has(last)),
    ];
    const ids = [...new Set([...usual, ...further])];
    if (!isMeasured) return ids;
    const named = ids.filter((id) => listed.has(id));
    return named.length > 0 ? named : usual;
  };
}

/**
 * The ids of a test as parsers write them. path: the file, the suites and the title. Reporters name files from where they were started, which may be
 * any folder above.
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
  const plain = written.map((title) => withoutDuration(title.trim()));
  // Reporters print the first line of a title.
  const lines = written.map((title) => title.split('\n', 1)[0]!.trimEnd());
  const hasLines = written.some((title) => title.includes('\n'));
  for (const titles of hasLines ? [written, plain, lines] : [written, plain]) {
    yield pathId(titles);
    yield titles.join(' ');
    yield titles.at(-1)!;
    const local = pathInId(file);
    for (let at = 0; at >= 0; at = local.indexOf('/', at + 1)) {
      const named = local.slice(at === 0 ? 0 : at + 1);
      yield pathId([named, ...titles]);
      // As Multi-SWE-bench's parser of jest has them.
      yield `${named}:${titles.at(-1)}`;
    }
  }
}

/**
 * The witness of Java's tests: an agent in each machine that the tests' command starts. It sees what JUnit's tests came to where it is decided. In
 * each process it also runs two tests of its own by the project's JUnit, before and behind all others, one that must pass and one that
 * must fail; no report has them. Classes of JUnit and of assertions that come from folders are named: a patch may bring some that stand before those of
 * packages. It is in the process of the code under test, so code that looks for it can forge it.
 */
import { recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { hasCanaries, readRun, Sharing, stateOf } from '../records.ts';
import { AGENT } from './java.ts';

const CANARY = 'swemake.Canary';

export async function mavenWitness({
  folder,
  nonce,
  command,
  instance,
}: WitnessRequest): Promise<EcosystemWitness> {
  const listed = new Set([...instance.FAIL_TO_PASS, ...instance.PASS_TO_PASS]);
  return {
    files: { [`${folder}/made`]: '' },
    before: [`export JAVA_TOOL_OPTIONS="-javaagent:${AGENT}=${nonce}:${folder} \${JAVA_TOOL_OPTIONS:-}"`],
    command,
    watched: [AGENT],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce, listed),
  };
}

function seenIn(records: readonly string[], secret: string, listed: ReadonlySet<string>): Seen {
  const isCanary = (id: string) => id.startsWith(CANARY);
  const named = (word: string) => (path: readonly string[]) => isCanary(path[0]!) && path[1] === word;
  const statuses = new Map<string, Status>();
  const runs = records.map((record) => readRun(record, secret));
  const sound = runs.filter((run) => run !== null);
  const sharing = new Sharing();
  for (const { path, status } of sound.flatMap(({ tests }) => tests))
    if (status !== null && !isCanary(path[0]!))
      for (const id of [...idsOf(path), ...chosenBy(path, listed)]) {
        recordWorst(statuses, id, status);
        sharing.add(id, path[0]!);
      }
  return {
    // A machine that ends reports nothing, so a test in which it ends has no end.
    state: stateOf(runs, ({ tests }) => tests.every(({ status }) => status !== null)),
    statuses,
    several: sharing.counts(),
    modified: [...new Set(sound.flatMap(({ modified }) => modified))],
    canaries: sound.every((run) => hasCanaries(run, named('passes'), named('fails')))
      ? null
      : 'in a run of JUnit',
    isCanary,
  };
}

/**
 * What SWE-bench's commands choose by -Dtest, of the listed ids, or all of it where none are listed: a class and those in it, also without packages.
 * Of the listed ids also those of SWE-smith's parsers: a method, alone or with its class; and of Multi-SWE-bench's: a class within a class.
 */
function chosenBy([owner = '', method = '']: readonly string[], listed: ReadonlySet<string>): string[] {
  const outer = owner.replace(/\$.*/, '');
  const simple = outer.slice(outer.lastIndexOf('.') + 1);
  const ids = [outer, simple, `${simple}#${method}`];
  if (listed.size === 0) return ids;
  const name = method.replace(/\(\)$/, '');
  const ofSmith = [method, name].flatMap((one) => [one, `${owner}.${one}`, `${simple}.${one}`]);
  return [...new Set([owner, ...ids, ...ofSmith])].filter((id) => listed.has(id));
}

/** As parsers write them. path: class, method, and further names of JUnit 5, such as `method(int)[1]`. */
function* idsOf([owner = '', method = '', ...names]: readonly string[]): Generator<string> {
  for (const name of [method, ...names]) {
    yield `${owner}#${name}`;
    // JUnit 5 writes parentheses where there are no parameters as well.
    if (name.endsWith('()')) yield `${owner}#${name.slice(0, -2)}`;
  }
}

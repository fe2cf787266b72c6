/**
 * swemake's parser for the text of GoogleTest. The id of a test is `Suite.Name`, or `binary::Suite.Name` when CTest ran
 * the binaries with -V, which numbers their lines: with -j they stand between each other. Parameters that are printed behind
 * a name, often as addresses, are no part of it.
 */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const RUN = /^(?:\d+: )?\[ RUN {6}\] (\S+)$/;
const RESULT = /\[ {2}(?: {5}OK|FAILED |SKIPPED) \] ([^\s,]+)(?:, .*?)?(?: \(\d+ ms\))?$/;
const BINARY = /^ *Start +(\d+): (.+)$/;
const NUMBER = /^(\d+): /;
const STATUS_OF: Readonly<Record<string, Status>> = { O: 'PASSED', F: 'FAILED', S: 'SKIPPED' };

/** Statuses of the tests in a log of GoogleTest. */
export function parseGtest(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  // By the number of the binary; without one, of that which CTest started last.
  const prefixes = new Map<string, string>();
  const running = new Map<string, string>();
  // A test that has no result ended its process.
  const broke = (number: string) => {
    const test = running.get(number);
    if (test !== undefined) recordWorst(statuses, test, 'ERROR');
    running.delete(number);
  };
  for (const line of plainLines(log)) {
    const [, started, name] = BINARY.exec(line) ?? [];
    if (started !== undefined) {
      for (const number of [started, '']) {
        broke(number);
        prefixes.set(number, `${name}::`);
      }
      continue;
    }
    const written = NUMBER.exec(line)?.[1] ?? '';
    const number = prefixes.has(written) ? written : '';
    const prefix = prefixes.get(number) ?? '';
    const begun = RUN.exec(line);
    const test = running.get(number);
    if (begun !== null) {
      broke(number);
      running.set(number, prefix + begun[1]!);
    } else if (test !== undefined) {
      // The result may stand behind the test's own output.
      const at = line.lastIndexOf('[  ');
      const found = at < 0 ? null : RESULT.exec(line.slice(at));
      if (found === null || prefix + found[1]! !== test) continue;
      recordWorst(statuses, test, STATUS_OF[found[0].slice(3).trimStart()[0]!]!);
      running.delete(number);
    }
  }
  for (const number of [...running.keys()]) broke(number);
  return statuses;
}

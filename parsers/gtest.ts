/**
 * swemake's parser for the text of GoogleTest. The id of a test is `Suite.Name`, or `binary::Suite.Name` when CTest ran
 * the binaries with -V. Parameters that are printed behind a name, often as addresses, are no part of it.
 */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const RUN = /^(?:\d+: )?\[ RUN {6}\] (\S+)$/;
const RESULT = /\[ {2}(?: {5}OK|FAILED |SKIPPED) \] ([^\s,]+)(?:, .*?)?(?: \(\d+ ms\))?$/;
const BINARY = /^ *Start +\d+: (.+)$/;
const STATUS_OF: Readonly<Record<string, Status>> = { O: 'PASSED', F: 'FAILED', S: 'SKIPPED' };

/** Statuses of the tests in a log of GoogleTest. */
export function parseGtest(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  let prefix = '';
  let running: string | null = null;
  // A test that has no result ended its process.
  const broke = () => {
    if (running !== null) recordWorst(statuses, running, 'ERROR');
    running = null;
  };
  for (const line of plainLines(log)) {
    const begun = RUN.exec(line);
    const binary = BINARY.exec(line);
    if (binary !== null) {
      broke();
      prefix = `${binary[1]}::`;
    } else if (begun !== null) {
      broke();
      running = prefix + begun[1]!;
    } else if (running !== null) {
      // The result may stand behind the test's own output.
      const at = line.lastIndexOf('[  ');
      const found = at < 0 ? null : RESULT.exec(line.slice(at));
      if (found === null || prefix + found[1]! !== running) continue;
      recordWorst(statuses, running, STATUS_OF[found[0].slice(3).trimStart()[0]!]!);
      running = null;
    }
  }
  broke();
  return statuses;
}

/** The runs of an instance's tests in the log of its validation. Pure. */
import { isCanaryOfAnyRun } from '../../ecosystems/records.ts';
import { readTestLog } from '../../grading/logs/log.ts';
import type { LogParser } from '../../parsers/registry.ts';
import type { StatusMap } from '../../parsers/status.ts';
import type { Runs } from './lists.ts';

const HEAD =
  /^== (untouched|empty patch|gold patch, run \d+ of \d+) · (exit code \S+|time limit) · [\d.]+ s$/;

/** Null where a run is missing or was not finished; `detail` says which. */
export function runsIn(log: string, parser: LogParser): { runs: Runs } | { detail: string } {
  const sections = new Map<string, { lines: string[]; timedOut: boolean }>();
  let open: string[] | null = null;
  for (const line of log.split('\n')) {
    const [, title, end] = HEAD.exec(line) ?? [];
    if (title !== undefined) {
      // Tests that were hindered are run once more: the last run counts.
      open = [];
      sections.set(title, { lines: open, timedOut: end === 'time limit' });
    } else open?.push(line);
  }
  const before: StatusMap[] = [];
  const gold: StatusMap[] = [];
  for (const [title, { lines, timedOut }] of sections) {
    if (timedOut) return { detail: `${title}: the tests ran into their time limit` };
    const { statusMap } = readTestLog(lines.join('\n'), parser);
    const own = new Map([...statusMap].filter(([id]) => !isCanaryOfAnyRun(id)));
    (title.startsWith('gold') ? gold : before).push(own);
  }
  if (before.length === 0) return { detail: 'its tests were not run' };
  if (gold.length === 0) return { detail: 'its tests were not run with the gold patch' };
  if (gold.every((run) => run.size === 0)) return { detail: 'the output of its tests names none' };
  return { runs: { before, gold } };
}

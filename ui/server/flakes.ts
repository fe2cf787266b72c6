/** Flaky tests: what each run of an item reported about them in its log. */
import { readText } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import type { ValidationTests } from '../../grading/rules/validation.ts';
import type { FlakeView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';

const ITEMS = 200;
const TESTS = 40;
/** Bytes of a log that are looked at. */
const LOG = 4 << 20;

export async function flakes(project: LiveProject): Promise<{ flakes: FlakeView[]; more: number }> {
  const { end, session } = project.snapshot;
  const found: FlakeView[] = [];
  let more = 0;
  for (const [address, { state, blocked }] of end.nodes) {
    if (blocked !== null || state.counts.flaky === 0) continue;
    for (const { name, key, outcome } of state.eachEntry()) {
      if (outcome.status !== 'flaky') continue;
      if (found.length === ITEMS) {
        more += 1;
        continue;
      }
      const record = key === null ? undefined : session.cache.database.records.get(binaryKey(key));
      const log = session.services.secrets
        .redact((await readText(session.cache, record?.notes.log)) ?? '')
        .slice(-LOG);
      const tests = await readText(session.cache, record?.outputs.tests);
      const unstable = tests === null ? [] : ((JSON.parse(tests) as ValidationTests).unstable ?? []);
      const named = unstable.length > 0 ? unstable : testsNamedIn(outcome.detail);
      const runs = runsIn(log);
      found.push({
        item: `${address}@${name}`,
        stage: state.node.stage,
        detail: outcome.detail,
        runs: runs.map(({ title }) => title),
        tests: named.slice(0, TESTS).map((test) => ({
          test,
          statuses: runs.map(({ lines }) => statusIn(test, lines)),
        })),
      });
    }
  }
  return { flakes: found, more };
}

/** Parts of a log that are runs of tests. */
function runsIn(log: string): { title: string; lines: string[] }[] {
  const parts: { title: string; lines: string[] }[] = [];
  for (const line of log.split('\n')) {
    const title = /^== (.+)$/.exec(line)?.[1];
    if (title !== undefined) parts.push({ title: title.slice(0, 80), lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts.filter(({ lines }) => lines.some((line) => STATUS.test(line)));
}

const STATUS = /\b(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b|\.\.\. (ok|FAIL|ERROR|skipped)\b/;

/** The last line with the test and a status. */
function statusIn(test: string, lines: readonly string[]): string {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]!;
    const found = line.includes(test) ? STATUS.exec(line) : null;
    if (found !== null) return (found[1] ?? found[2] ?? '').toUpperCase();
  }
  return '';
}

/** A detail names the first few, after `on`. */
function testsNamedIn(detail: string): string[] {
  const named = /(?:disagree on|on) (.+?)(?: and \d+ more)?$/.exec(detail)?.[1] ?? '';
  return named === '' ? [] : named.split(/, (?=\S+)/);
}

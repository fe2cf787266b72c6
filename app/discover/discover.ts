/**
 * Measures FAIL_TO_PASS and PASS_TO_PASS of rows: they are validated with a test that is not there, which runs their tests
 * before and, several times, with the gold patch; and once more with the lists that follow. Only rows whose lists hold
 * there are returned.
 */
import type { ResolvedProject } from '../../compiler/load.ts';
import type { RawRow } from '../../formats/row.ts';
import { findParser } from '../../parsers/registry.ts';
import { UNMEASURED } from '../../patches/test-files.ts';
import { isFault, type Outcome } from '../../schemas/outcome.ts';
import { recipeOf } from '../mutation/tests.ts';
import { listsOf, type Measured } from './lists.ts';
import { runsIn } from './runs.ts';
import type { RowsProject, ValidatedRow } from './validated.ts';

/** Why a row has no lists. */
export interface LeftOut {
  reason: string;
  detail: string;
  /** It was the machine, the network or a stop; the row may have lists. */
  isFault: boolean;
}

export type Discovered = ({ isMeasured: true } & Measured) | ({ isMeasured: false } & LeftOut);

/** What was found of each row, by instance_id. */
export async function discoverTests(
  rows: readonly RawRow[],
  rowsProject: RowsProject,
): Promise<Map<string, Discovered>> {
  const open = rows.map((row) => ({ ...row, FAIL_TO_PASS: [UNMEASURED], PASS_TO_PASS: [] }));
  const first = await rowsProject.validate(open);
  const found = new Map<string, Discovered>();
  const listed: RawRow[] = [];
  for (const row of rows) {
    const id = String(row.instance_id);
    const one = measured(row, first.get(id), rowsProject.project);
    found.set(id, one);
    const { FAIL_TO_PASS, PASS_TO_PASS } = one.isMeasured ? one : { FAIL_TO_PASS: [], PASS_TO_PASS: [] };
    if (one.isMeasured) listed.push({ ...row, FAIL_TO_PASS, PASS_TO_PASS });
  }
  if (listed.length === 0) return found;
  const second = await rowsProject.validate(listed);
  for (const { instance_id: id } of listed) {
    const { outcome } = second.get(String(id)) ?? STOPPED;
    if (outcome.status !== 'ok') found.set(String(id), leftOut(outcome));
  }
  return found;
}

const STOPPED: ValidatedRow = {
  outcome: { status: 'stopped', reason: 'cancelled', detail: 'it was not reached' },
  log: null,
};

function measured(row: RawRow, validated: ValidatedRow = STOPPED, project: ResolvedProject): Discovered {
  const { outcome, log } = validated;
  if (log === null || isFault(outcome) || outcome.status === 'timeout') return leftOut(outcome);
  const runs = runsIn(log, parserOf(row, project));
  if ('detail' in runs) {
    // The environment, the patch or the tests say why.
    const isAnswer = outcome.status === 'failed' && outcome.reason !== 'gold-fails';
    return isAnswer ? leftOut(outcome) : left('no-tests-ran', runs.detail);
  }
  const lists = listsOf(runs.runs);
  if (lists.broken.length > 0)
    return left(
      'gold-breaks-tests',
      `tests fail with the gold patch that passed before: ${few(lists.broken)}`,
    );
  if (lists.FAIL_TO_PASS.length > 0) return { isMeasured: true, ...lists };
  return lists.unstable.length > 0
    ? left('flaky', `no test begins to pass each time; repeats disagree on ${few(lists.unstable)}`)
    : left('no-failing-test', 'no test begins to pass with the gold patch');
}

function parserOf(row: RawRow, project: ResolvedProject) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const recipe = typeof row.recipe === 'object' && row.recipe !== null ? row.recipe : {};
  const names = { repo: text(row.repo), version: text(row.version), recipe };
  return findParser(recipeOf(names, project).parser)!;
}

function leftOut(outcome: Outcome): Discovered {
  if (outcome.status === 'ok') return left('no-tests-ran', 'its checks left no log');
  return { isMeasured: false, reason: outcome.reason, detail: outcome.detail, isFault: isFault(outcome) };
}

function left(reason: string, detail: string): Discovered {
  return { isMeasured: false, reason, detail, isFault: false };
}

function few(ids: readonly string[]): string {
  return `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`;
}

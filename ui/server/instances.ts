/** Instances by result: filtered, a page at a time, with the number that each filter would leave. */
import { isBaseline } from '../../agent/kinds/registry.ts';
import { FUNNEL, type InstancePage, type InstanceRow } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import type { Row, Rows, Sample } from './rows.ts';

const MAX_ROWS = 500;
/** Values of a facet that are listed. */
const LISTED = 40;

export interface InstanceQuery {
  dataset: string;
  status: string;
  reason: string;
  repo: string;
  reward: string;
  finding: string;
  environment: string;
  /** A step of the funnel: instances that reached the step before it and not this one. */
  lost: string;
  /** A step of the funnel: instances that reached it. */
  reached: string;
  text: string;
  sort: string;
  from: number;
  count: number;
}

type Facet = keyof InstancePage['facets'];
const FACETS: readonly Facet[] = ['status', 'reason', 'repo', 'reward', 'finding', 'dataset'];

/** All instances that fit a query, sorted. */
interface Found {
  rows: readonly Row[];
  total: number;
  all: number;
  facets: InstancePage['facets'];
}

/** The last search of a project: a list that is scrolled asks for the next rows of the same query. */
const LAST = new WeakMap<LiveProject, { changes: number; wanted: string; found: Found }>();

export async function instances(project: LiveProject, query: InstanceQuery): Promise<InstancePage> {
  const { changes } = project;
  const rows = await project.rows();
  const { from: first, count, ...filters } = query;
  const wanted = JSON.stringify(filters);
  const last = LAST.get(project);
  const isSame = last?.changes === changes && last.wanted === wanted;
  const { rows: sorted, ...found } = isSame ? last.found : search(project, rows, query);
  LAST.set(project, { changes, wanted, found: { rows: sorted, ...found } });
  const from = Math.max(0, Math.min(first, sorted.length));
  const part = sorted.slice(from, from + Math.min(MAX_ROWS, Math.max(1, count)));
  return { ...found, from, rows: part.map((row) => shown(project, row)) };
}

function search(project: LiveProject, { all, steps }: Rows, query: InstanceQuery): Found {
  const valuesOf = (row: Row, facet: Facet): string[] => {
    switch (facet) {
      case 'finding':
        return findingsOf(project, row);
      case 'reward':
        return [rewardGroup(row.samples)];
      default:
        return [row[facet]];
    }
  };
  const text = query.text.toLowerCase();
  const others = (row: Row): boolean =>
    (query.environment === '' || row.environment === query.environment) &&
    (text === '' || row.id.toLowerCase().includes(text) || row.repo.toLowerCase().includes(text)) &&
    (query.lost === '' || isLostAt(row, query.lost, steps.get(row.dataset)!)) &&
    (query.reached === '' || isReached(row, query.reached));
  const wanted = FACETS.filter((facet) => query[facet] !== '');
  const counts = new Map(FACETS.map((facet) => [facet, new Map<string, number>()]));
  const found: Row[] = [];
  for (const row of all) {
    if (!others(row)) continue;
    const failing = wanted.filter((facet) => !valuesOf(row, facet).includes(query[facet]));
    if (failing.length === 0) found.push(row);
    if (failing.length > 1) continue;
    // A facet counts what each of its other values would leave.
    for (const facet of failing.length === 1 ? failing : FACETS) {
      const tally = counts.get(facet)!;
      for (const value of valuesOf(row, facet)) tally.set(value, (tally.get(value) ?? 0) + 1);
    }
  }
  return {
    rows: sortedBy(found, query.sort),
    total: found.length,
    all: all.length,
    facets: Object.fromEntries(
      FACETS.map((facet) => [facet, listed(counts.get(facet)!)]),
    ) as InstancePage['facets'],
  };
}

function shown(project: LiveProject, row: Row): InstanceRow {
  const { dataset, id, repo, status, reason, step, samples } = row;
  const rewards = samples
    .slice(0, 64)
    .map(({ reward }) => reward ?? '?')
    .join('');
  return { dataset, id, repo, status, reason, step, rewards, findings: findingsOf(project, row) };
}

function findingsOf({ tally }: LiveProject, { samples }: Row): string[] {
  return [...new Set(samples.flatMap(({ grade }) => tally.findings(grade)))];
}

/** Baselines do not show how hard an instance is. */
function rewardGroup(samples: readonly Sample[]): string {
  const own = samples.filter(({ who }) => !isBaseline(who));
  const graded = (own.length > 0 ? own : samples).filter(({ reward }) => reward !== null);
  if (graded.length === 0) return 'none';
  const solved = graded.filter(({ reward }) => reward === 1).length;
  if (solved === 0) return 'never solved';
  return solved === graded.length ? 'always solved' : 'sometimes solved';
}

function isLostAt(row: Row, step: string, steps: readonly string[]): boolean {
  const at = steps.indexOf(step);
  return at > 0 && row.step === steps[at - 1];
}

function isReached(row: Row, step: string): boolean {
  return FUNNEL.indexOf(row.step) >= (FUNNEL as readonly string[]).indexOf(step);
}

function sortedBy(rows: Row[], sort: string): Row[] {
  const value: ((row: Row) => string) | null =
    sort === 'id'
      ? (row) => row.id
      : sort === 'repo'
        ? (row) => row.repo
        : sort === 'status'
          ? statusText
          : null;
  if (value === null) return rows;
  return [...rows].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
}

function statusText({ status, reason }: Row): string {
  return `${status} ${reason}`;
}

function listed(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts]
    .filter(([name]) => name !== '')
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, LISTED);
}

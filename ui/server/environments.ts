/** Environments, and failures by cause: what the log says, which instances a repair might win, and what to try. */
import { type ReportedCause, reportedCauses } from '../../app/reported-causes.ts';
import { readText } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import type { Entry } from '../../contract/stage.ts';
import { addressOf } from '../../engine/run.ts';
import { causesOf, type ReportGroup } from '../../stages/filter/causes.ts';
import { type Excerpt, excerptOf } from '../../stages/filter/excerpt.ts';
import type { CauseView, EnvironmentRow, EnvironmentsView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import { stateOf } from './rows.ts';

/** Instances of a cause that are named. */
const NAMED = 200;
const MAX_ROWS = 500;
/** Failures whose logs are read when there is no report. */
const LOOKED_AT = 3000;

export async function environments(project: LiveProject): Promise<EnvironmentsView> {
  const rows = await project.rows();
  const views: EnvironmentsView = { causes: [], lookedAt: null, environments: [] };
  for (const dataset of rows.datasets) {
    const { shown, isPart } = await causes(project, dataset);
    views.causes.push(...shown);
    if (isPart) views.lookedAt = LOOKED_AT;
    views.environments.push(...(await environmentRows(project, dataset)));
  }
  views.causes.sort((a, b) => b.count - a.count);
  views.environments.sort(
    (a, b) => b.failed - a.failed || b.instances - a.instances || (a.name < b.name ? -1 : 1),
  );
  return {
    ...views,
    causes: views.causes.slice(0, MAX_ROWS),
    environments: views.environments.slice(0, 4 * MAX_ROWS),
  };
}

/** Causes from the filter's report. Before it exists, from the answers so far. */
async function causes(
  project: LiveProject,
  dataset: string,
): Promise<{ shown: CauseView[]; isPart: boolean }> {
  const { session, end } = project.snapshot;
  const reported = await reportedCauses(end, session.cache);
  const own = reported.find(({ address }) => address === addressOf('filter', dataset));
  const { causes: found, isPart } =
    own === undefined ? await causesNow(project, dataset) : { ...own, isPart: false };
  const file = session.project.file;
  const shown = found.map(({ instances, environments: named, ...cause }) => ({
    dataset,
    ...cause,
    count: instances.length,
    instances: instances.slice(0, NAMED),
    environments: named.slice(0, NAMED),
    commands: cause.commands.map((command) => command.replace('PROJECT', file)),
  }));
  return { shown, isPart };
}

async function causesNow(
  project: LiveProject,
  dataset: string,
): Promise<{ causes: ReportedCause[]; isPart: boolean }> {
  const { end } = project.snapshot;
  const built = stateOf(end, 'environments', dataset);
  const verdicts = stateOf(end, 'validate', dataset);
  if (verdicts === null || built === null) return { causes: [], isPart: false };
  const rows = await project.rows();
  const groups = new Map<string, ReportGroup>();
  let looked = 0;
  let isPart = false;
  for (const entry of verdicts.eachEntry()) {
    if (entry.outcome.status === 'ok') continue;
    isPart = looked === LOOKED_AT;
    if (isPart) break;
    looked += 1;
    const environment = rows.find(dataset, entry.name)?.environment ?? '';
    const own = built.entry(environment);
    const group = groups.get(environment) ?? {
      environment,
      outcome: own?.outcome ?? { status: 'ok' },
      ...(own === null ? excerptOf(null, { status: 'ok' }) : await excerptFrom(project, own)),
      total: 0,
      items: [],
    };
    groups.set(environment, group);
    const excerpt = await excerptFrom(project, entry);
    group.items.push({ instance: entry.name, outcome: entry.outcome, ...excerpt });
  }
  const causes = causesOf(dataset, [...groups.values()]).map(({ example, ...cause }) => ({
    ...cause,
    commands: [`swemake shell '${example}'`, `swemake build PROJECT '${example}'`],
  }));
  return { causes, isPart };
}

async function excerptFrom(project: LiveProject, { key, outcome }: Entry): Promise<Excerpt> {
  const { cache, services } = project.snapshot.session;
  const record = key === null ? undefined : cache.database.records.get(binaryKey(key));
  const log = await readText(cache, record?.notes.log);
  return excerptOf(log === null ? null : services.secrets.redact(log), outcome);
}

async function environmentRows(project: LiveProject, dataset: string): Promise<EnvironmentRow[]> {
  const { end, session } = project.snapshot;
  const state = stateOf(end, 'environments', dataset);
  if (state === null) return [];
  const counts = new Map<string, { all: number; failed: number }>();
  for (const { environment, status, ...row } of (await project.rows()).all) {
    if (row.dataset !== dataset) continue;
    const known = counts.get(environment) ?? { all: 0, failed: 0 };
    const hasFailed = !['ok', 'open', ''].includes(status);
    counts.set(environment, { all: known.all + 1, failed: known.failed + (hasFailed ? 1 : 0) });
  }
  return state.entries().map(({ name, key, outcome }) => ({
    dataset,
    name,
    status: outcome.status,
    reason: 'reason' in outcome ? outcome.reason : '',
    detail: 'detail' in outcome ? outcome.detail.slice(0, 500) : '',
    instances: counts.get(name)?.all ?? 0,
    failed: counts.get(name)?.failed ?? 0,
    durationMs: key === null ? 0 : (session.cache.database.records.get(binaryKey(key))?.durationMs ?? 0),
    item: `environments.${dataset}@${name}`,
  }));
}

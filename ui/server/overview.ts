/** The first page: stages, funnel, results, costs, and the current run. */

import { evaluations } from '../../app/agent-outcomes.ts';
import { addTo, type Cluster, rateOf } from '../../basics/rates.ts';
import { noCounts } from '../../engine/events.ts';
import type { Endpoint, Overview, StageBox } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import type { Snapshot } from './opened.ts';
import { planItemReason } from './reasons.ts';
import { funnelsOf, type Rows } from './rows.ts';

export async function overview(project: LiveProject): Promise<Overview> {
  const { snapshot, live } = project;
  const { session, end, madeAt, problem } = snapshot;
  const rows = await project.rows();
  return {
    project: session.project.config.name,
    file: session.project.file,
    version: project.version,
    madeAt,
    problem,
    stages: stagesOf(snapshot),
    funnels: funnelsOf(rows),
    results: resultsOf(rows, project.tally),
    evaluations: (await evaluations(session, end)).map(({ name, dataset, rates }) => ({
      ...{ name, dataset, rate: rates.all },
    })),
    tally: project.tally.tally(),
    endpoints: endpointsOf(project),
    run: live.now(),
  };
}

function stagesOf({ end }: Snapshot): StageBox[] {
  return [...end.nodes].map(([address, node]) => {
    const { state, blocked } = node;
    return {
      address,
      stage: state.node.stage,
      dataset: state.node.dataset,
      inputs: [...new Set(Object.values(state.node.inputs))],
      items: blocked === null ? state.size() : null,
      counts: blocked === null ? { ...state.counts } : noCounts(),
      toRun: blocked === null ? state.planned : 0,
      why: planItemReason(node),
    };
  });
}

/** Results of samples, baselines and models. */
function resultsOf({ all }: Rows, tally: LiveProject['tally']): Overview['results'] {
  const groups = new Map<string, { stage: string; who: string; rollouts: number; clusters: Cluster[] }>();
  for (const { dataset, samples } of all) {
    const own = new Map<string, Cluster>();
    for (const { stage, who, reward, grade } of samples) {
      const address = `${stage}.${dataset}`;
      const name = `${address} ${who}`;
      const group = groups.get(name) ?? { stage: address, who, rollouts: 0, clusters: [] };
      groups.set(name, group);
      group.rollouts += 1;
      if (reward === null) continue;
      const cluster = own.get(name) ?? { sum: 0, count: 0 };
      if (cluster.count === 0) group.clusters.push(cluster);
      own.set(name, cluster);
      addTo(cluster, reward, tally.isDoubted(grade));
    }
  }
  return [...groups.values()].map(({ clusters, ...group }) => {
    const graded = clusters.reduce((sum, { count }) => sum + count, 0);
    return { ...group, graded, rate: rateOf(clusters) };
  });
}

/** Endpoints of models, with their faults in the newest run. No request is made for it. */
function endpointsOf({ snapshot, live }: LiveProject): Endpoint[] {
  const found = new Map<string, Endpoint>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { base_url: address, name } = value as { base_url?: unknown; name?: unknown };
    if (typeof address === 'string' && !found.has(address))
      found.set(address, { address, model: typeof name === 'string' ? name : '', faults: 0, last: '' });
    for (const below of Object.values(value)) visit(below);
  };
  visit(snapshot.session.project.config);
  for (const { reason, detail } of live.faults.values()) {
    if (!reason.startsWith('endpoint')) continue;
    for (const endpoint of found.values()) {
      if (found.size > 1 && !detail.includes(endpoint.address)) continue;
      endpoint.faults += 1;
      endpoint.last = detail;
    }
  }
  return [...found.values()];
}

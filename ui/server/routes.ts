/** The data routes: a path, what it reads from its query, and the JSON that it answers with. */
import { explainTargets } from '../../app/explained.ts';
import { nodesOfTarget } from '../../compiler/graph.ts';
import { compare } from './compare.ts';
import { environments } from './environments.ts';
import { flakes } from './flakes.ts';
import { instanceView } from './instance.ts';
import { instances } from './instances.ts';
import type { LiveProject } from './live-project.ts';
import { overview } from './overview.ts';
import { rehearsal } from './rehearsal.ts';
import { logOf, promptOf, rolloutPage, validationOf } from './rollout.ts';
import { stepsTimeOf, timeOf } from './time.ts';

/** A parameter of the query; empty when it is not there. */
type Query = (name: string) => string;

/** Null: not found. */
export type DataRoute = (project: LiveProject, query: Query) => Promise<unknown>;

export const ROUTES: Readonly<Record<string, DataRoute>> = {
  project: async ({ snapshot: { session } }) => ({
    project: session.project.config.name,
    file: session.project.file,
  }),
  overview: (project) => overview(project),
  instances: (project, query) =>
    instances(project, {
      dataset: query('dataset'),
      status: query('status'),
      reason: query('reason'),
      repo: query('repo'),
      reward: query('reward'),
      finding: query('finding'),
      environment: query('environment'),
      lost: query('lost'),
      reached: query('reached'),
      text: query('q'),
      sort: query('sort'),
      from: wholeNumber(query('from'), 0),
      count: wholeNumber(query('count'), 100),
    }),
  instance: (project, query) => instanceView(project, query('dataset'), query('id')),
  rollout: (project, query) => rolloutPage(project, query('item')),
  prompt: (project, query) => promptOf(project, query('item'), wholeNumber(query('call'), 0)),
  validation: (project, query) => validationOf(project, query('item')),
  log: (project, query) => logOf(project, query('item'), wholeNumber(query('at'), 0)),
  environments: (project) => environments(project),
  why: async (project, query) => {
    const target = query('item');
    if (nodesOfTarget(project.snapshot.session.graph, target).length === 0) return null;
    const { places, explained } = await project.opened.alone(() =>
      explainTargets(project.snapshot.session, [target]),
    );
    return { items: explained, more: places.length - explained.length };
  },
  flakes: (project) => flakes(project),
  time: (project, query) => (query('item') === '' ? timeOf(project) : stepsTimeOf(project, query('item'))),
  rehearsal: (project) => rehearsal(project),
  compare: (project, query) => compare(project, query('a'), query('b')),
};

function wholeNumber(text: string, otherwise: number): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : otherwise;
}

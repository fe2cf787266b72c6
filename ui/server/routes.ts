/** The data routes: a path, what it reads from its query, and the JSON that it answers with. */
import { explainTargets } from '../../app/explained.ts';
import { nodesOfTarget } from '../../compiler/graph.ts';
import { compare } from './compare.ts';
import type { Desk } from './desk.ts';
import { environments } from './environments.ts';
import { flakes } from './flakes.ts';
import { instanceView } from './instance.ts';
import { instances } from './instances.ts';
import { overview } from './overview.ts';
import { logOf, promptOf, rolloutPage, validationOf } from './rollout.ts';
import { stepsTimeOf, timeOf } from './time.ts';

/** A parameter of the query; empty when it is not there. */
export type Query = (name: string) => string;

/** Null: there is no such thing. */
export type DataRoute = (desk: Desk, query: Query) => Promise<unknown>;

export const ROUTES: Readonly<Record<string, DataRoute>> = {
  project: async ({ snapshot: { bench } }) => ({
    project: bench.project.config.name,
    file: bench.project.file,
  }),
  overview: (desk) => overview(desk),
  instances: (desk, query) =>
    instances(desk, {
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
  instance: (desk, query) => instanceView(desk, query('dataset'), query('id')),
  rollout: (desk, query) => rolloutPage(desk, query('item')),
  prompt: (desk, query) => promptOf(desk, query('item'), wholeNumber(query('call'), 0)),
  validation: (desk, query) => validationOf(desk, query('item')),
  log: async (desk, query) => logOf(desk, query('item'), wholeNumber(query('at'), 0)),
  environments: (desk) => environments(desk),
  why: async (desk, query) => {
    const target = query('item');
    const { bench } = desk.snapshot;
    if (nodesOfTarget(bench.graph, target).length === 0) return null;
    const { places, explained } = await desk.opened.alone(() => explainTargets(bench, [target]));
    return { items: explained, more: places.length - explained.length };
  },
  flakes: (desk) => flakes(desk),
  time: (desk, query) => (query('item') === '' ? timeOf(desk) : stepsTimeOf(desk, query('item'))),
  compare: (desk, query) => compare(desk, query('a'), query('b')),
};

function wholeNumber(text: string, otherwise: number): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : otherwise;
}

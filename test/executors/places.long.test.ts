/**
 * One project in several places: the sandbox, a Debian release in the sandbox, containers of an engine, and both behind a pool. The
 * verdicts must be the same, an answer of one place may not serve another, and `why` must say what differs. All places build
 * their environments anew, which takes half an hour. PLACES_MATCH: tasks of the quickstart (default: all).
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../basics/package-root.ts';
import { readStart } from '../rig/agent-server.ts';
import { atEnd } from '../rig/at-end.ts';
import { type BuildResult, Project } from '../rig/project.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { noEngine } from './docker-fixture.ts';

const LONG = 3_600_000;
const BASE = 'debian:bookworm';
const NETWORK = { build: 'proxy', rollout: 'off', grade: 'off' };
const PLACES = ['sandbox', 'release', 'docker', 'pool-sandbox', 'pool-docker'];
const STAGES = ['environments.train', 'validate.train', 'grade.train'];

const isPossible = noEngine === null && hasPackageIndex();
const project = new Project();

/** Starts a server of ours; it ends with the test file. */
async function serve(what: string, ...options: string[]): Promise<string> {
  const at = project.path(`${what}-${options.length}-${options.at(-1)!.replaceAll(/\W/g, '')}`);
  const words = ['serve', what, '--listen', '127.0.0.1:0', '--folder', at, ...options];
  const child: ChildProcess = project.start(words);
  atEnd(() => child.kill('SIGTERM'));
  return (await readStart(child, what)).url;
}

async function deployments(): Promise<Record<string, object | null>> {
  const all: Record<string, object | null> = {
    // The quickstart's own is one of them.
    box: null,
    sandbox: { type: 'sandbox', network: NETWORK },
    release: { type: 'sandbox', base: BASE, network: NETWORK },
    docker: { type: 'docker', base: BASE, network: NETWORK },
  };
  for (const backend of ['sandbox', 'docker']) {
    const node = await serve('node', '--max-containers', '8', '--backend', backend);
    const url = await serve('pool', '--node', node);
    const network = { ...NETWORK, build: 'host' };
    all[`pool-${backend}`] = { type: 'pool', url, backend, base: BASE, network };
  }
  return all;
}

/** Verdicts and outcomes in one place; a second build runs nothing. */
async function buildIn(place: string, rest: object): Promise<{ statuses: object; grades: object }> {
  writeFileSync(project.path('places.yaml'), JSON.stringify({ ...rest, validation: { deployment: place } }));
  const why = await project.run('why', 'environments.train', 'validate.train', '--project', 'places.yaml');
  if (place !== PLACES[0]) expect(why.stdout).toMatch(/isolation|work|base|network|backend/);
  const build = await project.build('places.yaml');
  expect(build).toMatchObject({ code: 0 });
  const stages = new Map(build.stages.map((stage) => [stage.stage, stage]));
  const ranHere = ({ items, executed }: BuildResult['stages'][number]) => items > 0 && executed > 0;
  expect(STAGES.filter((name) => !ranHere(stages.get(name)!))).toEqual([]);
  expect(await project.build('places.yaml')).toMatchObject({ code: 0, executed: 0 });
  const file = project.path('out/places/filter.train/run_batch_exit_statuses.yaml');
  const { instances_by_exit_status: statuses } = parse(readFileSync(file, 'utf8'));
  return { statuses, grades: stages.get('grade.train')!.outcomes };
}

test.skipIf(!isPossible)('all places have the same verdicts', { timeout: LONG }, async () => {
  const select =
    process.env.PLACES_MATCH === undefined ? {} : { select: { match: process.env.PLACES_MATCH } };
  const rest = {
    ...{ version: 1, name: 'places', extends: join(packageRoot(), 'projects/quickstart.yaml') },
    ...{ deployments: await deployments(), dataset: { train: select } },
    cache: { folder: project.path('cache') },
  };
  const first = await buildIn(PLACES[0]!, rest);
  for (const place of PLACES.slice(1)) expect(await buildIn(place, rest), place).toEqual(first);
});

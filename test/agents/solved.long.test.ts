/**
 * Each agent that swemake knows by name, and one over ACP, solves three tasks of the quickstart through the model door, and its patches
 * are graded: installed from its registry, in a sandbox and in containers without a network, with a model that answers from a script. It
 * takes minutes, and hundreds of megabytes each.
 * SWE_AGENT_SOURCE: a folder with the source of SWE-agent; without it that is not tried.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NamedProgram } from '../../agent/kinds/outside/kind.ts';
import { PROGRAMS } from '../../schemas/generated/agents.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { noEngine } from '../executors/docker-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { quickstart } from '../rig/quickstart.ts';
import { type Mend, solve } from './solver.ts';
import { sourceOf } from './sources.ts';

const INSTANCES = 3;
const SELECTED = String.raw`dataset: { train: { select: { match: "^andialbrecht.*\\.(increase_constant|change_operator|constant_condition)__" } } }`;
/** Faults of registries and machines: nothing is said of the agent then. */
const OUTSIDE = ['package-index', 'network'];

/** `agent`: its keys as flow YAML, without its model. */
interface Tried {
  title: string;
  agent: string;
}

const named = (name: string) => PROGRAMS.find((program) => program.name === name)!;

/** opencode, spoken to by the Agent Client Protocol instead of started with its task. */
function overAcp(): string {
  const { program, version } = named('opencode');
  const run = 'exec /opt/agent/node_modules/.bin/opencode acp';
  const text = JSON.stringify({ ...program, run }).replaceAll('{{version}}', version);
  return `type: acp, program: ${text}`;
}

/** One without a package is tried where its source is given. */
function byName({ name, source }: NamedProgram): Tried[] {
  if (source === undefined) return [{ title: name, agent: `type: ${name}` }];
  const folder = sourceOf(name);
  return folder === undefined ? [] : [{ title: name, agent: `type: ${name}, source: ${folder}` }];
}

const TRIED: Tried[] = [...PROGRAMS.flatMap(byName), { title: 'opencode over acp', agent: overAcp() }];

/** By the first lines of the tasks. */
const solutions = new Map<string, string>();

const mend: Mend = (text) => {
  const [, solution] = [...solutions].find(([title]) => text.includes(title))!;
  return `echo ${Buffer.from(solution).toString('base64')} | base64 -d | git apply`;
};

beforeAll(async () => {
  const project = quickstart();
  writeFileSync(project.path('p.yaml'), `extends: quickstart.yaml\nname: rows\n${SELECTED}\n`);
  // The oracle applies the known solutions.
  expect((await project.build('p.yaml', 'rollouts')).code).toBe(0);
  const rows = readFileSync(project.path('quickstart.jsonl'), 'utf8').trim().split('\n');
  const titles = new Map(
    rows
      .map((line) => JSON.parse(line) as { instance_id: string; problem_statement: string })
      .map((row) => [row.instance_id, row.problem_statement.split('\n')[0]!]),
  );
  const viewed = await project.run('view', 'rollouts.train@*', '--project', 'p.yaml', '--json');
  for (const line of viewed.stdout.trim().split('\n')) {
    const { trajectory } = JSON.parse(line) as { trajectory: Trajectory };
    if (trajectory.patch !== '') solutions.set(titles.get(trajectory.instance_id)!, trajectory.patch);
  }
  expect(solutions.size).toBe(INSTANCES);
}, 600_000);

function isFine(outcome: unknown): boolean {
  return (outcome as { status: string }).status === 'ok';
}

interface Place {
  place: string;
  isThere: boolean;
  /** Keys of the deployment, as flow YAML. */
  deployment: string;
}

const PLACES: Place[] = [
  { place: 'a sandbox', isThere: true, deployment: 'type: sandbox' },
  { place: 'containers', isThere: noEngine === null, deployment: 'type: docker, base: "debian:bookworm"' },
];

describe.each(PLACES)('an agent from elsewhere in $place', ({ isThere, deployment }) => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer((request) => solve(request, 0, mend), {
      models: [{ id: 'policy', max_model_len: 131_072 }],
    });
  });
  afterAll(() => server.stop());
  /** Of all agents of a place, so that what they share is made once. */
  const cache = join(temporaryFolder(), 'cache');
  mkdirSync(join(cache, 'runs'), { recursive: true });

  test.skipIf(!isThere).for(TRIED)('$title', { timeout: 3_600_000 }, async ({ title, agent }, context) => {
    const project = quickstart();
    const model = `{ base_url: "${server.url}", name: policy, identity: "policy@1", max_tokens: 4096 }`;
    writeFileSync(
      project.path('p.yaml'),
      `extends: quickstart.yaml
${SELECTED}
deployments: { box: { ${deployment}, fallback: null, limits: { memory: 4GiB, pids: 1024, cpus: 2, disk: 8GiB } } }
agent: { ${agent}, baselines: [], model: ${model} }
cache: { folder: ${cache} }
`,
    );
    const before = server.requests.length;
    const shared = relative(project.folder, cache);
    const known = project.events(shared).length;
    const end = await project.build('p.yaml', 'grade');
    const events = project.events(shared).slice(known);
    const others = events.filter((one) => one.type === 'item-finished' && !isFine(one.outcome));
    const away = others.find(({ outcome }) => OUTSIDE.includes((outcome as { reason: string }).reason));
    if (away !== undefined) return context.skip(`not looked at: ${JSON.stringify(away.outcome)}`);
    expect({ others, code: end.code }).toEqual({ others: [], code: 0 });
    expect(end.stages.find(({ stage }) => stage === 'grade.train')?.outcomes).toMatchObject({
      ok: INSTANCES,
    });
    const viewed = await project.run('view', 'rollouts.train@*', '--project', 'p.yaml', '--json');
    const made = viewed.stdout.trim().split('\n');
    expect(made).toHaveLength(INSTANCES);
    for (const line of made) {
      const { trajectory } = JSON.parse(line) as { trajectory: Trajectory };
      expect(trajectory.exit_status).toBe('submitted');
      expect(trajectory.calls.filter(({ agent }) => agent === 'main').length).toBeGreaterThanOrEqual(2);
      // Nothing but the module is in the patch.
      expect(trajectory.patch.match(/^diff --git/gm)).toHaveLength(1);
    }
    const seconds = (stage: string) =>
      events
        .filter((one) => one.type === 'stage-finished' && one.stage === stage)
        .map(({ durationMs }) => Math.round(Number(durationMs) / 1000));
    console.log(
      `${title}: ${server.requests.length - before} requests, installed in ${seconds('agents.train')} s, rollouts in ${seconds('rollouts.train')} s`,
    );
  });
});

/**
 * An agent solves one task of each language, in a sandbox and in containers: it reads, edits, runs the language's own tests without a network and hands
 * in; the patch is graded and made into training data, and the agent server answers with the same. The model answers from a script. What a machine
 * lacks is left out, with the reason. LANGUAGES_CACHE: a folder for caches that go on being used, in place of one of the test's own.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { noEngine } from '../executors/docker-fixture.ts';
import { type AgentServer, askAgent, endAgentServer, startAgentServer } from '../rig/agent-server.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { ScriptedReply } from '../rig/model-reply.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';
import { diff } from './graded.ts';
import { TASKS, type Task, TRIED } from './tasks.ts';

const WAIT = 3_600_000;

/** Of all projects, so that what is built for one stands for the others. */
const folder = temporaryFolder();
const sources = new Map(
  TRIED.map(([name, { files }]) => [
    name,
    `git+${join(folder, name)}@${makeRepository(folder, name, files).at(-1)!}`,
  ]),
);

function taskOf({ body }: ServedRequest): Task {
  const text = body.messages.map(({ content }) => content ?? '').join('\n');
  return TASKS[/\bvalue of (\w+) is wrong/.exec(text)![1]!]!;
}

function turnOf({ body }: ServedRequest): number {
  return body.messages.filter(({ role }) => role === 'assistant').length;
}

const SUBMIT = 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';

/** What an agent does in its turns: name and arguments of a tool. */
const AGENTS: Record<string, (task: Task) => [string, object][]> = {
  bash: ({ file, wrong, right, run }) =>
    [`ls -a && cat ${file}`, `sed -i 's/${wrong}/${right}/' ${file}`, run, SUBMIT].map((line) => [
      'bash',
      { command: line },
    ]),
  tools: ({ file, wrong, right, run }) => [
    ['str_replace_editor', { command: 'view', path: `/testbed/${file}` }],
    [
      'str_replace_editor',
      { command: 'str_replace', path: `/testbed/${file}`, old_str: wrong, new_str: right },
    ],
    ['bash', { command: run }],
    ['submit', {}],
    ['submit', {}],
  ],
};

function reply(agent: string, request: ServedRequest): ScriptedReply {
  const turn = turnOf(request);
  const [name, given] = AGENTS[agent]!(taskOf(request))[turn]!;
  return { text: null, tools: [{ name, arguments: JSON.stringify(given), id: `call_${turn}` }] };
}

interface Place {
  place: string;
  isThere: boolean;
  type: string;
  base: string;
}

const PLACES: Place[] = [
  { place: 'a sandbox', isThere: true, type: 'sandbox', base: 'host' },
  { place: 'containers', isThere: noEngine === null, type: 'docker', base: 'debian:bookworm' },
];

function written({ type, base }: Place, agent: string, url: string, cache: string): Project {
  const project = new Project();
  const rows = TRIED.map(([name, { files, file, wrong, right, tests, tested, failing, passing }]) => {
    return {
      ...{ instance_id: `${name}.1`, repo: `owner/${name}`, source: sources.get(name) },
      ...{ problem_statement: `value of ${name} is wrong`, patch_role: 'fix' },
      patch: diff(file, files[file]!, files[file]!.replace(wrong, right)),
      test_patch: diff(tests, files[tests]!, tested),
      ...{ FAIL_TO_PASS: [failing], PASS_TO_PASS: [passing] },
    };
  });
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const recipes = TRIED.map(([name, { recipe, debian }]) => {
    const more = base === 'host' || debian === undefined ? '' : `, ${debian}`;
    return `    - { match: { repo: owner/${name} }, ${recipe}${more} }`;
  });
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: languages
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
${recipes.join('\n')}
deployments:
  box:
    type: ${type}
    base: ${base}
    limits: { memory: 4GiB, pids: 512 }
    network: { build: proxy, rollout: off, grade: off }
validation: { deployment: box, gold_runs: 1, timeout: 300s }
agent:
  type: ${agent}
  actions: tool-calls
  model: { base_url: "${url}", name: scripted, identity: "scripted@1" }
  limits: { command: 300s }
trainer: { sft: { type: none, style: tools } }
cache: { folder: ${cache} }
`,
  );
  return project;
}

function lines(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

describe.each(PLACES)('in $place', (place) => {
  const cache = join(process.env.LANGUAGES_CACHE ?? temporaryFolder(), place.type);
  mkdirSync(join(cache, 'runs'), { recursive: true });

  describe.skipIf(!place.isThere).each(Object.keys(AGENTS))('the agent %s', (agent) => {
    let model: ModelServer;
    let project: Project;
    let server: AgentServer;

    beforeAll(async () => {
      model = await startModelServer((request) => reply(agent, request));
      project = written(place, agent, model.url, cache);
      const end = await project.run('build', 'p.yaml', 'sft-data');
      process.stdout.write(end.stdout + end.stderr);
      server = await startAgentServer(project);
    }, WAIT);
    afterAll(async () => {
      await endAgentServer(server, 'SIGTERM');
      await model.stop();
    });

    test.each(TRIED)(
      'solves a task of %s, which is training data',
      async (name, { file, right, run, says }) => {
        const viewed = await project.run(
          'view',
          `rollouts.train@${name}.1#0`,
          '--project',
          'p.yaml',
          '--json',
        );
        const { trajectory } = JSON.parse(viewed.stdout) as { trajectory: Trajectory };
        expect(trajectory.exit_status).toBe('submitted');
        const { actions, observations } = trajectory.steps[2]!;
        expect(JSON.stringify(actions)).toContain(JSON.stringify(run).slice(1, -1));
        expect(observations.map(({ output }) => output).join('\n')).toMatch(says);
        // Nothing that was compiled is in the patch.
        expect(trajectory.patch.match(/^diff --git .*/gm)).toEqual([`diff --git a/${file} b/${file}`]);
        expect(trajectory.patch).toContain(right);
        const out = project.path('out/languages/sft-data.train/sft.jsonl');
        const row = lines(out).find(({ instance_id }) => instance_id === `${name}.1`)!;
        expect(row).toMatchObject({ resolved: true, patch: trajectory.patch });
        expect(row.messages).toContainEqual(expect.objectContaining({ tool_calls: expect.anything() }));
      },
    );

    test('no leak is found in what they did', () => {
      const all = lines(project.path('out/languages/golden.train/leaks.jsonl'));
      expect(all.filter(({ findings }) => (findings as unknown[]).length > 0)).toEqual([]);
    });

    test.each(TRIED)(
      'solves a task of %s for a trainer',
      { timeout: WAIT },
      async (name, { file, right }) => {
        const answer = await askAgent(server, '/run', { instance_id: `${name}.1`, id: name });
        expect(answer).toMatchObject({ status: 'ok', exit_status: 'Submitted', reward: 1 });
        expect(String(answer.patch).match(/^diff --git .*/gm)).toEqual([`diff --git a/${file} b/${file}`]);
        expect(answer.patch).toContain(right);
      },
    );
  });
});

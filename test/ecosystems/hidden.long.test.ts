/**
 * Tasks whose failing tests are in the repository itself, as those of mutations, in each language: an agent does not see them, its work is
 * graded with them, and nothing is rewarded for nothing. LANGUAGES_CACHE: a folder for a cache that goes on being used.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { Project } from '../rig/project.ts';
import { fenced, SUBMIT, turnOf } from '../rig/solver.ts';
import { makeRepository } from '../tasks/source/helpers.ts';
import { diff } from './graded.ts';
import { TASKS, TRIED } from './tasks.ts';

const cache = join(process.env.LANGUAGES_CACHE ?? temporaryFolder(), 'sandbox');
/** The project of C++ names each file that it builds. */
const SEEN = ['cmake'];

let server: ModelServer;
let project: Project;
/** `STAGE ITEM` -> what came of it. */
let outcomes: Map<string, Outcome>;

beforeAll(async () => {
  server = await startModelServer((request) => {
    const text = request.body.messages.map(({ content }) => content ?? '').join('\n');
    const { file, wrong, right } = TASKS[/\bvalue of (\w+) is wrong/.exec(text)![1]!]!;
    return fenced(
      [
        `find . -type f -not -path './.git/*' -not -path './node_modules/*'`,
        `sed -i 's/${wrong}/${right}/' ${file}`,
      ][turnOf(request)] ?? SUBMIT,
    );
  });
  project = new Project();
  mkdirSync(join(cache, 'runs'), { recursive: true });
  const rows = TRIED.map(([name, { files, file, wrong, right, tests, tested, failing, passing }]) => {
    const solved = files[file]!.replace(wrong, right);
    const commit = makeRepository(project.folder, name, { ...files, [file]: solved, [tests]: tested }).at(
      -1,
    )!;
    return {
      ...{ instance_id: `${name}.2`, repo: `owner/${name}`, source: `git+./${name}@${commit}` },
      ...{ problem_statement: `value of ${name} is wrong`, patch_role: 'bug' },
      patch: diff(file, solved, files[file]!),
      ...{ FAIL_TO_PASS: [failing], PASS_TO_PASS: [passing] },
    };
  });
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: hidden
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
${TRIED.map(([name, { recipe }]) => `    - { match: { repo: owner/${name} }, ${recipe} }`).join('\n')}
deployments:
  box:
    type: sandbox
    limits: { memory: 4GiB, pids: 512 }
    network: { build: proxy, rollout: off, grade: off }
validation: { deployment: box, gold_runs: 1, timeout: 300s }
agent:
  model: { base_url: "${server.url}", name: scripted, identity: "scripted@1" }
  baselines: [noop]
cache: { folder: ${cache} }
`,
  );
  const end = await project.run('build', 'p.yaml', 'grade');
  process.stdout.write(end.stdout + end.stderr);
  outcomes = new Map(
    project
      .events(relative(project.folder, cache))
      .filter(({ type }) => type === 'item-finished')
      .map(({ stage, item, outcome }) => [`${stage} ${item}`, outcome as Outcome]),
  );
}, 3_600_000);
afterAll(() => server.stop());

test.each(TRIED)('a task of %s', async (name, { file, tests }) => {
  expect(outcomes.get(`validate.train ${name}.2`)).toEqual({ status: 'ok' });
  const viewed = await project.run('view', `rollouts.train@${name}.2#0`, '--project', 'p.yaml', '--json');
  const { trajectory } = JSON.parse(viewed.stdout) as { trajectory: Trajectory };
  const listed = JSON.stringify(trajectory.steps[0]!.observations);
  expect(listed).toContain(file);
  expect(listed.includes(tests)).toBe(SEEN.includes(name));
  expect(trajectory.patch.match(/^diff --git .*/gm)).toEqual([`diff --git a/${file} b/${file}`]);
  expect(outcomes.get(`grade.train ${name}.2#0`)).toEqual({ status: 'ok' });
  expect(outcomes.get(`grade.train ${name}.2#noop`)).toMatchObject({ status: 'failed' });
});

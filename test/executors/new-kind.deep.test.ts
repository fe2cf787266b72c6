import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blockOfPage, SourcesWith } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** Both diffs have a line for it. */
const LEAVES = 'test/contract/leaves.ts';
/** What `npm run build` writes. */
const GENERATED = [
  'docs/reference.md',
  'schemas/editor.schema.json',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];

describe('a kind, a stage and a parser that were added', () => {
  let sources: SourcesWith;
  let project: Project;
  beforeAll(() => {
    sources = new SourcesWith(
      'A new kind of executor',
      'A new stage',
      'A new log parser',
      'A new model server',
    );
    const { folder } = tinyProject({ instances: 1 });
    project = new Project(folder, {}, sources.root);
    const yaml = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(project.path('p.yaml'), yaml.replace(/type: sandbox\n.*network.*\n/, 'type: box\n'));
  });

  test('touch their folders, their lines, the table of keys and what is generated', () => {
    const stage = /^\+\+\+ b\/(stages\/\S+)$/gm;
    const ofStage = [...blockOfPage('A new stage', 'diff').matchAll(stage)].map(([, path]) => path!);
    expect(sources.changed()).toEqual(
      [
        ...[
          'executors/box/kind.ts',
          'executors/registry.ts',
          'parsers/registry.ts',
          'parsers/tap.ts',
          'tasks/serving/engines/lmdeploy.ts',
          'tasks/serving/engines/registry.ts',
          LEAVES,
        ],
        ...[...ofStage, ...GENERATED],
      ].sort(),
    );
  });

  test('have the right types', () => {
    expect(sources.typeErrors('executors', 'stages', 'parsers', 'tasks')).toBe('');
  });

  test('is in the schema, the types and the reference', () => {
    expect(sources.read('schemas/project.schema.json')).toMatch(
      /"enum": \[\s*"auto",\s*"sandbox",\s*"local",\s*"box"/,
    );
    expect(sources.read('schemas/generated/project.ts')).toContain("colour: 'red' | 'blue';");
    expect(sources.read('docs/reference.md')).toContain('box: workspaces in a box.');
  });

  test('is checked by what it says that it can do', async () => {
    const check = (text: string) => {
      writeFileSync(project.path('wrong.yaml'), `${readFileSync(project.path('p.yaml'), 'utf8')}${text}`);
      return project.run('check', 'wrong.yaml');
    };
    const other = (line: string) => `profiles: { other: { deployments: { box: { ${line} } } } }\n`;
    expect((await check('')).code).toBe(0);
    expect((await check(other('network: { grade: proxy }'))).stderr).toContain(
      'a box deployment cannot enforce network grade: proxy',
    );
    expect((await check(other('allow_hosts: [a.org]'))).stderr).toContain(
      'allow_hosts has no effect on a box deployment',
    );
    expect((await check(other('type: local, colour: blue'))).stderr).toContain(
      'colour has no effect on a local deployment',
    );
    expect((await check(other('type: local'))).stderr).not.toContain('colour');
    expect((await check(other('colour: green'))).stderr).toContain('unknown colour "green"');
    // As tight as it can hold: builds would go through the proxy, which it has not.
    const shown = await project.run('show', 'p.yaml');
    expect(shown.stdout).toMatch(/build: host\b[\s\S]*rollout: off\b[\s\S]*grade: off\b/);
  });

  test('builds, and what it can change is in every key', async () => {
    const first = await project.build('p.yaml');
    expect(first).toMatchObject({ code: 0, isolation: 'sandbox', outcomes: { ok: expect.any(Number) } });
    expect(first.executed).toBeGreaterThan(0);
    expect(readdirSync(project.path('.swemake/executors'))).toContain('box');
    expect(await project.build('p.yaml')).toMatchObject({ executed: 0 });
    const plan = await project.run('plan', 'p.yaml', '--json', '--set', 'deployments.box.colour=blue');
    const { stages } = JSON.parse(plan.stdout) as { stages: Record<string, unknown>[] };
    expect(stages).toMatchObject([
      { stage: 'dataset.train', fresh: 1 },
      { stage: 'environments.train', fresh: 0, stale: 1, why: 'changed: base' },
      { stage: 'validate.train', fresh: 0 },
      { stage: 'filter.train' },
    ]);
  });

  test('the stage of the page is planned, built, explained and kept', async () => {
    const share = ['--set', 'validation.holdout.share=1'];
    expect(await project.build('p.yaml', ...share)).toMatchObject({ code: 0, executed: 1 });
    const [folder] = readdirSync(project.path('out')).filter((name) => name.includes('holdout'));
    const rows = (name: string) =>
      readFileSync(project.path(`out/${folder}/holdout.train/${name}.jsonl`), 'utf8').match(/\n/g) ?? [];
    expect([rows('held').length, rows('train').length]).toEqual([1, 0]);
    expect(await project.build('p.yaml', ...share)).toMatchObject({ executed: 0 });
    const why = await project.run(
      'why',
      'holdout.train',
      '--project',
      'p.yaml',
      '--set',
      'validation.holdout.share=0.2',
    );
    expect(why.stdout).toMatch(/config\.share\s+- 1\n\s+\+ 0\.2/);
    expect((await project.run('check', 'p.yaml', '--set', 'validation.holdout.share=2')).code).toBe(2);
  });

  test('the parser of the page reads a log', async () => {
    const row = { FAIL_TO_PASS: ['adds'], PASS_TO_PASS: ['loads'], instance_id: 'a', repo: 'o/r' };
    writeFileSync(project.path('row.json'), JSON.stringify(row));
    const log = ['>>>>> Start Test Output', 'ok 1 - loads', 'not ok 2 - adds # TODO later', 'ok 3 # SKIP no'];
    writeFileSync(project.path('tap.log'), [...log, '>>>>> End Test Output', ''].join('\n'));
    const args = ['grade-log', 'tap.log', '--instance', 'row.json', '--parser', 'tap', '--json'];
    const { tests_status } = JSON.parse((await project.run(...args)).stdout);
    expect(tests_status).toMatchObject({
      FAIL_TO_PASS: { failure: ['adds'] },
      PASS_TO_PASS: { success: ['loads'] },
    });
  });

  test('agree with the table of keys, and with what tests of parsers expect', () => {
    expect(redTests(sources.root, 'test/contract/leaves', 'test/parsers')).toBe('');
  });

  test('the model server of the page is started by its own words', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const serve = `{ engine: lmdeploy, weights: { id: owner/model, revision: ${commit} }, args: [--quiet], timeout: 20s }`;
    writeFileSync(
      project.path('served.yaml'),
      `${readFileSync(project.path('p.yaml'), 'utf8')}agent: { type: bash, model: { name: mine, serve: ${serve} } }\n`,
    );
    // It says how it was called, and ends.
    const program = project.path('bin/lmdeploy');
    mkdirSync(dirname(program));
    writeFileSync(program, '#!/bin/sh\necho "$@" > "${0%/*}/called"\nexit 3\n', { mode: 0o755 });
    const served = new Project(
      project.folder,
      { PATH: `${dirname(program)}:${process.env.PATH}` },
      sources.root,
    );
    const built = await served.run('build', 'served.yaml', 'rollouts.train');
    expect(built.code, built.stderr).not.toBe(0);
    expect(readFileSync(project.path('bin/called'), 'utf8')).toMatch(
      /^serve api_server owner\/model --revision 0123\S+ --model-name mine --server-name 127\.0\.0\.1 --server-port \d+ --quiet\n$/,
    );
  });
});

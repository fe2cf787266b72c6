/** `discover_tests`: a build measures the lists of rows that have none, as a stage of its graph. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const found = await findInterpreter(null, { env: process.env });
const hasVenv = found.ok && found.value.hasVenv;

type Row = Record<string, unknown> & { instance_id: string };

describe.skipIf(!hasVenv)('a dataset whose rows lack tests', { timeout: 600_000 }, () => {
  let project: Project;
  let whole: Row[];
  const write = (rows: readonly Row[]) =>
    writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const yaml = (change: (text: string) => string) =>
    writeFileSync(project.path('p.yaml'), change(readFileSync(project.path('p.yaml'), 'utf8')));

  beforeAll(() => {
    // The environment of tiny.2 differs from that of the others in a variable, so both have the same name but for a mark.
    const own = '    - match: { instance: "tiny.2" }\n      env: { KIND: other }';
    project = tinyProject({ instances: 4, recipe: own });
    whole = readFileSync(project.path('rows.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const bare = whole.map(({ FAIL_TO_PASS: _, PASS_TO_PASS: __, ...row }) => row as Row);
    const idle = { ...bare[2]!, patch: String(bare[2]!.patch).replace('VALUE = -1', 'VALUE = 1 + 1') };
    const wrong = { ...bare[3]!, patch: String(bare[3]!.patch).replaceAll('m3.py', 'm9.py') };
    write([whole[0]!, bare[1]!, idle, wrong]);
  });

  it('says how they are measured where that was not asked for', async () => {
    const ran = await project.run('build', 'p.yaml', 'environments');
    expect(ran.stdout).toContain('discover_tests: true in the dataset measures its tests');
  });

  it('measures them, validates what has lists, and leaves out the others with reasons', async () => {
    yaml((text) => text.replace('format: custom }', 'format: custom, discover_tests: true }'));
    const built = await project.build('p.yaml');
    const of = (stage: string) => built.stages.find((one) => one.stage === stage)!;
    // That of the row with lists was built before.
    expect(of('environments.train')).toMatchObject({ items: 2, executed: 1 });
    expect(of('discover.train')).toMatchObject({ items: 3, outcomes: { ok: 1, failed: 2 } });
    expect(of('validate.train')).toMatchObject({ items: 2, outcomes: { ok: 2, failed: 0 } });
    const passed = readFileSync(project.path('out/tiny/filter.train/passed.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const rows = passed.map((line) => JSON.parse(line) as Row);
    expect(rows[0]).toEqual(whole[0]);
    const named = (name: string) => expect.stringContaining(`${name} (test_m1.Test`);
    expect(rows[1]).toMatchObject({ instance_id: 'tiny.1', FAIL_TO_PASS: [named('test_value')] });
    // All tests that pass in all runs, also of files that the patch does not touch.
    expect(rows[1]!.PASS_TO_PASS).toContainEqual(named('test_other'));
    expect(rows[1]!.PASS_TO_PASS).toContainEqual(expect.stringContaining('(test_m3.Test'));
    const logs = await project.run('logs', 'dataset.train', '--project', 'p.yaml');
    expect(logs.stdout).toMatch(/tiny\.2: FAIL_TO_PASS: .*failed no-failing-test/);
    expect(logs.stdout).toMatch(/tiny\.3: FAIL_TO_PASS: .*failed patch-does-not-apply/);
  });

  it('does not measure again what is known', async () => {
    expect(await project.build('p.yaml')).toMatchObject({ executed: 0 });
    const plan = await project.run('plan', 'p.yaml', '--json');
    expect(plan.code).toBe(0);
    const disk = await project.run('plan', 'p.yaml', 'environments', '--disk');
    expect(disk.stdout).toMatch(/^disk: .* for 2 environments/m);
    yaml((text) => text.replace('timeout: 60s', 'timeout: 60s, gold_runs: 5'));
    const more = await project.build('p.yaml');
    expect(more.stages.find(({ stage }) => stage === 'discover.train')).toMatchObject({ executed: 3 });
  });

  it('makes a dataset of which all could be measured', async () => {
    const all = readFileSync(project.path('rows.jsonl'), 'utf8');
    write([JSON.parse(all.split('\n')[1]!) as Row]);
    const built = await project.build('p.yaml');
    expect(built).toMatchObject({ code: 0, outcomes: { failed: 0, infra: 0 } });
    writeFileSync(project.path('rows.jsonl'), all);
  });

  it('does not make a dataset of which nothing could be measured', async () => {
    const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
    write(rows.slice(2).map((line) => JSON.parse(line) as Row));
    const ran = await project.run('build', 'p.yaml');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('none of its 2 rows can be read');
  });
});

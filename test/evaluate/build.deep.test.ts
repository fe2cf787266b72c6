/** evaluate and report in a build: real environments, rollouts of the baselines, and patches of others. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

function fix(index: number): string {
  const file = `m${index}.py`;
  return `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-VALUE = -1\n+VALUE = ${index}\n`;
}

function read(project: Project, path: string) {
  return JSON.parse(readFileSync(project.path(`out/tiny/${path}`), 'utf8'));
}

test(
  'oracle resolves all, noop none, and two slices of someone else’s patches what they are worth',
  async () => {
    const project = tinyProject({ instances: 3, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
    const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
    writeFileSync(project.path('eval.jsonl'), rows);
    const yaml = readFileSync(project.path('p.yaml'), 'utf8');
    const both = '  eval: { source: eval.jsonl, format: custom }\nenvironments:';
    writeFileSync(
      project.path('p.yaml'),
      yaml.replace('environments:', () => both),
    );
    appendFileSync(
      project.path('p.yaml'),
      `agent: { type: oracle, baselines: [oracle, noop] }
evaluation:
  dataset: eval
  models: { gold: {} }
  predictions: { others: [one.json, two.jsonl] }
`,
    );
    const prediction = (index: number, patch: string) => ({
      instance_id: `tiny.${index}`,
      model_name_or_path: 'others',
      model_patch: patch,
    });
    writeFileSync(project.path('one.json'), JSON.stringify([prediction(0, fix(0))]));
    writeFileSync(
      project.path('two.jsonl'),
      `${JSON.stringify(prediction(1, fix(1).replace('-VALUE = -1', '-VALUE = 77')))}\n`,
    );
    expect(await project.build('p.yaml')).toMatchObject({ code: 0, outcomes: { infra: 0 } });

    const report = read(project, 'report.train/metrics.json');
    expect(report).toMatchObject({
      instances: { dataset: 3, validated: 3, rolled_out: 3, resolved: 3 },
      rate: { resolved: 3, total: 3 },
      baselines: { oracle: { graded: 3, resolved: 3 }, noop: { graded: 3, resolved: 0 } },
      exit_statuses: { submitted: 3 },
      alarms: [],
    });
    expect(report.metrics['agent/total_time_mean']).toBeGreaterThan(0);
    expect(report.waits.open.mean).toBeGreaterThan(0);

    const gold = read(project, 'evaluate.eval/gold/report.json');
    expect(gold).toMatchObject({ total_instances: 3, resolved_ids: ['tiny.0', 'tiny.1', 'tiny.2'] });
    expect(read(project, 'evaluate.eval/others/report.json')).toMatchObject({
      submitted_ids: ['tiny.0', 'tiny.1'],
      resolved_ids: ['tiny.0'],
      error_ids: ['tiny.1'],
      incomplete_ids: ['tiny.2'],
      failure_reasons: { 'tiny.1': 'patch-does-not-apply' },
    });
    for (const name of ['preds.json', 'results.jsonl', 'summary.json', 'summary.md', 'reports.jsonl'])
      expect(existsSync(project.path(`out/tiny/evaluate.eval/gold/${name}`))).toBe(true);
    expect(await project.build('p.yaml')).toMatchObject({ code: 0, executed: 0 });

    // The same patches from one file are the same evaluation but for what it was made of.
    writeFileSync(project.path('two.jsonl'), `${JSON.stringify(prediction(1, fix(1)))}\n`);
    const again = await project.build('p.yaml');
    expect(
      again.stages.filter(({ executed }) => executed > 0).map(({ stage, executed }) => [stage, executed]),
    ).toEqual([
      ['predict.eval', expect.any(Number)],
      ['grade.eval', expect.any(Number)],
      ['evaluate.eval', 1],
    ]);
    expect(read(project, 'evaluate.eval/others/report.json').resolved_ids).toEqual(['tiny.0', 'tiny.1']);

    writeFileSync(project.path('one.json'), JSON.stringify([prediction(0, fix(0)), prediction(1, 'other')]));
    const conflict = await project.build('p.yaml');
    expect(conflict).toMatchObject({ code: 3 });
  },
  LONG,
);

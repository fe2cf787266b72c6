/** The terminal, the report's files, the HTML page and the page of `ui` say the same of a real build's rollouts. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { intervalText, percent, type Rate, rateOf } from '../../basics/rates.ts';
import type { EvaluationMetrics } from '../../stages/evaluate/metrics.ts';
import type { ReportMetrics } from '../../stages/report/metrics.ts';
import type { CompareView, Overview } from '../../ui/shapes.ts';
import { command } from '../rig/command.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve, turnOf } from '../rig/solver.ts';
import { until } from '../rig/until.ts';

let server: ModelServer;
let project: Project;
let terminal: string;

beforeAll(async () => {
  // The first two of four instances are solved, in each of their samples; the second with code that looks at its callers.
  server = await startModelServer((request) => {
    const instance = instanceOf(request);
    if (instance === 1 && turnOf(request) === 0)
      return fenced("printf 'import sys\\nVALUE = 1\\nCALLER = sys._getframe(0).f_globals\\n' > m1.py");
    return instance < 2 ? solve(request, 2) : fenced(SUBMIT);
  });
  project = rolloutProject({
    ...{ url: server.url, instances: 4, rollouts: 3, type: 'auto' },
    rest: 'grading: { suspicion: note }',
  });
  const path = project.path('p.yaml');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace('rollouts: 3', 'rollouts: 3\n  baselines: [oracle, noop]'),
  );
  const built = await command(
    project,
    ...['build', 'p.yaml', 'report', '--fail-on', 'resolved.high < 86%', '--fail-on', 'oracle < 100%'],
  );
  terminal = built.stdout;
  expect([built.code, built.stderr]).toEqual([1, expect.stringContaining('resolved.high < 86%')]);
  expect(built.stderr).not.toContain('oracle < 100%');
}, 300_000);
afterAll(() => server.stop());

type Ask = <T>(path: string) => Promise<T>;

/** What the page of a project asks its server for, once all verdicts were read. */
async function asked<T>(file: string, use: (ask: Ask) => Promise<T>): Promise<T> {
  const ui = project.start(['ui', file, '--json']);
  try {
    for await (const line of createInterface({ input: ui.stdout! })) {
      const address = new URL((JSON.parse(line) as { address: string }).address);
      const entry = await fetch(address, { redirect: 'manual' });
      const cookie = entry.headers.get('set-cookie')!.split(';')[0]!;
      const ask: Ask = async <T>(path: string) =>
        (await (await fetch(new URL(`/api/${path}`, address), { headers: { cookie } })).json()) as T;
      await until(async () => {
        const { read, of } = (await ask<Overview>('overview')).tally;
        return of > 0 && read === of;
      });
      return await use(ask);
    }
    throw new Error('it printed no address');
  } finally {
    ui.kill('SIGTERM');
    await once(ui, 'exit');
  }
}

const pages = () =>
  asked('p.yaml', async (ask): Promise<[Overview, CompareView]> => {
    const [run] = (await ask<CompareView>('compare')).sides.filter(({ id }) => id.startsWith('run '));
    const path = `compare?a=${encodeURIComponent('rollouts.train samples')}&b=${encodeURIComponent(run!.id)}`;
    return [await ask<Overview>('overview'), await ask<CompareView>(path)];
  });

test('the same interval, and no baseline among the rollouts', async () => {
  const rate = rateOf([3, 3, 0, 0].map((sum, at) => ({ sum, count: 3, doubted: at === 1 ? 3 : 0 })));
  expect(rate).toMatchObject({ resolved: 6, total: 12, rate: 0.5, doubts: { resolved: 3, rate: 0.25 } });
  const interval = intervalText(rate);
  const metrics = JSON.parse(
    readFileSync(project.path('out/tiny/report.train/metrics.json'), 'utf8'),
  ) as ReportMetrics;
  expect(metrics.rate).toEqual(rate);
  expect(metrics.pass[0]!.low).toBeCloseTo(rate.low!, 12);
  expect(metrics.rollouts.total).toBe(12);
  const summary = readFileSync(project.path('out/tiny/report.train/summary.md'), 'utf8');
  const doubts = '3 of them doubtful, 25.0 % without';
  expect(summary).toContain(`50.0 % (6 of 12; 95 % interval by instance ${interval}), ${doubts}`);
  expect(summary).toMatch(/^- pass@3: 50\.0 % \(4 instances; .*\), 25\.0 % without doubts$/m);
  expect(summary).toMatch(/^\| owner\/tiny \|.*\| 3 of them doubtful, 25\.0 % without \|$/m);
  expect(metrics.by_repository['owner/tiny']).toMatchObject({ resolved: 6, doubts: rate.doubts });
  expect(terminal).toContain(
    `resolved 6/12 (50.0 %, 95 % interval by instance ${interval}), ${doubts} · pass@3 50.0 %, 25.0 % without doubts`,
  );
  expect(terminal).toMatch(/^rollouts\.train {7}12 · 12 ok · baselines: 8 ok$/m);
  expect(terminal).toMatch(/^grade\.train {10}12 · 6 ok · 6 failed · baselines: 4 ok · 4 failed$/m);
  await command(project, 'report', 'p.yaml', '--html', 'r.html');
  expect(readFileSync(project.path('r.html'), 'utf8')).toContain(
    `<td>${percent(rate.rate)} (${doubts})</td><td>${interval}</td>`,
  );
  const [page, { rateA, rateB, difference }] = await pages();
  const samples = page.results.find(({ stage, who }) => stage === 'rollouts.train' && who === '');
  expect(samples!.rate).toEqual(rate satisfies Rate);
  // Two sets are compared by instance: one of four is solved without doubts. The other set is the newest run.
  expect(rateA).toMatchObject({ rate: 0.5, doubts: { rate: 0.25 } });
  expect(rateB).toEqual(rateA);
  expect(difference).toMatchObject({ value: 0, differing: 0 });
  const exported = await command(
    project,
    'export',
    'rollouts',
    '--project',
    'p.yaml',
    '--format',
    'preds',
    '--to',
    'e',
  );
  expect(exported.stdout).toContain('12 rollouts and 8 of baselines');
});

test('an evaluation has the same rate, whose missing patches are not resolved', async () => {
  const ids = readFileSync(project.path('rows.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { instance_id: string; patch: string });
  const given = ids.slice(0, 3).map(({ instance_id, patch }, at) => ({
    instance_id,
    // The row's patch makes the bug.
    model_patch: at > 0 ? '' : patch.replace(/^[+-](?![+-]{2})/gm, (sign) => (sign === '+' ? '-' : '+')),
  }));
  writeFileSync(project.path('given.jsonl'), given.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const evaluation = 'evaluation: { dataset: train, predictions: { given: [given.jsonl] } }\n';
  writeFileSync(project.path('e.yaml'), `${readFileSync(project.path('p.yaml'), 'utf8')}\n${evaluation}`);
  const built = await command(project, 'build', 'e.yaml', 'evaluate');
  expect(built.code, built.stderr).toBe(0);
  const metrics = JSON.parse(
    readFileSync(project.path('out/tiny/evaluate.train/given/metrics.json'), 'utf8'),
  ) as EvaluationMetrics;
  const { all } = metrics.rates;
  expect(all).toMatchObject({ resolved: 1, total: 4 });
  const { evaluations } = await asked('e.yaml', (ask) => ask<Overview>('overview'));
  expect(evaluations).toEqual([{ name: 'given', dataset: 'train', rate: all }]);
  expect(built.stdout).toMatch(new RegExp(`given +1/4 +25\\.0 % +${intervalText(all)}`));
});

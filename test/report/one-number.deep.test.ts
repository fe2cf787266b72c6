/** The terminal, the report's files, the HTML page and the page of `ui` say the same of a real build's rollouts. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { intervalText, percent, type Rate, rateOf } from '../../basics/rates.ts';
import type { ReportMetrics } from '../../stages/report/metrics.ts';
import type { Overview } from '../../ui/shapes.ts';
import { command } from '../rig/command.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve } from '../rig/solver.ts';

let server: ModelServer;
let project: Project;
let terminal: string;

beforeAll(async () => {
  // The first two of four instances are solved, in each of their samples.
  server = await startModelServer((request) =>
    instanceOf(request) < 2 ? solve(request, 2) : fenced(SUBMIT),
  );
  project = rolloutProject({ url: server.url, instances: 4, rollouts: 3, type: 'auto' });
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

async function overview(): Promise<Overview> {
  const ui = project.start(['ui', 'p.yaml', '--json']);
  try {
    for await (const line of createInterface({ input: ui.stdout! })) {
      const address = new URL((JSON.parse(line) as { address: string }).address);
      const entry = await fetch(address, { redirect: 'manual' });
      const cookie = entry.headers.get('set-cookie')!.split(';')[0]!;
      const answer = await fetch(new URL('/api/overview', address), { headers: { cookie } });
      return (await answer.json()) as Overview;
    }
    throw new Error('it printed no address');
  } finally {
    ui.kill('SIGTERM');
    await once(ui, 'exit');
  }
}

test('the same interval, and no baseline among the rollouts', async () => {
  const rate = rateOf([3, 3, 0, 0].map((sum) => ({ sum, count: 3 })));
  expect(rate).toMatchObject({ resolved: 6, total: 12, rate: 0.5 });
  const interval = intervalText(rate);
  const metrics = JSON.parse(
    readFileSync(project.path('out/tiny/report.train/metrics.json'), 'utf8'),
  ) as ReportMetrics;
  expect(metrics.rate).toEqual(rate);
  expect(metrics.pass[0]!.low).toBeCloseTo(rate.low!, 12);
  expect(metrics.rollouts.total).toBe(12);
  expect(readFileSync(project.path('out/tiny/report.train/summary.md'), 'utf8')).toContain(
    `50.0 % (6 of 12; 95 % interval by instance ${interval})`,
  );
  expect(terminal).toContain(`resolved 6/12 (50.0 %, 95 % interval by instance ${interval})`);
  expect(terminal).toMatch(/^rollouts\.train {7}12 · 12 ok · baselines: 8 ok$/m);
  expect(terminal).toMatch(/^grade\.train {10}12 · 6 ok · 6 failed · baselines: 4 ok · 4 failed$/m);
  await command(project, 'report', 'p.yaml', '--html', 'r.html');
  expect(readFileSync(project.path('r.html'), 'utf8')).toContain(
    `<td>${percent(rate.rate)}</td><td>${interval}</td>`,
  );
  const page = await overview();
  const samples = page.results.find(({ stage, who }) => stage === 'rollouts.train' && who === '');
  expect(samples!.rate).toEqual(rate satisfies Rate);
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

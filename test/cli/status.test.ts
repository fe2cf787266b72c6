/** `status` beside a build that runs: it follows the build's journal, and knows alive from dead. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { logsCommand } from '../../cli/logs.ts';
import { statusCommand } from '../../cli/status.ts';
import { type Journal, newRunId, openJournal } from '../../engine/journal.ts';
import { Project } from '../rig/project.ts';

const YAML = `version: 1
name: demo
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: auto } }
validation: { deployment: box }
`;
const VALIDATE = { stage: 'validate.train' };

/** A project, and the journal of a build of it that this process runs. */
function running(): { project: Project; journal: Journal } {
  const project = new Project();
  writeFileSync(project.path('p.yaml'), YAML);
  writeFileSync(project.path('rows.jsonl'), '');
  const run = newRunId(new Date(), process.pid);
  const journal = openJournal(project.path('.swemake/runs'), run);
  journal.write({
    ...{ type: 'run-started', run, project: 'demo', targets: [] },
    process: processTag(thisProcess()),
  });
  journal.write({ type: 'stage-opened', ...VALIDATE, items: 2 });
  journal.write({ type: 'item-started', ...VALIDATE, item: 'demo__a-1', attempt: 1 });
  return { project, journal };
}

/** `told` is called with all that was printed so far. */
async function status(project: Project, args: string[], told: (text: string) => void = () => undefined) {
  let text = '';
  const write = (more: string) => {
    text += more;
    told(text);
  };
  const env = { ...process.env, XDG_CACHE_HOME: project.path('home-cache') };
  const io = { stdout: { write }, stderr: { write }, env, cwd: project.folder, isTTY: false };
  return { code: await statusCommand(['p.yaml', ...args], io), text };
}

test('logs of an item that runs say so, since when, and when its log is there', async () => {
  const { project, journal } = running();
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const env = { ...process.env, XDG_CACHE_HOME: project.path('home-cache') };
  const io = { stdout: { write }, stderr: { write }, env, cwd: project.folder, isTTY: false };
  const code = await logsCommand(['validate.train@demo__a-1', '--project', 'p.yaml'], io);
  expect([code, text]).toEqual([
    2,
    expect.stringMatching(
      /^E002 {2}validate\.train@demo__a-1 has no log yet: it is running since \S+, \S+ s so far\n {6}its log is kept when it ends; then `swemake logs 'validate\.train@demo__a-1'` prints it\n$/,
    ),
  ]);
  journal.close();
});

test('--watch follows a build until it has ended', async () => {
  const { project, journal } = running();
  let isOver = false;
  const { code, text } = await status(project, ['--watch'], () => {
    if (isOver) return;
    isOver = true;
    const end = { outcome: { status: 'ok' }, durationMs: 1 } as const;
    journal.write({ type: 'item-finished', ...VALIDATE, item: 'demo__a-1', ...end });
    const counts = { ok: 1, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 0, config: 0 };
    journal.write({ type: 'run-finished', executed: 1, cached: 0, counts, durationMs: 1 });
    journal.close();
  });
  expect(code, text).toBe(0);
  expect(text).toMatch(new RegExp(`^running since .* \\(process ${process.pid}\\), .* so far\n`));
  expect(text).toMatch(/^validate\.train +of 2: none · 1 running$/m);
  expect(text).toMatch(/^ {4}demo__a-1 {2}\d/m);
  expect(text).toMatch(/^dataset\.train +.*1 to run$/m);
  expect(text).toMatch(/last run .*; it finished\n$/);
});

test('without --watch it tells once what runs', async () => {
  const { project, journal } = running();
  const { code, text } = await status(project, []);
  journal.close();
  expect(code).toBe(0);
  expect(text.match(/running since/g)).toHaveLength(1);
  expect(text).not.toContain('last run');
});

test('it tells whom a build waits for, until the wait is over', async () => {
  const { project, journal } = running();
  const since = '2026-11-24T10:00:00.000Z';
  const place = { ...VALIDATE, item: 'demo__a-2', lock: 'k' };
  journal.write({ type: 'lock-waits', ...place, pid: 123, host: 'x', since });
  const before = await status(project, []);
  expect(before.text).toContain(`    demo__a-2 waits for process 123 of host x, since ${since}\n`);
  const { text } = await status(project, ['--json']);
  expect(text).toContain(`waits for process 123 of host x, since ${since}`);
  journal.write({ type: 'lock-ended', ...place });
  const after = await status(project, []);
  journal.close();
  expect(after.text).not.toContain('waits for');
});

test('a run that was stopped is none that finished', async () => {
  const { project, journal } = running();
  const stopped = { status: 'stopped', reason: 'cancelled', detail: 'Ctrl-C' } as const;
  journal.write({ type: 'item-finished', ...VALIDATE, item: 'demo__a-1', outcome: stopped, durationMs: 1 });
  const counts = { ok: 0, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 1, config: 0 };
  journal.write({ type: 'run-finished', executed: 0, cached: 0, counts, durationMs: 1 });
  journal.close();
  const { text } = await status(project, []);
  expect(text).toMatch(/last run .*; it was stopped before its end; a build goes on where it was\n$/);
});

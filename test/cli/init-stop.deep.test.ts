/** `init --from` that is stopped while it measures: the same command goes on. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { until } from '../rig/until.ts';

const found = await findInterpreter(null, { env: process.env });
const hasVenv = found.ok && found.value.hasVenv;

const RECIPE = { pip: [], install: [], test: 'python -m unittest -v', parser: 'unittest' };
const ARGS = ['init', '--from', 'bare.jsonl', '--discover-tests'];

/** Rows without lists, and nothing of a project but a cache with the first steps of environments. */
function bareProject(): Project {
  const project = tinyProject({ instances: 3 });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const bare = rows.map((line) => {
    const { FAIL_TO_PASS: _, PASS_TO_PASS: __, ...row } = JSON.parse(line) as Record<string, unknown>;
    return `${JSON.stringify({ ...row, recipe: RECIPE })}\n`;
  });
  writeFileSync(project.path('bare.jsonl'), bare.join(''));
  for (const name of ['rows.jsonl', 'p.yaml']) rmSync(project.path(name));
  return project;
}

type Event = { type: string; stage?: string; item?: string; record?: unknown };

/** Items that were answered, or begun, in all runs so far. */
function itemsOf(project: Project, type: 'item-started' | 'item-finished'): string[] {
  if (!existsSync(project.path('.swemake/runs'))) return [];
  const events = project.events() as Event[];
  const meant = events.filter(
    (one) => one.type === type && (type === 'item-started' || one.record !== undefined),
  );
  return meant.map(({ stage, item }) => `${stage}@${item}`);
}

describe.skipIf(!hasVenv)('init --discover-tests', { timeout: 600_000 }, () => {
  it.each(['SIGINT', 'SIGKILL'] as const)('goes on after %s with what was measured', async (signal) => {
    const project = bareProject();
    const child = project.start(ARGS);
    let said = '';
    child.stderr!.on('data', (text: Buffer) => {
      said += text.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until(
      () => itemsOf(project, 'item-finished').some((item) => item.startsWith('discover.')),
      300_000,
    );
    process.kill(signal === 'SIGKILL' ? -child.pid! : child.pid!, signal);
    expect(await ended).toBe(signal === 'SIGKILL' ? null : 130);
    if (signal === 'SIGINT') expect(said).toContain('stopped; the cache keeps what was measured');
    expect(existsSync(project.path('project.yaml'))).toBe(false);
    const answered = itemsOf(project, 'item-finished');
    const before = itemsOf(project, 'item-started').length;
    const again = await project.run(...ARGS);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('3 measured, 0 left out');
    const begun = itemsOf(project, 'item-started').slice(before);
    expect(begun.filter((item) => answered.includes(item))).toEqual([]);
    expect(begun.length).toBeGreaterThan(0);
    expect(readFileSync(project.path('rows.jsonl'), 'utf8')).toContain('test_value (test_m2.Test');
  });
});

/** `swemake mine` while it goes on: tests that never end, stops, rows that are written as they are found, and what is too much. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import { Project } from '../rig/project.ts';
import { type Fix, TOY_OPTIONS, toyHistory } from '../rig/toy-history.ts';
import { until } from '../rig/until.ts';

const found = await findInterpreter(null, { env: process.env });
const hasVenv = found.ok && found.value.hasVenv;

const ARGS = ['mine', './toy', '-o', 'rows.jsonl', '--left-out', 'left.jsonl', ...TOY_OPTIONS];

function toy(...fixes: Fix[]): Project {
  const project = new Project();
  toyHistory(project.folder, fixes);
  return project;
}

function linesOf<T>(project: Project, name: string): T[] {
  const path = project.path(name);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

const statements = (project: Project) =>
  linesOf<{ problem_statement: string }>(project, 'rows.jsonl').map(
    ({ problem_statement: text }) => /function (\w+)/.exec(text)![1],
  );

const leftOut = (project: Project) =>
  linesOf<{ subject: string; reason: string; detail: string }>(project, 'left.jsonl').map((one) => ({
    ...one,
    name: /function (\w+)/.exec(one.subject)?.[1] ?? '-',
  }));

describe.skipIf(!hasVenv)('swemake mine', { timeout: 600_000 }, () => {
  it('leaves a candidate out whose tests never end, and tries another in its place', async () => {
    const project = toy(
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
      { name: 'd', spins: true },
      { name: 'e' },
    );
    const ran = await project.run(...ARGS, '--count', '4');
    expect(ran.code, ran.stderr).toBe(0);
    expect(statements(project)).toEqual(['e', 'c', 'b', 'a']);
    expect(leftOut(project)).toMatchObject([
      {
        name: 'd',
        reason: 'timeout',
        detail: expect.stringMatching(/^a run of its tests took over \d+ s, /),
      },
      { reason: 'root' },
    ]);
    expect(ran.stderr).toContain('; 4 of 4 found\n');
    const ended = project.events().filter((one) => one.type === 'item-finished');
    const spun = ended.filter(({ item, stage }) => stage === 'discover.mutated' && `${item}`.includes('toy'));
    // It has no answer that would be kept under a key without this limit.
    expect(spun.filter(({ key }) => key === undefined)).toMatchObject([{ outcome: { status: 'stopped' } }]);
    expect(spun.filter(({ key }) => key !== undefined)).toHaveLength(4);
  });

  it('takes --timeout as the limit of its runs, whose answers are kept', async () => {
    const project = toy({ name: 'a' }, { name: 'b', spins: true });
    const args = [...ARGS, '--count', '2', '--timeout', '3s'];
    const ran = await project.run(...args);
    expect(ran.code, ran.stderr).toBe(0);
    expect(statements(project)).toEqual(['a']);
    const detail = 'the tests ran into their time limit before the patch';
    expect(leftOut(project)).toContainEqual(
      expect.objectContaining({ name: 'b', reason: 'timeout', detail }),
    );
    const begun = () => project.events().filter(({ type }) => type === 'item-started').length;
    const before = begun();
    expect((await project.run(...args)).code).toBe(0);
    expect(begun()).toBe(before);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at once by %s, keeps what it found and goes on',
    async (signal) => {
      const project = toy(
        ...[{ name: 'a', spins: true }, { name: 'b' }],
        ...['c', 'd', 'e', 'f'].map((name) => ({ name })),
      );
      const args = [...ARGS, '--count', '6', '-j', '2', '--timeout', '100m'];
      const child = project.start(args);
      let said = '';
      child.stderr!.on('data', (text: Buffer) => {
        said += text.toString();
      });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      // The newest four are found, and their rows are there while the next ones are measured.
      await until(() => statements(project).length === 4, 300_000);
      // One of these is measured, and one is not: its tests never end.
      const discovered = (type: string) =>
        project.events().filter((one) => one.type === type && one.stage === 'discover.mutated').length;
      await until(() => discovered('item-started') === 6 && discovered('item-finished') === 5, 300_000);
      process.kill(child.pid!, signal);
      expect(await ended, said).toBe(130);
      expect(statements(project)).toEqual(['f', 'e', 'd', 'c']);
      expect(leftOut(project)).toMatchObject([
        { name: 'b', reason: 'cancelled', detail: 'its tests are measured, it is not validated yet' },
        { name: 'a', reason: 'cancelled', detail: 'the run was stopped while its tests were measured' },
      ]);
      expect(said).toContain('stopping: what runs is ended, and what was measured is kept\n');
      expect(said.trimEnd().split('\n').slice(-2)).toEqual([
        '4 of 6 instances from 6 commits; left out: 2 cancelled',
        'stopped; the same command goes on from here',
      ]);
      // What was measured is not measured again.
      const again = await project.run(...args, '--limit', '5');
      expect(again.code, again.stderr).toBe(0);
      expect(statements(project)).toEqual(['f', 'e', 'd', 'c', 'b']);
      expect(discovered('item-started')).toBe(6);
    },
  );

  it('names a sound candidate that is one too many', async () => {
    const project = toy({ name: 'a' }, { name: 'b' }, { name: 'c' });
    const ran = await project.run(...ARGS, '--count', '2', '-j', '3', '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(statements(project)).toEqual(['c', 'b']);
    expect(leftOut(project)).toMatchObject([
      { name: 'a', reason: 'not-needed', detail: expect.stringContaining('a larger --count takes it') },
    ]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ wanted: 2, leftOut: { 'not-needed': 1 } });
  });
});

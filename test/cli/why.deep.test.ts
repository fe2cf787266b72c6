/** `why`: from an item that would run to the line that somebody changed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

function edit(project: Project, file: string, from: string, to: string): void {
  const text = readFileSync(project.path(file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(project.path(file), text.replace(from, to));
}

async function why(project: Project, ...targets: string[]): Promise<string> {
  const end = await command(project, 'why', ...targets, '--project', 'p.yaml');
  expect([end.stderr, end.code]).toEqual(['', 0]);
  return end.stdout;
}

describe('why', () => {
  test(
    'follows a change from the project to the verdict, before and after the build',
    async () => {
      const project = tinyProject({ instances: 2 });
      const item = 'validate.train@tiny.0';
      expect(await why(project, 'environments.train')).toContain('new: it was never answered');
      await command(project, 'build', 'p.yaml');
      expect(await why(project, item)).toMatch(
        /^validate.train@tiny.0\nfresh: .*\nlast answer: run .*, ok\n$/s,
      );

      edit(project, 'p.yaml', 'install: []', 'install: ["touch /opt/env/mark"]');
      const before = await why(project, 'environments.train');
      expect(before).toContain('stale: its history, recipe, source changed\n');
      expect(before).toContain('  recipe.install[0]  + touch /opt/env/mark\n');
      expect(before).toMatch(/last success: run \S+, .*, ok\n$/);
      const waiting = await why(project, item);
      expect(waiting).toContain('waits: an item upstream must be answered first\n');
      expect(waiting).toContain('    recipe.install[0]  + touch /opt/env/mark\n');

      // The environment alone: the verdicts are stale now, and say where that comes from.
      await command(project, 'build', 'p.yaml', 'environments');
      const stale = await why(project, item);
      expect(stale).toContain('stale: its environment changed\n');
      expect(stale).toMatch(/ {2}environment {2}sha256:\w{8}… → sha256:\w{8}…\n/);
      expect(stale).toMatch(/ {4}because environments.train@owner\/tiny@\S+ changed at .*Z\n/);
      expect(stale).toContain('      recipe.install[0]  + touch /opt/env/mark\n');

      await command(project, 'build', 'p.yaml');
      const fresh = await why(project, item);
      expect(fresh).toContain('it last ran because this differs from its last success before:\n');
      expect(fresh).toContain('recipe.install[0]  + touch /opt/env/mark\n');
    },
    LONG,
  );

  test(
    'compares with answers that another project has made',
    async () => {
      const project = tinyProject({ instances: 2 });
      await command(project, 'build', 'p.yaml');
      writeFileSync(project.path('q.yaml'), 'extends: p.yaml\nname: other\n');
      const cached = await commandJson<{ executed: number }>(project, 'build', 'q.yaml');
      expect(cached.executed).toBe(0);
      const ofOther = async (target: string) =>
        (await command(project, 'why', target, '--project', 'q.yaml')).stdout;
      edit(project, 'p.yaml', 'timeout: 60s', 'timeout: 50s');
      const stale = await ofOther('validate.train@tiny.1');
      expect(stale).toContain('stale: its checks changed\n');
      expect(stale).toContain('checks.timeout  - 60\n');
      edit(project, 'rows.jsonl', 'm0 is wrong', 'm0 is very wrong');
      expect(await ofOther('dataset.train')).toContain('rows.tiny.0.problem_statement');
    },
    LONG,
  );

  test(
    'names the changed field of a row, and the item that a failed answer came from',
    async () => {
      const project = tinyProject({ instances: 2 });
      await command(project, 'build', 'p.yaml');
      edit(project, 'rows.jsonl', 'test_other (test_m0.Test)', 'test_gone (test_m0.Test)');
      const rows = await why(project, 'dataset.train');
      expect(rows).toContain('stale: its rows changed\n');
      expect(rows).toContain('rows.tiny.0.PASS_TO_PASS[0]  - test_other (test_m0.Test)\n');
      expect(rows).not.toContain('tiny.1');
      expect(await why(project, 'validate.train@tiny.0')).toContain('rows.tiny.0.PASS_TO_PASS[0]');

      await command(project, 'build', 'p.yaml', 'validate');
      const failed = await why(project, 'validate.train@tiny.0');
      expect(failed).toContain('instance.PASS_TO_PASS[0]  - test_other (test_m0.Test)\n');
      expect(failed).toContain('+ test_gone (test_m0.Test)\n');
      expect(failed).toMatch(/last answer: .*failed /);
      expect(failed).toMatch(/last success: .*, ok\n/);
      await command(project, 'build', 'p.yaml');
      const filter = await why(project, 'filter.train');
      expect(filter).toMatch(/verdicts {2}sha256/);
      expect(filter).toContain('tiny.0');
    },
    LONG,
  );

  test(
    'a config value, many items, unknown ones, JSON',
    async () => {
      const project = tinyProject({ instances: 5 });
      await command(project, 'build', 'p.yaml');
      edit(project, 'p.yaml', 'timeout: 60s', 'timeout: 50s');
      const all = await why(project, 'validate');
      expect(all).toContain('stale: its checks changed\n');
      expect(all).toContain('checks.timeout  - 60\n');
      expect(all).toContain('4 more like this\n');
      const { items } = await commandJson<{ items: Record<string, unknown>[] }>(
        project,
        'why',
        'validate.train@tiny.3',
      );
      expect(items).toMatchObject([
        {
          item: 'validate.train@tiny.3',
          standing: 'stale',
          comparedWith: 'last success',
          changes: [{ role: 'checks', lines: [{ place: 'checks.timeout', before: ['60'], now: ['50'] }] }],
          lastSuccess: { outcome: { status: 'ok' } },
        },
      ]);
      expect(await command(project, 'why', 'validate.train@nobody')).toMatchObject({ code: 2 });
      expect((await command(project, 'why', 'valid')).stderr).toContain('has no target "valid"');
    },
    LONG,
  );

  test(
    'what was forced is called so, there and where its new result is used',
    async () => {
      const project = tinyProject({ instances: 1 });
      edit(project, 'p.yaml', 'install: []', 'install: ["head -c 8 /dev/urandom > /opt/env/chance"]');
      // Nothing was there to be forced.
      await command(project, 'build', 'p.yaml', '--force', 'environments');
      expect(await why(project, 'environments.train')).not.toContain('forced');
      await command(project, 'build', 'p.yaml', 'environments', '--force', 'environments');
      const environment = await why(project, 'environments.train');
      expect(environment).toContain('it last ran because it was forced, with nothing changed');
      expect(environment).toMatch(/ok, forced\n$/);
      const verdict = await why(project, 'validate.train@tiny.0');
      expect(verdict).toContain('stale: its environment changed\n');
      expect(verdict).toMatch(
        /because environments\.train@\S+ changed at .*\n +it was forced: run \S+ ran it again with nothing changed\n/,
      );
      // A change afterwards is a change like any other.
      edit(project, 'p.yaml', 'pip: []', 'pip: []\n      env: { A: b }');
      await command(project, 'build', 'p.yaml');
      const changed = await why(project, 'environments.train');
      expect(changed).toContain('recipe.env.A  + b\n');
      expect(changed.split('\n')[1]).toContain('fresh');
      expect(changed).not.toMatch(/last answer: .*forced/);
    },
    LONG,
  );

  test(
    'a row that left, a fault, and a build at the same time',
    async () => {
      const project = tinyProject({ instances: 2, seconds: 0.5 });
      const building = project.start(['build', 'p.yaml']);
      building.stdout!.resume();
      building.stderr!.resume();
      const ended = new Promise((resolve) => building.once('exit', resolve));
      await sleep(1500);
      expect(await why(project, 'filter.train')).toMatch(/new: |waits: /);
      await ended;
      const rows = readFileSync(project.path('rows.jsonl'), 'utf8').split('\n');
      writeFileSync(project.path('rows.jsonl'), `${rows[0]}\n`);
      await command(project, 'build', 'p.yaml');
      expect(await why(project, 'validate.train@tiny.1')).toContain('gone: the project has no such item');
      edit(project, 'p.yaml', 'pip: []', 'pip: []\n      python: "3.2"');
      const blocked = await why(project, 'environments.train');
      expect(blocked).toContain('blocked: it cannot be made now\n  python-missing: ');
    },
    LONG,
  );
});

/** `build` as users meet it: interruption, two at once, faults, secrets, isolation, wrong input. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

const count = (project: Project, type: string) =>
  project.events().filter((event) => event.type === type).length;

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !condition(); tries += 1) await sleep(100);
}

const withoutNamespaces =
  spawnSync('unshare', ['-Ur', 'bash', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces']).status === 0;
if (!withoutNamespaces)
  process.stdout.write('skipped: unshare cannot make a namespace in which others are refused\n');

describe('build', () => {
  test(
    'validates, writes its files and then has nothing to do',
    async () => {
      const project = tinyProject();
      const first = await project.build('p.yaml');
      expect(first).toMatchObject({ code: 0, executed: 6, cached: 0, outcomes: { ok: 6 } });
      const files = (name: string) => project.path(`out/tiny/filter.train/${name}`);
      expect(readFileSync(files('passed.jsonl'), 'utf8').trim().split('\n')).toHaveLength(3);
      expect(readFileSync(files('failures.md'), 'utf8')).toContain('All 3 instances passed.');
      expect(await project.build('p.yaml')).toMatchObject({ code: 0, executed: 0, cached: 6 });
    },
    LONG,
  );

  test(
    'T43 Ctrl-C lets running actions end, starts no more, and loses nothing',
    async () => {
      const project = tinyProject({ instances: 6, seconds: 0.3 });
      const child = project.start(['build', 'p.yaml', '-j', '2']);
      child.stdout!.resume();
      child.stderr!.resume();
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const validated = () =>
        existsSync(project.path('.swemake/runs')) &&
        project.events().filter((event) => event.type === 'item-finished' && event.stage === 'validate.train')
          .length > 0;
      await until(validated);
      process.kill(child.pid!, 'SIGINT');
      expect(await ended).toBe(130);
      const before = project.events().filter((event) => event.record !== undefined).length;
      expect(before).toBeGreaterThan(2);
      expect(before).toBeLessThan(9);
      const rest = await project.build('p.yaml');
      expect(rest).toMatchObject({ code: 0, executed: 9 - before, cached: before });
    },
    LONG,
  );

  test(
    'T41 two builds at once share the work',
    async () => {
      const project = tinyProject({ instances: 4 });
      const ends = await Promise.all([project.build('p.yaml'), project.build('p.yaml')]);
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      expect(ends[0]!.executed + ends[1]!.executed).toBe(7);
    },
    LONG,
  );

  test(
    'an unreachable index is a fault: exit 3, nothing cached, and the next build goes on',
    async () => {
      const project = tinyProject();
      await project.build('p.yaml');
      const text = readFileSync(project.path('p.yaml'), 'utf8');
      writeFileSync(project.path('p.yaml'), text.replace('pip: []', 'pip: ["iniconfig"]'));
      // Without retries pip says only that there is no such package.
      const env = { PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '0', PIP_FIND_LINKS: '' };
      const broken = await new Project(project.folder, env).run('build', 'p.yaml');
      expect(broken.code).toBe(3);
      expect(broken.stdout).toMatch(/3 infra upstream-infra/);
      // The outage does not shrink the set that an earlier build wrote.
      expect(broken.stdout).toMatch(/warning: filter\.train: faults keep 3 instances from a verdict \(tiny/);
      // The index is the cause, so no instance is to be left out.
      expect(broken.stdout).not.toContain('select.match');
      const passed = readFileSync(project.path('out/tiny/filter.train/passed.jsonl'), 'utf8');
      expect(passed.trim().split('\n')).toHaveLength(3);
      expect(`${broken.stdout}${broken.stderr}`).not.toMatch(/^\s+at /m);
      const logs = await project.run('logs', 'environments.train@*');
      expect(logs.stdout).toContain('pip[0]');
      expect(count(project, 'item-retried')).toBe(2);
      expect(await project.build('p.yaml')).toMatchObject({ code: 0, outcomes: { ok: 6, infra: 0 } });
    },
    LONG,
  );

  test(
    'an environment that fails for another reason is told with that reason',
    async () => {
      const project = tinyProject({ instances: 1 });
      const text = readFileSync(project.path('p.yaml'), 'utf8');
      for (const reason of ['first', 'second']) {
        writeFileSync(
          project.path('p.yaml'),
          text.replace('install: []', `install: ["echo the ${reason} reason; exit 1"]`),
        );
        const end = await project.run('build', 'p.yaml');
        expect(end.code).toBe(1);
        expect(end.stdout).toContain(`environment-failed: install[0]: the ${reason} reason`);
        expect(readFileSync(project.path('out/tiny/filter.train/failures.md'), 'utf8')).toContain(
          `the ${reason} reason`,
        );
      }
    },
    LONG,
  );

  test(
    'what the machine lacks is a fault with its remedy, and no verdict',
    async () => {
      const project = tinyProject({ instances: 1, recipe: '      system: [no-such-debian-package]' });
      const end = await project.run('build', 'p.yaml');
      expect(end.code).toBe(3);
      expect(end.stdout).toMatch(/infra tool-missing: .*apt-get install no-such-debian-package/);
      writeFileSync(
        project.path('p.yaml'),
        readFileSync(project.path('p.yaml'), 'utf8').replace(
          'system: [no-such-debian-package]',
          'python: "2.1"',
        ),
      );
      const python = await project.run('build', 'p.yaml');
      expect(python.code).toBe(3);
      expect(python.stdout).toMatch(/infra python-missing: Python 2\.1 was not found .*this provides it: /);
    },
    LONG,
  );

  test(
    'single items are made alone, and a pattern that names none is an error',
    async () => {
      const project = tinyProject();
      const end = await project.run('build', 'p.yaml', 'validate.train@tiny.1', '-j', '3');
      expect(end.code).toBe(0);
      expect(end.stdout).toMatch(/made 3 targets .* 3 run/);
      const none = await project.run('build', 'p.yaml', 'validate.train@nothing*');
      expect(none.code).toBe(2);
      expect(none.stderr).toMatch(/no item matches "validate\.train@nothing\*"/);
      const piped = spawnSync(
        'bash',
        ['-c', `${process.execPath} ${join(packageRoot(), 'bin/swemake.js')} logs '*' | head -1`],
        {
          cwd: project.folder,
          encoding: 'utf8',
          env: { ...process.env, XDG_CACHE_HOME: project.path('home-cache') },
        },
      );
      expect(piped.stdout).toMatch(/^== /);
      expect(piped.stderr).toBe('');
    },
    LONG,
  );

  test(
    'T09 a secret reaches the command that needs it and nothing else',
    async () => {
      const canary = 'canary-8c41d0e7b2';
      const recipe = `      env: { TOKEN: "\${secret:TINY_TOKEN}" }\n      pre_install: ['test "$TOKEN" = ${canary.slice(0, 6)}"${canary.slice(6)}"', 'echo "it is $TOKEN"']`;
      const project = tinyProject({ instances: 1, recipe, env: { TINY_TOKEN: canary } });
      const end = await project.build('p.yaml');
      expect(end).toMatchObject({ code: 0, outcomes: { ok: 4 } });
      const found = spawnSync('grep', ['-rlaF', canary, project.folder], { encoding: 'utf8' });
      expect(found.stdout).toBe('');
      const shown = await project.run('show', 'p.yaml');
      expect(shown.stdout).not.toContain(canary);
      expect((await project.run('logs', 'environments.train@*')).stdout).toContain(
        'it is ${secret:TINY_TOKEN}',
      );
    },
    LONG,
  );

  test(
    'plain processes give verdicts of their own, under keys of their own, and say so',
    async () => {
      const project = tinyProject({ instances: 1, type: 'local' });
      const local = await project.run('build', 'p.yaml');
      expect(local.code).toBe(0);
      expect(local.stdout).toMatch(/warning: isolation is local/);
      expect(local.stdout).toMatch(/isolation: local/);
      const fenced = readFileSync(project.path('p.yaml'), 'utf8').replace('type: local', 'type: sandbox');
      writeFileSync(project.path('p.yaml'), fenced);
      expect(await project.build('p.yaml')).toMatchObject({ code: 0, executed: 3, cached: 1 });
    },
    LONG,
  );

  test.skipIf(!withoutNamespaces)(
    'auto refuses where namespaces are refused, falls back to plain processes if asked to, and says so each time',
    async () => {
      const project = tinyProject({ instances: 1, type: 'auto' });
      const refused = (command: string) =>
        spawnSync(
          'unshare',
          ['-Ur', 'bash', '-c', `echo 0 > /proc/sys/user/max_user_namespaces; ${command}`],
          {
            cwd: project.folder,
            encoding: 'utf8',
            env: { ...process.env, XDG_CACHE_HOME: project.path('home-cache') },
          },
        );
      const swemake = `${process.execPath} ${join(packageRoot(), 'bin/swemake.js')}`;
      const strict = refused(`${swemake} build p.yaml`);
      expect(strict.status).toBe(3);
      expect(strict.stdout + strict.stderr).toContain('write deployments: { box: { type: local } }');
      expect(strict.stdout).not.toContain('isolation: local');
      const weak = refused(`${swemake} build p.yaml --set deployments.box.fallback=local`);
      expect(weak.status).toBe(0);
      expect(weak.stdout).toMatch(/warning: deployment box: the sandbox does not work here/);
      expect(weak.stdout).toMatch(/isolation: local/);
      expect(await project.build('p.yaml')).toMatchObject({
        code: 0,
        isolation: 'sandbox',
        executed: 3,
        cached: 1,
      });
    },
    LONG,
  );

  test(
    'wrong input ends with code 2, a place and a remedy, and no stack trace',
    async () => {
      const project = tinyProject({ instances: 1 });
      const cases = [
        ['build', 'nothing.yaml'],
        ['build', 'p.yaml', 'rollouts'],
        ['build', 'p.yaml', '-j', '0'],
        ['build', 'p.yaml', '--jbos', '2'],
        ['build'],
        ['bild', 'p.yaml'],
        ['build', 'p.yaml', '--set', 'validation.gold_runs=none'],
      ];
      for (const args of cases) {
        const { code, stderr } = await project.run(...args);
        expect([args, code]).toEqual([args, 2]);
        expect(stderr).toMatch(/E\d{3}/);
        expect(stderr).not.toMatch(/^\s+at /m);
      }
      expect(existsSync(project.path('out'))).toBe(false);
    },
    LONG,
  );

  test(
    'bad rows are listed with line and field, the others go on',
    async () => {
      const project = tinyProject({ instances: 2 });
      const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
      writeFileSync(project.path('rows.jsonl'), `{"instance_id": "bad.1"}\nnot json\n${rows}`);
      const end = await project.build('p.yaml');
      expect(end).toMatchObject({ code: 0 });
      const logs = await project.run('logs', 'dataset.train');
      expect(logs.stdout).toMatch(/line 1: /);
      expect(logs.stdout).toMatch(/line 2: /);
      expect(end.stages.find(({ stage }) => stage === 'validate.train')).toMatchObject({
        items: 2,
        outcomes: { ok: 2 },
      });
    },
    LONG,
  );
});

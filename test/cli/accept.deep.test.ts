/** `accept`: answers that are taken over, marked as such, and environments from elsewhere that are validated anew. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

type Built = BuildResult & { adopted: string[]; warnings: string[] };

function edit(project: Project, file: string, from: string, to: string): void {
  const text = readFileSync(project.path(file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(project.path(file), text.replaceAll(from, to));
}

const build = (project: Project) => commandJson<Built>(project, 'build', 'p.yaml');

/** A virtual environment by the host's python, as SWE-MiniSandbox packs one; null when there is no venv. */
/** @throws what skips the test where no virtual environment can be made. */
function packVenv({ skip }: TestContext, project: Project, archive: string, ...changes: string[]): void {
  const venv = project.path('shared/owner/tiny/latest/default/venv');
  const steps = [
    `python3 -m venv ${venv}`,
    ...changes.map((change) => change.replaceAll('VENV', venv)),
    `mkdir -p ${dirname(archive)}`,
    `tar -czf ${archive} -C ${dirname(venv)} venv`,
    `rm -rf ${venv}`,
  ];
  const made = spawnSync('bash', ['-ec', steps.join('\n')], { encoding: 'utf8', timeout: 170_000 });
  if (made.status === 0) return;
  process.stdout.write(`skipped: no virtual environment could be made: ${made.stderr}\n`);
  skip('no virtual environment could be made');
}

describe('accept', () => {
  test(
    'T58 takes the last answer over to the new key, and the record says so',
    async () => {
      const project = tinyProject({ instances: 2 });
      await build(project);
      edit(project, 'p.yaml', 'timeout: 60s', 'timeout: 61s');
      const none = await command(project, 'accept', 'environments.train@*');
      expect([none.code, none.stdout]).toEqual([2, '']);
      expect(none.stderr).toContain('there is nothing to accept: each item that matches is answered');
      const one = await command(project, 'accept', 'validate.train@tiny.0');
      expect([one.stderr, one.stdout]).toEqual(['', 'accepted validate.train@tiny.0 (ok)\n']);
      const built = await build(project);
      expect(built).toMatchObject({ executed: 1, adopted: ['validate.train@tiny.0'] });
      expect(built.warnings).toContain('validate.train@tiny.0 was adopted, not made here');
      expect((await command(project, 'why', 'validate.train@tiny.0')).stdout).toMatch(/ok, adopted\n/);
      // What is made again is no longer adopted.
      const forced = await commandJson<Built>(project, 'build', 'p.yaml', '--force', 'validate.train@tiny.0');
      expect(forced).toMatchObject({ executed: 1, adopted: [] });
      expect((await command(project, 'accept', 'nothing.here')).code).toBe(2);
    },
    LONG,
  );

  test(
    'an environment of a SWE-MiniSandbox cache is moved to its place and its instances are validated',
    async (context) => {
      const project = tinyProject({ instances: 2 });
      const archive = project.path('shared/owner/tiny/latest/default/venv.tar.gz');
      packVenv(context, project, archive);
      mkdirSync(project.path('empty'));
      const accept = (...args: string[]) =>
        command(project, 'accept', 'environments.train', '--project', 'p.yaml', ...args);
      expect((await accept('--from', 'shared')).stderr).toContain(
        'environments.train waits for something upstream',
      );
      await command(project, 'build', 'p.yaml', 'dataset');
      expect((await accept()).stderr).toContain('it was never answered, so there is no answer to use');
      expect((await accept('--from', 'empty')).stderr).toContain(
        'there is neither a virtual environment nor a venv.tar.gz',
      );
      const end = await accept('--from', 'shared');
      expect([end.stderr, end.code]).toEqual(['', 0]);
      expect(end.stdout).toMatch(/^accepted environments\.train@owner\/tiny\S* \(ok\)\n$/);
      const built = await build(project);
      expect(built).toMatchObject({ outcomes: { ok: 5 }, executed: 3 });
      expect(built.adopted).toEqual([expect.stringMatching(/^environments\.train@/)]);
      expect(await build(project)).toMatchObject({ executed: 0 });
      const logs = await command(project, 'logs', 'environments.train');
      expect(logs.stdout).toContain('venv.tar.gz; it was made for');
      expect((await command(project, 'build', 'p.yaml')).stdout).toMatch(
        /environments\.train@\S+ was adopted/,
      );
    },
    LONG,
  );

  test(
    'a SWE-MiniSandbox repository gives what its installation added beside the sources',
    async (context) => {
      const project = tinyProject({ instances: 2, isCold: true });
      // As its cache has it: the repository with its .git and what the installation left in it.
      const archive = project.path('venvs/owner/tiny/latest/default/venv.tar.gz');
      packVenv(context, project, archive);
      const testbed = project.path('repositories/owner/tiny/latest/tiny.1/testbed.tar.gz');
      const steps = [
        `cp -r ${project.path('repo')} ${project.path('testbed')}; cd ${project.path('testbed')}`,
        'mkdir -p tiny.egg-info sub __pycache__; echo x > tiny.egg-info/PKG-INFO; echo compiled > sub/fast.so',
        'echo stale > __pycache__/m1.pyc; echo "VALUE = 77" > m1.py; rm m0.py; ln -s sub/fast.so link.so',
        `mkdir -p ${dirname(testbed)}; tar -czf ${testbed} -C .. testbed; rm -rf ../testbed`,
      ];
      execFileSync('bash', ['-ec', steps.join('\n')], { stdio: 'pipe' });
      edit(project, 'p.yaml', 'test: python', 'test: cmp sub/fast.so link.so && python');
      await command(project, 'build', 'p.yaml', 'dataset');
      const from = ['--from', 'venvs', '--from', 'repositories'];
      const end = await command(project, 'accept', 'environments.train', '--project', 'p.yaml', ...from);
      expect([end.stderr, end.code]).toEqual(['', 0]);
      const trees = project.path('.swemake/layers/trees');
      const layers = readdirSync(trees).filter((name) => existsSync(join(trees, name, 'opt/env')));
      expect(layers).toHaveLength(1);
      const taken = readdirSync(join(trees, layers[0]!, 'testbed'), { recursive: true }) as string[];
      expect(taken.sort()).toEqual([
        'link.so',
        'sub',
        'sub/fast.so',
        'tiny.egg-info',
        'tiny.egg-info/PKG-INFO',
      ]);
      expect((await command(project, 'logs', 'environments.train')).stdout).toContain(
        'tiny.1/testbed.tar.gz',
      );
      expect(await build(project)).toMatchObject({ outcomes: { ok: 5, failed: 0 } });
    },
    LONG,
  );

  test(
    'what cannot be moved is refused by name',
    async (context) => {
      const project = tinyProject({ instances: 1 });
      const archive = project.path('venv.tar.gz');
      const binary = "printf 'x\\0%s\\0' VENV > VENV/lib/bound.so";
      packVenv(context, project, archive, binary);
      await command(project, 'build', 'p.yaml', 'dataset');
      const accept = () =>
        command(project, 'accept', 'environments.train', '--project', 'p.yaml', '--from', 'venv.tar.gz');
      const bound = await accept();
      expect(bound.code).toBe(1);
      expect(bound.stderr).toMatch(
        /binary files hold its old path \S+, which cannot be rewritten: lib\/bound\.so/,
      );
      packVenv(context, project, archive, "sed -i 's/^version = .*/version = 3.6.1/' VENV/pyvenv.cfg");
      expect((await accept()).stderr).toContain('it is of Python 3.6, and the recipe’s interpreter is 3.');
      const whole = readFileSync(archive);
      writeFileSync(archive, whole.subarray(0, whole.length / 2));
      const cut = await accept();
      expect(cut.code).toBe(1);
      expect(cut.stderr).toMatch(/archive \S+\/venv\.tar\.gz: /);
      expect(cut.stderr).not.toContain('E999');
      const verdict = await command(project, 'accept', 'dataset.train', '--from', 'venv.tar.gz');
      expect(verdict.code).toBe(2);
    },
    LONG,
  );
});

/** `lock` and `--frozen`: what was locked stays, and what does not is named before anything runs. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Lock, lockDrift, lockText, parseLock } from '../../compiler/lock.ts';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

function edit(project: Project, file: string, from: RegExp | string, to: string): void {
  const text = readFileSync(project.path(file), 'utf8');
  expect(text).toMatch(from);
  writeFileSync(project.path(file), text.replaceAll(new RegExp(from, 'g'), to));
}

const git = (project: Project, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: project.path('repo'),
    encoding: 'utf8',
  }).trim();

/** Rows that name a branch. */
function onBranch(): Project {
  const project = tinyProject({ instances: 2 });
  edit(project, 'rows.jsonl', /repo@[0-9a-f]{40}/, 'repo@main');
  return project;
}

const build = (project: Project, ...args: string[]) =>
  commandJson<BuildResult>(project, 'build', 'p.yaml', ...args);
const lockOf = (project: Project) => JSON.parse(readFileSync(project.path('p.yaml.lock'), 'utf8')) as Lock;

describe('lock', () => {
  test(
    'T13 pins branches, rows, interpreters and packages, and changes nothing that was built',
    async () => {
      const project = onBranch();
      await build(project);
      const commit = git(project, 'rev-parse', 'HEAD');
      const end = await command(project, 'lock', 'p.yaml');
      expect([end.code, end.stdout]).toEqual([
        0,
        'wrote p.yaml.lock: 1 datasets, 1 sources, 1 environments\n',
      ]);
      const lock = lockOf(project);
      expect(lock.datasets.train).toMatchObject({
        source: 'rows.jsonl',
        instances: 2,
        rows: expect.stringMatching(/^sha256:/),
        sources: { 'git+./repo@main': `git:${commit}` },
      });
      expect(Object.keys(lock.environments)).toEqual([
        expect.stringMatching(/^environments\.train@owner\/tiny/),
      ]);
      const { packages } = Object.values(lock.environments)[0]!;
      expect(packages).toContainEqual(expect.stringMatching(/^pip==/));
      expect(packages).not.toContainEqual(expect.stringMatching(/ environment at:/));
      expect(lock.pythons['']).toMatchObject({ python: expect.any(String) });
      expect(await build(project)).toMatchObject({ executed: 0, cached: 5 });
      expect(await build(project, '--frozen')).toMatchObject({ executed: 0, cached: 5 });
      const before = readFileSync(project.path('p.yaml.lock'), 'utf8');
      await command(project, 'lock', 'p.yaml');
      expect(readFileSync(project.path('p.yaml.lock'), 'utf8')).toBe(before);

      // The branch moves on: an empty cache still comes to the locked commit.
      git(project, 'commit', '--allow-empty', '-qm', 'more');
      rmSync(project.path('.swemake'), { recursive: true });
      expect(await build(project, '--frozen')).toMatchObject({ executed: 5, outcomes: { ok: 5 } });
      expect(await build(project)).toMatchObject({ executed: 0 });
      await command(project, 'lock', 'p.yaml');
      expect(lockOf(project)).toEqual(lock);
      await command(project, 'lock', 'p.yaml', '--update');
      const moved = git(project, 'rev-parse', 'HEAD');
      expect(moved).not.toBe(commit);
      expect(lockOf(project).datasets.train!.sources).toEqual({ 'git+./repo@main': `git:${moved}` });
    },
    LONG,
  );

  test(
    '--frozen refuses drift before anything runs, and names it',
    async () => {
      const project = onBranch();
      expect((await command(project, 'build', 'p.yaml', '--frozen')).stderr).toContain(
        'E004  p.yaml.lock does not exist',
      );
      await command(project, 'lock', 'p.yaml');
      const good = readFileSync(project.path('p.yaml.lock'), 'utf8');
      const refused = async (...args: string[]) => {
        const end = await command(project, 'build', 'p.yaml', '--frozen', ...args);
        expect([end.code, end.stdout]).toEqual([2, '']);
        expect(end.stderr).toContain('nothing was run\n');
        return end.stderr;
      };

      edit(project, 'p.yaml.lock', /pip==[\d.]+/, 'pip==0.1');
      expect(await refused()).toMatch(/environments\.train@\S+\.packages: pip==0\.1\n {8}- pip==0\.1\n/);
      const plan = await command(project, 'plan', 'p.yaml', '--frozen');
      expect([plan.code, plan.stdout]).toEqual([2, '']);
      // With nothing built yet, the environment that comes out is compared.
      rmSync(project.path('.swemake'), { recursive: true });
      const built = await command(project, 'build', 'p.yaml', '--frozen', 'environments');
      expect(built.code).toBe(3);
      expect(built.stdout).toMatch(
        /infra lock-drift: its packages are not those of the lock file: - pip==0\.1/,
      );

      writeFileSync(project.path('p.yaml.lock'), good);
      edit(project, 'p.yaml.lock', /"validate": \d+/, '"validate": 0');
      expect(await refused()).toContain('stages.validate\n        - 0\n        + ');
      writeFileSync(project.path('p.yaml.lock'), good);
      edit(project, 'rows.jsonl', 'm1 is wrong', 'm1 is quite wrong');
      expect(await refused()).toMatch(/ {6}datasets\.train\.rows\n {8}- sha256:\w+\n {8}\+ sha256:\w+\n/);
      edit(project, 'rows.jsonl', 'm1 is quite wrong', 'm1 is wrong');
      expect(await build(project, '--frozen')).toMatchObject({ outcomes: { ok: 5 } });

      edit(project, 'p.yaml', /install: \[\]/, 'install: ["true"]');
      expect(await refused()).toMatch(/ {6}environments\.train@\S+\.recipe\.install: true\n/);
      edit(project, 'p.yaml', /install: \["true"\]/, 'install: []');

      const checked = await command(project, 'check', 'p.yaml');
      expect(checked.stdout).toContain('no errors in 1 file');
      edit(project, 'p.yaml', 'format: custom', 'format: custom, select: { slice: "0:1" }');
      expect(await refused()).toContain('datasets.train.config.select.slice');
      const warned = await command(project, 'check', 'p.yaml');
      expect(warned.code).toBe(0);
      expect(warned.stderr + warned.stdout).toContain('W207');
      writeFileSync(project.path('p.yaml.lock'), '<<<<<<< HEAD\n');
      expect((await command(project, 'build', 'p.yaml', '--frozen')).stderr).toContain(
        'cannot be used: it is not JSON',
      );
      expect((await command(project, 'check', 'p.yaml')).stderr).toContain('W207');
    },
    LONG,
  );
});

/** A package of one module, as a wheel in `folder`. */
function writeWheel(folder: string, version: string): void {
  const program = `
import sys, zipfile
folder, version = sys.argv[1:]
info = "swemakedemo-%s.dist-info" % version
with zipfile.ZipFile("%s/swemakedemo-%s-py3-none-any.whl" % (folder, version), "w") as wheel:
    wheel.writestr("swemakedemo.py", "")
    wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: swemakedemo\\nVersion: %s\\n" % version)
    wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "/RECORD", "")
`;
  execFileSync('python3', ['-Ic', program, folder, version]);
}

test(
  'what was locked and is gone from its index cannot be installed: said as such, and not kept as an answer',
  async () => {
    const project = tinyProject({ instances: 1 });
    const wheels = project.path('wheels');
    mkdirSync(wheels);
    writeWheel(wheels, '1.0');
    edit(project, 'p.yaml', /pip: \[\]/, 'pip: [swemakedemo]');
    const before = process.env.PIP_FIND_LINKS;
    process.env.PIP_FIND_LINKS = [wheels, ...(before === undefined ? [] : [before])].join(' ');
    try {
      expect((await command(project, 'lock', 'p.yaml')).code).toBe(0);
      expect(Object.values(lockOf(project).environments)[0]!.packages).toContain('swemakedemo==1.0');
      rmSync(project.path('.swemake'), { recursive: true });
      rmSync(project.path('wheels/swemakedemo-1.0-py3-none-any.whl'));
      writeWheel(wheels, '2.0');
      const frozen = await command(project, 'build', 'p.yaml', '--frozen');
      expect(frozen.code).toBe(3);
      expect(frozen.stdout).toMatch(
        /infra lock-drift: it was built when it was locked, and now it cannot be: pip\[0\]: ERROR: (Cannot install|No matching distribution found for|Could not find).*swemakedemo/,
      );
      expect((await command(project, 'logs', 'environments.train')).stdout).toContain('swemakedemo==1.0');
      // Nothing of that is an answer: another frozen build tries again, and one that is not frozen takes the new one.
      writeWheel(wheels, '1.0');
      expect(await build(project, '--frozen')).toMatchObject({ outcomes: { ok: 4, infra: 0 } });
      rmSync(project.path('.swemake'), { recursive: true });
      expect(await build(project)).toMatchObject({ outcomes: { ok: 4, infra: 0 } });
      const again = await command(project, 'build', 'p.yaml', '--frozen');
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('packages: swemakedemo==2.0')]);
    } finally {
      if (before === undefined) delete process.env.PIP_FIND_LINKS;
      else process.env.PIP_FIND_LINKS = before;
    }
  },
  LONG,
);

test('a lock is text that depends on its content only, and drift is named by place', () => {
  const environment = { source: 's', digest: 'd', recipe: null, outcome: 'ok', packages: ['a==1', 'b==1'] };
  const lock: Lock = {
    lock: 1,
    swemake: '1',
    project: 'p',
    stages: { validate: 1, dataset: 1 },
    pythons: {},
    datasets: {},
    environments: { 'environments.train@x': environment },
  };
  const turned = { ...lock, stages: { dataset: 1, validate: 1 } };
  expect(lockText(turned)).toBe(lockText(lock));
  expect(parseLock(lockText(lock))).toEqual(lock);
  expect(parseLock('{"lock": 9}')).toBe('it has format 9, this swemake reads 1');
  const now = {
    environments: { 'environments.train@x': { ...environment, packages: ['a==2', 'b==1'] } },
    swemake: '2',
  };
  expect(lockDrift(lock, now)).toEqual([
    { what: 'environments.train@x.packages: a==1', locked: 'a==1', now: null },
    { what: 'environments.train@x.packages: a==2', locked: null, now: 'a==2' },
  ]);
});

/**
 * From a repository of one's own to a first result: it is named at a terminal, bugs are made in it, a project for them, a
 * build with baselines.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { main } from '../../cli/main.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { BuildResult } from '../rig/project.ts';
import { typed } from '../rig/typist.ts';

const PACKAGE = `def clamp(value, low=0, high=10):
    if value < low:
        return low
    if value > high:
        return high
    return value
`;
const TESTS = `from mine import clamp


def test_low():
    assert clamp(-1) == 0


def test_high():
    assert clamp(11) == 10


def test_inside():
    assert clamp(5) == 5
`;

test('init of a repository, check, build', async () => {
  const folder = temporaryFolder();
  const repository = join(folder, 'mine');
  mkdirSync(repository);
  writeFileSync(join(repository, 'mine.py'), PACKAGE);
  writeFileSync(join(repository, 'test_mine.py'), TESTS);
  writeFileSync(
    join(repository, 'pyproject.toml'),
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "mine"\nversion = "1"\n[tool.setuptools]\npy-modules = ["mine"]\n',
  );
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  const commit = git('rev-parse', 'HEAD').trim();

  const bin = join(folder, 'bin');
  const calls = join(folder, 'git-calls');
  const program = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${calls}\nexec ${program} "$@"\n`, {
    mode: 0o755,
  });
  const PATH = `${bin}:${process.env.PATH}`;
  const env = { ...process.env, PATH, XDG_CACHE_HOME: join(folder, 'home-cache') };
  const run = async (...args: string[]) => {
    let text = '';
    const sink = { write: (more: string) => (text += more) };
    const code = await main(args, { stdout: sink, stderr: sink, env, cwd: folder, isTTY: false });
    return { code, text };
  };
  const init = [process.execPath, join(packageRoot(), 'bin/swemake.js'), 'init', '--count', '2'];
  const answers: [string, string][] = [
    ['Tasks [quickstart]: ', './mine\r'],
    ['answer? [none yet]: ', '\r'],
  ];
  const made = await typed(init, answers, { cwd: folder, env });
  expect(made.code, made.shown).toBe(0);
  const rows = readFileSync(join(folder, 'rows.jsonl'), 'utf8').trimEnd().split('\n');
  expect(rows).toHaveLength(2);
  // Once to see what the recipe must be, and once into the cache.
  expect(readFileSync(calls, 'utf8').match(/ fetch /g)).toHaveLength(2);
  expect(JSON.parse(rows[0]!)).toMatchObject({
    repo: 'local/mine',
    source: `git+./mine@${commit}`,
    version: commit.slice(0, 8),
  });
  const checked = await run('check', 'project.yaml');
  expect(checked.text).toMatch(/^no errors in 1 file/);
  // The tests ran in the environment that the build of the project finds.
  const environments = await run('build', 'project.yaml', 'environments', '--json');
  const { executed, stages } = JSON.parse(environments.text) as BuildResult;
  expect(stages).toContainEqual(
    expect.objectContaining({ stage: 'environments.train', items: 1, executed: 0 }),
  );
  expect(executed).toBe(1);
  const built = await run('build', 'project.yaml', '--set', 'validation.allow_isolation=local');
  expect(built.code, built.text).toBe(0);
  expect(built.text).toMatch(/^rollouts\.train +resolved 2\/2 .* noop 0\/2 /m);
  // What was measured where the bugs were made holds in the sandbox.
  expect(built.text).toContain('validate.train       2 · 2 ok');
}, 300_000);

/**
 * One small environment for each interpreter that this machine has, with a package of the index, an installed project and a
 * run of its tests: which of them work here. Outside of CI, since it looks for what it finds.
 *
 *   node scripts/interpreters.mjs [--folder DIR] [--provider venv|uv] [VERSION…]
 *
 * VERSION defaults to 3.5 to 3.14; those that are not here are told. The exit code is 1 when one that is here does not work.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SWEMAKE = fileURLToPath(new URL('../bin/swemake.js', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string' }, provider: { type: 'string', default: 'venv' } },
});
const versions =
  positionals.length > 0 ? positionals : Array.from({ length: 10 }, (_, index) => `3.${index + 5}`);
const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'swemake-interpreters-')));

const commit = makeRepository(join(folder, 'repo'));
writeFileSync(
  join(folder, 'rows.jsonl'),
  versions.map((version) => `${JSON.stringify(row(version))}\n`).join(''),
);
writeFileSync(join(folder, 'project.yaml'), project());
const built = spawnSync(process.execPath, [SWEMAKE, 'build', 'project.yaml', 'validate.one', '--json'], {
  cwd: folder,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (!built.stdout.trim().startsWith('{')) process.exit(built.status || 3);
let broken = 0;
for (const version of versions) {
  const shown = spawnSync(process.execPath, [SWEMAKE, 'logs', `environments.one@owner/tiny@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  });
  const tests = spawnSync(process.execPath, [SWEMAKE, 'logs', `validate.one@python-${version}`], {
    cwd: folder,
    encoding: 'utf8',
  });
  const outcome = (text) => / · ([a-z]+(?:[: ].*?)?) · run /.exec(text)?.[1] ?? 'not answered';
  const [environment, validated] = [outcome(shown.stdout), outcome(tests.stdout)];
  const isHere = !/was not found on this machine/.test(environment);
  if (isHere && (environment !== 'ok' || validated !== 'ok')) broken += 1;
  console.log(`${version.padEnd(6)} ${isHere ? `${environment} · ${validated}` : 'not on this machine'}`);
}
console.log(`project and cache: ${folder}`);
process.exit(broken === 0 ? 0 : 1);

function makeRepository(at) {
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'tiny.py'), 'VALUE = 1\n');
  writeFileSync(
    join(at, 'setup.py'),
    "from setuptools import setup\nsetup(name='tiny', version='1.0', py_modules=['tiny'])\n",
  );
  writeFileSync(
    join(at, 'test_tiny.py'),
    'import unittest\nimport six\nimport tiny\nclass Test(unittest.TestCase):\n    def test_value(self):\n        self.assertEqual(tiny.VALUE, 1)\n',
  );
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: at,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  return git('rev-parse', 'HEAD').trim();
}

function row(version) {
  return {
    instance_id: `python-${version}`,
    repo: 'owner/tiny',
    version,
    source: `git+./repo@${commit}`,
    patch:
      'diff --git a/tiny.py b/tiny.py\n--- a/tiny.py\n+++ b/tiny.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n',
    patch_role: 'bug',
    // From 3.11 on unittest names the whole path.
    FAIL_TO_PASS: ['test_value (test_tiny.Test)'],
    PASS_TO_PASS: [],
    problem_statement: 'VALUE is 1',
    recipe: { python: version },
  };
}

function project() {
  return `version: 1
name: interpreters
dataset:
  one: { source: rows.jsonl, format: custom }
environments:
  python: { provider: ${values.provider} }
  recipes:
    - match: {}
      pip: ["six==1.16.0"]
      test: python -m unittest -v
      parser: unittest
deployments:
  box: { type: sandbox, network: { build: proxy, grade: off } }
validation: { deployment: box, gold_runs: 2 }
`;
}

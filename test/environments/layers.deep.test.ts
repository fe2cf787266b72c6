/** Real builds in layers: dependencies once per version, the project at each instance's own commit, steps run once. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { EnvironmentDisk } from '../../app/environment-disk.ts';
import { Project } from '../rig/project.ts';

const WAIT = 300_000;
const project = new Project();
const repo = project.path('repo');

function git(...args: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: repo, encoding: 'utf8' }).trim();
}

const FILES = {
  'm.py': 'VALUE = 1\n',
  'old.py': 'OLD = 1\n',
  'settings.txt': 'as committed\n',
  'reqs.txt': '-r reqs-more.txt\n',
  'reqs-more.txt': '# nothing\n',
  'test_m.py':
    'import unittest\nfrom m import VALUE\nfrom version import VERSION\n\n\nclass Test(unittest.TestCase):\n    def test_value(self):\n        self.assertEqual(VALUE, 1)\n\n    def test_version(self):\n        self.assertIn("v1", VERSION)\n',
};

/** Two commits after the tag `v1`, and a tag of later on. */
function makeRepository(): string[] {
  mkdirSync(repo);
  git('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(project.path(`repo/${name}`), text);
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('tag', 'v1');
  const commits = ['second', 'third'].map((text) => {
    writeFileSync(project.path('repo/notes.txt'), text);
    git('add', '-A');
    git('commit', '-qm', text);
    return git('rev-parse', 'HEAD');
  });
  git('commit', '-q', '--allow-empty', '-m', 'later');
  git('tag', 'v2');
  return commits;
}

const PATCH = 'diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n';

const DESCRIBE = `"echo VERSION = \\\\\\"$(git describe --tags)\\\\\\" > version.py"`;

function writeProject(install: string): void {
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: layers
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      packages: [reqs.txt]
      pip: []
      pre_install:
        - "echo as rewritten > settings.txt; rm old.py; echo kept > /opt/env/made; echo made > generated.txt"
      install:
        - "test \\"$(cat settings.txt)\\" = 'as rewritten' && test ! -e old.py && rm /opt/env/made"
        - ${DESCRIBE}
        - "${install}"
      test: python -m unittest -v
      parser: unittest
deployments:
  box: { type: sandbox, network: { build: proxy, grade: off } }
validation: { deployment: box, timeout: 60s }
`,
  );
}

let commits: string[] = [];

beforeAll(() => {
  commits = makeRepository();
  const rows = commits.map((commit, index) => ({
    instance_id: `layers.${index}`,
    repo: 'owner/layers',
    version: '1',
    source: `git+./repo@${commit}`,
    patch: PATCH,
    patch_role: 'bug',
    FAIL_TO_PASS: ['test_value (test_m.Test)'],
    PASS_TO_PASS: ['test_version (test_m.Test)'],
    problem_statement: 'm is wrong',
  }));
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
});

const logs = async () => (await project.run('logs', 'environments.train@*', '--project', 'p.yaml')).stdout;
const count = (text: string, pattern: RegExp) => text.match(new RegExp(pattern, 'g'))?.length ?? 0;

test(
  'each commit is installed with its own version, and what the recipe names is there once',
  async () => {
    writeProject('ls /opt/env');
    const end = await project.build('p.yaml');
    expect(end.outcomes).toEqual({ ok: 6, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 0, config: 0 });
    const text = await logs();
    // Made while the rows were read, or by the first build.
    expect(count(text, /== create\[0\] · exit code 0/)).toBeLessThanOrEqual(1);
    expect(count(text, /== create\[0\] · (exit code 0|made by another build of this run)/)).toBe(2);
    expect(count(text, /== packages\[0\] · exit code 0/)).toBe(1);
    expect(count(text, /== packages\[0\] · made by another build of this run/)).toBe(1);
    expect(count(text, /== install\[1\] · exit code 0/)).toBe(2);
    // What the steps did to the repository is seen by later ones, and named, and not part of what instances see.
    expect(text).toContain('which instances will not see: old.py, settings.txt');
    expect(text).not.toMatch(/^made$/m);
  },
  WAIT,
);

test(
  'an edited last step runs that one only',
  async () => {
    writeProject('echo another > /opt/env/last');
    const end = await project.build('p.yaml');
    expect(end.outcomes).toEqual({ ok: 6, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 0, config: 0 });
    const text = await logs();
    expect(count(text, /kept from an earlier build/)).toBe(2 * 6);
    expect(count(text, /exit code 0/)).toBe(2);
    expect(count(text, /== install\[2\] · exit code 0/)).toBe(2);
  },
  WAIT,
);

test(
  'what is forced keeps nothing',
  async () => {
    const end = await project.build('p.yaml', '--force', 'environments');
    expect(end.executed).toBe(2);
    const text = await logs();
    expect(text).not.toContain('kept from an earlier build');
    expect(count(text, /== create\[0\] · exit code 0/)).toBe(1);
  },
  WAIT,
);

test(
  'a plan says what environments take, and what all of them will',
  async () => {
    const disk = async (...more: string[]) => {
      const end = await project.run('plan', 'p.yaml', 'environments', '--disk', '--json', ...more);
      return (JSON.parse(end.stdout) as { disk: EnvironmentDisk }).disk;
    };
    const all = await disk();
    expect(all).toMatchObject({ environments: 2, built: 2, unread: [] });
    // Both hold the same tools, and a version of their own.
    expect(all.shared).toBeGreaterThan(all.unshared / 2);
    expect(all.shared).toBeLessThan(0.6 * all.unshared);
    expect(all.estimate).toBe(all.shared);
    // A limit of its own makes all of them anew.
    const none = await disk('--set', 'deployments.box.limits.memory=8GiB');
    expect(none).toMatchObject({ environments: 2, built: 0, shared: 0, estimate: null });
    const text = (await project.run('plan', 'p.yaml', '--disk')).stdout;
    expect(text).toMatch(/^disk: [\d.]+ MiB for 2 environments, which without sharing were [\d.]+ MiB$/m);
  },
  WAIT,
);

test(
  'a tag that the source gets later builds again what sees it',
  async () => {
    expect((await project.build('p.yaml')).executed).toBe(0);
    git('tag', 'v1.5', commits[1]!);
    git('tag', 'v3');
    const item = `environments.train@owner/layers@1~${commits[1]!.slice(0, 8)}`;
    const why = await project.run('why', item);
    expect(`${why.stderr}${why.stdout}`).toContain('history');
    const end = await project.build('p.yaml', 'environments');
    expect(end.executed).toBe(1);
    // Where the repository is gone, what was seen in it counts.
    renameSync(repo, project.path('moved'));
    expect((await project.build('p.yaml', 'environments')).executed).toBe(0);
  },
  WAIT,
);

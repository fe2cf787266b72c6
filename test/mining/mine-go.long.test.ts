/** `swemake mine` on a repository of Go with a project that says so. Needs a module proxy, for the toolchain. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';

const { LANGUAGES_CACHE: CACHE } = process.env;
const go = (value: string) => `package m\n\nfunc Clamp(v int) int {\n${value}\treturn v\n}\n`;
const tests = (...cases: [name: string, given: number, wanted: number][]) =>
  `package m\n\nimport "testing"\n${cases
    .map(
      ([name, given, wanted]) =>
        `\nfunc Test${name}(t *testing.T) {\n\tif Clamp(${given}) != ${wanted} {\n\t\tt.Fatal()\n\t}\n}\n`,
    )
    .join('')}`;
const LOW = '\tif v < 0 {\n\t\treturn 0\n\t}\n';
const HIGH = '\tif v > 10 {\n\t\treturn 10\n\t}\n';

const made = new Project();
let rows: Record<string, unknown>[];
let leftOut: { subject: string; reason: string }[];

beforeAll(async () => {
  const repo = made.path('repo');
  mkdirSync(repo);
  const commit = (message: string, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(`${repo}/${name}`, text);
    for (const args of [
      ['add', '-A'],
      ['commit', '-q', '-m', message],
    ])
      execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  };
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  commit('Begin', {
    'go.mod': 'module example.com/m\n\ngo 1.21\n',
    'm.go': go(LOW),
    'm_test.go': tests(['Low', -1, 0]),
  });
  commit('Clamp forgets its upper bound', {
    'm.go': go(LOW + HIGH),
    'm_test.go': tests(['Low', -1, 0], ['High', 11, 10]),
  });
  commit('Describe what the module is for', { 'README.md': 'Clamps.\n' });
  commit('Tests alone are of no use here', {
    'm_test.go': tests(['Low', -1, 0], ['High', 11, 10], ['Mid', 5, 5]),
  });
  writeFileSync(
    made.path('p.yaml'),
    `version: 1
name: mined
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - { match: {}, ecosystem: go, toolchain: { go: "1.23.8" } }
deployments:
  box:
    type: sandbox
    limits: { memory: 4GiB, pids: 512, disk: 8GiB }
    network: { build: proxy, rollout: off, grade: off }
validation: { deployment: box, gold_runs: 2, timeout: 120s }
${CACHE === undefined ? '' : `cache: { folder: ${CACHE} }\n`}`,
  );
  const options = ['--project', 'p.yaml', '--repo', 'me/m', '-o', 'rows.jsonl', '--left-out', 'left.jsonl'];
  const ran = await command(made, 'mine', './repo', ...options);
  process.stdout.write(ran.stdout + ran.stderr);
  const linesIn = (path: string) =>
    readFileSync(made.path(path), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  rows = linesIn('rows.jsonl');
  leftOut = linesIn('left.jsonl');
}, 3_600_000);

test('a commit of code and tests is a task with measured tests', () => {
  expect(rows).toEqual([
    expect.objectContaining({
      repo: 'me/m',
      problem_statement: 'Clamp forgets its upper bound',
      FAIL_TO_PASS: ['example.com/m::TestHigh'],
      PASS_TO_PASS: ['example.com/m::TestLow'],
    }),
  ]);
  expect(String(rows[0]!.test_patch)).toContain('m_test.go');
  expect(String(rows[0]!.patch)).not.toContain('m_test.go');
});

test('others are left out with their reasons', () => {
  expect(leftOut.map(({ reason }) => reason).sort()).toEqual(['no-code', 'no-code', 'root']);
});

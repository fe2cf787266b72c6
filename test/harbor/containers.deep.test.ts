/**
 * A task of Harbor, tried as Harbor does it: its image is built, one container has the agent's work, and another, without a
 * network, grades it. A Debian with its own Python stands for the official image of Python.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { debianRoot, noEngine } from '../executors/docker-fixture.ts';
import { command } from '../rig/command.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const NAME = `swemake-test-harbor-${process.pid}`;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
let project: Project;
let whyNot: string | null = noEngine;

beforeAll(async () => {
  if (whyNot !== null) return;
  project = tinyProject({ instances: 1, type: 'auto' });
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle, rollouts: 1 }\n');
  expect((await command(project, 'build', 'p.yaml', 'validate')).code).toBe(0);
  const args = ['validate', '--format', 'harbor', '--to', 'tasks', '--project', 'p.yaml'];
  expect((await command(project, 'export', ...args)).code).toBe(0);
  const root = spawnSync('tar', ['-C', debianRoot(), '-c', '.'], { maxBuffer: 1 << 30 }).stdout;
  execFileSync('docker', ['import', '-', `${NAME}:base`], { input: root, stdio: ['pipe', 'ignore', 'pipe'] });
  const folder = project.path('tasks/tiny.0/environment');
  const own = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const standIn = [`FROM ${NAME}:base`, 'ENV PATH=/opt/env/bin:/usr/bin:/bin'];
  if (existsSync(CERTIFICATES)) {
    writeFileSync(join(folder, 'own.crt'), readFileSync(CERTIFICATES));
    standIn.push(`COPY own.crt ${CERTIFICATES}`, `ENV PIP_CERT=${CERTIFICATES}`);
  }
  writeFileSync(join(folder, 'Dockerfile'), own.replace(/^FROM .*$/m, standIn.join('\n')));
  const built = spawnSync('docker', ['build', '-q', '--network=host', '-t', NAME, folder], {
    encoding: 'utf8',
  });
  if (/Could not fetch|No matching distribution|ConnectionError|NewConnection/.test(built.stderr))
    whyNot = 'no package index answers';
  else expect([built.status, built.stderr]).toEqual([0, expect.any(String)]);
}, 600_000);

afterAll(() => {
  if (noEngine === null) spawnSync('docker', ['image', 'rm', '-f', NAME, `${NAME}:base`]);
});

/** The reward file and what the grader printed. */
function rewardOf(agent: string): { reward: string; output: string } {
  const task = project.path('tasks/tiny.0');
  const logs = mkdtempSync(join(tmpdir(), 'swemake-harbor-'));
  for (const name of ['artifacts', 'verifier']) mkdirSync(join(logs, name));
  const inside = (mounts: readonly [string, string][], line: string) =>
    spawnSync(
      'docker',
      [
        ...['run', '--rm', '--network', 'none'],
        ...mounts.flatMap(([from, to]) => ['-v', `${from}:${to}`]),
        ...[NAME, 'bash', '-c', line],
      ],
      { encoding: 'utf8' },
    );
  try {
    const collect = JSON.parse(
      /^command = (".*")$/m.exec(readFileSync(join(task, 'task.toml'), 'utf8'))![1]!,
    );
    const artifacts: [string, string] = [join(logs, 'artifacts'), '/logs/artifacts'];
    inside([artifacts, [join(task, 'solution'), '/solution:ro']], `cd /testbed; ${agent}; ${collect}`);
    const graded = inside(
      [artifacts, [join(logs, 'verifier'), '/logs/verifier'], [join(task, 'tests'), '/tests:ro']],
      'bash /tests/test.sh',
    );
    const file = join(logs, 'verifier/reward.txt');
    const reward = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    return { reward, output: graded.stdout + graded.stderr };
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
}

const FORGED = [
  'import os, sys',
  "lines = ['test_%s (test_m0.Test.test_%s) ... ok' % (name, name) for name in ('other', 'value')]",
  "sys.stderr.write('\\n'.join([*lines, '', 'Ran 2 tests in 0.1s', '', 'OK', '']))",
  'sys.stderr.flush()',
  'os._exit(0)',
].join('\n');

const TRIALS: [what: string, agent: string, reward: string, output: string][] = [
  ['the solution', 'bash /solution/solve.sh', '1', 'reward 1: resolved'],
  ['no patch', 'true', '0', 'empty-patch'],
  ['a wrong patch', 'echo VALUE = 7 > m0.py', '0', 'not-resolved'],
  ['a forged log', `echo "${FORGED}" > m0.py`, '0', 'tampering'],
  ['doubtful code', `bash /solution/solve.sh; echo 'import ctypes' >> m0.py`, '', 'no reward (doubtful)'],
];

for (const [what, agent, reward, output] of TRIALS)
  test(`${what} earns ${reward === '' ? 'no reward' : reward}`, (context) => {
    if (whyNot !== null) context.skip(whyNot);
    expect(rewardOf(agent)).toEqual({ reward, output: expect.stringContaining(output) });
  });

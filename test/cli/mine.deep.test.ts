/** `swemake mine` on a real repository: its commits become tasks with measured tests, and a build validates them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../cli/main.ts';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import { temporaryFolder } from '../rig/folder.ts';

const found = await findInterpreter(null, { env: process.env });
const hasVenv = found.ok && found.value.hasVenv;

/** Tests by unittest: nothing is installed. */
const OPTIONS = ['--install', 'true', '--test', 'python -m unittest -v 2>&1', '--parser', 'unittest'];

const CLAMP = 'def clamp(value, low=0, high=10):\n    return max(value, low)\n';
const FIXED = 'def clamp(value, low=0, high=10):\n    return min(max(value, low), high)\n';
const suite = (...bodies: string[]) =>
  `import unittest\nimport toy\n\nclass Clamp(unittest.TestCase):\n${bodies.join('\n')}`;
const LOW = '    def test_low(self):\n        self.assertEqual(toy.clamp(-1), 0)\n';
const HIGH = '    def test_high(self):\n        self.assertEqual(toy.clamp(11), 10)\n';
const DOUBLE = '    def test_double(self):\n        self.assertEqual(toy.double(2), 4)\n';

function history(): string {
  const folder = join(temporaryFolder(), 'toy');
  mkdirSync(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    }).trim();
  const commit = (message: string, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    git('add', '-A');
    git('commit', '-q', '-m', message);
  };
  git('init', '-q', '-b', 'main');
  commit('Begin', { 'toy.py': CLAMP, 'test_toy.py': suite(LOW) });
  commit('Clamp forgets its upper bound (#7)\n\nFixes #3\n\nSigned-off-by: a <a@b>', {
    'toy.py': FIXED,
    'test_toy.py': suite(LOW, HIGH),
  });
  commit('Describe what the module is for', { 'README.md': 'Toys.\n' });
  commit('Tidy the code without any change', { 'toy.py': `${FIXED}\n`, 'test_toy.py': suite(LOW, HIGH, '') });
  git('checkout', '-q', '-b', 'feature');
  commit('Add double', { 'toy.py': `${FIXED}\n\ndef double(value):\n    return 2 * value\n` });
  commit('Test it', { 'test_toy.py': suite(LOW, HIGH, DOUBLE) });
  git('checkout', '-q', 'main');
  git(
    'merge',
    '-q',
    '--no-ff',
    '-m',
    'Merge pull request #9 from me/feature\n\nA function that doubles a value',
    'feature',
  );
  commit('x', {
    'toy.py': `${FIXED}\nZ = 1\n\ndef double(value):\n    return 2 * value\n`,
    'test_toy.py': suite(LOW, HIGH, DOUBLE, ''),
  });
  return folder;
}

describe.skipIf(!hasVenv)('swemake mine', { timeout: 600_000 }, () => {
  let folder = '';
  let repository = '';
  beforeAll(() => {
    repository = history();
    folder = join(repository, '..');
  });

  it('makes tasks of commits and merges, and tells why others make none', async () => {
    writeFileSync(
      join(folder, 'issues.jsonl'),
      '{"number": 3, "title": "clamp(11) is 11", "body": "It should be 10."}\n',
    );
    const ran = await runMain(folder, [
      ...[
        'mine',
        './toy',
        '-o',
        'rows.jsonl',
        '--left-out',
        'left.jsonl',
        '--issues',
        'issues.jsonl',
        '--json',
      ],
      ...OPTIONS,
    ]);
    expect(ran.code, ran.stderr).toBe(0);
    const rows = lines(join(folder, 'rows.jsonl'));
    expect(rows).toHaveLength(2);
    const [merged, fixed] = rows as [Row, Row];
    expect(merged.problem_statement).toBe('A function that doubles a value');
    expect(merged.FAIL_TO_PASS).toEqual([expect.stringContaining('test_double')]);
    expect(merged.PASS_TO_PASS).toHaveLength(2);
    expect(fixed.problem_statement).toBe('clamp(11) is 11\n\nIt should be 10.');
    expect(fixed.FAIL_TO_PASS).toEqual([expect.stringContaining('test_high')]);
    expect(fixed.PASS_TO_PASS).toEqual([expect.stringContaining('test_low')]);
    expect(fixed.patch).toContain('diff --git a/toy.py b/toy.py');
    expect(fixed.patch).not.toContain('test_toy.py');
    expect(fixed.test_patch).toContain('diff --git a/test_toy.py b/test_toy.py');
    const left = lines(join(folder, 'left.jsonl')) as unknown as { subject: string; reason: string }[];
    expect(left.map(({ subject, reason }) => [subject, reason])).toEqual([
      ['x', 'no-statement'],
      ['Describe what the module is for', 'no-code'],
      ['Begin', 'root'],
      ['Tidy the code without any change', 'no-failing-test'],
    ]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      instances: [merged.instance_id, fixed.instance_id],
      commits: 6,
      leftOut: { 'no-statement': 1, 'no-code': 1, root: 1, 'no-failing-test': 1 },
    });
  });

  it('writes rows that a build of a project finds valid', async () => {
    const init = await runMain(folder, ['init', 'p.yaml', '--from', 'rows.jsonl', '--json']);
    expect(init.code, init.stderr).toBe(0);
    const build = await runMain(folder, ['build', 'p.yaml', 'validate', '--json']);
    expect(build.code, build.stderr).toBe(0);
    const { outcomes } = JSON.parse(build.stdout.trim().split('\n').at(-1)!) as {
      outcomes: { failed: number; flaky: number };
    };
    expect(outcomes).toMatchObject({ failed: 0, flaky: 0 });
  });

  it('finds the same lists for rows that lack them', async () => {
    const rows = lines(join(folder, 'rows.jsonl'));
    const bare = rows.map(({ FAIL_TO_PASS: _, ...row }) => ({ ...row, PASS_TO_PASS: [] }));
    const lost = {
      ...bare[0]!,
      instance_id: 'lost-1',
      patch: 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    };
    writeFileSync(
      join(folder, 'bare.jsonl'),
      [...bare, lost].map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    const args = ['init', 'again.yaml', '--from', 'bare.jsonl', '--discover-tests', '--force', '--json'];
    const ran = await runMain(folder, args);
    expect(ran.code, ran.stderr).toBe(0);
    expect(lines(join(folder, 'rows.jsonl'))).toEqual(rows);
    expect(ran.stderr).toContain('lost-1: left out, ');
    expect(ran.stderr).toContain('2 measured, 1 left out');
  });

  it('ends with 1 where no commit makes a task', async () => {
    const ran = await runMain(folder, ['mine', './toy', '--limit', '1', ...OPTIONS]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(
      '0 of 10 instances from 1 commit; left out: 1 no-statement; a larger --limit looks at older commits\n',
    );
  });
});

interface Row {
  instance_id: string;
  patch: string;
  test_patch: string;
  problem_statement: string;
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
}

function lines(file: string): Row[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

async function runMain(folder: string, args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await main(args, {
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
    env: { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache') },
    cwd: folder,
    isTTY: false,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

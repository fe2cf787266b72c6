import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tar from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../../cli/main.ts';
import { derivePatches } from '../../../tasks/mutation/derive.ts';
import type { MutationRow } from '../../../tasks/mutation/row.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { type BuildResult, Project } from '../../rig/project.ts';
import { until } from '../../rig/until.ts';

const found = await findInterpreter(null, { env: process.env });
const hasVenv = found.ok && found.value.hasVenv;

const TOY = `def clamp(value, low=0, high=10):
    if value < low:
        return low
    while value > high:
        value = high
    return value
`;
const TESTS = `import random
import unittest
from toy import clamp

class Clamp(unittest.TestCase):
    def test_low(self):
        self.assertEqual(clamp(-1), 0)

    def test_high(self):
        self.assertEqual(clamp(11), 10)

    def test_inside(self):
        self.assertEqual(clamp(5), 5)

    def test_of_chance(self):
        self.assertLess(random.random(), 1e-9)
`;

/** Kinds that make no endless loop of it. */
const ENDING = 'remove_return_value,change_default,invert_if,constant_condition,remove_if';

const COMMANDS = `      eval_commands: ["set -u"]
`;

/** Its limits are in the key of its environments. */
const PROJECT = `version: 1
name: toy
dataset:
  train: { source: rows.jsonl, format: mutation }
environments:
  recipes:
    - match: {}
      env: { TOY: "1" }
${COMMANDS}deployments:
  box: { type: auto, limits: { pids: 200 } }
validation: { deployment: box }
`;

describe.skipIf(!hasVenv)('swemake mutate', { timeout: 300_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await packageFolder();
  });

  it('makes rows from a package of a folder of packages, in the environment of the project', async () => {
    writeFileSync(join(folder, 'p.yaml'), PROJECT);
    const run = await mutate(folder, [
      'swemake-toy==1.0',
      '--project',
      'p.yaml',
      '--count',
      '4',
      '--json',
      '-o',
      'rows.jsonl',
      '--kinds',
      ENDING,
    ]);
    expect(run.code, run.stderr).toBe(0);
    // The project names the file that is written.
    expect(run.stderr).not.toContain('W201');
    // The command tells the steps of the environment, and names the tests that it leaves out.
    expect(run.stderr).toMatch(/^ {2}install\[0\] · exit code 0 · [\d.:]+(?: s)?$/m);
    expect(run.stderr).toMatch(
      /^3 tests pass on the clean source; left out, since they fail there: test_of_chance \(\S+\)$/m,
    );
    const rows = readRows(join(folder, 'rows.jsonl'));
    expect(rows).toHaveLength(4);
    const instances = rows.map((row) => row.instance_id);
    const runs = { executed: expect.any(Number), cached: 0 };
    expect(JSON.parse(run.stdout)).toEqual({ instances, wanted: 4, runs, output: 'rows.jsonl' });
    for (const row of rows) {
      expect(row).toMatchObject({ repo: 'pypi/swemake-toy', package: 'swemake-toy', version: '1.0' });
      expect(row.instance_id).toMatch(/^pypi__swemake-toy\.1\.0\.[a-z_]+__[0-9a-f]{8}$/);
      expect(row.recipe?.test).toContain('unittest');
      expect(row.FAIL_TO_PASS.length).toBeGreaterThan(0);
      expect(row.PASS_TO_PASS.length).toBeGreaterThan(0);
      expect([...row.FAIL_TO_PASS, ...row.PASS_TO_PASS].join()).not.toContain('test_of_chance');
      expect(row.problem_statement).toContain(row.FAIL_TO_PASS[0]);
    }
    const build = await runMain(folder, ['build', 'p.yaml', 'environments', '--json']);
    expect(build.code, build.stderr).toBe(0);
    const { stages } = JSON.parse(build.stdout) as BuildResult;
    expect(stages).toContainEqual(
      expect.objectContaining({ stage: 'environments.train', items: 1, executed: 0 }),
    );
    const python = found.ok ? found.value.executable : '';
    const requests = rows.map(({ mutation }) => mutation);
    const patches = await derivePatches(requests, { sourceFolder: join(folder, 'toy-1.0'), python });
    expect(patches.ok && patches.value.filter((answer) => 'error' in answer)).toEqual([]);
  });

  it('makes the same rows for the same seed, others for another', async () => {
    const rowsOf = async (seed: string) =>
      (await mutate(folder, ['swemake-toy==1.0', '--count', '2', '--seed', seed, '--kinds', ENDING])).stdout;
    const [first, again, other] = [await rowsOf('1'), await rowsOf('1'), await rowsOf('5')];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('makes the same rows when it tries several mutations at a time', async () => {
    const own = await packageFolder();
    const ask = ['swemake-toy==1.0', '--count', '3', '--kinds', ENDING];
    const [one, three] = [await mutate(folder, ask), await mutate(own, [...ask, '-j', '3'])];
    expect(three.code, three.stderr).toBe(0);
    const parts = (text: string) =>
      (
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)) as MutationRow[]
      ).map(({ mutation, FAIL_TO_PASS, PASS_TO_PASS }) => ({ mutation, FAIL_TO_PASS, PASS_TO_PASS }));
    expect(parts(three.stdout), `${one.stderr}\n${three.stderr}`).toEqual(parts(one.stdout));
    expect(three.stderr).toContain('; 3 of 3 found\n');
  });

  it('runs no tests again that were run, and goes on behind them, also after a kill', async () => {
    const own = await packageFolder();
    const ask = (count: string) => [
      ...['swemake-toy==1.0', '--count', count, '--json', '--kinds', ENDING],
      // With more at once, how many runs there are depends on which of them end first.
      ...['-j', '1'],
    ];
    const made = async (count: string) => {
      const { code, stdout, stderr } = await mutate(own, ask(count));
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as { rows: MutationRow[]; runs: { executed: number; cached: number } };
    };
    const project = new Project(own, { PIP_FIND_LINKS: own });
    const killed = project.start(['mutate', ...withRecipe(ask('3'))]);
    let said = '';
    killed.stderr!.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await until(() => /^toy.py:\d+ .* fail, .* pass; 1 of 3 found$/m.test(said), 200_000);
    process.kill(-killed.pid!, 'SIGKILL');
    const first = await made('3');
    // Two of the clean source, three of the mutation that made a row.
    expect(first.runs.cached).toBeGreaterThanOrEqual(5);
    const again = await made('3');
    expect(again).toMatchObject({ rows: first.rows, runs: { executed: 0 } });
    expect(again.runs.cached).toBe(first.runs.executed + first.runs.cached);
    const more = await made('4');
    expect(more.rows.slice(0, 3)).toEqual(first.rows);
    expect(more.runs.cached).toBe(again.runs.cached);
    expect(more.runs.executed).toBeGreaterThan(0);
  });

  it('writes rows as it finds them, and ends at the first Ctrl-C, though a mutation never ends', async () => {
    const own = await packageFolder();
    const project = new Project(own, { PIP_FIND_LINKS: own });
    const kinds = `${ENDING},remove_assignment`;
    const ask = ['swemake-toy==1.0', '-o', 'rows.jsonl', '--count', '99', '--kinds', kinds];
    const child = project.start(['mutate', ...withRecipe(ask), '--timeout', '100m', '-j', '2']);
    let said = '';
    child.stderr!.on('data', (text: Buffer) => {
      said += text.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const rows = () => (existsSync(join(own, 'rows.jsonl')) ? readRows(join(own, 'rows.jsonl')) : []);
    await until(() => rows().length > 0, 200_000);
    process.kill(child.pid!, 'SIGINT');
    expect(await ended, said).toBe(130);
    expect(said).toContain('stopping: what runs is ended, and what was measured is kept\n');
    const [count, last] = said.trimEnd().split('\n').slice(-2);
    expect(count).toMatch(/^[1-9]\d* of 99 instances; /);
    expect(count).toContain(`${rows().length} of 99`);
    expect(last).toBe('stopped; the same command goes on from here');
  });

  it('gives up a mutation that never ends', async () => {
    const args = ['swemake-toy==1.0', '--count', '9', '--kinds', 'remove_assignment'];
    const run = await mutate(folder, args);
    // On a busy machine the limit alone says nothing, and the mutation is given up all the same.
    expect(run.stderr).toMatch(
      /remove_assignment: (?:the tests run into their time limit|.* met the time limit and )/,
    );
    expect(run.code).toBe(1);
  });

  it('ends with a fault where tests lose their service', async () => {
    const lost = `      background:
        - { name: helper, ready: test -e /tmp/up, run: 'touch /tmp/up; until [ -e /tmp/over ]; do sleep 0.1; done; exit 3' }
      eval_commands: ['set -u', 'touch /tmp/over; until [ -s /tmp/.swemake-services/helper.log.code ]; do sleep 0.1; done']
`;
    writeFileSync(join(folder, 'lost.yaml'), PROJECT.replace(COMMANDS, lost));
    const run = await mutate(folder, ['swemake-toy==1.0', '--project', 'lost.yaml', '--count', '1']);
    expect(run.stderr).toContain('service helper ended with code 3');
    expect(run).toMatchObject({ code: 3, stdout: '' });
  });

  it('warns of a command that ends with a code of its own, which grading refuses', async () => {
    const chosen = 'python -m unittest -v test_toy.Clamp.test_low test_toy.Clamp.test_high; (exit 7)';
    const recipe = ['--pip', 'pip', '--install', 'true', '--parser', 'unittest', '--test', chosen];
    const run = await runCommand(folder, ['swemake-toy==1.0', '--count', '1', '--kinds', ENDING, ...recipe]);
    expect(run.stderr).toContain('the tests ended with code 7, though none failed');
    const plain = await mutate(folder, ['swemake-toy==1.0', '--count', '1', '--kinds', ENDING]);
    expect(plain.stderr).not.toContain('though none failed');
  });

  it('says what the package lacks', async () => {
    const install = await mutate(folder, ['swemake-toy==1.0', '--install', 'echo no such thing; exit 1']);
    expect(install.code).toBe(1);
    expect(install.stderr).toContain('no such thing');
    const version = await mutate(folder, ['swemake-toy==2.0']);
    expect(version.code).toBe(1);
    expect(version.stderr).toContain('swemake-toy==2.0 has no source distribution');
  });
});

describe('arguments of swemake mutate', () => {
  it.each([
    [[], 'SOURCE is missing'],
    [['toy'], 'write PACKAGE==VERSION'],
    [['toy==1', '--kinds', 'boom'], 'flip_comparison'],
    [['toy==1', '--count', 'many'], 'write a whole number'],
    [['toy==1', '--timeout', 'soon'], 'write a time'],
    [['toy==1', '--parser', 'tap'], 'pytest'],
    [['toy==1', '--repo', 'toy'], 'write OWNER/NAME'],
  ])('%j', async (args, message) => {
    const run = await runCommand(temporaryFolder(), args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
  });
});

/** The package as source and as a source distribution. */
async function packageFolder(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'toy-1.0'));
  writeFileSync(join(folder, 'toy-1.0', 'toy.py'), TOY);
  writeFileSync(join(folder, 'toy-1.0', 'test_toy.py'), TESTS);
  await tar.create({ cwd: folder, gzip: true, file: join(folder, 'swemake-toy-1.0.tar.gz') }, ['toy-1.0']);
  return folder;
}

function mutate(folder: string, args: string[]) {
  return runCommand(folder, withRecipe(args));
}

function withRecipe(args: string[]): string[] {
  const tests = ['--pip', 'pip', '--test', 'python -m unittest -v', '--parser', 'unittest'];
  return [...args, ...tests, ...(args.includes('--install') ? [] : ['--install', 'true'])];
}

function runCommand(folder: string, args: string[]) {
  return runMain(folder, ['mutate', ...args]);
}

async function runMain(folder: string, args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const env = { ...process.env, PIP_FIND_LINKS: folder, XDG_CACHE_HOME: join(folder, 'home-cache') };
  const code = await main(args, {
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
    env,
    cwd: folder,
    isTTY: false,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

function readRows(file: string): MutationRow[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as MutationRow);
}

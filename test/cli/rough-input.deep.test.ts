/** What people do that was not meant: wrong names, empty data, folders that are gone. Each gets words, a remedy, a code. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newestRun } from '../../app/run-history.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { buildCommand } from '../../cli/build.ts';
import { main } from '../../cli/main.ts';
import { shellCommand } from '../../cli/shell.ts';
import { showCommand } from '../../cli/show.ts';
import { openJournal } from '../../engine/journal.ts';
import { infra } from '../../schemas/outcome.ts';
import { MINIMAL, projectFolder, run } from '../compiler/project-folder.ts';
import { command, commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

let project: Project;
beforeEach(() => {
  project = new Project();
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: rough\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
});

test('a command that is named for a project elsewhere can be copied', async () => {
  const text = `version: 1
name: demo
dataset: { train: { source: rows.jsonl, format: swe-smith } }
deployments: { here: { type: local } }
validation: { deployment: here }
`;
  const folder = projectFolder({ 'my work/p.yaml': text });
  const words = ['--project', 'my work/p.yaml', 'validate.train@a', '-c', 'true'];
  const end = await run(shellCommand, words, folder);
  expect(end.stderr).toContain("swemake build 'my work/p.yaml' 'validate.train@a'\n");
});

test('a target where the project file belongs', async () => {
  const end = await command(project, 'retry', 'grade.train@*');
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('check the path; a command names the project file first, then targets');
});

test('a reader of the output that ends first ends the command, without words and not with 0', async () => {
  const child = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), 'help']);
  child.stdout.destroy();
  const words: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => words.push(text));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, words]).toEqual([141, []]);
});

test.each(['', ' ', '-1', '1.5', '1e3', 'all'])('gc keeps no number of runs "%s"', async (runs) => {
  const end = await command(project, 'gc', 'p.yaml', `--keep-runs=${runs}`);
  expect([end.code, end.stderr]).toEqual([
    2,
    `E001  --keep-runs must be a whole number, not "${runs}"\n      for example: --keep-runs 5\n`,
  ]);
});

test('an item before any build: the project is the one that init writes, if it is there', async () => {
  const none = await command(project, 'logs', 'validate.train@a');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('which project?')]);
  writeFileSync(project.path('project.yaml'), readFileSync(project.path('p.yaml')));
  const end = await command(project, 'logs', 'validate.train@a');
  expect(end.stderr).not.toContain('which project?');
  expect(end.stderr).toContain('validate.train');
});

describe('data', () => {
  test('nothing is made below a dataset that failed, and earlier files stay', async () => {
    writeFileSync(project.path('rows.jsonl'), '');
    const empty = await command(project, 'build', 'p.yaml');
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain(
      'E006  dataset.train has no instances: its source holds no rows, or select leaves none',
    );
    const kept = project.path('out/rough/filter.train/failures.md');
    const before = readFileSync(kept, 'utf8');
    writeFileSync(project.path('rows.jsonl'), '"x"\n');
    const end = await command(project, 'build', 'p.yaml');
    expect(end.code).toBe(1);
    expect(end.stderr).toContain(
      'failed   dataset.train  its only row cannot be read; line 1: the row is not',
    );
    expect(end.stdout).toContain('environments.train   not made: dataset.train failed\n');
    expect(end.stdout).toContain('made 0 of 4 targets');
    expect(readFileSync(kept, 'utf8')).toBe(before);
    const { stages } = await commandJson<{ stages: { items: number | null }[] }>(project, 'plan', 'p.yaml');
    expect(stages.map(({ items }) => items)).toEqual([1, null, null, null]);
  });

  test.each([
    ['rows.json', '[1,2', 'it is not JSON'],
    ['rows.parquet', '', 'the file is empty or cut off'],
    ['rows.parquet', `PAR1${'\0'.repeat(20)}\x14\0\0\0PAR1`, 'it cannot be read as Parquet: it is damaged'],
    ['rows.arrow', 'x\n', 'it cannot be read as Arrow: the file is empty, or no Arrow file'],
    ['rows.arrow', `ARROW1\0\0${'x'.repeat(99)}ARROW1`, 'it cannot be read as Arrow'],
    ['rows.jsonl.gz', 'x\n', 'it cannot be read as gzip: incorrect header check'],
  ])('%s that cannot be read is an answer, no fault of the machine', async (name, text, why) => {
    writeFileSync(project.path(name), text);
    const end = await command(project, 'build', 'p.yaml', '--set', `dataset.train.source=${name}`);
    expect(end.stdout).toContain(why);
    expect([end.code, end.stdout]).toEqual([1, expect.stringMatching(/dataset.train (failed|is not made)/)]);
  });

  test('a lock file that is a folder is named in words', async () => {
    mkdirSync(project.path('p.yaml.lock'));
    const end = await command(project, 'build', 'p.yaml', '--frozen');
    expect([end.code, end.stderr]).toEqual([
      2,
      expect.stringContaining('it is a folder, where a file is needed'),
    ]);
  });

  test('a lock is not written over a dataset that failed', async () => {
    writeFileSync(project.path('rows.jsonl'), '{}\n');
    const end = await command(project, 'lock', 'p.yaml');
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('E004  nothing was locked: dataset.train: its only row cannot be read');
    expect(existsSync(project.path('p.yaml.lock'))).toBe(false);
  });
});

describe('names', () => {
  beforeEach(() => writeFileSync(project.path('rows.jsonl'), ''));

  test.each([
    ['build', ['p.yaml', 'validat'], 'did you mean "validate"?'],
    ['build', ['p.yaml', 'validate.trian@x*'], 'did you mean "validate.train@x*"?'],
    ['why', ['filtr.train', '--project', 'p.yaml'], 'did you mean "filter.train"?'],
    ['logs', ['filtr.train', '--project', 'p.yaml'], 'did you mean "filter.train"?'],
    ['retry', ['p.yaml', '--failed', 'gold-fails'], 'write --failed=gold-fails'],
    ['plan', ['p.yaml', 'dataset@x'], 'dataset.train has no items that can be named'],
  ])('%s %j', async (name, args, remedy) => {
    const end = await command(project, name, ...args);
    expect([end.code, end.stdout]).toEqual([2, '']);
    expect(end.stderr).toMatch(/^E001 {2}.*\n {6}/m);
    expect(end.stderr).toContain(remedy);
  });

  test('a test log that is not there', async () => {
    const { stderr } = await command(project, 'grade-log', 'none.log');
    expect(stderr).toBe('E001  cannot read none.log: there is no such file\n      give the path of a file\n');
  });
});

describe('help', () => {
  test('a value that may be left out is shown behind its sign', async () => {
    expect((await command(project, 'retry', '--help')).stdout).toContain(
      '      --failed[=REASON]  only failed',
    );
  });

  test('plan offers nothing that only a build can do', async () => {
    expect((await command(project, 'plan', '--help')).stdout).not.toContain('--dry-run');
  });
});

describe('places', () => {
  let before: string;
  beforeEach(() => {
    before = process.cwd();
  });
  afterEach(() => process.chdir(before));

  test('a folder that was removed', async () => {
    mkdirSync(project.path('gone'));
    process.chdir(project.path('gone'));
    rmdirSync(project.path('gone'));
    const bin = join(packageRoot(), 'bin/swemake.js');
    const { status, stderr } = spawnSync(process.execPath, [bin, '--help'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      3,
      'E003  the current folder was removed\n      change to a folder that exists\n',
    ]);
  });

  test('a cache below /proc ends with words, and ends', async () => {
    const { code, stderr } = await command(project, 'build', 'p.yaml', '--set', 'cache.folder=/proc/none/x');
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /\nE003 {2}\/proc\/none: it cannot be made.*\n {6}set cache.folder to a folder of your own\n$/,
    );
  });

  test('an empty XDG_CACHE_HOME counts as none', async () => {
    writeFileSync(project.path('rows.jsonl'), '');
    process.chdir(project.folder);
    const sink = { write: () => undefined };
    const env = { ...process.env, XDG_CACHE_HOME: '', HOME: project.path('home') };
    const io = { stdout: sink, stderr: sink, env, cwd: project.folder, isTTY: false };
    expect(await main(['plan', 'p.yaml'], io)).toBe(0);
    expect(readdirSync(project.path('home/.cache'))).toEqual(['swemake']);
    expect(existsSync(project.path('swemake'))).toBe(false);
  });

  test('the log of a fault is that of the last run that tried the item, whatever was built since', async () => {
    writeFileSync(project.path('rows.jsonl'), '');
    await command(project, 'plan', 'p.yaml');
    const runs = project.path('.swemake/runs');
    for (const [id, item, log] of [
      ['20260101T000000Z-1', 'a', 'too early'],
      ['20260102T000000Z-1', 'a', 'no route to host'],
      ['20260103T000000Z-1', 'b', 'of another item'],
    ] as const) {
      const journal = openJournal(runs, id);
      journal.write({ type: 'run-started', run: id, project: 'rough', targets: [] });
      const outcome = infra('network', 'no route');
      journal.write({ type: 'item-finished', stage: 'validate.train', item, outcome, durationMs: 0, log });
      journal.close();
    }
    const { code, stdout } = await command(project, 'logs', 'validate.train@a', '--project', 'p.yaml');
    expect(code).toBe(0);
    expect(stdout).toBe('== validate.train@a · infra: no route · run 20260102T000000Z-1\nno route to host\n');
    expect((await command(project, 'logs', 'validate.train@c', '--project', 'p.yaml')).code).toBe(2);
  });

  test('of a cache that projects share, the newest run of this one', async () => {
    const runs = temporaryFolder();
    for (const [id, name] of [
      ['1', 'a'],
      ['2', 'b'],
    ] as const) {
      const journal = openJournal(runs, id);
      journal.write({ type: 'run-started', run: id, project: name, targets: [] });
      journal.close();
    }
    expect(await newestRun(runs, 'a')).toBe('1');
    expect(await newestRun(runs, 'b')).toBe('2');
    expect(await newestRun(runs, 'c')).toBe(null);
  });
});

describe('streams', () => {
  const warned = { 'p.yaml': `${MINIMAL}validation: { gold_runs: 1 }\n` };

  test('on GitHub only check writes annotations: the output of others is for programs', async () => {
    const env = { GITHUB_ACTIONS: 'true' };
    const { stdout, stderr } = await run(showCommand, ['p.yaml', '--json'], projectFolder(warned), { env });
    expect(JSON.parse(stdout)).toHaveProperty('config');
    expect(stderr).toContain('W203');
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
  ])('colour on a terminal with %j: %s, whatever the command', async (env, colored) => {
    const folder = projectFolder({ 'p.yaml': 'version: 2\n' });
    for (const one of [showCommand, buildCommand])
      expect((await run(one, ['p.yaml'], folder, { env, isTTY: true })).stderr.includes('\u001b[')).toBe(
        colored,
      );
  });
});

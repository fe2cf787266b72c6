/** `swemake export`: rollouts of a real build as the files of other tools. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { exportNames } from '../../app/export/export-names.ts';
import { ExportFolder } from '../../app/export/folder.ts';
import { ParquetFile } from '../../app/export/parquet-file.ts';
import { plain } from '../../formats/row.ts';
import { command, commandJson } from '../rig/command.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

interface Told {
  folder: string;
  format: string;
  rollouts: number;
  missing: number;
  written: number;
  unchanged: number;
  removed: number;
}

let project: Project;
/** What the build said of the isolation that this machine allows. */
let summary = '';

beforeAll(async () => {
  project = tinyProject({ instances: 2, type: 'auto' });
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle, rollouts: 1, baselines: [noop] }\n');
  const built = await command(project, 'build', 'p.yaml');
  expect([built.code, built.stderr.includes('E9')]).toEqual([0, false]);
  summary = built.stdout;
}, 300_000);

const told = (...args: string[]) => commandJson<Told>(project, 'export', ...args, '--project', 'p.yaml');

/** Every file below a folder, sorted; the export's own list left out. */
function filesIn(folder: string): string[] {
  return readdirSync(project.path(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(project.path(folder).length + 1))
    .sort();
}

const read = <T = Record<string, { model_patch: string }>>(path: string): T =>
  JSON.parse(readFileSync(project.path(path), 'utf8')) as T;

describe('a format', () => {
  test('preds is keyed by instance, with a folder per sample where there are several', async () => {
    await told('rollouts', '--format', 'preds', '--to', 'all');
    expect(filesIn('all')).toEqual(['0/preds.json', 'noop/preds.json']);
    await told('rollouts.train@*#0', '--format', 'preds', '--to', 'one');
    expect(filesIn('one')).toEqual(['preds.json']);
    const preds = read('one/preds.json');
    expect(Object.keys(preds)).toEqual(['tiny.0', 'tiny.1']);
    expect(preds['tiny.0']).toMatchObject({ instance_id: 'tiny.0', model_name_or_path: '0' });
    expect(preds['tiny.0']!.model_patch).toContain('+VALUE = 0');
    expect(Object.values(read('all/noop/preds.json'))).toMatchObject([
      { model_patch: '' },
      { model_patch: '' },
    ]);
  });

  test.each([
    ['swe-agent', 'tiny.0_0/tiny.0_0.traj'],
    ['mini', '0/tiny.0/tiny.0.traj.json'],
    ['swe-rl', 'tiny.0__g0__i0/traj.json'],
    ['swe-smith', 'trajectories/tiny.0_0/tiny.0_0.pred'],
    ['swemake', 'tiny.0_0/trajectory.json'],
  ])('%s writes %s', async (format, path) => {
    const done = await told('rollouts', '--format', format, '--to', format);
    expect(done).toMatchObject({
      folder: format,
      format,
      rollouts: 2,
      baselines: 2,
      missing: 0,
      removed: 0,
      unchanged: 0,
    });
    const files = filesIn(format);
    expect(files).toContain(path);
    expect(files).toHaveLength(done.written);
    expect(read(join(format, path))).toBeTypeOf('object');
  });
});

describe('tables', () => {
  const rows = async (table: string) => {
    const file = await asyncBufferFromFile(project.path(`tables/${table}.parquet`));
    return plain(await parquetReadObjects({ file })) as Record<string, unknown>[];
  };

  test('have a row for each rollout, step and test, with the same three columns to join them', async () => {
    const done = await told('rollouts', '--format', 'table', '--to', 'tables');
    expect(done).toMatchObject({ rollouts: 2, baselines: 2, missing: 0, written: 3 });
    expect(filesIn('tables').sort()).toEqual(['rollouts.parquet', 'steps.parquet', 'tests.parquet']);
    const rollouts = await rows('rollouts');
    expect(rollouts.map(({ instance_id, sample, reward }) => [instance_id, sample, reward])).toEqual([
      ['tiny.0', '0', 1],
      ['tiny.0', 'noop', 0],
      ['tiny.1', '0', 1],
      ['tiny.1', 'noop', 0],
    ]);
    expect(rollouts[0]).toMatchObject({
      stage: 'rollouts.train',
      repo: 'owner/tiny',
      is_baseline: false,
      exit_status: 'submitted',
      resolved: true,
      reason: null,
      findings: [],
      patch: expect.stringContaining('+VALUE = 0'),
    });
    expect(rollouts[1]).toMatchObject({ is_baseline: true, resolved: false, reason: 'empty-patch' });
    expect(Date.parse(rollouts[0]!.started_at as string)).toBeGreaterThan(Date.UTC(2020));
    const steps = await rows('steps');
    const of = (sample: string) =>
      steps.filter((row) => row.instance_id === 'tiny.0' && row.sample === sample);
    expect(of('0')).toHaveLength(rollouts[0]!.steps as number);
    expect(of('0')[0]).toMatchObject({ step: 0, agent: 'main', tools: ['bash'], timed_out: false });
    expect(of('0')[0]!.commands).toHaveLength(1);
    const tests = await rows('tests');
    expect(tests.filter(({ instance_id }) => instance_id === 'tiny.0')).toMatchObject([
      { sample: '0', test: 'test_value (test_m0.Test)', list: 'FAIL_TO_PASS', passed: true },
      { sample: '0', test: 'test_other (test_m0.Test)', list: 'PASS_TO_PASS', passed: true },
    ]);
  });

  test('are the same files again, and fewer rows of fewer rollouts', async () => {
    expect(await told('rollouts', '--format', 'table', '--to', 'tables')).toMatchObject({
      ...{ written: 0, unchanged: 3, removed: 0 },
    });
    await told('rollouts.train@tiny.1#*', '--format', 'table', '--to', 'tables');
    expect(await rows('rollouts')).toHaveLength(2);
    expect(filesIn('tables')).toHaveLength(3);
  });

  test('keep more rows than a row group holds in memory, and the types of columns without values', async () => {
    const path = project.path('many.parquet');
    const file = await ParquetFile.create(path, { text: 'string', number: 'integer', at: 'time' });
    for (let at = 0; at < 45_000; at += 1) await file.add({ text: `${at}`, number: null, at });
    await file.finish();
    const buffer = await asyncBufferFromFile(path);
    const { row_groups, schema, num_rows } = await parquetMetadataAsync(buffer);
    expect([row_groups.length, Number(num_rows)]).toEqual([3, 45_000]);
    expect(schema.map(({ type }) => type).slice(1)).toEqual(['BYTE_ARRAY', 'INT64', 'INT64']);
    const last = (await parquetReadObjects({ file: buffer, rowStart: 44_999 })) as unknown;
    expect(last).toEqual([{ text: '44999', number: null, at: new Date(44_999) }]);
  });
});

test('verdicts come along', async () => {
  await told('rollouts', '--format', 'swe-smith', '--to', 'graded');
  const report = (name: string) => read<{ resolved: boolean }>(`graded/run_evaluation/${name}/report.json`);
  expect([report('tiny.0_0').resolved, report('tiny.0_noop').resolved]).toEqual([true, false]);
  expect(read('graded/trajectories/tiny.1_0/tiny.1_0.pred')).toMatchObject({
    instance_id: 'tiny.1_0',
    reward: 1,
  });
});

describe('the folder', () => {
  test('is left alone where nothing differs, and loses what is not exported any more', async () => {
    const first = await told('rollouts', '--format', 'swemake', '--to', 'again');
    const second = await told('rollouts', '--format', 'swemake', '--to', 'again');
    expect(second).toMatchObject({ written: 0, unchanged: first.written, removed: 0 });
    writeFileSync(project.path('again/tiny.0_0/patch.diff'), 'damaged');
    writeFileSync(project.path('again/notes.txt'), 'mine');
    const third = await told('rollouts.train@tiny.0#*', '--format', 'swemake', '--to', 'again');
    expect(third).toMatchObject({ written: 1, unchanged: first.written / 2 - 1, removed: first.written / 2 });
    expect(existsSync(project.path('again/tiny.1_0'))).toBe(false);
    expect(existsSync(project.path('again/notes.txt'))).toBe(true);
  });

  test('takes files of the longest names that a rollout can have', () => {
    const path = `${'i'.repeat(200)}_0/${'i'.repeat(200)}_0.traj.json`;
    ExportFolder.open(project.path('long'))!.write({ path, text: '{}' });
    expect(filesIn('long')).toEqual([path]);
  });

  test('is refused when it holds other things', async () => {
    mkdirSync(project.path('mine'));
    writeFileSync(project.path('mine/preds.json'), '{}');
    const end = await command(project, 'export', 'rollouts', '--format', 'preds', '--to', 'mine');
    expect([end.code, end.stderr]).toEqual([
      2,
      'E001  mine holds files that no export wrote\n      name a new folder\n',
    ]);
    expect(readFileSync(project.path('mine/preds.json'), 'utf8')).toBe('{}');
  });
});

describe('usage', () => {
  const words = async (...args: string[]) => {
    const { code, stderr } = await command(project, 'export', ...args);
    return [code, stderr.split('\n')[0]];
  };

  test('names what is wrong', async () => {
    expect(await words('rollouts', '--to', 'x')).toEqual([
      2,
      'E001  --format is missing: mini, swe-agent, swe-smith, swe-rl, atif, preds, tokens, swemake, table, harbor',
    ]);
    expect(await words('rollouts', '--format', 'predz', '--to', 'x')).toEqual([
      2,
      'E001  there is no format "predz"',
    ]);
    expect(await words('rollouts', '--format', 'preds')).toEqual([
      2,
      'E001  --to is missing: the folder to write into',
    ]);
    expect(await words('validate', '--format', 'preds', '--to', 'x')).toEqual([
      2,
      'E001  "validate" has no rollouts',
    ]);
    expect((await words('nothing', '--format', 'preds', '--to', 'x'))[1]).toContain(
      'has no target "nothing"',
    );
    expect(existsSync(project.path('x'))).toBe(false);
  });

  test('says that there is nothing to export, and what is missing', async () => {
    expect(await words('rollouts@none', '--format', 'preds', '--to', 'x')).toEqual([
      1,
      'E002  there is no rollout to export: no item matches',
    ]);
    const more = ['rollouts', '--format', 'preds', '--to', 'more', '--set', 'agent.rollouts=2'];
    const end = await command(project, 'export', ...more);
    expect([end.code, end.stdout]).toEqual([0, 'more: 2 rollouts and 2 of baselines, 2 files written\n']);
    expect(end.stderr).toContain('warning: 2 rollouts without an answer yet are not exported; build first\n');
  });
});

/** What each of the agents earns: a workspace of the task's environment stands for its containers. */
async function rewardsOf(
  task: string,
  agents: readonly string[],
): Promise<{ reward: string; said: string }[]> {
  const toml = readFileSync(project.path(`${task}/task.toml`), 'utf8');
  const collect = JSON.parse(/^command = (".*")$/m.exec(toml)![1]!) as string;
  const packed = execFileSync('tar', ['-C', project.path(task), '-cz', '.'], { encoding: 'base64' });
  const image = [
    // Each container is a fresh one.
    "find /opt/env -name '~swemake-*.pth' -delete",
    'find /testbed -mindepth 1 -delete; tar -xzf /tmp/task/environment/repository.tar.gz -C /',
    `mkdir -p /opt/swemake; ln -sf '${process.execPath}' /opt/swemake/node`,
  ].join('; ');
  const trial = (agent: string) => [
    `rm -rf /tmp/task /tmp/logs; mkdir /tmp/task; base64 -d <<< '${packed}' | tar -xz -C /tmp/task`,
    `${image}; cd /testbed; (${agent})`,
    collect.replaceAll('/logs/', '/tmp/logs/'),
    `${image}; HARBOR_LOGS=/tmp/logs bash /tmp/task/tests/test.sh 2>&1`,
    'echo "reward file: $(cat /tmp/logs/verifier/reward.txt 2> /dev/null)"',
  ];
  const commands = agents.flatMap((agent) => ['-c', trial(agent).join('\n')]);
  const { stdout } = await command(
    project,
    ...['shell', 'validate.train@tiny.0', ...commands, '--project', 'p.yaml'],
  );
  const ends = stdout.split(/^reward file: (.*)\n/m);
  return agents.map((_, at) => ({ said: ends[2 * at]!, reward: ends[2 * at + 1]! }));
}

/** Code that writes the log of tests that pass, and ends. */
const FORGED = [
  'import os, sys',
  "names = ['test_other', 'test_value']",
  "for name in names: sys.stderr.write(name + ' (test_m0.Test.' + name + ') ... ok' + chr(10))",
  "sys.stderr.write(chr(10) + 'Ran 2 tests in 0.001s' + chr(10) * 2 + 'OK' + chr(10))",
  'sys.stderr.flush()',
  'os._exit(0)',
].join('\n');

describe('tasks of Harbor', () => {
  test('have what it takes to try, grade and solve them', async () => {
    const done = await told('validate', '--format', 'harbor', '--to', 'tasks');
    expect(done).toMatchObject({ folder: 'tasks', tasks: 2, refused: [] });
    const files = filesIn('tasks/tiny.0');
    expect(files).toEqual([
      'environment/Dockerfile',
      'environment/constraints.txt',
      'environment/repository.tar.gz',
      'environment/requirements.txt',
      'instruction.md',
      'solution/gold.patch',
      'solution/solve.sh',
      'task.toml',
      'tests/config.json',
      ...files.filter((path) => path.startsWith('tests/grader/')),
      'tests/hidden/0',
      'tests/task.json',
      'tests/test.sh',
    ]);
    expect(files).toContain('tests/grader/grade.mjs');
    const again = await told('validate', '--format', 'harbor', '--to', 'tasks');
    expect(again).toMatchObject({ written: 0, removed: 0 });
  });

  test('give the reward that the grader gives', async (context) => {
    if (!summary.includes('isolation: sandbox'))
      context.skip('without namespaces no workspace has the paths of a container');
    const solve = 'bash /tmp/task/solution/solve.sh';
    const tests = `echo 'import unittest' > test_m0.py; echo 'raise SystemExit' > sitecustomize.py`;
    const trials: [agent: string, reward: string, said: string][] = [
      [solve, '1', 'reward 1: resolved'],
      ['true', '0', 'reward 0: empty-patch: the patch is empty'],
      [
        'echo VALUE = 7 > m0.py',
        '0',
        'reward 0: not-resolved: 1 listed test does not pass: test_value (test_m0.Test',
      ],
      [
        tests,
        '0',
        'reward 0: empty-patch: nothing is left of the patch: it only changes sitecustomize.py, test_m0.py',
      ],
      // It changes nothing that the solution needs.
      [`${solve}; ${tests}`, '1', 'reward 1: resolved'],
      [`${solve}; ln -s /etc/passwd new.py`, '1', 'reward 1: resolved'],
      ['rm -rf .git', '0', 'reward 0: patch-refused: git could not say what the agent changed'],
      // The witness, and not the log, says that no test ran.
      [`echo "${FORGED}" > m0.py`, '0', 'reward 0: tampering'],
      // Neither 1 nor 0.
      [
        `${solve}; echo 'import ctypes' >> m0.py`,
        '',
        'no reward (doubtful): what code under test asks of the interpreter: ctypes',
      ],
      [`${solve}; rm /tmp/task/tests/grader/grading/run/witness/start.py`, '', 'start.py'],
    ];
    const results = await rewardsOf(
      'tasks/tiny.0',
      trials.map(([agent]) => agent),
    );
    expect(results).toEqual(
      trials.map(([, reward, said]) => ({ reward, said: expect.stringContaining(said) })),
    );
  });

  test('are read again as the instances that they were', async () => {
    const text = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(project.path('again.yaml'), text.replace('source: rows.jsonl', 'source: tasks'));
    const built = await commandJson<{ executed: number; outcomes: Record<string, number> }>(
      project,
      ...['build', 'again.yaml', 'validate'],
    );
    // The same tasks in the same environments: their answers are there.
    expect(built).toMatchObject({ executed: 1, outcomes: { ok: 4, failed: 0 } });
  });

  test('are refused with the reason', async () => {
    const words = async (...args: string[]) => {
      const { code, stderr } = await command(project, 'export', ...args, '--format', 'harbor', '--to', 'no');
      return [code, stderr.split('\n')[0]];
    };
    expect(await words('rollouts')).toEqual([2, 'E001  "rollouts" has no tasks']);
    expect(await words('validate@none')).toEqual([
      1,
      'E002  there is no task to export: no instance that matches has passed validation',
    ]);
  });
});

test('rollouts that give no training samples are told', async () => {
  // Of scripted replies nobody knows the ids.
  const args = ['rollouts', '--format', 'tokens', '--to', 'tokens', '--project', 'p.yaml'];
  const { code, stdout, stderr } = await command(project, 'export', ...args);
  expect([code, stdout]).toEqual([1, '']);
  const other = await command(project, 'export', 'rollouts', '--format', 'preds', '--to', 'quiet');
  expect(other.stderr).toBe('');
  expect(stderr).toMatch(/^E002 {2}no rollout gives training samples\n.*model\.tokenizer\n$/);
});

test('names are unique and fit for files', () => {
  const names = (items: string[], several: 'names' | 'folders' = 'names') =>
    exportNames(items, several).map(({ folder, exportName: place }) => `${folder}/${place.name}`);
  expect(names(['a#0', 'b#0'])).toEqual(['/a', '/b']);
  expect(names(['a#0', 'a#1'])).toEqual(['/a_0', '/a_1']);
  expect(names(['a#0', 'a#1'], 'folders')).toEqual(['0/a', '1/a']);
  expect(names(['a/b#0', 'a:b#0', '..#0'])).toEqual(['/a_b', '/a_b~1', '/_..']);
});

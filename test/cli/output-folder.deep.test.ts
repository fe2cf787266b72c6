/** Files for the user: what is laid over a project has a folder of its own; a plan knows how many items are below. */
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MADE_BY, type MadeBy } from '../../app/export/made-by.ts';
import { digestOf } from '../../basics/digest.ts';
import { command, commandJson } from '../rig/command.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const project = tinyProject({ instances: 2, type: 'local' });
const LOCAL = 'validation: { deployment: box, timeout: 60s, allow_isolation: local }';
writeFileSync(
  project.path('p.yaml'),
  readFileSync(project.path('p.yaml'), 'utf8').replace(/^validation: .*$/m, LOCAL) +
    'profiles:\n  one: { dataset: { train: { select: { slice: "0:1" } } } }\n',
);
const LONG = { timeout: 300_000 };
const PASSED = 'filter.train/passed.jsonl';
const rowsIn = (path: string) => readFileSync(project.path(path), 'utf8').trimEnd().split('\n').length;
const madeBy = (folder: string) =>
  JSON.parse(readFileSync(project.path(`${folder}/${MADE_BY}`), 'utf8')) as MadeBy;

test('profiles and settings write beside each other, and every file says what made it', LONG, async () => {
  const plan = await command(project, 'plan', 'p.yaml');
  expect(plan.stdout).toMatch(/dataset\.train +1 +1\n/);
  expect(plan.stdout).toMatch(/environments\.train +1 +1\n/);
  expect(plan.stdout).toMatch(/validate\.train +2 +2 *\n/);
  expect(plan.stdout).toContain('only dataset.train was looked through');
  expect(existsSync(project.path('out'))).toBe(false);

  expect((await command(project, 'build', 'p.yaml')).code).toBe(0);
  const before = statSync(project.path(`out/tiny/${PASSED}`)).mtimeMs;
  expect((await command(project, 'build', 'p.yaml', '--profile', 'one')).code).toBe(0);
  const setting = ['--set', 'dataset.train.select.match=tiny.1'];
  expect((await command(project, 'build', 'p.yaml', ...setting)).code).toBe(0);
  expect(readdirSync(project.path('out')).sort()).toEqual([
    'tiny',
    'tiny+dataset.train.select.match=tiny.1',
    'tiny+one',
  ]);
  expect(rowsIn(`out/tiny/${PASSED}`)).toBe(2);
  expect(statSync(project.path(`out/tiny/${PASSED}`)).mtimeMs).toBe(before);
  expect(readFileSync(project.path(`out/tiny+one/${PASSED}`), 'utf8')).toContain('tiny.0');
  const own = madeBy('out/tiny+one');
  expect(own).toMatchObject({ project: '../../p.yaml', name: 'tiny', profiles: ['one'], set: [] });
  expect(own.files[PASSED]).toEqual({
    target: 'filter.train',
    digest: digestOf(readFileSync(project.path(`out/tiny+one/${PASSED}`))),
  });
  expect(madeBy('out/tiny+dataset.train.select.match=tiny.1').set).toEqual([setting[1]]);
});

test('settings that no name of a folder can hold are told apart', LONG, async () => {
  const names = async (value: string) => {
    const { files } = await commandJson<{ files: string[] }>(
      project,
      'build',
      'p.yaml',
      '--out',
      'elsewhere',
      '--set',
      `dataset.train.select.match=${value}`,
    );
    return files[0]!.split('/').slice(0, 2).join('/');
  };
  const [bar, colon] = [await names('tiny.0|x'), await names('tiny.0|y')];
  expect(bar).toMatch(/^elsewhere\/tiny\+dataset\.train\.select\.match=tiny\.0-x-[0-9a-f]{8}$/);
  expect(colon).not.toBe(bar);
});

test('another project of the same name that writes there is told', LONG, async () => {
  writeFileSync(project.path('q.yaml'), readFileSync(project.path('p.yaml'), 'utf8'));
  const end = await command(project, 'build', 'q.yaml');
  expect(end.stdout).toContain('a project of the same name; give one of them another name or out');
  expect((await command(project, 'build', 'p.yaml', '--set', 'out=results')).stdout).not.toContain(
    'same name',
  );
  expect(readdirSync(project.path('results'))).toEqual(['tiny+out=results']);
});

test('validation.min_pass ends a build with code 1, whether it did something or not', LONG, async () => {
  const [first = ''] = readFileSync(project.path('rows.jsonl'), 'utf8').split('\n');
  appendFileSync(
    project.path('rows.jsonl'),
    `${first.replaceAll('tiny.0', 'tiny.9').replace('test_value', 'test_none')}\n`,
  );
  const strict = ['--set', 'validation.min_pass=70%'];
  for (const _ of ['first', 'again']) {
    const end = await command(project, 'build', 'p.yaml', ...strict);
    expect(end.code, end.stdout + end.stderr).toBe(1);
    expect(end.stderr).toContain('E006  validate.ok < 70%: validate.train has 66.7 %');
  }
  expect((await command(project, 'build', 'p.yaml', '--set', 'validation.min_pass=66%')).code).toBe(0);
  const wrong = await command(project, 'check', 'p.yaml', '--set', 'validation.min_pass=0.8');
  expect(wrong.code).toBe(2);
});

test(
  'a dataset without a sound instance ends a build with code 1, and the answer of a single item does not',
  LONG,
  async () => {
    const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trimEnd().split('\n');
    const broken = rows.find((row) => row.includes('tiny.9'))!;
    writeFileSync(project.path('rows.jsonl'), `${broken}\n`);
    for (const _ of ['first', 'again']) {
      const end = await command(project, 'build', 'p.yaml');
      expect(end.code, end.stdout + end.stderr).toBe(1);
      expect(end.stderr).toContain('E006  validate.train: the only instance is not sound');
    }
    expect((await command(project, 'build', 'p.yaml', '--set', 'validation.min_pass=0%')).code).toBe(0);
    expect((await command(project, 'build', 'p.yaml', 'validate.train@*')).code).toBe(0);
  },
);

test('environments none of which is built end a build of them with code 1', LONG, async () => {
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(project.path('none.yaml'), yaml.replace('install: []', "install: ['exit 7']"));
  const end = await command(project, 'build', 'none.yaml', 'environments');
  expect(end.code, end.stdout + end.stderr).toBe(1);
  expect(end.stderr).toContain('E006  environments.train: the only environment is not built');
  const whole = await command(project, 'build', 'none.yaml');
  expect(whole.stderr).toContain('E006  validate.train: the only instance is not sound');
  expect(whole.stderr).not.toContain('is not built');
});

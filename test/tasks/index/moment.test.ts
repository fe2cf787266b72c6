/** Which moment a recipe means, for real commits. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Digest } from '../../../basics/digest.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { Locks } from '../../../cache/key-lock.ts';
import { Presence } from '../../../cache/presence.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import type { BuildRecipe } from '../../../schemas/recipe.ts';
import { momentFor, pinsOf } from '../../../tasks/index/moment.ts';

let folder: string;
let commit: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-moment-'));
  const date = '2022-07-01T23:30:00-02:00';
  const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@x', ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  git('init', '-q', 'repo');
  git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'one');
  commit = git('-C', 'repo', 'rev-parse', 'HEAD').trim();
});
afterAll(() => rmSync(folder, { recursive: true }));

const RECIPE: BuildRecipe = {
  python: null,
  system: [],
  pre_install: [],
  packages: [],
  pip: [],
  install: [],
  env: {},
  timeout: 60,
};

type Uploaded = (project: string, version: string) => Promise<Result<number | null, Infra>>;
const never: Uploaded = async () => success(null);

function moment(recipe: Partial<BuildRecipe>, uploaded: Uploaded = never, spec = `git+./repo@${commit}`) {
  const source = { spec, digest: `git:${commit}` as Digest };
  const locks = new Locks(folder, Presence.enter(join(folder, 'users')));
  const git = { env: process.env, sourcesFolder: join(folder, 'sources'), locks, projectFolder: folder };
  return momentFor({ ...RECIPE, ...recipe }, source, { index: { uploaded }, git });
}

test('nothing, a day, a moment, and what is none of them', async () => {
  expect(await moment({})).toEqual(success({ asOf: null, because: null }));
  for (const asOf of ['2019-05-06', '2019-05-06T07:08:09Z'])
    expect(await moment({ as_of: asOf })).toEqual(success({ asOf, because: null }));
  expect(await moment({ as_of: '2019-02-30' })).toMatchObject({ fault: { status: 'infra' } });
});

test('the day of the commit, in UTC, when it was committed', async () => {
  expect(await moment({ as_of: 'commit' })).toEqual(success({ asOf: '2022-07-02', because: null }));
});

test('a pin that came later moves the day, one that came before does not', async () => {
  const times: Record<string, string> = {
    'setuptools 68.0.0': '2023-06-19T15:46:13Z',
    'six 1.16': '2021-05-05',
  };
  const uploaded: Uploaded = async (project, version) => {
    const time = times[`${project} ${version}`];
    return success(time === undefined ? null : Date.parse(time));
  };
  const pins = {
    as_of: 'commit',
    pip: ['six==1.16', 'unheard-of==1'],
    install: ['pip install setuptools==68.0.0'],
  };
  expect(await moment(pins, uploaded)).toEqual(
    success({
      asOf: '2023-06-19',
      because: 'the commit is of 2022-07-02, and the recipe pins setuptools 68.0.0, which came later',
    }),
  );
  expect(await moment({ as_of: '2020-01-01', pip: pins.pip }, uploaded)).toMatchObject({
    value: { asOf: '2020-01-01' },
  });
});

test('an index that does not answer is a fault, and no day', async () => {
  const down: Uploaded = async () => fault(infra('package-index', 'down'));
  expect(await moment({ as_of: 'commit', pip: ['six==1'] }, down)).toMatchObject({ ok: false });
});

test('a release is as old as its files, and the age of an archive is unknown', async () => {
  const uploaded: Uploaded = async () => success(Date.parse('2021-01-02T03:04:05Z'));
  expect(await moment({ as_of: 'commit' }, uploaded, 'pypi:foo==1.0')).toMatchObject({
    value: { asOf: '2021-01-02' },
  });
  expect(await moment({ as_of: 'commit' }, uploaded, 'archive:./x.tar.gz')).toMatchObject({
    value: { asOf: null, because: expect.stringContaining('is unknown') },
  });
});

test('pins are those of requirements and commands', () => {
  const found = pinsOf({
    ...RECIPE,
    pip: ['numpy == 1.21.0; python_version == "3.9"', 'six>=1', 'a[b]===2', 'wild==1.2.*'],
    freeze: ['# local', 'attrs==22.1.0'],
    pre_install: ['pip install "setuptools==68.0.0" && [ "$x" == 1 ] && X==2'],
    install: ['python -m pip install -e .[test] pytest==7.4'],
  });
  expect(found.map(({ project, version }) => `${project} ${version}`)).toEqual([
    'numpy 1.21.0',
    'a 2',
    'attrs 22.1.0',
    'setuptools 68.0.0',
    'X 2',
    'pytest 7.4',
  ]);
});

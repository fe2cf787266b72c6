/** extends, profiles and --set: maps merge, lists replace, null deletes, later wins, and the origin is known. */
import { describe, expect, test } from 'vitest';
import { load, MINIMAL, resolved } from './project-folder.ts';

const BASE = `version: 1
name: base
dataset:
  train: { source: rows/a.jsonl, format: custom, select: { sample: 5, seed: 3 } }
deployments:
  box: { type: sandbox, limits: { memory: 1GiB, pids: 64 }, allow_hosts: [a.org, b.org] }
`;

describe('extends', () => {
  test('maps merge, lists replace, null deletes', async () => {
    const top = `extends: base.yaml
name: top
deployments: { box: { limits: { memory: 2GiB, pids: null }, allow_hosts: [c.org] } }
`;
    const { config } = await resolved({ 'base.yaml': BASE, 'p.yaml': top });
    expect(config.name).toBe('top');
    expect(config.deployments.box).toMatchObject({ limits: { memory: 2 ** 31 }, allow_hosts: ['c.org'] });
    expect(config.deployments.box!.limits).not.toHaveProperty('pids');
  });

  test('null among options of a framework stays: it removes one that swemake sets', async () => {
    const rl = `deployments: { gpu: { type: process, resources: { gpu: 8 } } }
validation: { deployment: box }
trainer: { rl: { type: verl, deployment: gpu, model: { id: a/b }, overrides: { data.seed: null, a.b: 1 }, env: { X: null } } }
`;
    const { config } = await resolved({
      'base.yaml': BASE,
      'p.yaml': `extends: base.yaml\nname: top\n${rl}`,
    });
    expect(config.trainer!.rl!.overrides).toEqual({ 'data.seed': null, 'a.b': 1 });
    expect(config.trainer!.rl!.env).toEqual({});
  });

  test('of a list, later files win, and the file itself wins over all', async () => {
    const files = {
      'a.yaml': MINIMAL,
      'b.yaml': 'name: b\nvalidation: { gold_runs: 4 }\n',
      'p.yaml': 'extends: [a.yaml, b.yaml]\nvalidation: { timeout: 9s }\n',
    };
    const { config } = await resolved(files);
    expect([config.name, config.validation.gold_runs, config.validation.timeout]).toEqual(['b', 4, 9]);
  });

  test('paths are relative to the file that names them, and moved to the project folder', async () => {
    const nested = `extends: base.yaml
environments: { recipes: [] }
deployments: { box: { mounts: [{ from: wheels, to: /opt/wheels }, { from: /abs, to: /opt/abs }] } }
cache: { folder: store }
`;
    const files = {
      'common/base.yaml': BASE.replace(
        'rows/a.jsonl',
        'rows/a.jsonl, sources: { x: "archive:x.tgz", y: "archive:https://h/y.tgz" }',
      ),
      'common/nested.yaml': nested,
      'p.yaml': 'extends: common/nested.yaml\n',
    };
    const { config } = await resolved(files);
    expect(config.dataset.train!.source).toBe('common/rows/a.jsonl');
    expect(config.dataset.train!.sources).toEqual({
      x: 'archive:common/x.tgz',
      y: 'archive:https://h/y.tgz',
    });
    expect(config.deployments.box!.mounts.map((mount) => mount.from)).toEqual(['common/wheels', '/abs']);
    expect(config.cache.folder).toBe('common/store');
  });

  test('the same file twice is no cycle; a longer cycle is named', async () => {
    const diamond = {
      'a.yaml': MINIMAL,
      'b.yaml': 'extends: a.yaml\n',
      'p.yaml': 'extends: [a.yaml, b.yaml]\n',
    };
    expect((await resolved(diamond)).config.name).toBe('demo');
    const cycle = { 'a.yaml': 'extends: p.yaml\n', 'p.yaml': `${MINIMAL}extends: a.yaml\n` };
    const { diagnostics } = await load(cycle);
    expect(diagnostics).toMatchObject([
      { code: 'E118', file: 'a.yaml', message: 'the file extends itself: p.yaml -> a.yaml -> p.yaml' },
    ]);
  });

  test('an error in an extended file points there', async () => {
    const { diagnostics } = await load({ 'a.yaml': 'nmae: x\n', 'p.yaml': `extends: a.yaml\n${MINIMAL}` });
    expect(diagnostics).toMatchObject([{ code: 'E103', file: 'a.yaml', line: 1, column: 1 }]);
  });
});

describe('profiles', () => {
  const yaml = `${MINIMAL}profiles:
  quick: { validation: { gold_runs: 3, timeout: 1m } }
  slow: { validation: { timeout: 1h } }
`;

  test('none, one, several in order', async () => {
    const timeouts = await Promise.all(
      [[], ['quick'], ['quick', 'slow'], ['slow', 'quick']].map(
        async (profiles) => (await resolved({ 'p.yaml': yaml }, { profiles })).config.validation.timeout,
      ),
    );
    expect(timeouts).toEqual([undefined, 60, 3600, 60]);
  });

  test('an unknown one is named, with a suggestion', async () => {
    const { diagnostics } = await load({ 'p.yaml': yaml }, { profiles: ['qiuck'] });
    expect(diagnostics).toMatchObject([{ code: 'E122', file: '--profile', remedy: 'did you mean "quick"?' }]);
  });

  test('of an extended file merge with those of the file', async () => {
    const files = {
      'a.yaml': yaml,
      'p.yaml': 'extends: a.yaml\nprofiles: { quick: { validation: { gold_runs: 7 } } }\n',
    };
    const { config } = await resolved(files, { profiles: ['quick'] });
    expect(config.validation).toMatchObject({ gold_runs: 7, timeout: 60 });
  });
});

describe('--set', () => {
  const recipes = `${MINIMAL}environments: { recipes: [{ match: {}, test: pytest }] }\n`;

  test.each([
    ['validation.gold_runs=3', (c: unknown) => expect(c).toMatchObject({ validation: { gold_runs: 3 } })],
    [
      'dataset.train.select={match: "^a"}',
      (c: unknown) => expect(c).toMatchObject({ dataset: { train: { select: { match: '^a' } } } }),
    ],
    [
      'environments.recipes[0].python="3.10"',
      (c: unknown) => expect(c).toMatchObject({ environments: { recipes: [{ python: '3.10' }] } }),
    ],
    [
      'dataset.train.sources."a.b/*"=pypi:x==1',
      (c: unknown) => expect(c).toMatchObject({ dataset: { train: { sources: { 'a.b/*': 'pypi:x==1' } } } }),
    ],
    ['name=a=b'.replace('=b', '-b'), (c: unknown) => expect(c).toMatchObject({ name: 'a-b' })],
    ['environments.recipes=null', (c: unknown) => expect(c).toMatchObject({ environments: { recipes: [] } })],
  ])('%s', async (setting, expectation) => {
    expectation((await resolved({ 'p.yaml': recipes }, { set: [setting] })).config);
  });

  test('wins over profiles, and the last one wins', async () => {
    const yaml = `${MINIMAL}profiles: { q: { name: q } }\n`;
    const { config, origins } = await resolved(
      { 'p.yaml': yaml },
      { profiles: ['q'], set: ['name=x', 'name=y'] },
    );
    expect(config.name).toBe('y');
    expect(origins.get('name')).toEqual({ kind: 'set', setting: 'name=y' });
  });

  test.each([
    ['gold_runs', 'E123', 10],
    ['=3', 'E123', 1],
    ['a..b=3', 'E123', 2],
    ['environments.recipes[4].python="3.10"', 'E123', 1],
    ['validation.gold_runs=[', 'E101', 22],
    ['environments.recipes[0].python=3.10', 'E107', 32],
    ['validaton.gold_runs=3', 'E103', 1],
  ])('wrong: %s', async (setting, code, column) => {
    const { diagnostics } = await load({ 'p.yaml': recipes }, { set: [setting] });
    expect(diagnostics).toMatchObject([{ code, column, file: '--set', line: 1 }]);
  });
});

test('origins tell file, profile, setting, variable and default apart', async () => {
  const yaml = `${MINIMAL}profiles: { q: { validation: { timeout: 5s } } }\nvalidation: { gold_runs: "\${env:RUNS}" }\n`;
  const { config, origins } = await resolved(
    { 'p.yaml': yaml },
    { profiles: ['q'], set: ['cache.folder=c'], env: { RUNS: '4' } },
  );
  expect(config.validation.gold_runs).toBe(4);
  expect(origins.get('name')).toEqual({ kind: 'file', file: 'p.yaml', line: 2, column: 7 });
  expect(origins.get('validation.timeout')).toMatchObject({ kind: 'file', profile: 'q', line: 5 });
  expect(origins.get('validation.gold_runs')).toMatchObject({ kind: 'file', env: ['RUNS'], line: 6 });
  expect(origins.get('cache.folder')).toEqual({ kind: 'set', setting: 'cache.folder=c' });
  expect(origins.get('validation.allow_isolation')).toEqual({ kind: 'default' });
});

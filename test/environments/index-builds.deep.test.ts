/**
 * Real builds on the local index, beside the machine's own one, which has pip. Each makes a whole environment, so this file
 * takes minutes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isThere } from '../../tasks/base/debian.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { type TestUpstream, testUpstream, wheel } from '../tasks/index/upstream.ts';

const BUILD = { timeout: 240_000 };

let upstream: TestUpstream;
beforeEach(async () => {
  upstream = await testUpstream();
  upstream.projects.set('swemake-dep', [
    { ...wheel('swemake_dep', '1.0'), uploaded: '2020-01-01T00:00:00Z' },
    { ...wheel('swemake_dep', '2.0'), uploaded: '2024-01-01T00:00:00Z' },
  ]);
});
afterEach(() => upstream.close());

function project(recipe: string, instances = 1) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', PIP_EXTRA_INDEX_URL: upstream.url, PIP_RETRIES: '1' };
  const made = tinyProject({ instances, recipe, env, isCold: true });
  const outcome = () =>
    made
      .events()
      .filter((event) => event.type === 'item-finished' && String(event.stage).startsWith('environments'))
      .at(-1)!.outcome;
  return { made, outcome };
}

const INSTALL =
  '      pre_install: ["python -m pip install swemake-dep && python -c \'import swemake_dep\'"]\n';
/** A program of C in a source distribution, which pip builds in a folder whose name it chooses by chance. */
const COMPILED =
  'cd $(mktemp -d) && echo \'int f(void) { return 1; }\' > f.c && echo \'from setuptools import Extension, setup; setup(name="cee", ext_modules=[Extension("f", ["f.c"])])\' > setup.py && python setup.py -q sdist && python -m pip install --no-build-isolation dist/*.tar.gz';
const HAS_COMPILER = isThere('gcc', process.env);
if (!HAS_COMPILER) console.log('not looked at: two builds of a C extension: there is no gcc');
const brought = () => upstream.asked.filter((path) => path.startsWith('/files/') && path.endsWith('.whl'));

test('a file is brought once for all builds of a cache', BUILD, async () => {
  const { made, outcome } = project(INSTALL);
  for (const force of [[], ['--force', 'environments.train']])
    expect((await made.run('build', 'p.yaml', 'environments.train', ...force)).code).toBe(0);
  expect(outcome()).toEqual({ status: 'ok' });
  expect(brought()).toEqual(['/files/swemake_dep-2.0-py2.py3-none-any.whl']);
  const log = (await made.run('logs', 'environments.train', '--project', 'p.yaml')).stdout;
  expect(log).toContain('http://index.swemake/now/1/simple');
});

test('environments that are built side by side fetch nothing twice', BUILD, async () => {
  upstream.projects.set('swemake-lib', [{ ...wheel('swemake_lib', '1.0'), uploaded: null }]);
  const { made } = project(INSTALL.replace('install swemake-dep', 'install swemake-lib swemake-dep'), 2);
  const text = readFileSync(made.path('p.yaml'), 'utf8');
  // Another variable: no step of one is a step of the other.
  const rules = 'recipes:\n    - match: { instance: tiny.0 }\n      env: { SIDE: "1" }\n';
  writeFileSync(made.path('p.yaml'), text.replace('recipes:\n', rules));
  expect((await made.run('build', 'p.yaml', 'environments.train', '-j', '2')).code).toBe(0);
  const starts = made
    .events()
    .filter(({ type, stage }) => type === 'item-started' && stage === 'environments.train');
  expect(starts).toHaveLength(2);
  const log = (await made.run('logs', 'environments.train@*', '--project', 'p.yaml')).stdout;
  expect(log.match(/Successfully installed swemake-dep-2.0 swemake-lib-1.0/g)).toHaveLength(2);
  expect(upstream.asked.filter((path, index) => upstream.asked.indexOf(path) !== index)).toEqual([]);
  expect(brought()).toHaveLength(2);
});

test('an index that fails is a fault, and no answer of the recipe', BUILD, async () => {
  upstream.intercept = (message, response) => {
    if (!message.url!.includes('swemake-dep')) return false;
    response.writeHead(503).end();
    return true;
  };
  const { made, outcome } = project(INSTALL);
  await made.run('build', 'p.yaml', 'environments.train');
  expect(outcome()).toMatchObject({ status: 'infra', reason: 'network' });
  expect(JSON.stringify(outcome())).toContain('HTTP 503');
});

test(
  'a build sees the index of its day, the day is in its key, and two builds are the same bytes',
  BUILD,
  async () => {
    const more = HAS_COMPILER ? `      install: [${JSON.stringify(COMPILED)}]\n` : '';
    const { made, outcome } = project(`      as_of: 2022-07-01\n${INSTALL}`);
    const own = readFileSync(made.path('p.yaml'), 'utf8');
    if (more !== '') writeFileSync(made.path('p.yaml'), own.replace('      install: []\n', more));
    const build = (...more: string[]) => made.run('build', 'p.yaml', 'environments.train', ...more);
    expect((await build()).code).toBe(0);
    expect(outcome()).toEqual({ status: 'ok' });
    expect(brought()).toEqual(['/files/swemake_dep-1.0-py2.py3-none-any.whl']);
    const log = (await made.run('logs', 'environments.train', '--project', 'p.yaml')).stdout;
    expect(log).toContain('index as of 2022-07-01');
    const digests = () =>
      made
        .events()
        .filter((event) => event.type === 'item-finished' && String(event.stage).startsWith('environments'))
        .map(({ digest }) => digest);
    await build('--force', 'environments.train');
    const plan = await made.run('plan', 'p.yaml', 'environments.train');
    expect(plan.stdout).toContain('nothing');
    expect(digests().length).toBeGreaterThan(0);
    expect(new Set(digests()).size).toBe(1);
    const text = readFileSync(made.path('p.yaml'), 'utf8');
    writeFileSync(made.path('p.yaml'), text.replace('2022-07-01', '2025-07-01'));
    expect((await build()).code).toBe(0);
    expect(brought()).toHaveLength(2);
  },
);

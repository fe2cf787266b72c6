/** The files of a task of Harbor; what they give is tried in test/cli/export.deep.test.ts. */
import { expect, test } from 'vitest';
import type { GraderTask } from '../../app/harbor/grader/task.ts';
import { type HarborTask, taskFiles, whyNoTask } from '../../app/harbor/task.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';

const RECIPE: BuildRecipe = {
  python: '3.11',
  system: ['libxml2'],
  pre_install: [],
  packages: [],
  pip: ['pytest'],
  install: ['pip install -e .', "echo 'a\nb'"],
  env: {},
  timeout: 60,
};
const SOURCE = { spec: 'pypi:a==1', digest: 'sha256:00' };
const INSTANCE: Instance = {
  ...{ instance_id: 'o__r-1', repo: 'o/r', source: SOURCE, environment_source: SOURCE },
  ...{ environment_name: 'o/r@1', version: '1', patch: 'P', patch_role: 'fix', test_patch: 'T' },
  ...{ FAIL_TO_PASS: ['t.py::a'], PASS_TO_PASS: [], problem_statement: 'It "breaks".', hints_text: '' },
  ...{ recipe: {}, raw: {} },
};
const GRADED: GraderTask = {
  ...{ instance: INSTANCE, parser: 'pytest', evalCommands: [], testCommand: 'pytest -rA t.py' },
  services: [{ name: 'db', run: 'db', pip: ['db==1'], port: 5, timeout: 30 }],
  ...{ timeout: 100, maxPatch: 1000, preset: findPreset(DEFAULT_PRESET)!, suspicion: 'mask', baseline: null },
  protection: {
    ...{ command: 'pytest -rA t.py', context: {} },
    files: { paths: [], texts: {}, links: {} },
  },
  ...{ withheld: [], copies: [] },
};
const TASK: HarborTask = {
  project: 'my project',
  instance: INSTANCE,
  recipe: RECIPE,
  tests: { eval_commands: [], test: 'pytest -rA', parser: 'pytest' },
  image: 'python:3.11',
  packages: [
    '# a note',
    '-e /testbed',
    'My_Pkg==1.2',
    'pytest==8.0',
    'x @ file:///y',
    'z @ git+https://e.org/z@1',
  ],
  installed: { name: 'my.pkg', version: '1.2' },
  variables: { PRICE: '5$ "x"' },
  commit: 'c0ffee',
  agentTime: 1200,
  memory: 2 ** 30,
  cpus: 1.5,
  isOnline: false,
  testNetwork: 'off',
  graded: GRADED,
};

const files = Object.fromEntries(taskFiles(TASK).map(({ path, text }) => [path, text]));

test('limits and times are those of the project', () => {
  expect(files['task.toml']).toContain('name = "my-project/o__r-1"\n');
  expect(files['task.toml']).toContain('[agent]\ntimeout_sec = 1200.0\n');
  // The tests, their service, and putting files back.
  expect(files['task.toml']).toContain('timeout_sec = 250.0\n');
  expect(files['task.toml']).toContain(
    'network_mode = "no-network"\nworkdir = "/testbed"\ncpus = 2\nmemory_mb = 1024\n',
  );
});

test.each<[HarborTask['testNetwork'], string]>([
  ['off', 'network_mode = "no-network"'],
  ['host', 'network_mode = "public"'],
  [['pypi.org', '*.example.org'], 'network_mode = "allowlist"\nallowed_hosts = ["pypi.org","*.example.org"]'],
])('tests that reach %j do so in Harbor', (testNetwork, said) => {
  const [toml] = taskFiles({ ...TASK, testNetwork });
  expect(toml!.text).toContain(`environment_mode = "separate"\n${said}\ntimeout_sec`);
});

test('the image has the packages of the environment, and the project installed as there', () => {
  expect(files['environment/requirements.txt']).toBe('pytest==8.0\nz @ git+https://e.org/z@1\n');
  expect(files['environment/constraints.txt']).toBe('pytest==8.0\n');
  const dockerfile = files['environment/Dockerfile']!;
  expect(dockerfile).toMatch(/^FROM python:3\.11\n/);
  expect(dockerfile).toContain(`ENV PRICE="5\\$ \\"x\\""\n`);
  expect(dockerfile).toContain("install -y --no-install-recommends 'libxml2'".replaceAll("'", ''));
  expect(dockerfile).toContain('/opt/env/services/db/bin/python -m pip install');
  expect(dockerfile).toContain(
    String.raw`SETUPTOOLS_SCM_PRETEND_VERSION=1.2 PBR_VERSION=1.2\npip install -e ."]`,
  );
});

test('the instance comes back as a row', () => {
  expect(JSON.parse(files['tests/config.json']!)).toEqual({
    ...{ instance_id: 'o__r-1', repo: 'o/r', source: 'pypi:a==1', environment_source: 'pypi:a==1' },
    ...{ environment_name: 'o/r@1', version: '1', patch: 'P', patch_role: 'fix', test_patch: 'T' },
    ...{ FAIL_TO_PASS: ['t.py::a'], PASS_TO_PASS: [], problem_statement: 'It "breaks".', hints_text: '' },
    recipe: { ...RECIPE, eval_commands: [], test: 'pytest -rA', parser: 'pytest' },
  });
  expect(files['instruction.md']).toBe('It "breaks".\n');
  expect(JSON.parse(files['tests/task.json']!)).toEqual(GRADED);
});

test.each<[string, Partial<HarborTask>, string | null]>([
  ['pytest', {}, null],
  ['submodules', { recipe: { ...RECIPE, submodules: ['x'] } }, 'submodules'],
  ['commands at the start', { recipe: { ...RECIPE, start_commands: ['x'] } }, 'start_commands'],
  ['another language', { recipe: { ...RECIPE, ecosystem: 'go' } }, 'of go'],
  ['Python 2', { image: 'python:2.7' }, 'Python 2'],
])('%s', (_what, more, why) => {
  const said = whyNoTask({ ...TASK, ...more });
  if (why === null) expect(said).toBeNull();
  else expect(said).toContain(why);
});

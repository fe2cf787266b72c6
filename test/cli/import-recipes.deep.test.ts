import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InstanceGroup } from '../../stages/dataset/blocks/catalogue.ts';
import { type LanguageSpec, languageRecipe } from '../../stages/environments/imported-languages.ts';
import {
  benchRecipes,
  type ImportedRecipe,
  languageRecipes,
  smithRecipes,
} from '../../stages/environments/imported-recipes.ts';
import type { ReadRule } from '../../stages/environments/recipe.ts';
import { resolveRecipe } from '../../stages/environments/recipe.ts';
import { recipesYaml } from '../../stages/environments/recipes-yaml.ts';
import { releaseDay } from '../../stages/environments/release-days.ts';
import { imageCommands } from '../../stages/environments/shell-commands.ts';
import { environment, extended, recipesIn, root, run, SMITH } from './import-recipes-fixture.ts';

const BENCH = {
  'swebench/__init__.py': 'import docker\n',
  'swebench/harness/__init__.py': '',
  'swebench/harness/constants/__init__.py': 'from .python import *\n',
  'swebench/harness/constants/python.py': `
SPEC = {"python": "3.9", "install": "python -m pip install -e .", "test_cmd": "pytest -rA"}
MAP_REPO_VERSION_TO_SPECS_PY = {
  "pallets/flask": {
    "2.0": {**SPEC, "packages": "requirements.txt", "pip_packages": ["Werkzeug==2.3.7"]},
    "2.1": {**SPEC, "packages": "requirements.txt", "pip_packages": ["Werkzeug==2.3.7"]},
    "3.0": {**SPEC, "packages": "'numpy==1.20.2' scipy=1.5 pytest"},
  },
  "sphinx-doc/sphinx": {"4.1": {**SPEC, "pre_install": [
      "sed -i 's/pytest/pytest -rA/' tox.ini", "apt-get update && apt-get install -y graphviz"],
      "test_cmd": "tox --current-env -epy39 -v --", "execute_test_as_nonroot": True}},
  "pydata/xarray": {"0.12": {**SPEC, "packages": "environment.yml", "eval_commands": ["export LANG=C", "export A='\${env:B}'"]}},
}
MAP_REPO_TO_REQS_PATHS = {"pallets/flask": ["requirements/dev.txt"]}
MAP_REPO_TO_ENV_YML_PATHS = {"pydata/xarray": ["ci/environment.yml", "environment.yml"]}
`,
  'swebench/harness/constants/go.py': `
import docker
MAP_REPO_VERSION_TO_SPECS_GO = {"gin-gonic/gin": {"4003": {
    "docker_specs": {"go_version": "1.23.8"}, "install": ["go test -c ."], "test_cmd": ["go test . -v"]}}}
`,
  'swebench/harness/constants/java.py': `
MAP_REPO_VERSION_TO_SPECS_JAVA = {
  "projectlombok/lombok": {"3602": {"docker_specs": {"java_version": "11"}, "test_cmd": ["ant test.instance"]}}}
`,
  'swebench/harness/log_parsers/__init__.py': `
def parse_log_pytest(log): pass
def parse_log_unheard_of(log): pass
MAP_REPO_TO_PARSER = {"pallets/flask": parse_log_pytest, "sphinx-doc/sphinx": parse_log_unheard_of}
`,
};

/** A fork that keeps the name swebench, like SWE-Gym's: its specs and parsers are in lower case, its tables of files are not. */
const GYM = {
  'swebench/__init__.py': 'import docker\n',
  'swebench/harness/__init__.py': '',
  'swebench/harness/constants.py': `
SPEC = {"python": "3.8", "install": "pip install -e .;", "test_cmd": "pytest -rA"}
MAP_REPO_VERSION_TO_SPECS = {
  "getmoto/moto": {"5.0": {**SPEC, "python": "3.12", "install": "make init"}},
  "project-monai/monai": {"1.3": {**SPEC, "packages": "requirements.txt"}},
  "pydantic/pydantic": {"2.7": {**SPEC, "pre_install": ["apt-get install -y pipx", "pipx install pdm"], "install": "make install;"}},
  "iterative/dvc": {"3.4": {**SPEC, "pre_install": ["[ -f setup.py ] && sed -i 's/a/b/' setup.py"]}},
  "owner/scripts": {"1.0": {**SPEC, "pre_install": ["cd js && npm install --location=global npm && npm ci"]}},
}
MAP_REPO_TO_REQS_PATHS = {"Project-MONAI/MONAI": ["requirements-dev.txt", "requirements.txt"]}
`,
  'swebench/harness/log_parsers.py': `
def parse_log_pytest(log): pass
MAP_REPO_TO_PARSER = {"project-monai/monai": parse_log_pytest}
`,
};

test('profiles of swesmith, which need not be able to run', async () => {
  const end = await run('--python', environment('smith', SMITH), '-o', 'smith.yaml');
  expect(end).toMatchObject({ code: 0, stdout: '' });
  const text = readFileSync(join(root, 'smith.yaml'), 'utf8');
  expect(recipesIn(text)).toEqual([
    { match: { repo: '*a__b.c.11111111' }, python: '3.10', install: ['python -m pip install -e .'] },
    { match: { repo: '*a__b.c.22222222' }, python: '3.10', install: ['python -m pip install -e .'] },
    { match: { repo: 'mewwts/addict' }, python: '3.10', install: ['python -m pip install -e .'] },
    {
      match: { repo: 'tornadoweb/tornado' },
      python: '3.10',
      install: ['python -m pip install -e .'],
      test: 'python -m tornado.test --verbose',
      parser: expect.stringContaining('tornado'),
    },
    {
      match: { repo: 'tox-dev/pipdeptree' },
      python: '3.12',
      system: ['graphviz'],
      install: ['pip install -e .[test,graphviz]'],
    },
  ]);
  expect(text).toContain('# SWE-smith writes Python 3.12, and its own build takes 3.10');
  const { warnings, recipes } = await extended('smith.yaml');
  expect(warnings).toEqual([]);
  const group = { repo: 'swesmith/a__b.c.22222222', recipe: {}, version: null } as unknown as InstanceGroup;
  expect(resolveRecipe(group, '', recipes as unknown as ReadRule[]).python).toBe('3.10');
});

test('spec tables of swebench, versions with the same spec together', async () => {
  const end = await run('--python', environment('bench', BENCH), '--from', 'swebench');
  expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('5 recipes of swebench') });
  expect(end.stdout).toContain(
    '# Without a recipe, since swemake has no ecosystem that builds them: projectlombok/lombok.',
  );
  const base = { python: '3.9', install: ['python -m pip install -e .'], test: 'pytest -rA' };
  expect(recipesIn(end.stdout)).toEqual([
    {
      ...base,
      match: { repo: 'pallets/flask', version: '{2.0,2.1}' },
      packages: ['requirements/dev.txt'],
      pip: ['Werkzeug==2.3.7'],
      parser: 'parse_log_pytest',
    },
    {
      ...base,
      match: { repo: 'pallets/flask', version: '3.0' },
      pip: ['numpy==1.20.2', 'scipy==1.5', 'pytest'],
      parser: 'parse_log_pytest',
    },
    {
      ...base,
      match: { repo: 'sphinx-doc/sphinx', version: '4.1' },
      system: ['graphviz'],
      pre_install: ["sed -i 's/pytest/pytest -rA/' tox.ini"],
      background: [expect.objectContaining({ name: 'sites' })],
      eval_commands: [expect.stringContaining('certifi'), "sed -i 's/pytest/pytest -rA/' tox.ini"],
      test: 'tox --current-env -epy39 -v --',
    },
    {
      ...base,
      match: { repo: 'pydata/xarray', version: '0.12' },
      packages: ['ci/environment.yml | environment.yml'],
      eval_commands: ['export LANG=C', "export A='$${env:B}'"],
    },
    {
      match: { repo: 'gin-gonic/gin', version: '4003' },
      ecosystem: 'go',
      toolchain: { go: '1.23.8' },
      test: 'go test . -v',
    },
  ]);
  expect(end.stdout).toMatch(/# its log parser parse_log_unheard_of is not known/);
  expect(end.stdout).toMatch(/# not imported: execute_test_as_nonroot/);
  writeFileSync(join(root, 'bench.yaml'), end.stdout);
  const { warnings, recipes } = await extended('bench.yaml');
  expect(warnings).toEqual([]);
  expect(recipes[3]!.eval_commands).toContain("export A='${env:B}'");
});

test('spec tables of SWE-Gym’s fork, by the names that its rows have', async () => {
  const python = environment('gym', GYM);
  const end = await run('--python', python, '--from', 'swe-gym');
  expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('5 recipes of swe-gym unknown') });
  const recipes = recipesIn(end.stdout);
  const base = { python: '3.8', install: ['pip install -e .'], test: 'pytest -rA' };
  expect(recipes).toEqual([
    { ...base, match: { repo: 'getmoto/moto', version: '5.0' }, python: '3.12', install: ['make init'] },
    {
      ...base,
      match: { repo: 'Project-MONAI/MONAI', version: '1.3' },
      packages: ['requirements-dev.txt | requirements.txt'],
      parser: 'parse_log_pytest',
    },
    {
      ...base,
      match: { repo: 'pydantic/pydantic', version: '2.7' },
      packages: ['tests/requirements-testing.txt?'],
      pip: expect.arrayContaining(['pytest<8', 'pytest-mock']),
      install: ['python -m pip install -e .'],
    },
    {
      ...base,
      match: { repo: 'iterative/dvc', version: '3.4' },
      pre_install: ["set -e\n[ -f setup.py ] && sed -i 's/a/b/' setup.py\n:"],
    },
    {
      ...base,
      match: { repo: 'owner/scripts', version: '1.0' },
      pre_install: ['cd js && npm install --location=global npm && npm ci'],
      env: { npm_config_prefix: '/opt/env' },
    },
  ]);
  expect(end.stdout).toContain('allow_hosts: [registry.npmjs.org]');
  expect(end.stdout).toContain('# pip and its test requirements stand for pdm or uv');
  const [command] = recipes[3]!.pre_install as string[];
  expect(spawnSync('bash', ['-c', command!], { cwd: join(root, 'gym') }).status).toBe(0);
  writeFileSync(join(root, 'gym', 'setup.py'), 'a');
  expect(spawnSync('bash', ['-c', command!], { cwd: join(root, 'gym') }).status).toBe(0);
  expect(readFileSync(join(root, 'gym', 'setup.py'), 'utf8')).toBe('b');
  expect((await run('--python', python)).stdout).toBe(end.stdout);
  writeFileSync(join(root, 'gym.yaml'), end.stdout);
  expect((await extended('gym.yaml')).warnings).toEqual([]);
});

test.each<[string, LanguageSpec, string | undefined, object | null]>([
  [
    'go',
    {
      docker_specs: { go_version: '1.18.10' },
      install: ['go mod tidy', 'go test -c ./a', 'go generate ./...'],
      test_cmd: ['go test -v ./a'],
    },
    undefined,
    { ecosystem: 'go', toolchain: { go: '1.18.10' }, install: ['go generate ./...'], test: 'go test -v ./a' },
  ],
  [
    'rust',
    {
      docker_specs: { rust_version: '1.81' },
      install: ['RUSTFLAGS=-Awarnings cargo test --lib --no-run'],
      build: ['cargo build'],
      test_cmd: ['cargo test --lib'],
    },
    undefined,
    {
      ecosystem: 'cargo',
      toolchain: { rust: '1.81' },
      install: ['RUSTFLAGS=-Awarnings cargo test --lib --no-run'],
      build: ['cargo build'],
      test: 'cargo test --lib',
    },
  ],
  [
    'java',
    {
      docker_specs: { java_version: '17' },
      build: ['./mvnw clean install -B -pl a -DskipTests -am'],
      test_cmd: ['./mvnw test -B -pl a -Dtest=A', 'mvnd test -B -T 1C -pl a -Dtest=B#b'],
    },
    undefined,
    {
      ecosystem: 'maven',
      toolchain: { jdk: '17' },
      pre_install: ['mvn clean verify -B -pl a -DskipTests -am'],
      build: ['mvn clean install -B -pl a -DskipTests -am'],
      test: 'set -x\nmvn test -B -pl a -Dtest=A\nmvn test -B -pl a -Dtest=B#b',
    },
  ],
  [
    'java',
    { docker_specs: { java_version: '21' }, test_cmd: ['./gradlew test --tests A'] },
    undefined,
    { ecosystem: 'gradle', toolchain: { jdk: '21', gradle: '/opt/gradle' }, test: 'gradle test --tests A' },
  ],
  [
    'java',
    {
      docker_specs: { java_version: '11' },
      install: ["sed -i 's/1-SNAPSHOT/1/' pom.xml", 'mvn clean install -pl a'],
      test_cmd: ['mvnd test -Dtest=A'],
    },
    undefined,
    {
      ecosystem: 'maven',
      toolchain: { jdk: '11' },
      pre_install: ["sed -i 's/1-SNAPSHOT/1/' pom.xml", 'mvn clean verify -pl a'],
      build: ["sed -i 's/1-SNAPSHOT/1/' pom.xml", 'mvn clean install -pl a'],
      test: 'set -x\nmvn test -Dtest=A',
    },
  ],
  [
    'java',
    {
      docker_specs: { java_version: '21' },
      pre_install: ["sed -i 's/a/b/' build.gradle"],
      test_cmd: ['./gradlew test --tests A'],
    },
    undefined,
    {
      ecosystem: 'gradle',
      toolchain: { jdk: '21', gradle: '/opt/gradle' },
      pre_install: ["sed -i 's/a/b/' build.gradle"],
      build: ["sed -i 's/a/b/' build.gradle", 'gradle --offline -q testClasses'],
      test: 'gradle test --tests A',
    },
  ],
  ['java', { test_cmd: ['ant test.instance'] }, undefined, null],
  [
    'javascript',
    {
      docker_specs: { node_version: '20', _variant: 'js_2' },
      install: ['pnpm i'],
      build: ['pnpm run build compiler-sfc'],
      test_cmd: ['pnpm run test a.spec.ts --no-watch'],
    },
    undefined,
    {
      ecosystem: 'pnpm',
      toolchain: { node: '20.19.0' },
      build: ['pnpm run build compiler-sfc'],
      test: 'pnpm run test a.spec.ts --no-watch',
    },
  ],
  [
    'javascript',
    {
      docker_specs: { node_version: '20' },
      install: ['make bootstrap'],
      test_cmd: 'yarn jest a --verbose',
      'apt-pkgs': ['libnss3'],
    },
    undefined,
    {
      ecosystem: 'yarn',
      toolchain: { node: '20.19.0' },
      system: ['libnss3'],
      install: ['make bootstrap'],
      test: 'yarn jest a --verbose',
    },
  ],
  [
    'javascript',
    { docker_specs: { node_version: '12.22.12' }, install: ['npm install'], test_cmd: 'npx jest' },
    undefined,
    { ecosystem: 'npm', toolchain: { node: '12.22.12' }, test: 'npx jest' },
  ],
  [
    'c',
    { build: ['cmake -B build -S .'], test_cmd: ['ctest --test-dir build -V'] },
    'parse_log_googletest',
    { ecosystem: 'cmake', build: ['cmake -B build -S .'], test: 'ctest --test-dir build -V' },
  ],
  [
    'c',
    { build: ['make'], test_cmd: ['./runtest'] },
    'parse_log_redis',
    { ecosystem: 'cmake', witness: 'none', build: ['make'], test: './runtest' },
  ],
  [
    'c',
    {
      pre_install: ['python -m venv .venv', 'source .venv/bin/activate', "sed -i 's/a/b/' c.c"],
      build: ['source ./ci.sh', 'build_all'],
      test_cmd: ['./runtest'],
    },
    'parse_log_redis',
    {
      ...{ ecosystem: 'cmake', witness: 'none', pre_install: ["sed -i 's/a/b/' c.c"] },
      ...{ build: ["sed -i 's/a/b/' c.c", 'source ./ci.sh', 'build_all'], test: './runtest' },
    },
  ],
  ['php', { test_cmd: 'phpunit' }, undefined, null],
])('a spec of %s: %j', (language, spec, parser, recipe) => {
  expect(languageRecipe(language, spec, parser)?.recipe ?? null).toEqual(recipe);
});

test('submodules that a makefile asks git for are named, and it asks for none', () => {
  const specs = { c: { 'micropython/micropython': { '1': { build: ['make'], test_cmd: 'make test' } } } };
  const { recipes } = languageRecipes({ languages: specs, parsers: {} });
  expect(recipes[0]!.recipe).toMatchObject({
    submodules: expect.arrayContaining(['lib/mbedtls']),
    env: { MAKEFLAGS: 'GIT_SUBMODULES=' },
    build: ['make'],
  });
});

test('the Yarn that a repository names is the recipe’s, and a runner without a witness is told', () => {
  const spec = { docker_specs: { node_version: '20' }, test_cmd: 'yarn jest a' };
  const specs = { javascript: { 'babel/babel': { '15445': spec, '15649': spec, '1': spec } } };
  const { recipes } = languageRecipes({ languages: specs, parsers: {} });
  expect(recipes.every(({ recipe }) => recipe.witness === 'none')).toBe(true);
  expect(recipes.map(({ match, recipe }) => [match.version, recipe.toolchain])).toEqual([
    ['1', { node: '20.19.0' }],
    ['15445', { node: '20.19.0', yarn: '3.2.4' }],
    ['15649', { node: '20.19.0', yarn: '3.5.0' }],
  ]);
});

test('what the tests of a repository need besides pytest', () => {
  const facts = { python: '3.10', effectivePython: '3.10', test: 'pytest', isDefaultTest: true };
  const more = { install: ['pip install -e .'], ownParser: false, ownImage: false };
  const profiles = ['async-timeout', 'other'].map((repo, at) => ({
    ...{ ...facts, ...more, owner: 'aio-libs', repo },
    commit: String(at).repeat(40),
  }));
  const [known, other] = smithRecipes(profiles, '2025-05-01');
  expect(known!.recipe.pip).toEqual(['pytest', 'pytest-asyncio', 'pytest-cov']);
  expect(other!.recipe).toEqual({ python: '3.10', as_of: '2025-05-01', install: ['pip install -e .'] });
});

test('the index of a day before the releases that break the rows', () => {
  expect(releaseDay('swesmith', '0.0.9')).toBe('2025-05-01');
  expect(releaseDay('swe-gym', '2.0.13')).toBe('2024-12-08');
  expect(releaseDay('swebench', '4.1.0')).toBe('2025-01-04');
});

test('--json', async () => {
  const python = environment('json', BENCH);
  const plain = JSON.parse((await run('--python', python, '--json')).stdout);
  expect(plain).toMatchObject({ from: 'swebench', count: 5, recipes: { length: 5 } });
  const written = JSON.parse((await run('--python', python, '--json', '-o', 'x.yaml')).stdout);
  expect(written).toEqual({ from: 'swebench', version: 'unknown', count: 5, output: 'x.yaml' });
});

test.each<[string, Record<string, string>[], string[], number, RegExp]>([
  ['no package', [], [], 3, /has no swesmith, swebench or multi-swe-bench\n {6}pip install/],
  [
    'not this package',
    [SMITH],
    ['--from', 'swebench'],
    3,
    /has no swebench\n {6}pip install swebench==4\.1\.0/,
  ],
  [
    'a swebench that is not the fork',
    [BENCH],
    ['--from', 'swe-gym'],
    3,
    /not SWE-Gym's fork\n {6}pip install --no-deps git\+https:/,
  ],
  ['no fork', [SMITH], ['--from', 'swe-gym'], 3, /has no swe-gym\n {6}pip install --no-deps git\+https:/],
  ['both', [SMITH, BENCH], [], 3, /choose with --from/],
  ['an unknown name', [], ['--from', 'swe'], 2, /one of swesmith, swebench, swe-gym/],
  [
    'a newer swebench',
    [{ 'swebench/__init__.py': '', 'swebench/harness/__init__.py': '', 'swebench/harness/constants.py': '' }],
    [],
    3,
    /no spec tables any more\n {6}pip install swebench==4\.1\.0/,
  ],
  ['a broken one', [{ 'swesmith/__init__.py': 'x = = 1' }], [], 3, /SyntaxError/],
])('refuses %s with what would help', async (name, packages, args, code, message) => {
  const python = environment(`refused-${name.replaceAll(' ', '-')}`, ...packages);
  const end = await run('--python', python, ...args);
  expect(end.code).toBe(code);
  expect(end.stderr).toMatch(message);
});

test('an interpreter that is not there', async () => {
  expect(await run('--python', join(root, 'nowhere'))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('name the interpreter with --python'),
  });
});

describe('commands of an image’s build', () => {
  test.each<[string[], Partial<ReturnType<typeof imageCommands>>]>([
    [
      ['apt-get -y update && apt-get -y upgrade && && apt-get install -y imagemagick'],
      { system: ['imagemagick'], commands: [] },
    ],
    [
      ['sudo DEBIAN_FRONTEND=noninteractive apt install -y a1 b1 && make'],
      { system: ['a1', 'b1'], commands: ['make'] },
    ],
    [['conda activate testbed; pip install x'], { commands: ['pip install x'] }],
    [
      ['python setup.py build; python setup.py install'],
      { commands: ['python setup.py build; python setup.py install'] },
    ],
    [["sed -i 's/a;b && c/d/' x"], { commands: ["sed -i 's/a;b && c/d/' x"], notes: [] }],
    [['grep -q a b && sed c || sed d'], { commands: ['grep -q a b && sed c || sed d'] }],
    [['[ -f a ] && sed b'], { commands: ['set -e\n[ -f a ] && sed b\n:'] }],
    [['make a && make b'], { commands: ['make a && make b'] }],
    [['export A=1', 'make'], { commands: ['set -e\nexport A=1\nmake'] }],
    [
      ["echo 'x' > /etc/locale.gen"],
      { commands: [], notes: [expect.stringContaining('changes the system')] },
    ],
    [['conda install -y numpy'], { commands: [], notes: [expect.stringContaining('conda')] }],
    [
      ['git submodule update --init x || true'],
      { commands: [], notes: [expect.stringContaining('submodules')] },
    ],
  ])('%j', (commands, wanted) => expect(imageCommands(commands)).toMatchObject(wanted));
});

test('the submodule that old versions of astropy fetch while they are installed', () => {
  const old = { python: '3.6', pip_packages: ['x'] };
  const specs = { 'astropy/astropy': { '1.3': old, '3.1': old, '4.3': { python: '3.9' } } };
  const made = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  expect(made.map(({ recipe }) => recipe.submodules)).toEqual([['astropy_helpers'], undefined]);
});

test('odd names stay themselves', () => {
  const specs = { 'a/b': { '1,0': { python: '3.9' }, '2*': { python: '3.9' } } };
  const recipes: ImportedRecipe[] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  const [recipe] = recipesIn(recipesYaml(recipes, 'x'));
  const rule = recipe as unknown as ReadRule;
  const of = (version: string) =>
    resolveRecipe({ repo: 'a/b', version, recipe: {} } as unknown as InstanceGroup, '', [rule]).python;
  expect(['1,0', '2*', '1', '2x'].map(of)).toEqual(['3.9', '3.9', null, null]);
});

test('packages that conda has and the index has not', () => {
  const packages = 'numpy==1.19.2 scipy=1.5.2 cython pytest';
  const of = (python: string, pip_packages: string[]) => {
    const specs = { 'a/b': { '1': { python, packages, pip_packages } } };
    const [made] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
    return { pip: made!.recipe.pip, notes: made!.notes.length };
  };
  expect(of('3.9', ['numpy==1.19.2', 'cython'])).toEqual({
    pip: ['numpy==1.19.3', 'scipy==1.5.4', 'cython', 'pytest'],
    notes: 2,
  });
  // There they have wheels, and Cython 3 came after conda had ended it.
  expect(of('3.6', [])).toEqual({ pip: ['numpy==1.19.2', 'scipy==1.5.2', 'cython<3', 'pytest'], notes: 0 });
});

test.each([
  [{ pre_install: ['apt-get install -y locales', 'locale-gen en_US.UTF-8'] }, []],
  [{}, ["sed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen"]],
])('a locale that the tables make is one that every system has', (spec, first) => {
  const exports = ['export LANG=en_US.UTF-8', 'export LANGUAGE=en_US:en', 'export LC_ALL=en_US.UTF-8'];
  const specs = { 'a/b': { '1': { ...spec, eval_commands: [...first, ...exports] } } };
  const [made] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  expect(made!.recipe).toEqual({
    eval_commands: ['export LANG=C.UTF-8', 'export LANGUAGE=en_US:en', 'export LC_ALL=C.UTF-8'],
  });
  expect(made!.notes.at(-1)).toContain('C.UTF-8');
});

test('a repository whose tests look at sites of the internet has them beside the tests', () => {
  const spec = { eval_commands: ['export A=1'] };
  const specs = { 'sphinx-doc/sphinx': { '3.4': spec }, 'a/b': { '1': spec } };
  const [sphinx, other] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  const { background = [], eval_commands = [] } = sphinx!.recipe;
  expect(background.map(({ hosts }) => hosts)).toEqual([expect.arrayContaining(['www.google.com'])]);
  expect(eval_commands).toEqual([expect.stringContaining('certifi'), 'export A=1']);
  expect(other!.recipe).toEqual({ eval_commands: ['export A=1'] });
  const end = spawnSync('bash', ['-n'], { input: background[0]!.run });
  expect(end.status).toBe(0);
});

test('the sites of sphinx have the logo that a test fetches, and no other picture', async () => {
  const specs = { 'sphinx-doc/sphinx': { '5.0': { python: '3.9' } } };
  const [sphinx] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  const script = /<<'END'\n(.*)\nEND/s.exec(sphinx!.recipe.background![0]!.run)![1]!;
  const handler = script.slice(0, script.indexOf('plain, secure ='));
  const ask = `
import urllib.error, urllib.request
server = http.server.HTTPServer(('127.0.0.1', 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
for path in ('/static/img/python-logo.png', '/NOT_EXIST.PNG', '/image.png', '/TR/'):
    try:
        answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f'http://127.0.0.1:{server.server_port}{path}')
        print(answer.status, answer.read()[:4])
    except urllib.error.HTTPError as error: print(error.code)
`;
  const end = spawnSync('python3', ['-'], { input: `${handler}\n${ask}`, encoding: 'utf8' });
  expect(end.stdout.trim().split('\n')).toEqual(["200 b'\\x89PNG'", '404', '404', "200 b'<h1 '"]);
});

test('hosts from which a build fetches files are named', () => {
  const specs = { 'a/b': { '1': { pre_install: ['URL="http://www.a.org/b.tgz"', 'wget "$URL"'] } } };
  const [made] = benchRecipes({ specs, requirements: {}, condaFiles: {}, parsers: {} });
  expect(made!.notes).toEqual(['fetches files from www.a.org: allow_hosts of the deployment lets it']);
});

test('the packages themselves, where they can be installed', { timeout: 400_000 }, async ({ skip }) => {
  const folder = join(root, 'real');
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'ignore' });
    const pip = ['-m', 'pip', 'install', '-q', '--no-deps', '--timeout', '10', '--retries', '1'];
    execFileSync(join(folder, 'bin/python'), [...pip, 'swebench==4.1.0', 'swesmith==0.0.9'], {
      timeout: 170_000,
      stdio: 'ignore',
    });
  } catch {
    skip('swebench and swesmith cannot be installed here');
  }
  const python = join(folder, 'bin/python');
  for (const [name, least, most] of [
    ['swebench', 260, 290],
    ['swesmith', 640, 660],
  ] as const) {
    const end = await run('--python', python, '--from', name, '-o', `${name}.yaml`);
    expect(end).toMatchObject({ code: 0 });
    const { warnings, recipes } = await extended(`${name}.yaml`);
    expect(warnings).toEqual([]);
    expect(recipes.length).toBeGreaterThanOrEqual(least);
    expect(recipes.length).toBeLessThanOrEqual(most);
    expect(recipes.every((recipe) => recipe.python !== undefined || recipe.test !== undefined)).toBe(true);
    expect(new Set(recipes.flatMap(({ ecosystem = [] }) => ecosystem))).toEqual(
      new Set(['cmake', 'go', 'maven', 'gradle', 'npm', 'pnpm', 'yarn', 'cargo']),
    );
  }
});

/** Every key of a recipe, through real builds: what it does, what its absence costs, and how the lack is named. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { missingPackages } from '../../stages/environments/debian.ts';
import { freezeLines } from '../../stages/environments/freeze.ts';
import { recipeHint } from '../../stages/environments/hints.ts';
import { DEFAULT_RECIPE } from '../../stages/environments/recipe.ts';
import { buildSteps } from '../../stages/environments/steps.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const WAIT = 300_000;
let project: Project | undefined;
afterEach(() => {
  if (project !== undefined) rmSync(project.folder, { recursive: true, force: true });
  project = undefined;
});

const key = (text: string) => `      ${text}\n`;

const providerIs = (provider: string) => ['--set', `environments.python.provider=${provider}`];

async function build(recipe: string, provider = 'venv', files: Record<string, string> = {}) {
  project = tinyProject({
    isCold: true,
    instances: 1,
    type: 'auto',
    recipe,
    files: { 'wanted.txt': 'six==1.16.0\n' },
  });
  for (const [name, text] of Object.entries(files)) writeFileSync(project.path(name), text);
  const target = ['p.yaml', 'environments.train', ...providerIs(provider)];
  const end = await command(project, 'build', ...target);
  const logs = await command(project, 'logs', 'environments.train', '--project', 'p.yaml');
  return { ...end, log: logs.stdout };
}

const offline = (end: { stderr: string; stdout: string }) => /infra (network|package-index)/.test(end.stdout);

test('steps come in the documented order', () => {
  const recipe = {
    ...DEFAULT_RECIPE,
    system: ['graphviz'],
    submodules: ["vendored/it's"],
    pre_install: ['a'],
    freeze: ['# x @ file:///y', 'b==1'],
    packages: ['c.txt'],
    pip: ['d'],
    install: ['e', 'f'],
    services: [{ name: 'web', pip: ['g'] }],
  };
  const separate = (at: string, wanted: string) => [`make ${at}`, `pip install ${wanted}`];
  const steps = buildSteps(recipe, { createCommands: ['make'], installCommand: 'pip install', separate });
  expect(steps.map(({ name }) => name)).toEqual([
    ...['create[0]', 'background[0]', 'freeze[0]', 'freeze[1]', 'packages[0]', 'pip[0]'],
    ...['submodules[0]', 'pre_install[0]', 'install[0]', 'install[1]'],
  ]);
  expect(steps.find(({ name }) => name === 'submodules[0]')!.command).toBe(
    "git submodule update --quiet --init -- 'vendored/it'\\''s'",
  );
  expect(steps[1]!.command).toBe("set -e\nmake /opt/env/services/web\npip install 'g'");
  expect(steps[2]!.command).toContain('x @ file:///y');
  expect(steps[3]!.command).toBe("pip install --no-deps 'b==1'");
});

test.for(['venv', 'uv'])('all keys at once, with %s', { timeout: WAIT }, async (provider, { skip }) => {
  const system = existsSync('/var/lib/dpkg/status') ? key('system: [coreutils]') : '';
  const end = await build(
    [
      system,
      key('pre_install: ["python -c \\"import six\\"", "test \\"$TZ\\" = Europe/Paris"]'),
      key('packages: [wanted.txt]'),
      key('freeze: image.txt'),
      key('env: { TZ: Europe/Paris }'),
      key('eval_commands: ["export A=1"]'),
      key('timeout: 5m'),
      key('background: [{ name: side, pip: ["idna==3.6"], run: "true", ready: "true" }]'),
    ].join(''),
    provider,
    { 'image.txt': '# a comment\nidna==3.7\nlocal @ file:///croot/local/work\n-e git+https://x/y#egg=y\n' },
  );
  if (offline(end)) return skip('the package index is out of reach');
  expect(end.code, end.stdout + end.stderr + end.log).toBe(0);
  expect(end.log).toMatch(/pre_install\[1\] · exit code 0/);
  expect(end.log).toMatch(/left out, as they say no version: -e git.*, local @ file/);
  expect(end.log).toMatch(/--no-deps 'idna==3\.7'/);
  // A service has its own version beside the project's.
  const found = execFileSync('find', [project!.path('.swemake/layers/trees'), '-name', 'idna-3.*.dist-info']);
  const places = found
    .toString()
    .trim()
    .split('\n')
    .map((path) => path.replace(/^.*\/opt\/env\//, ''));
  expect([...new Set(places)].map((place) => place.replace(/lib\/python[\d.]+/, 'lib')).sort()).toEqual([
    'lib/site-packages/idna-3.7.dist-info',
    'services/side/lib/site-packages/idna-3.6.dist-info',
  ]);
  const again = await command(project!, 'build', 'p.yaml', 'environments.train', ...providerIs(provider));
  expect(again.stdout + again.stderr).toMatch(/nothing to do|up to date/);
  writeFileSync(project!.path('image.txt'), '# another comment\nidna==3.7\n');
  const plan = await command(project!, 'plan', 'p.yaml', 'environments.train', ...providerIs(provider));
  expect(plan.stdout + plan.stderr).not.toMatch(/environments\.train@.*run/);
  expect(plan.code).toBe(0);
  writeFileSync(project!.path('image.txt'), 'idna==3.6\n');
  const changed = await command(project!, 'build', 'p.yaml', 'environments.train', ...providerIs(provider));
  expect(changed.stdout).toMatch(/1 run/);
});

test('a machine without a Debian package is told so before anything is built', {
  timeout: WAIT,
}, async () => {
  const end = await build(key('system: [no-such-package-here, coreutils]'));
  expect(end.code).not.toBe(0);
  expect(end.stdout + end.stderr).toMatch(
    /recipe key system: this machine lacks no-such-package-here; apt-get install no-such-package-here/,
  );
  expect(end.log).not.toMatch(/create\[0\]/);
});

test('another Python that is missing is named with what provides it', { timeout: WAIT }, async () => {
  const end = await build(key('python: "3.4"'));
  expect(end.code).toBe(3);
  expect(end.stdout + end.stderr).toMatch(/Python 3\.4 was not found .*this provides it: /);
});

test('conda trees: a version that none has is named with its place', { timeout: WAIT }, async () => {
  project = tinyProject({ instances: 1, type: 'auto', recipe: key('python: "3.11"') });
  const set = ['--set', 'environments.python.provider=conda', '--set', 'environments.python.trees=trees'];
  const end = await command(project, 'build', 'p.yaml', 'environments.train', ...set);
  expect(end.code).toBe(3);
  expect(end.stdout + end.stderr).toMatch(/trees\/3\.11\/miniconda3; this provides it: /);
});

test('a freeze file that is not there', { timeout: WAIT }, async () => {
  const end = await build(key('freeze: none.txt'));
  expect(end.code).toBe(3);
  expect(end.stderr).toMatch(/W201.*none\.txt/s);
  expect(end.stdout + end.stderr).toMatch(/recipe key freeze: there is no file none\.txt/);
});

test('a step that fails says which key would help', { timeout: WAIT }, async ({ skip }) => {
  const end = await build(key('pre_install: ["no-such-program --version"]'));
  if (offline(end)) skip('the package index is out of reach');
  expect(end.stdout + end.stderr).toMatch(
    /recipe key that would help: system, or pip \(what has the program no-such-program\)/,
  );
});

test.each([
  [
    "ERROR: Package 'x' requires a different Python: 3.11.2 not in '>=3.12'",
    'python (the project wants >=3.12)',
  ],
  ['x.c:1:10: fatal error: ffi.h: No such file or directory', 'system (the Debian package with ffi.h)'],
  ["error: command 'gcc' failed: No such file or directory", 'system (build-essential)'],
  ['Error: pg_config executable not found.', 'system (the Debian package with pg_config)'],
  ['E: Could not open lock file /var/lib/dpkg/lock-frontend', 'system (a build cannot'],
  [
    "Could not open requirements file: [Errno 2] No such file or directory: 'a.txt'",
    'packages (the repository has no a.txt)',
  ],
  ["ModuleNotFoundError: No module named 'numpy'", 'pip (what has the module numpy)'],
  ["ModuleNotFoundError: No module named 'distutils'", 'python (an older version)'],
  ['setuptools-scm was unable to detect version for /testbed', 'env (SETUPTOOLS_SCM_PRETEND_VERSION)'],
])('hint: %s', (output, hint) => expect(recipeHint(output)).toContain(hint));

test('no hint where nothing is known', () => expect(recipeHint('it failed')).toBe(''));

test('Debian packages: removed ones count as missing, provided names as there', async () => {
  const status = join(temporaryFolder(), 'status');
  const entry = (name: string, state: string, more = '') =>
    `Package: ${name}\nStatus: ${state}\n${more}Version: 1\n`;
  writeFileSync(
    status,
    [
      entry('libxslt1-dev', 'install ok installed', 'Provides: libxslt-dev (= 1), other\n'),
      entry('gone', 'deinstall ok config-files'),
    ].join('\n'),
  );
  expect(await missingPackages(['libxslt1-dev', 'libxslt-dev', 'other'], status)).toBeNull();
  expect(await missingPackages(['gone', 'never', 'other'], status)).toMatchObject({
    detail: 'recipe key system: this machine lacks gone never; apt-get install gone never',
  });
  expect(await missingPackages(['x'], '/nonexistent')).toMatchObject({
    detail: expect.stringContaining('no dpkg'),
  });
  expect(await missingPackages([], '/nonexistent')).toBeNull();
});

test('lines of pip freeze', () => {
  const text = 'B==2\r\n\n# c\nA[x]==1.0+cpu ; python_version < "4"\nB==2\nq @ https://x/y.whl\n-e .\n';
  expect(freezeLines(text)).toEqual([
    '# -e .',
    '# q @ https://x/y.whl',
    'A[x]==1.0+cpu ; python_version < "4"',
    'B==2',
  ]);
});

/** What a test command opens to start, read from the task’s own files. */
import { describe, expect, test } from 'vitest';
import { entryPoints } from '../../grading/rules/entry-points.ts';
import type { TaskFiles } from '../../grading/rules/task-files.ts';

function task(texts: Record<string, string>): TaskFiles {
  const paths = new Set(Object.keys(texts));
  return { paths, read: (path) => texts[path] ?? null, linked: () => null };
}

/** Opened files that are there, and those of `more` that are opened too. */
function opened(
  commands: string | string[],
  texts: Record<string, string> = {},
  more: string[] = [],
): string[] {
  const files = task(texts);
  const found = entryPoints([commands].flat(), files).files;
  return [...found].filter((path) => files.paths.has(path) || more.includes(path)).sort();
}

const PROJECT = {
  'setup.py': '#!/usr/bin/env python\n',
  'pkg/__init__.py': '',
  'pkg/core.py': '',
  'pkg/cli.py': '',
  'README.md': '',
};

describe('scripts', () => {
  test.each([
    ['./run.sh', ['run.sh']],
    ['bash run.sh -v', ['run.sh']],
    ['bash -lc "cd ci && ./test.sh"', ['ci/test.sh']],
    ['FOO=1 timeout 60 ci/test.sh', ['ci/test.sh']],
    ['python runtests.py core', ['runtests.py']],
    ['python -W ignore runtests.py', ['runtests.py']],
    ['python -m pkg.cli test', ['pkg/cli.py']],
    ['cd ci && python go.py', ['ci/go.py']],
    ['. ./env.sh; pytest', ['env.sh']],
    ['set -a; source .env; set +a; pytest', ['.env']],
    ['if [ -f .env ]; then . .env; fi; pytest', ['.env']],
    ['pytest -c ci/pytest.cfg tests', ['ci/pytest.cfg']],
    ['pytest --cov-config=ci/cov.ini tests', ['ci/cov.ini']],
    ['pytest @ci/args', ['ci/args']],
    ['python -m pytest -p ci.plugin', ['ci/plugin.py']],
    ['PYTEST_ADDOPTS="-p ci.plugin" pytest', ['ci/plugin.py']],
    ['DJANGO_SETTINGS_MODULE=ci.settings python manage.py test', ['ci/settings.py', 'manage.py']],
    ['python setup.py test', ['setup.py']],
    ['/testbed/run.sh', ['run.sh']],
  ])('%s', (command, expected) => {
    const scripts = ['run.sh', 'ci/test.sh', 'runtests.py', 'ci/go.py', 'env.sh', '.env', 'manage.py'];
    const others = ['ci/pytest.cfg', 'ci/cov.ini', 'ci/args', 'ci/plugin.py', 'ci/settings.py'];
    const texts = Object.fromEntries([...scripts, ...others].map((path) => [path, '']));
    expect(opened(command, { ...PROJECT, ...texts })).toEqual(expected);
  });

  test('that scripts call, sources and all', () => {
    const texts = {
      ...PROJECT,
      'run.sh':
        '#!/bin/sh\nset -e\n. "$(dirname "$0")/ci/common.sh"\nTOOLS=ci/tools\nexec "$TOOLS/start" "$@"\n',
      'ci/common.sh': 'export PYTEST_ADDOPTS="-c $HERE/ci/strict.ini"\n# see ci/unused.sh\n',
      'ci/unused.sh': '',
      'ci/strict.ini': '[pytest]\n',
      'ci/tools/start': '#!/bin/bash\npython ci/tools/go.py\n',
      'ci/tools/go.py': 'import lib\nimport subprocess\nsubprocess.call(["sh", "ci/last.sh"])\n',
      'ci/tools/lib.py': '',
      'ci/last.sh': 'pytest\n',
    };
    expect(opened('./run.sh', texts)).toEqual([
      'ci/common.sh',
      'ci/last.sh',
      'ci/strict.ini',
      'ci/tools/go.py',
      'ci/tools/lib.py',
      'ci/tools/start',
      'run.sh',
    ]);
  });

  test('that are not there yet are opened all the same', () => {
    expect(opened('[ -f local.env ] && . ./local.env; pytest', {}, ['local.env'])).toEqual(['local.env']);
  });

  test('and what their wildcards stand for, now and with a patch', () => {
    const script = 'for part in "$(dirname "$0")"/env.d/*.sh; do . "$part"; done\npytest pkg/*.py\n';
    const texts = { ...PROJECT, 'ci/run.sh': script, 'ci/env.d/a.sh': '. ci/more\n', 'ci/more': '' };
    expect(opened('sh ci/run.sh', texts)).toEqual(['ci/env.d/a.sh', 'ci/more', 'ci/run.sh']);
    const { isMatched } = entryPoints(['sh ci/run.sh'], task(texts));
    expect(['ci/env.d/new.sh', 'ci/env.d/more/new.sh', 'pkg/new.py', 'new.sh'].filter(isMatched)).toEqual([
      'ci/env.d/new.sh',
    ]);
  });
});

describe('makefiles', () => {
  const texts = {
    ...PROJECT,
    Makefile: [
      'include ci/*.none ci/vars.mk',
      '-include local.mk',
      'PY = python',
      '.PHONY: all test lint',
      'all: lint',
      'test: prepare \\',
      '      deps',
      '\t@$(RUN) --fast',
      'prepare: ; ./ci/prepare.sh',
      'lint:',
      '\tflake8 pkg/core.py; ./ci/lint.sh',
      'sub-%:',
      '\t$(MAKE) -C sub check',
    ].join('\n'),
    'ci/vars.mk': 'RUN := $(PY) ci/run.py\ndeps:\n\t./ci/deps.sh\n',
    'ci/run.py': '',
    'ci/prepare.sh': '',
    'ci/deps.sh': '',
    'ci/lint.sh': '',
    'sub/Makefile': 'check:\n\t./go.sh\n',
    'sub/go.sh': '',
  };

  test('with what they include and what the goals run', () => {
    expect(opened('make test', texts, ['GNUmakefile', 'makefile', 'local.mk'])).toEqual([
      'GNUmakefile',
      'Makefile',
      'ci/deps.sh',
      'ci/prepare.sh',
      'ci/run.py',
      'ci/vars.mk',
      'local.mk',
      'makefile',
    ]);
  });

  test('with all that wildcards include, now and with a patch', () => {
    const parts = { Makefile: 'include mk/*.mk\n-include $(sort $(wildcard local/*.mk))\ntest: check\n' };
    const files = { ...parts, 'mk/a.mk': 'check:\n\t./mk/check\n', 'mk/check': '', 'mk/other': '' };
    expect(opened('make test', files)).toEqual(['Makefile', 'mk/a.mk', 'mk/check']);
    const { isMatched } = entryPoints(['make test'], task(files));
    expect(['mk/b.mk', 'local/b.mk', 'mk/b.sh', 'b.mk'].filter(isMatched)).toEqual(['mk/b.mk', 'local/b.mk']);
  });

  test('of other folders and names', () => {
    expect(opened('make sub-a', texts)).toEqual(['Makefile', 'ci/vars.mk', 'sub/Makefile', 'sub/go.sh']);
    expect(opened('make -C sub', texts)).toEqual(expect.arrayContaining(['sub/Makefile', 'sub/go.sh']));
    expect(opened('make -f ci/vars.mk deps', texts)).toEqual(
      expect.arrayContaining(['ci/deps.sh', 'ci/vars.mk']),
    );
  });

  test('without a goal run the first one', () => {
    expect(opened('make', texts)).toEqual(['Makefile', 'ci/lint.sh', 'ci/vars.mk']);
  });
});

describe('tools', () => {
  test.each([
    ['nox -s tests', { 'noxfile.py': 'session.run("bash", "ci/run.sh")\n', 'ci/run.sh': '' }],
    ['tox -e py', { 'tox.ini': '[testenv]\ncommands =\n  ./ci/run.sh {posargs}\n', 'ci/run.sh': '' }],
    ['just test', { justfile: 'test:\n  @./ci/run.sh\n', 'ci/run.sh': '' }],
    ['task test', { 'Taskfile.yml': 'tasks:\n  test:\n    cmds:\n      - ./ci/run.sh\n', 'ci/run.sh': '' }],
    [
      'npm test',
      { 'package.json': '{"scripts": {"test": "sh ci/run.sh", "lint": "sh x.sh"}}', 'ci/run.sh': '' },
    ],
    ['nose2 -v', { 'nose2.cfg': '', 'unittest.cfg': '' }],
    ['inv test', { 'tasks.py': 'def test(c):\n    c.run("sh ci/run.sh")\n', 'ci/run.sh': '' }],
    ['pipenv run pytest', { '.env': '', Pipfile: '' }],
    ['python -m coverage run -m pytest', { '.coveragerc': '' }],
    ['uv run pytest', { '.env': '', 'uv.toml': '' }],
  ])('%s', (command, texts) => {
    const there = { ...PROJECT, 'x.sh': '', ...texts } as Record<string, string>;
    expect(opened(command, there)).toEqual(Object.keys(texts).sort());
  });
});

test('what is tested, what builds, and what is only read is not opened', () => {
  for (const command of [
    'pytest pkg/core.py tests',
    'flake8 setup.py pkg/core.py && pytest',
    'pip install -e . && pytest --doctest-modules pkg',
    'python setup.py build_ext --inplace && pytest README.md',
    'coverage run --source=pkg -m pytest pkg/',
    'python -m pytest . pkg/core.py',
  ])
    expect(
      opened(command, PROJECT).filter((path) => path !== 'README.md'),
      command,
    ).toEqual([]);
});

/** multi-swe-bench's classes: images as code, scripts, and a parser of their own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environment, extended, recipesIn, root, run } from './import-recipes-fixture.ts';

/** A class of `repos/LANGUAGE/NAME.py`. Scripts may name `pr`. */
function ofRepository(
  [owner, name]: [string, string],
  { image, prepare, run, parser }: { image: string; prepare: string; run: string; parser: string },
) {
  return `
import re
from multi_swe_bench.harness.image import Config, File, Image
from multi_swe_bench.harness.instance import Instance
from multi_swe_bench.harness.test_result import TestResult
class Base(Image):
    def __init__(self, pr): self.pr = pr
    def dependency(self): return "debian"
    def files(self): return []
    def dockerfile(self):
        pr = self.pr
        return f"""${image}
RUN git clone https://github.com/{pr.org}/{pr.repo}.git /home/${name.replace(/_\d.*/, '')}
"""
class Default(Base):
    def dependency(self): return Base(self.pr)
    def files(self):
        pr = self.pr
        return [File(".", "fix.patch", pr.fix_patch), File(".", "prepare.sh", f"""${prepare}"""), File(".", "fix-run.sh", f"""${run}""")]
    def dockerfile(self):
        return "FROM base\\nCOPY prepare.sh /home/\\nRUN bash /home/prepare.sh\\n"
@Instance.register("${owner}", "${name}")
class Own(Instance):
    def __init__(self, pr, config): self.pr = pr
    def dependency(self): return Default(self.pr)
    def parse_log(self, test_log):
        pr = self.pr
        passed = set()
        for line in test_log.splitlines():
            ${parser}
        return TestResult(passed)
`;
}

const GO = 'm = re.match(r"--- PASS: (\\S+)", line.strip()); passed.update(m.groups() if m else [])';
const [START, APPLY] = [
  '#!/bin/bash\nset -e\n\ncd /home/NAME\ngit reset --hard\nbash /home/check_git_changes.sh\ngit checkout {pr.base.sha}\n',
  '#!/bin/bash\nset -e\n\ncd /home/NAME\ngit apply /home/test.patch /home/fix.patch\n',
];
const named = (text: string, name: string) => text.replaceAll('NAME', name);

const PACKAGE = {
  'multi_swe_bench/__init__.py': '',
  'multi_swe_bench/harness/__init__.py': 'from multi_swe_bench.harness.repos import *\n',
  'multi_swe_bench/harness/pull_request.py': `
from dataclasses import dataclass
from dataclasses_json import config, dataclass_json
@dataclass_json
@dataclass
class Base:
    label: str
    ref: str
    sha: str
@dataclass_json
@dataclass
class PullRequest:
    org: str
    repo: str
    number: int
    state: str
    title: str
    body: str
    base: Base
    resolved_issues: list
    fix_patch: str
    test_patch: str
`,
  'multi_swe_bench/harness/test_result.py': `
from unidiff import PatchSet
class TestResult:
    def __init__(self, passed_tests): self.passed_tests = passed_tests
`,
  'multi_swe_bench/harness/image.py': `
from dataclasses import dataclass
@dataclass
class File:
    dir: str
    name: str
    content: str
@dataclass
class Config:
    need_clone: bool
    global_env: dict
    clear_env: bool
class Image: pass
`,
  'multi_swe_bench/harness/instance.py': `
import docker
from multi_swe_bench.harness.pull_request import PullRequest
class Instance:
    _registry = {}
    @classmethod
    def register(cls, org, repo):
        def wrapped(one):
            cls._registry[org + "/" + repo] = one
            return one
        return wrapped
`,
  'multi_swe_bench/harness/repos/__init__.py': 'from . import golang, cpp, javascript, java, python, scala\n',
  'multi_swe_bench/harness/repos/golang/__init__.py': ofRepository(['a', 'web'], {
    image: 'FROM golang:latest\\nENV STORE=1',
    prepare: `${named(START, 'web')}go test -v ./... || true\n`,
    run: `${named(APPLY, 'web')}go test -v -count=1 ./...\n`,
    parser: GO,
  }),
  'multi_swe_bench/harness/repos/cpp/__init__.py': ofRepository(['a', 'sums'], {
    image: 'FROM gcc:11\\nRUN apt-get update && apt-get install -y git cmake',
    prepare: `${named(START, 'sums')}if [ ! -f ~/.settings ]; then\n  echo no\nfi\ncat <<EOF > ~/.settings\nmake test\nEOF\nmkdir build || true\ncp -r /home/data ./build/\n`,
    run: `${named(APPLY, 'sums')}cd build\ncmake {"-DNEW=ON" if pr.number > 900 else "-DOLD=ON"} ..\ncmake --build .\nctest\n`,
    parser:
      'm = re.match(r"^\\d+/\\d+\\s*Test\\s*#\\d+:\\s*(.*?)\\s*\\.+\\s*Passed", line.strip()); passed.update(m.groups() if m else [])',
  }),
  'multi_swe_bench/harness/repos/javascript/__init__.py': ofRepository(['a', 'page_view_300_to_20'], {
    image: '# For example: FROM ubuntu\\nFROM node:18-bullseye',
    prepare:
      'ls -la\n###ACTION_DELIMITER###\nnvm install 14\n###ACTION_DELIMITER###\nnvm install 16.20\n###ACTION_DELIMITER###\nnpm install -g pnpm@9\n###ACTION_DELIMITER###\npnpm install\n###ACTION_DELIMITER###\npnpm run build\n###ACTION_DELIMITER###\ncd packages\n###ACTION_DELIMITER###\ncd a\n###ACTION_DELIMITER###\npnpm run compile\n###ACTION_DELIMITER###\ncd /home/page_view\n###ACTION_DELIMITER###\npnpm run last\n###ACTION_DELIMITER###\nexpect-this\n###ACTION_DELIMITER###\necho "pnpm test" > test_commands.sh',
    run: 'cd /home/page_view\nif ! git -C /home/page_view apply --whitespace=nowarn /home/test.patch /home/fix.patch; then\n    echo "Error" >&2\n    exit 1\nfi\npnpm install || true\npnpm test -- --verbose\n',
    parser: 'passed.update([line.split()[1]] if line.startswith("Suite ") else [])',
  }),
  'multi_swe_bench/harness/repos/java/__init__.py': ofRepository(['a', 'jar'], {
    image: 'FROM ubuntu:22.04\\nRUN apt-get install -y git openjdk-11-jdk maven',
    prepare: named(START, 'jar'),
    run: `${named(APPLY, 'jar')}/home/run_all.sh test\n`,
    parser: 'pass',
  }),
  'multi_swe_bench/harness/repos/python/__init__.py':
    'from . import slicer, crate, snake, listed\nprint("reads a list of pull requests")\n',
  'multi_swe_bench/harness/repos/python/slicer.py': ofRepository(['a', 'slicer_30_to_2'], {
    image: 'FROM python:3.9-slim\\nRUN apt-get update && apt-get install -y git python3-venv',
    prepare: [
      ...['ls -la', 'apt-get update && apt-get install -y libxml2-dev', 'add-apt-repository ppa:some/where'],
      ...['python3.8 -m venv venv', 'source venv/bin/activate && pip3 install -r requirements.txt'],
      ...['bash test_commands.sh', "sed -i 's/a==1/a==2/' requirements.txt"],
      ...['venv/bin/pip install -r requirements.txt', 'poetry install', 'python -c "import slicer\\x01"'],
      'export DB=postgres://test:pass@localhost/x && pip install db',
      'pip install --user torch --index-url https://wheels.example/whl && bash test_commands.sh',
    ].join('\n###ACTION_DELIMITER###\n'),
    run: `${named(APPLY, 'slicer')}source venv/bin/activate\npip install late\nexport MODE=test\npoetry run pytest -v tests\n`,
    parser: 'pass',
  }),
  'multi_swe_bench/harness/repos/python/crate.py': ofRepository(['a', 'crate_v1_20_3'], {
    image: 'FROM python:3.6-slim',
    prepare: 'pip install nose',
    run: `${named(APPLY, 'crate')}nosetests -v`,
    parser: 'pass',
  }),
  'multi_swe_bench/harness/repos/python/snake.py': ofRepository(['a', 'snake'], {
    image: 'FROM python:2.7',
    prepare: '',
    run: 'pytest',
    parser: 'pass',
  }),
  // It knows only the pull requests of its list.
  'multi_swe_bench/harness/repos/python/listed.py': ofRepository(['a', 'listed'], {
    image: 'FROM python:3.9',
    prepare: '{[][pr.number]}',
    run: 'pytest',
    parser: 'pass',
  }),
  'multi_swe_bench/harness/repos/scala/__init__.py': ofRepository(['a', 'steps'], {
    image: 'FROM sbt',
    prepare: '',
    run: 'sbt test',
    parser: 'pass',
  }),
};

test('classes become recipes, with the parser that reads the same', async () => {
  const python = environment('multi', PACKAGE);
  const end = await run('--python', python, '-o', 'multi.yaml');
  expect(end).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('6 recipes of multi-swe-bench'),
  });
  const yaml = readFileSync(join(root, 'multi.yaml'), 'utf8');
  expect(yaml).toContain('no ecosystem that builds them: a/jar, a/snake, a/listed.');
  for (const command of [
    'cp -r /home/data ./build/',
    'if [ ! -f ~/.settings ]; then …',
    'cat <<EOF > ~/.settings …',
  ])
    expect(yaml).toContain(`# left out, as it is outside of the repository: ${command}\n`);
  expect(yaml).toContain('# no parser reads as its own does');
  expect(yaml).toContain('# left out of a transcript: expect-this');
  for (const left of [
    'add-apt-repository ppa:some/where',
    'python -c "import slicer\ufffd"',
    'export DB=postgres://test:…@localhost/x',
  ])
    expect(yaml).toMatch(new RegExp(`# left out of a transcript: .*${left}`));
  expect(yaml).toContain('# fetches files from wheels.example: allow_hosts of the deployment lets it');
  const sums = {
    ecosystem: 'cmake',
    witness: 'none',
    system: ['cmake'],
    test: 'cd build\nctest',
    parser: 'multi-swe-ctest',
  };
  const built = (option: string) => [
    'mkdir build || true',
    'cd build',
    `cmake ${option} ..`,
    'cmake --build .',
  ];
  expect(recipesIn(yaml)).toEqual([
    {
      match: { repo: 'a/web', version: 'web' },
      ecosystem: 'go',
      toolchain: { go: '1.24.10' },
      env: { STORE: '1' },
      test: 'go test -v -count=1 ./...',
      parser: 'multi-swe-go',
    },
    {
      match: { repo: 'a/sums', version: 'sums', instance: '*-{[1-9],[1-9][0-9],[1-8][0-9][0-9],900}' },
      ...sums,
      build: built('-DOLD=ON'),
    },
    {
      match: { repo: 'a/sums', version: 'sums', instance: expect.stringMatching(/^\*-\{90\[1-9\],/) },
      ...sums,
      build: built('-DNEW=ON'),
    },
    {
      match: { repo: 'a/*', version: 'page_view_300_to_20' },
      ecosystem: 'pnpm',
      toolchain: { node: '16.20.2', pnpm: '9.15.9' },
      install: ['pnpm run build', '( cd packages/a && pnpm run compile )', 'pnpm run last'],
      test: 'pnpm test -- --verbose',
    },
    {
      match: { repo: 'a/*', version: 'slicer_30_to_2' },
      python: '3.8',
      system: ['libxml2-dev'],
      install: [
        'pip install poetry poetry-plugin-pypi-mirror',
        "sed -i 's/a==1/a==2/' requirements.txt",
        // The last try of a command is the one that others made possible.
        'pip install -r requirements.txt',
        'poetry install',
        'pip install torch --index-url https://wheels.example/whl',
        'pip install late',
      ],
      test: 'export MODE=test\npytest -v tests',
    },
    // Rows of a release have its repository, and the class as version.
    {
      match: { repo: 'a/*', version: 'crate_v1_20_3' },
      ...{ python: '3.6', install: ['pip install nose'], test: 'nosetests -v', parser: 'unittest' },
    },
  ]);
  expect((await extended('multi.yaml')).warnings).toEqual([]);
});

import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

/** A backend of PEP 517: the wheel leads to the project's folder. */
const BACKEND = `import os, zipfile
name = open('name.txt').read().strip()
META = 'Metadata-Version: 2.1\\nName: %s\\nVersion: 1\\n' % name
if name == 'tiny':
    META += 'Provides-Extra: dev\\nRequires-Dist: helper @ file:///testbed/helper ; extra == "dev"\\n'
def build_wheel(folder, settings=None, metadata=None):
    file = '%s-1-py3-none-any.whl' % name
    info = '%s-1.dist-info/' % name
    with zipfile.ZipFile(os.path.join(folder, file), 'w') as wheel:
        wheel.writestr(name + '.pth', '/testbed/' + ('' if name == 'tiny' else name) + '\\n')
        wheel.writestr(info + 'METADATA', META)
        wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(info + 'RECORD', '')
    return file
build_editable = build_wheel
`;
const PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n';
const TESTS = `import unittest
from m import VALUE
class Test(unittest.TestCase):
    def test_value(self):
        self.assertEqual(VALUE, 0)
    def test_others(self):
        import helper_m, other_m, sub_m
`;
const LINES = ['-r reqs/more.txt', '-e ./sub', '-e .[dev]'];
const CONDA =
  'dependencies:\n  - python\n  - pip:\n    - -r ../reqs/more.txt\n    - -e ../sub\n    - -e ..[dev]\n';
const PATCH = 'diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-VALUE = 0\n+VALUE = 1\n';

function repositoryFiles(): Record<string, string> {
  const files: Record<string, string> = {
    'm.py': 'VALUE = 0\n',
    'test_m.py': TESTS,
    'reqs/more.txt': './other\n',
    'reqs/all.txt': '-r more.txt\n-e ./sub\n-e .[dev]\n',
    'ci/env.yml': CONDA,
  };
  for (const name of ['tiny', 'sub', 'helper', 'other']) {
    const at = name === 'tiny' ? '' : `${name}/`;
    Object.assign(files, {
      [`${at}pyproject.toml`]: PROJECT,
      [`${at}backend.py`]: BACKEND,
      [`${at}name.txt`]: name,
      ...(at === '' ? {} : { [`${at}${name}_m.py`]: '' }),
    });
  }
  return files;
}

test('places of the repository are installed from files of pip and conda, and from lists of rows', async () => {
  const project = new Project();
  const [commit] = makeRepository(project.folder, 'repo', repositoryFiles());
  const said: Record<string, object> = {
    file: { recipe: { packages: ['reqs/all.txt'], pip: [] } },
    conda: {
      install_config: { packages: 'environment.yml', env_yml_path: ['ci/env.yml', 'no.yml'] },
      recipe: { pip: [] },
    },
    list: { install_config: { pip_packages: LINES } },
  };
  const rows = Object.entries(said).map(([name, more]) => ({
    ...{
      instance_id: name,
      repo: 'owner/tiny',
      source: `git+./repo@${commit}`,
      problem_statement: 'm is wrong',
    },
    ...{ patch: PATCH, patch_role: 'bug', ...more },
    FAIL_TO_PASS: ['test_value (test_m.Test)'],
    PASS_TO_PASS: ['test_others (test_m.Test)'],
  }));
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: local
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      install: ["test -e /opt/env/lib/python*/site-packages/sub.pth"]
      test: python -m unittest -v
      parser: unittest
deployments:
  box: { type: sandbox, network: { build: proxy, grade: off } }
validation: { deployment: box, timeout: 60s }
`,
  );
  const { outcomes, stages } = await project.build('p.yaml');
  const logs = await project.run('logs', 'environments.train', '--project', 'p.yaml');
  expect(stages.find(({ stage }) => stage === 'validate.train')?.outcomes, logs.stdout).toMatchObject({
    ok: 3,
  });
  expect(outcomes).toMatchObject({ failed: 0, infra: 0 });
  expect(logs.stdout).toContain('left out of packages: no.yml');
}, 300_000);

/**
 * One small environment for each interpreter: a package of the index, an installed project and a run of its tests. Needs a package
 * index; interpreters that this machine lacks are skipped.
 *
 * INTERPRETERS (3.5 to 3.14): versions, separated by spaces. INTERPRETERS_PROVIDER (venv): venv or uv.
 */
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import { Project } from '../rig/project.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

const { INTERPRETERS, INTERPRETERS_PROVIDER = 'venv' } = process.env;
const VERSIONS = INTERPRETERS?.split(' ') ?? Array.from({ length: 10 }, (_, index) => `3.${index + 5}`);
const project = new Project();
let outcomes: Map<string, Outcome>;

const FILES = {
  'tiny.py': 'VALUE = 1\n',
  'setup.py': "from setuptools import setup\nsetup(name='tiny', version='1.0', py_modules=['tiny'])\n",
  'test_tiny.py': [
    'import unittest\nimport six\nimport tiny\nclass Test(unittest.TestCase):',
    '    def test_value(self):\n        self.assertEqual(tiny.VALUE, 1)\n',
  ].join('\n'),
};

const rowOf = (version: string, commit: string) => ({
  instance_id: `python-${version}`,
  repo: 'owner/tiny',
  version,
  source: `git+./repo@${commit}`,
  patch:
    'diff --git a/tiny.py b/tiny.py\n--- a/tiny.py\n+++ b/tiny.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n',
  patch_role: 'bug',
  FAIL_TO_PASS: ['test_value (test_tiny.Test)'],
  PASS_TO_PASS: [],
  problem_statement: 'VALUE is 1',
  recipe: { python: version },
});

const YAML = `version: 1
name: interpreters
dataset: { one: { source: rows.jsonl, format: custom } }
environments:
  python: { provider: ${INTERPRETERS_PROVIDER} }
  recipes: [{ match: {}, pip: ["six==1.16.0"], test: python -m unittest -v, parser: unittest }]
deployments: { box: { type: sandbox, network: { build: proxy, grade: off } } }
validation: { deployment: box, gold_runs: 2 }
`;

describe.skipIf(!hasPackageIndex())('an environment of', { timeout: 0 }, () => {
  beforeAll(async () => {
    const commit = makeRepository(project.folder, 'repo', FILES)[0]!;
    const rows = VERSIONS.map((version) => `${JSON.stringify(rowOf(version, commit))}\n`);
    writeFileSync(project.path('rows.jsonl'), rows.join(''));
    writeFileSync(project.path('p.yaml'), YAML);
    await project.build('p.yaml', 'validate.one');
    const finished = project.events().filter(({ type }) => type === 'item-finished');
    outcomes = new Map(finished.map(({ stage, item, outcome }) => [`${stage}@${item}`, outcome as Outcome]));
  }, 0);

  test.for(VERSIONS)('Python %s', (version, { skip }) => {
    const environment = outcomes.get(`environments.one@owner/tiny@${version}`);
    if (/was not found on this machine/.test(JSON.stringify(environment)))
      return skip(`this machine has no Python ${version}`);
    expect(environment).toMatchObject({ status: 'ok' });
    expect(outcomes.get(`validate.one@python-${version}`)).toMatchObject({ status: 'ok' });
  });
});

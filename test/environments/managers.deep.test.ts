/** Managers of packages beside pip and uv take them from the index of a day. Needs a package index. */
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import { systemLayer } from '../grade/task.ts';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

/** attrs 25.4.0 is of 2025-10-06, and later releases are of days after this one. */
const [DAY, NEWEST] = ['2025-10-24', '25.4.0'];
const FILES = {
  'pyproject.toml': [
    '[project]\nname = "m"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["attrs"]',
    '[dependency-groups]\ntest = ["pytest"]',
    '[tool.poetry]\npackages = [{ include = "m.py" }]\n[tool.poetry.group.test.dependencies]\npytest = "*"',
    '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n',
  ].join('\n'),
  Pipfile: [
    // Of 2018, when the index had this name.
    '[[source]]\nurl = "https://pypi.python.org/simple"\nverify_ssl = true\nname = "pypi"',
    '[packages]\nattrs = "*"',
    '[dev-packages]\npytest = "*"\n',
  ].join('\n'),
  'm.py': 'VALUE = 0\n',
  'test_m.py': `import attr, m\n\ndef test_value():\n    assert m.VALUE == 0\n\ndef test_day():\n    assert attr.__version__ == '${NEWEST}'\n`,
};
const PATCH = 'diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-VALUE = 0\n+VALUE = 1\n';
const INSTALLS: Record<string, string[]> = {
  poetry: ['pip install poetry poetry-plugin-pypi-mirror', 'poetry install'],
  pipenv: ['pip install pipenv', 'pipenv install --dev'],
  pdm: ['pip install pdm', 'pdm install -G test'],
};

const isReachable = systemLayer(`attrs==${NEWEST}`) !== null;
if (!isReachable) process.stdout.write('skipped: Poetry, Pipenv and PDM need a package index\n');

describe.skipIf(!isReachable)('an environment as of a day', () => {
  const outcomes = new Map<unknown, Outcome>();

  beforeAll(async () => {
    const project = new Project();
    const [commit] = makeRepository(project.folder, 'repo', FILES);
    const rows = Object.keys(INSTALLS).map((name) => ({
      ...{ instance_id: name, repo: `owner/${name}`, source: `git+./repo@${commit}` },
      ...{ problem_statement: 'm is wrong', patch: PATCH, patch_role: 'bug' },
      ...{ FAIL_TO_PASS: ['test_m.py::test_value'], PASS_TO_PASS: ['test_m.py::test_day'] },
    }));
    writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const recipes = Object.entries(INSTALLS).map(
      ([name, install]) =>
        `    - { match: { repo: owner/${name} }, as_of: ${DAY}, pip: [], install: ${JSON.stringify(install)} }`,
    );
    writeFileSync(
      project.path('p.yaml'),
      `version: 1\nname: managers\ndataset: { train: { source: rows.jsonl, format: custom } }\nenvironments:\n  recipes:\n${recipes.join('\n')}\ndeployments: { box: { type: sandbox, network: { build: proxy, grade: off } } }\nvalidation: { deployment: box, gold_runs: 1 }\n`,
    );
    await command(project, 'build', 'p.yaml', 'validate');
    for (const { type, stage, item, outcome } of project.events())
      if (type === 'item-finished' && stage === 'validate.train') outcomes.set(item, outcome as Outcome);
  }, 600_000);

  test.each(Object.keys(INSTALLS))('by %s', (name) => {
    expect(outcomes.get(name)).toEqual({ status: 'ok' });
  });
});

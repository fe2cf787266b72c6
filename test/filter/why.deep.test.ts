/** Why tests fail that the default command runs, which prints no tracebacks: the report and the log name the module and the key. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../rig/command.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const offline = (end: { stdout: string }) => /infra (network|package-index)/.test(end.stdout);

const TESTS = `import module_that_nothing_installs
from m0 import VALUE

def test_value():
    assert VALUE == 0

def test_other():
    assert "a note" != "ModuleNotFoundError"
`;

test('a module that the tests lack is named with the key that would bring it', { timeout: 600_000 }, async ({
  skip,
}) => {
  const project = tinyProject({ instances: 1, files: { 'test_it.py': TESTS } });
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(
    project.path('p.yaml'),
    yaml
      .replace('pip: []', 'pip: [pytest]')
      .replace('      test: python -m unittest -v\n      parser: unittest\n', ''),
  );
  const row = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8'));
  row.FAIL_TO_PASS = ['test_it.py::test_value'];
  row.PASS_TO_PASS = ['test_it.py::test_other'];
  writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
  const built = await command(project, 'build', 'p.yaml', 'filter');
  if (offline(built)) skip('the package index is out of reach');
  const { stdout: log } = await command(project, 'logs', 'validate.train@tiny.0');
  expect(log).toMatch(/^== gold patch, with tracebacks/m);
  const line = "ModuleNotFoundError: No module named 'module_that_nothing_installs'";
  const { causes } = JSON.parse(readFileSync(project.path('out/tiny/filter.train/failures.json'), 'utf8'));
  expect(causes).toMatchObject([
    { complaint: line, hint: '`pip: [module_that_nothing_installs]` in the recipe', instances: ['tiny.0'] },
  ]);
});

/** SWE-Gym: every repository of the set has the parser that its tests were listed with. */
import { expect, test } from 'vitest';
import { findParser, parserNameOf } from '../../parsers/registry.ts';
import { profileOf } from '../../stages/environments/profiles.ts';

const PYTEST_REPOS = [
  'Project-MONAI/MONAI',
  'bokeh/bokeh',
  'conan-io/conan',
  'dask/dask',
  'facebookresearch/hydra',
  'getmoto/moto',
  'iterative/dvc',
  'modin-project/modin',
  'pandas-dev/pandas',
  'python/mypy',
];

test.each(PYTEST_REPOS)('%s', (repo) => {
  expect(parserNameOf(repo)).toBe('parse_log_pytest');
  expect(profileOf(repo, repo).parser).toBe('parse_log_pytest');
  // The plain parser keeps what the strict one does not: parts of ids up to a blank, as the lists have them.
  const log = 'PASSED tests/a.py::t[x y]\nFAILED tests/a.py::u - assert 1 == 2\nXFAIL tests/a.py::v\n';
  expect([...findParser(parserNameOf(repo))!.parse(log)]).toEqual([
    ['tests/a.py::t[x', 'PASSED'],
    ['tests/a.py::u', 'FAILED'],
    ['tests/a.py::v', 'XFAIL'],
  ]);
});

test('pydantic/pydantic: colours, progress behind FAILED wherever it stands, and lines that end with their status', () => {
  expect(parserNameOf('pydantic/pydantic')).toBe('parse_log_pytest_pydantic');
  const log = [
    '\u001b[32mPASSED\u001b[0m tests/test_main.py::test_one',
    'FAILED [ 50%] tests/test_main.py::test_two - AssertionError',
    '\u001b[31mFAILED\u001b[0m tests/test_main.py::test_three - x - y',
    'tests/test_main.py::test_four PASSED',
    'tests/test_main.py::test_five FAILED                            [ 35%]',
    'FAILED',
    'PASSED',
    'nothing of it ERROR',
  ].join('\n');
  expect([...findParser('parse_log_pydantic')!.parse(log)]).toEqual([
    ['tests/test_main.py::test_one', 'PASSED'],
    ['tests/test_main.py::test_two', 'FAILED'],
    ['tests/test_main.py::test_three', 'FAILED'],
    ['tests/test_main.py::test_four', 'PASSED'],
    ['tests/test_main.py::test_five', 'FAILED'],
  ]);
});

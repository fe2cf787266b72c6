/**
 * Recipes that are broken in one place, for repositories of others: what is taken away or changed, and the recipe key that the report
 * must name for it, with its value where the log can tell one. The keys were written down before the first run.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';

export interface Repository {
  repo: string;
  /** Tag or commit. */
  ref: string;
  /** For built-in recipes. */
  version?: string;
  /** A module that all tests import: the bug is a line in front of it. */
  module: string;
  /** A test that the bug breaks. */
  test: string;
  /** The recipe that works; absent: the built-in one. */
  recipe?: PartialRecipe;
  /** Why the recipe that works is not tried: this machine lacks what it needs. */
  untried?: string;
  breakages: Breakage[];
}

export interface Breakage {
  name: string;
  /** In place of keys of the recipe that works. */
  recipe: PartialRecipe;
  /** Another version of the code. */
  at?: { ref: string; module?: string; test?: string };
  /** The key that the report must name. */
  key: string;
  /** What it must say beside the key. */
  value?: RegExp;
}

const EDITABLE = 'python -m pip install -e .';
const PYTEST = 'pytest --disable-warnings --color=no --tb=no -rA -p no:cacheprovider';

export const REPOSITORIES: readonly Repository[] = [
  {
    ...{ repo: 'python-humanize/humanize', ref: '4.12.0', module: 'src/humanize/__init__.py' },
    test: 'tests/test_time.py::test_date_and_delta',
    recipe: { python: '3.11', install: [`${EDITABLE}[tests]`] },
    breakages: [
      { name: 'missing extra', recipe: { install: [EDITABLE] }, key: 'pip', value: /freezegun/ },
      { name: 'Python too old', recipe: { python: '3.8' }, key: 'python', value: /3\.9/ },
    ],
  },
  {
    ...{ repo: 'pallets/flask', ref: '2.1.1', version: '2.1', module: 'src/flask/__init__.py' },
    test: 'tests/test_basic.py::test_options_work',
    breakages: [
      { name: 'packages of today', recipe: { as_of: 'none' }, key: 'as_of' },
      { name: 'day too early', recipe: { as_of: '2019-01-01' }, key: 'as_of' },
      {
        name: 'no such requirements file',
        recipe: { packages: ['requirements/testing.txt'] },
        key: 'packages',
        value: /requirements\/testing\.txt/,
      },
    ],
  },
  {
    ...{ repo: 'psf/requests', ref: 'v2.26.0', version: '2.26', module: 'requests/__init__.py' },
    test: 'tests/test_requests.py::TestRequests::test_HTTP_200_OK_GET_ALTERNATIVE',
    breakages: [
      {
        name: 'missing plugin',
        recipe: { packages: [], pip: ['pytest', 'pytest-mock', 'trustme'] },
        key: 'pip',
        value: /pytest-httpbin/,
      },
      {
        ...{ name: 'network at test time', key: 'background' },
        recipe: {
          python: '3.9',
          as_of: 'none',
          packages: [],
          pip: ['pytest'],
          background: [],
          eval_commands: [],
        },
        at: { ref: 'v2.3.0', test: 'test_requests.py::RequestsTestCase::test_HTTP_200_OK_GET_ALTERNATIVE' },
      },
      {
        ...{ name: 'collections without its ABCs', key: 'python', value: /3\.9/ },
        recipe: { python: '3.11', as_of: 'none', packages: [], pip: ['pytest'] },
        at: { ref: 'v2.3.0', test: 'test_requests.py::RequestsTestCase::test_basic_building' },
      },
    ],
  },
  {
    ...{ repo: 'pytest-dev/pytest', ref: '5.4.3', version: '5.4', module: 'src/pytest/__init__.py' },
    test: 'testing/python/metafunc.py::TestMetafunc::test_no_funcargs',
    breakages: [
      { name: 'missing extra for testing', recipe: { install: [EDITABLE] }, key: 'pip', value: /hypothesis/ },
      {
        ...{ name: 'imp is gone', recipe: { python: '3.12', as_of: 'none' }, key: 'python', value: /3\.11/ },
        at: { ref: '4.6.11', module: 'src/pytest.py' },
      },
    ],
  },
  {
    ...{
      repo: 'sympy/sympy',
      ref: 'sympy-1.8',
      version: '1.8',
      module: 'sympy/__init__.py',
      test: 'test_ratint',
    },
    recipe: {
      python: '3.8',
      as_of: '2021-10-31',
      pip: ['mpmath'],
      test: 'bin/test -C --verbose sympy/integrals/tests/test_rationaltools.py',
      parser: 'sympy',
    },
    breakages: [
      { name: 'distutils is gone', recipe: { python: '3.12', as_of: 'none' }, key: 'python', value: /3\.11/ },
      { name: 'missing module', recipe: { pip: [], install: [] }, key: 'pip', value: /mpmath/ },
    ],
  },
  {
    ...{ repo: 'mwaskom/seaborn', ref: 'v0.10.1', version: '0.10', module: 'seaborn/__init__.py' },
    test: 'seaborn/tests/test_axisgrid.py::TestPairGrid::test_self_axes',
    // All of its tests take minutes.
    recipe: {
      python: '3.8',
      as_of: '2020-06-30',
      pip: ['pytest', 'nose'],
      env: { MPLBACKEND: 'Agg' },
      test: `${PYTEST} -k=self_axes`,
    },
    breakages: [
      {
        name: 'np.float is gone',
        recipe: { python: '3.9', as_of: 'none' },
        key: 'as_of',
        value: /numpy|pandas|matplotlib/,
      },
    ],
  },
  {
    ...{ repo: 'aio-libs/multidict', ref: 'v6.0.4', module: 'multidict/__init__.py' },
    test: 'tests/test_version.py::TestPyMultiDict::test_ctor',
    recipe: { python: '3.10', as_of: '2023-06-30', pip: ['pytest', 'pytest-cov', 'psutil'] },
    breakages: [
      { name: 'missing compiler', recipe: { env: { CC: 'clang-9' } }, key: 'system', value: /clang-9/ },
      {
        name: 'plugin that addopts names',
        recipe: { pip: ['pytest', 'psutil'] },
        key: 'pip',
        value: /pytest-cov/,
      },
    ],
  },
  {
    ...{
      repo: 'rq/rq',
      ref: 'v1.15.1',
      module: 'rq/__init__.py',
      test: 'tests/test_job.py::TestJob::test_unicode',
    },
    recipe: {
      python: '3.11',
      as_of: '2023-09-30',
      pip: ['pytest', 'psutil', 'sentry-sdk', 'pytest-cov'],
      test: `${PYTEST} -k=test_unicode`,
    },
    untried: 'needs a Redis',
    breakages: [{ name: 'missing service', recipe: {}, key: 'background' }],
  },
  {
    ...{ repo: 'pydot/pydot', ref: 'v3.0.4', module: 'src/pydot/__init__.py' },
    test: 'test/test_pydot.py::TestGraphAPI::test_keep_graph_type',
    recipe: {
      python: '3.11',
      pip: ['pytest', 'chardet', 'parameterized'],
      test: `${PYTEST} -k=keep_graph_type`,
    },
    breakages: [
      {
        ...{
          name: 'missing program',
          recipe: { test: `${PYTEST} -k=shapefiles` },
          key: 'system',
          value: /dot|graphviz/,
        },
        at: { ref: 'v3.0.4', test: 'test/test_pydot.py::TestShapeFiles::test_graph_with_shapefiles' },
      },
      {
        name: 'missing compiler of Rust',
        recipe: { install: ['python -m pip install --no-binary rpds-py rpds-py', EDITABLE] },
        key: 'system',
        value: /cargo|rust/i,
      },
    ],
  },
  {
    ...{ repo: 'mahmoud/boltons', ref: '24.1.0', module: 'boltons/__init__.py' },
    test: 'tests/test_strutils.py::test_asciify',
    recipe: { python: '3.11', pip: ['pytest<9'] },
    breakages: [
      { name: 'wrong test command', recipe: { test: `${PYTEST} test_all` }, key: 'test', value: /test_all/ },
      {
        name: 'wrong folder of the installation',
        recipe: { install: [`cd boltons && ${EDITABLE}`] },
        key: 'install',
      },
      { name: 'wrong folder of the tests', recipe: { test: `cd docs && ${PYTEST}` }, key: 'test' },
      {
        name: 'pins that contradict',
        recipe: { pip: ['pytest==8.3.4', 'pluggy==0.13.1'] },
        key: 'pip',
        value: /pluggy/,
      },
      {
        name: 'use_2to3 of an old requirement',
        recipe: { pip: ['pytest<9', 'suds-jurko==0.6'] },
        key: 'pip',
        value: /setuptools<58/,
      },
      { name: 'time limit', recipe: { timeout: 1 }, key: 'timeout' },
      {
        name: 'host that the proxy refuses',
        recipe: { install: ['python -m pip install git+https://github.com/mahmoud/boltons', EDITABLE] },
        key: 'allow_hosts',
        value: /github\.com/,
      },
      {
        ...{ name: 'old names of collections', recipe: {}, key: 'python', value: /3\.9/ },
        at: { ref: '17.1.0', test: 'tests/test_iterutils.py::TestFirst::test_default_value' },
      },
    ],
  },
  {
    ...{ repo: 'pallets/click', ref: '7.1.2', module: 'src/click/__init__.py' },
    test: 'tests/test_basic.py::test_basic_functionality',
    recipe: { python: '3.6', as_of: '2020-12-31', pip: ['pytest'], env: { LC_ALL: 'C.UTF-8' } },
    breakages: [{ name: 'missing variable', recipe: { env: { LC_ALL: 'C' } }, key: 'env', value: /LC_ALL/ }],
  },
  {
    ...{ repo: 'aio-libs/async-timeout', ref: 'v4.0.2', module: 'async_timeout/__init__.py' },
    test: 'tests/test_timeout.py::test_timeout',
    recipe: {
      python: '3.10',
      as_of: '2022-06-30',
      pip: ['pytest', 'pytest-asyncio', 'pytest-cov'],
      env: { PYTEST_ADDOPTS: '--asyncio-mode=auto' },
    },
    breakages: [
      {
        name: 'missing plugin for async tests',
        recipe: { pip: ['pytest', 'pytest-cov'], env: {} },
        key: 'pip',
        value: /pytest-asyncio/,
      },
    ],
  },
  {
    ...{ repo: 'MagicStack/httptools', ref: 'v0.6.1', module: 'httptools/__init__.py' },
    test: 'tests/test_parser.py::TestResponseParser::test_parser_response_1',
    recipe: {
      python: '3.11',
      as_of: '2023-12-31',
      pip: ['pytest'],
      submodules: ['vendor/http-parser', 'vendor/llhttp'],
    },
    untried: 'needs submodules of GitHub',
    breakages: [
      { name: 'missing submodules', recipe: { submodules: [] }, key: 'submodules', value: /vendor\/llhttp/ },
    ],
  },
  {
    ...{ repo: 'sphinx-doc/sphinx', ref: 'v3.5.4', version: '3.5', module: 'sphinx/__init__.py' },
    test: 'tests/test_util_i18n.py::test_catalog_info_for_file_and_path',
    breakages: [
      {
        ...{ name: 'pkg_resources is gone', key: 'pip', value: /setuptools/ },
        recipe: { install: [`${EDITABLE}[test]`, 'python -m pip uninstall -y setuptools'] },
      },
    ],
  },
];

/**
 * Recipes of the Python repositories of SWE-bench by ranges of their versions. They come from what each repository says of
 * itself at such a version: the Pythons that it declares, its extras and files for tests, its own test command. Packages are
 * those of the index on a day after the last commit of the range and before the releases that break it.
 *
 * Of the declared Pythons the choice is 3.9 where there is one, since the lists of tests in rows hold ids and skips of that
 * time. unittest names tests of django in three ways: since 3.11 with the test's own name in its class, before 3.7 without the
 * second line of a docstring.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { servicesOf } from './known-services.ts';

/** Versions from `from` on and before `before`. */
export interface VersionRange {
  from: string;
  before: string;
  recipe: PartialRecipe;
}

const range = (from: string, before: string, recipe: PartialRecipe): VersionRange => ({
  from,
  before,
  recipe,
});

/** The project itself with these extras. */
const editable = (extras: string): PartialRecipe => ({
  install: [`python -m pip install -e ".[${extras}]"`],
});

/** Each range with what all ranges of a repository share. */
function ranges(shared: PartialRecipe, list: readonly VersionRange[]): readonly VersionRange[] {
  return list.map(({ recipe, ...one }) => ({ ...one, recipe: { ...shared, ...recipe } }));
}

/** Services whose packages are those of the recipe's day. */
function services(repo: string): PartialRecipe {
  const { background = [], ...rest } = servicesOf(repo);
  const open = background.map(({ pip, ...service }) => ({
    ...service,
    ...(pip === undefined ? {} : { pip: pip.map((one) => one.replace(/==.*$/, '')) }),
  }));
  return { ...rest, background: open };
}

/** As the default command, for a pytest before 4.5, which does not know `-rA`. */
const LETTERS: PartialRecipe = {
  test: 'pytest --disable-warnings --color=no --tb=no -rfEsxXp -p no:cacheprovider',
};

/** Optional packages of django's tests, without those that need libraries of servers. */
const DJANGO_TESTS = [
  ...['argon2-cffi', 'asgiref', 'bcrypt', 'docutils', 'geoip2', 'jinja2', 'numpy', 'Pillow', 'PyYAML'],
  ...['pytz', 'pymemcache', 'python-memcached', 'redis', 'selenium', 'sqlparse', 'tblib'],
];

const XARRAY_TESTS = [
  ...[
    'pytest',
    'pytest-env',
    'pytest-xdist',
    'hypothesis',
    'numpy',
    'pandas',
    'scipy',
    'bottleneck',
    'netCDF4',
  ],
  ...[
    'h5netcdf',
    'h5py',
    'zarr',
    'fsspec',
    'cftime',
    'dask[complete]',
    'matplotlib',
    'seaborn',
    'nc-time-axis',
  ],
  ...['numexpr', 'pint', 'pooch', 'sparse', 'toolz', 'lxml', 'rasterio', 'pydap', 'numbagg', 'aiobotocore'],
];

/** What scikit-learn compiles with, and optional packages of its tests. */
const SKLEARN = ['cython', 'numpy', 'scipy', 'joblib', 'pytest', 'pandas', 'matplotlib'];

/** A warning would stand between the name of a test and its result. */
const SYMPY_TEST = 'PYTHONWARNINGS=ignore::UserWarning,ignore::SyntaxWarning bin/test -C --verbose';

/** By `owner/name` in lower case. */
export const BENCHMARK_RECIPES: Readonly<Record<string, readonly VersionRange[]>> = {
  'astropy/astropy': ranges({ timeout: 7200 }, [
    // Its own setup.py compiles by numpy's part of distutils, which later setuptools break.
    range('1.0', '4.0', {
      ...{ python: '3.6', as_of: '2019-12-31', submodules: ['astropy_helpers'] },
      pip: ['setuptools<50', 'cython', 'jinja2', 'numpy', 'pytest-astropy', 'pytest-xdist', 'pytest-mock'],
    }),
    range('4.0', '4.3', { python: '3.8', as_of: '2021-06-30', ...editable('test') }),
    range('4.3', '5.1', { python: '3.9', as_of: '2022-10-31', ...editable('test') }),
    range('5.1', '5.3', { python: '3.9', as_of: '2023-08-31', ...editable('test') }),
  ]),
  'django/django': ranges(
    {
      env: { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
      pip: DJANGO_TESTS,
      test: './tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1',
    },
    [
      range('1.9', '2.0', { python: '3.6', as_of: '2017-12-31' }),
      range('2.0', '3.0', { python: '3.6', as_of: '2019-04-30' }),
      range('3.0', '3.2', { python: '3.6', as_of: '2020-08-31' }),
      range('3.2', '4.0', { python: '3.6', as_of: '2021-04-30', pip: [...DJANGO_TESTS, 'aiosmtpd'] }),
      range('4.0', '4.1', { python: '3.9', as_of: '2021-12-31', pip: [...DJANGO_TESTS, 'aiosmtpd'] }),
      range('4.1', '5.0', {
        python: '3.9',
        as_of: '2023-03-31',
        pip: [...DJANGO_TESTS, 'aiosmtpd', 'tzdata'],
      }),
      range('5.0', '5.2', {
        python: '3.11',
        as_of: '2023-12-31',
        pip: [...DJANGO_TESTS, 'aiosmtpd', 'tzdata'],
      }),
    ],
  ),
  // Its build fetches FreeType and Qhull, whose exact versions the pictures of its tests need: `allow_hosts` of the deployment.
  'matplotlib/matplotlib': ranges({ timeout: 7200, env: { MPLBACKEND: 'agg' } }, [
    range('3.0', '3.3', { python: '3.7', as_of: '2019-12-31', pip: ['numpy', 'pytest', 'pillow', 'pandas'] }),
    range('3.3', '3.5', {
      python: '3.9',
      as_of: '2021-12-31',
      pip: ['pytest', 'pillow', 'pandas', 'psutil'],
    }),
    range('3.5', '3.7', {
      python: '3.9',
      as_of: '2023-02-28',
      pip: ['pytest', 'pillow', 'pandas', 'psutil'],
    }),
    range('3.7', '3.8', {
      python: '3.9',
      as_of: '2023-08-31',
      pip: ['pytest', 'pillow', 'pandas', 'psutil'],
    }),
  ]),
  'mwaskom/seaborn': ranges(
    { python: '3.9', pip: ['pytest', 'pytest-cov', 'pytest-xdist'], ...editable('stats') },
    [range('0.12', '0.13', { as_of: '2022-12-31' }), range('0.13', '0.14', { as_of: '2023-12-31' })],
  ),
  'pallets/flask': ranges({ python: '3.9', packages: ['requirements/tests.txt'], pip: ['pytest'] }, [
    range('2.0', '2.2', { as_of: '2022-07-31' }),
    range('2.2', '3.0', { as_of: '2023-09-15' }),
    range('3.0', '3.1', { as_of: '2024-04-30' }),
  ]),
  'psf/requests': [
    // Their tests ask httpbin.org, whose packages are of 2024.
    range('0.0', '2.10', {
      python: '3.9',
      as_of: '2025-01-04',
      pip: ['pytest'],
      ...servicesOf('psf/requests'),
    }),
    // The list of 2.27 for all: before, it pins a pytest that writes ids in another way than rows have them.
    range('2.10', '2.27', {
      python: '3.9',
      as_of: '2022-02-15',
      pip: [
        ...['pytest<=6.2.5', 'pytest-httpbin==1.0.0', 'pytest-mock==2.0.0', 'httpbin==0.7.0', 'Flask<2.0'],
        ...['trustme', 'PySocks'],
      ],
    }),
    range('2.27', '3.0', {
      python: '3.9',
      as_of: '2022-02-15',
      packages: ['requirements-dev.txt'],
      pip: ['pytest'],
    }),
  ],
  'pydata/xarray': ranges({ python: '3.9', pip: XARRAY_TESTS }, [
    range('0.12', '0.21', { as_of: '2021-05-31' }),
    range('2022.3', '2022.9', { as_of: '2022-10-31' }),
    // Before pandas 2 of 2023-04-03, which has no need of what some rows mend.
    range('2022.9', '2023.5', { as_of: '2023-03-31' }),
  ]),
  'pylint-dev/pylint': ranges(
    {
      python: '3.9',
      pip: [],
      // The first names astroid's own version at each commit.
      install: ['python -m pip install -r requirements_test_min.txt', 'python -m pip install -e .'],
    },
    [
      // The solution of 4661 begins to use it.
      range('2.8', '2.12', { as_of: '2021-10-31', pip: ['appdirs'] }),
      // pytest-benchmark uses it; pytest brings a part of it alone since 7.2.
      range('2.12', '2.16', { as_of: '2022-12-31', pip: ['py'] }),
      range('2.16', '3.1', { as_of: '2023-10-31' }),
    ],
  ),
  'pytest-dev/pytest': ranges({ pip: [], ...editable('testing') }, [
    range('4.4', '4.5', { ...LETTERS, python: '3.8', as_of: '2020-01-31' }),
    // Rows list ids that stand in what tests print, which only `-rA` shows.
    range('4.5', '5.4', { python: '3.8', as_of: '2020-01-31' }),
    range('5.4', '6.3', { python: '3.9', as_of: '2021-01-15' }),
    range('6.3', '7.2', { python: '3.9', as_of: '2022-02-15' }),
    range('7.2', '8.1', { python: '3.9', as_of: '2023-10-31' }),
  ]),
  'scikit-learn/scikit-learn': ranges(
    { timeout: 7200, install: ['python -m pip install --no-build-isolation -e .'] },
    [
      range('0.20', '0.21', {
        ...LETTERS,
        python: '3.7',
        as_of: '2018-12-31',
        pip: ['setuptools<50', ...SKLEARN],
      }),
      range('0.21', '0.22', { python: '3.7', as_of: '2019-07-31', pip: ['setuptools<50', ...SKLEARN] }),
      range('0.22', '0.23', { python: '3.7', as_of: '2020-01-31', pip: ['setuptools<50', ...SKLEARN] }),
      range('1.0', '1.4', {
        python: '3.9',
        as_of: '2023-06-30',
        pip: [...SKLEARN, 'threadpoolctl', 'pooch'],
      }),
    ],
  ),
  'sphinx-doc/sphinx': ranges({ python: '3.9', ...services('sphinx-doc/sphinx'), ...editable('test') }, [
    range('3.0', '4.0', { as_of: '2021-03-31' }),
    range('4.0', '5.0', { as_of: '2022-02-28' }),
    range('5.0', '6.0', { as_of: '2022-12-31' }),
    range('6.0', '7.0', { as_of: '2023-04-30' }),
    range('7.0', '7.3', { as_of: '2023-09-15' }),
  ]),
  'sympy/sympy': ranges({ pip: ['mpmath'], test: SYMPY_TEST }, [
    range('1.0', '1.2', { python: '3.6', as_of: '2018-07-31' }),
    range('1.2', '1.5', { python: '3.6', as_of: '2019-04-30' }),
    range('1.5', '1.10', { python: '3.8', as_of: '2021-10-31' }),
    range('1.10', '1.13', { python: '3.9', as_of: '2023-02-28' }),
    range('1.13', '1.14', { python: '3.9', as_of: '2024-08-31' }),
  ]),
};

/** The recipe of a version of a repository; null where none is known. */
export function benchmarkRecipe(repo: string, version: string | null): PartialRecipe | null {
  if (version === null) return null;
  const found = BENCHMARK_RECIPES[repo.toLowerCase()]?.find(
    ({ from, before }) => compareVersions(version, from) >= 0 && compareVersions(version, before) < 0,
  );
  return found?.recipe ?? null;
}

/** By their numbers, so that 2.10 comes after 2.9. */
function compareVersions(one: string, other: string): number {
  const numbers = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const [a, b] = [numbers(one), numbers(other)];
  const difference = a.map((number, at) => number - (b[at] ?? 0)).find((by) => by !== 0);
  return difference ?? a.length - b.length;
}

/**
 * What is known of repositories beyond the tables of SWE-smith, SWE-Gym and SWE-bench. Their images were made with more than the tables say: some tests
 * need packages besides pytest, which are in the repositories' own lists of test requirements. And some tables install by tools that
 * fetch from GitHub, where pip gives the same from the package index.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';

export interface KnownRecipe {
  /** Keys that take the place of those of the table; null leaves a key out. */
  recipe: { [K in keyof PartialRecipe]: PartialRecipe[K] | null };
  notes: readonly string[];
}

/** Test requirements besides pytest. */
const needs = (...names: string[]): KnownRecipe => ({ recipe: { pip: ['pytest', ...names] }, notes: [] });

/** By `owner/name` in lower case. */
const KNOWN: Readonly<Record<string, KnownRecipe>> = {
  'aio-libs/async-timeout': needs('pytest-asyncio', 'pytest-cov'),
  'arrow-py/arrow': needs('dateparser', 'pytest-cov', 'pytest-mock', 'pytz', 'simplejson'),
  'cknd/stackprinter': needs('numpy'),
  'cloudpipe/cloudpickle': needs('psutil'),
  'cookiecutter/cookiecutter': needs('freezegun', 'pytest-cov', 'pytest-mock'),
  'dbader/schedule': needs('pytz'),
  'facebookresearch/hydra': {
    recipe: { pip: ['pytest<8', 'pluggy<1.1'] },
    notes: ['pytest-snail, which its tests install, makes pytest end with 1 under later versions of pluggy'],
  },
  'facelessuser/soupsieve': needs('beautifulsoup4', 'html5lib', 'lxml'),
  'jawah/charset_normalizer': needs('pytest-cov'),
  'jd/tenacity': needs('tornado', 'typeguard'),
  'kayak/pypika': needs('parameterized'),
  'mahmoud/glom': needs('PyYAML'),
  'mozillazg/python-pinyin': needs('pytest-cov'),
  'msiemens/tinydb': needs('pytest-cov', 'PyYAML'),
  'pallets/jinja': needs('trio'),
  'prettytable/prettytable': needs('pytest-lazy-fixtures'),
  'r1chardj0n3s/parse': needs('pytest-cov'),
  'rustedpy/result': needs('pytest-asyncio', 'pytest-cov'),
  'seatgeek/thefuzz': needs('hypothesis', 'pycodestyle'),
  'suor/funcy': needs('whatever'),
  'termcolor/termcolor': needs('coverage'),
  'theskumar/python-dotenv': needs('click', 'ipython', 'sh'),
  'dask/dask': {
    recipe: {
      python: '3.10',
      packages: null,
      install: ['python -m pip install -e ".[complete,test]"'],
    },
    notes: ['its extras stand for an environment.yml of conda, which fetches distributed from GitHub'],
  },
  'babel/babel': {
    recipe: { witness: 'none' },
    notes: ['jest-light-runner, which runs its tests, has no witness'],
  },
  'micropython/micropython': {
    // The makefile fetches submodules with git, which needs a network. The recipe checks them out, and the variable turns this off.
    recipe: {
      submodules: ['lib/berkeley-db-1.xx', 'lib/mbedtls', 'lib/micropython-lib'],
      env: { MAKEFLAGS: 'GIT_SUBMODULES=' },
    },
    notes: [],
  },
  'pydantic/pydantic': {
    recipe: {
      system: null,
      pre_install: null,
      packages: ['tests/requirements-testing.txt?'],
      pip: [
        ...[
          // Later ones show warnings that a test did not ask for, which are errors here.
          'pytest<8',
          'pytest-mock',
          'pytest-benchmark',
          'pytest-examples',
          'pytest-pretty',
          'dirty-equals',
          'faker',
        ],
        ...[
          'cloudpickle',
          // Later ones word a refusal in another way than a test expects.
          'email-validator<2.2',
          'jsonschema',
          'packaging',
          'pytz',
          'sqlalchemy',
          'tzdata',
          'ansi2html',
        ],
      ],
      install: ['python -m pip install -e .'],
    },
    notes: [
      'pip and its test requirements stand for pdm or uv, and for hooks of pre-commit that are fetched from GitHub',
    ],
  },
};

/** What is known of the repository; null where the tables are enough. */
export function knownRecipe(repo: string): KnownRecipe | null {
  return KNOWN[repo.toLowerCase()] ?? null;
}

/**
 * Programs that images have since the repository names them at the commit of a row, and no table does, by version: the number of its pull
 * request.
 */
const TOOLS: Readonly<Record<string, Readonly<Record<string, Record<string, string>>>>> = {
  'babel/babel': {
    '13928': { yarn_version: '3.1.0' },
    '14532': { yarn_version: '3.1.1' },
    '15445': { yarn_version: '3.2.4' },
    '15649': { yarn_version: '3.5.0' },
    '16130': { yarn_version: '4.0.2' },
  },
};

/** What an image of the version has beside what its table says, by the names of tables. */
export function knownTools(repo: string, version: string): Record<string, string> {
  return TOOLS[repo.toLowerCase()]?.[version] ?? {};
}

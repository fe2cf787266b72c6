/** The recipe key that would likely help, by what a log says. */
import { firstHint } from '../../ecosystems/hints.ts';
import { HINTS as ECOSYSTEM_HINTS } from '../../ecosystems/registry.ts';
import { missingOf } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { hintIn } from '../environments/hints.ts';

/** Plugins of pytest by the options that they bring; a longer option of the same beginning is theirs too. */
const PLUGIN_OF_OPTION: Readonly<Record<string, string>> = {
  '--cov': 'pytest-cov',
  '--no-cov': 'pytest-cov',
  '-n': 'pytest-xdist',
  '--numprocesses': 'pytest-xdist',
  '--dist': 'pytest-xdist',
  '--timeout': 'pytest-timeout',
  '--asyncio': 'pytest-asyncio',
  '--benchmark': 'pytest-benchmark',
  '--reruns': 'pytest-rerunfailures',
  '--mypy': 'pytest-mypy',
  '--flake8': 'pytest-flake8',
  '--black': 'pytest-black',
  '--ruff': 'pytest-ruff',
  '--html': 'pytest-html',
  '--random-order': 'pytest-random-order',
  '--randomly': 'pytest-randomly',
  '--doctest-plus': 'pytest-doctestplus',
  '--doctest-rst': 'pytest-doctestplus',
  '--ds': 'pytest-django',
  '--django': 'pytest-django',
};

/** Plugins of pytest by the fixtures that they bring. */
const PLUGIN_OF_FIXTURE: Readonly<Record<string, string>> = {
  mocker: 'pytest-mock',
  benchmark: 'pytest-benchmark',
  httpbin: 'pytest-httpbin',
  httpserver: 'pytest-httpserver',
  requests_mock: 'requests-mock',
  freezer: 'pytest-freezer',
  event_loop: 'pytest-asyncio',
  subtests: 'pytest-subtests',
  datadir: 'pytest-datadir',
  shared_datadir: 'pytest-datadir',
  data_regression: 'pytest-regressions',
  file_regression: 'pytest-regressions',
  snapshot: 'syrupy',
  aiohttp_client: 'pytest-aiohttp',
  cookies: 'pytest-cookies',
  lazy_fixture: 'pytest-lazy-fixture',
  fs: 'pyfakefs',
  db: 'pytest-django',
  django_user_model: 'pytest-django',
};

/** The plugins of pytest that have these options, as far as they are known. */
export function pluginsOf(options: string): string[] {
  const plugins = [...options.matchAll(/(?<=^|\s)--?[a-z][\w-]*/g)].flatMap(([option]) => {
    const known = Object.keys(PLUGIN_OF_OPTION).find((name) =>
      name.startsWith('--')
        ? option.startsWith(name)
        : option.slice(0, 2) === name && !option.startsWith('--'),
    );
    return known === undefined ? [] : [PLUGIN_OF_OPTION[known]!];
  });
  return [...new Set(plugins)];
}

/** Commands that come with Python packages of the same name. */
const PYTHON_TOOLS =
  /(?<![\w-])([\w-]*(?:pytest|tox|nox|nose2?|nosetests|coverage|cython|flake8|mypy|hatch|poetry)): command not found/;

/** Packages of modules that have another name. */
const PACKAGE_OF_MODULE: Readonly<Record<string, string>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  git: 'GitPython',
  jose: 'python-jose',
  jwt: 'PyJWT',
  magic: 'python-magic',
  MySQLdb: 'mysqlclient',
  nacl: 'PyNaCl',
  OpenSSL: 'pyOpenSSL',
  PIL: 'Pillow',
  pkg_resources: '"setuptools<81"',
  psycopg2: 'psycopg2-binary',
  pylsp: 'python-lsp-server',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  usb: 'pyusb',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

type Versions = readonly [names: RegExp, python: string][];

/** Modules that a Python no longer has -> the newest that has them. Source: "Removed" of each version's "What's New". */
const LAST_OF_MODULE: Versions = [
  [/^(?:telnetlib|cgi|cgitb|crypt|imghdr|sndhdr|pipes|nntplib|audioop|chunk|uu|lib2to3)$/, '3.12'],
  [/^(?:distutils|imp|asynchat|asyncore|smtpd)$/, '3.11'],
];

/** Modules that a Python has only now -> the oldest that has them. Source: "New" of each version's "What's New". */
const FIRST_OF_MODULE: Versions = [
  [/^tomllib$/, '3.11'],
  [/^(?:zoneinfo|graphlib)$/, '3.9'],
  [/^importlib\.metadata$/, '3.8'],
  [/^(?:dataclasses|contextvars|importlib\.resources)$/, '3.7'],
];

/** The same for names in its modules. A module of such a name is another one. */
const LAST_OF_NAME: Versions = [
  [
    /^(?:ImpImporter|assertEquals|assertRegexpMatches|assertRaisesRegexp|assertItemsEqual|readfp|SafeConfigParser)$/,
    '3.11',
  ],
  [/^(?:getargspec|formatargspec|coroutine)$/, '3.10'],
  [
    /^(?:Mapping|MutableMapping|Sequence|MutableSequence|Set|MutableSet|Iterable|Iterator|Callable|Hashable|Sized|Container|Generator|Awaitable|Coroutine|ByteString|MappingView|KeysView|ItemsView|ValuesView)$/,
    '3.9',
  ],
  [/^(?:encodestring|decodestring|tostring|fromstring|getchildren|isAlive|gcd)$/, '3.8'],
  [/^clock$/, '3.7'],
];

const FIRST_OF_NAME: Versions = [
  [/^(?:override|batched|TypeAliasType)$/, '3.12'],
  [
    /^(?:Self|StrEnum|assert_never|LiteralString|Never|NotRequired|Required|TypeVarTuple|Unpack|TaskGroup|ExceptionGroup|BaseExceptionGroup)$/,
    '3.11',
  ],
  [
    /^(?:ParamSpec|TypeAlias|TypeGuard|Concatenate|pairwise|aclosing|anext|EllipsisType|NoneType|UnionType)$/,
    '3.10',
  ],
  [/^(?:Annotated|cache|removeprefix|removesuffix|to_thread|files)$/, '3.9'],
  [
    /^(?:cached_property|Protocol|Literal|TypedDict|Final|final|singledispatchmethod|AsyncMock|prod|dist|metadata)$/,
    '3.8',
  ],
  [/^nullcontext$/, '3.7'],
];

/** Modules of Python itself from which the names above are taken. */
const STANDARD =
  /^(?:collections|inspect|asyncio|time|base64|array|xml\.etree(?:\.\w+)?|threading|fractions|pkgutil|configparser|unittest(?:\.mock)?|typing|enum|functools|itertools|contextlib|types|math|importlib(?:\.\w+)?|builtins|asyncio\.\w+)$/;

/** The version of Python that a missing name of its modules asks for; null where that says nothing of it. */
function pythonFor(name: string, lasts = LAST_OF_NAME, firsts = FIRST_OF_NAME): string | null {
  const last = lasts.find(([names]) => names.test(name));
  if (last !== undefined) return `\`python: "${last[1]}"\` in the recipe, or an older one`;
  const first = firsts.find(([names]) => names.test(name));
  return first === undefined ? null : `\`python: "${first[1]}"\` in the recipe, or a newer one`;
}

function pythonOf(module: string): string | null {
  const [top = ''] = module.split('.');
  const of = (name: string) => pythonFor(name, LAST_OF_MODULE, FIRST_OF_MODULE);
  return of(top) ?? of(module);
}

function packageFor(module: string): string {
  const [top = ''] = module.split('.');
  return pythonOf(module) ?? `\`pip: [${PACKAGE_OF_MODULE[top] ?? top}]\` in the recipe`;
}

/** The requirement that brings a module: its own name, unless the package is known to be called otherwise. */
export function packageOf(module: string): string {
  return Object.hasOwn(PACKAGE_OF_MODULE, module) ? PACKAGE_OF_MODULE[module]!.replaceAll('"', '') : module;
}

/** Whether no package brings a missing module, but another Python. */
export function isOfPython(module: string): boolean {
  return pythonOf(module) !== null;
}

/** Packages that drop names often. */
const CHANGING =
  /^(?:numpy|pytest|_pytest|sqlalchemy|jinja2|werkzeug|flask|pandas|scipy|marshmallow|pkg_resources)(?:\.|$)/;

/** True when the log names a file of the module's package where packages are installed, so that it is not the project's own. */
function isInstalled(module: string, log: string): boolean {
  return log.includes(`-packages/${module.split('.')[0]}/`);
}

/** A package that has other names than those that are asked for. */
function otherVersion(module: string): string {
  const [top = ''] = module.split('.');
  const name = top === '_pytest' ? 'pytest' : (PACKAGE_OF_MODULE[top] ?? top);
  return `\`as_of\` in the recipe, the day of the commit, or a pin of \`${name}\` under \`pip\``;
}

const DEBIAN = (name: string) =>
  `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`;

/** The first that fits, and says something, counts. A name is searched from its first letter on alone, so that long words take no longer. */
const HINTS: readonly [
  pattern: RegExp,
  suggest: (match: RegExpExecArray, day: string | null) => string | null,
][] = [
  [
    /the build proxy refused (.+); allow_hosts/,
    ([, hosts]) => `\`allow_hosts: [${hosts}]\` in the deployment, if its builds may fetch from there`,
  ],
  [
    /a program asked for (a host|\S+) past the build proxy/,
    ([, host]) =>
      `\`pre_install\` in the recipe, where curl fetches from ${host}; or \`network.build: host\` in the deployment`,
  ],
  [
    /Coverage failure: total of|Required test coverage of \S+ not reached/,
    () => '`test: pytest -rA --no-cov` in the recipe: the tests of one task cover less than all do',
  ],
  // An old `py`, which old versions of pytest need, and Python 3.11.
  [/AttributeError: __spec__$/m, () => '`python` in the recipe, an older version'],
  [/use_2to3 is invalid/, () => '`pip: [pytest, "setuptools<58"]` in the recipe'],
  [
    /Cannot install (.+?) because these package versions have conflicting dependencies/,
    ([, pins]) => `\`pip\` in the recipe: ${pins} contradict each other`,
  ],
  [
    /neither '?setup\.py'? nor '?pyproject\.toml'? found|Neither 'setup\.py' nor 'pyproject\.toml' found/,
    () => '`install` in the recipe: where it runs is no Python project',
  ],
  [PYTHON_TOOLS, ([, name]) => `\`pip: [${name}]\` in the recipe`],
  [/No module named '?([\w.]+)'?/, ([, name = '']) => packageFor(name)],
  [
    /cannot import name '(\w+)' from '([\w.]+)'/,
    ([, name = '', module = '']) => (STANDARD.test(module) ? pythonFor(name) : null),
  ],
  [
    /module '([\w.]+)' has no attribute '(\w+)'/,
    ([, module = '', name = '']) => (STANDARD.test(module) ? pythonFor(name) : null),
  ],
  [
    /'\w+' object has no attribute '(assert\w+|isAlive|readfp|getchildren|removeprefix|removesuffix)'/,
    ([, name = '']) => pythonFor(name),
  ],
  [
    /cannot import name '\w+' from (?:partially initialized module )?'([\w.]+)' \(\S*\/(?:site|dist)-packages\//,
    ([, module = '']) => otherVersion(module),
  ],
  // pytest 7.2 and later bring a part of it alone.
  [/module 'py' has no attribute '\w+'/, () => withPytest('py')],
  [
    /module '([\w.]+)' has no attribute/,
    ({ input, 1: module = '' }) =>
      CHANGING.test(module) || isInstalled(module, input) ? otherVersion(module) : null,
  ],
  [
    /PluginValidationError|PytestRemovedIn\dWarning|Fixture "\w+" called directly|PytestDeprecationWarning.*nose|(?:py\.test|pytest)-\d\S* but/,
    () => otherVersion('pytest'),
  ],
  [/(?<![\w+.-])(lib[\w+.-]+\.so[.\d]*): cannot open shared object file/, ([, name = '']) => DEBIAN(name)],
  [
    /unsupported locale setting|'ascii' codec can't (?:de|en)code|Python 3 was configured to use ASCII/,
    () => '`env: { LC_ALL: C.UTF-8 }` in the recipe',
  ],
  [/No time zone found with key|ZoneInfoNotFoundError/, () => withPytest('tzdata')],
  [/DJANGO_SETTINGS_MODULE/, () => '`env: { DJANGO_SETTINGS_MODULE: … }` in the recipe'],
  [
    /(?:raise KeyError\(key\) from None|os\.environ\[).*\n(?:.*\n){0,3}?(?:E\s+)?KeyError: '([A-Z][A-Z0-9_]*)'/,
    ([, name]) => `\`env: { ${name}: … }\` in the recipe`,
  ],
  [/Unable to (?:locate|find) .*?\bjava\b|JAVA_HOME/, () => DEBIAN('java')],
  [
    /error: unrecognized arguments: (.+)/,
    ([, options = '']) => {
      const plugins = pluginsOf(options);
      return plugins.length === 0
        ? `a pytest plugin that has the options \`${options}\`, under \`pip\` in the recipe`
        : withPytest(plugins.join(', '));
    },
  ],
  [/Missing required plugins: ([\w., -]+)/, ([, names = '']) => withPytest(names.trim())],
  [
    /async def functions? (?:are not natively supported|and no async plugin installed)/,
    () => withPytest('pytest-asyncio'),
  ],
  [
    // A fixture of the tests that takes that of a plugin under the same name.
    /(?:recursive dependency involving )?fixture '(\w+)' (?:not found|detected)/,
    ([, name = '']) =>
      Object.hasOwn(PLUGIN_OF_FIXTURE, name)
        ? withPytest(PLUGIN_OF_FIXTURE[name]!)
        : `a pytest plugin that has the fixture \`${name}\`, under \`pip\` in the recipe`,
  ],
  [
    /Ignored the following versions that require a different python version: [\s\S]*?No matching distribution found for ([^\s(]+)/,
    ([, name]) =>
      `another \`python\` in the recipe, which versions of \`${name}\` ask for, or another pin for it`,
  ],
  [
    /requirement (\S+)(?: [^\n]*)? \(from versions: none\)/,
    ([, name], day) =>
      day === null
        ? `another name for \`${name}\` in the recipe: the index has no version of it`
        : `\`as_of\` in the recipe, a day after ${day}, or another name for \`${name}\`: the index has no version of it on that day`,
  ],
  [
    /No matching distribution found for ([^\s(]+)/,
    ([, name], day) =>
      day === null
        ? `another pin for \`${name}\` in the recipe, or another \`python\``
        : `\`as_of\` in the recipe, a day after ${day}, or another pin for \`${name}\``,
  ],
  [
    /requires a different Python: \S+ not in '([^']+)'/,
    ([, range]) => `\`python\` within ${range} in the recipe`,
  ],
  [
    /(?:command|unable to execute) '(?!(?:\S*-linux-gnu-)?(?:gcc|cc|g\+\+|c\+\+)')([\w.+-]+)'(?: failed)?: No such file or directory/,
    ([, name = '']) => DEBIAN(name),
  ],
  [/"([\w.-]+)" not found in path/, ([, name = '']) => DEBIAN(name)],
  [/(?<!\w)(\w+\.h): No such file or directory/, ([, name = '']) => DEBIAN(name)],
  [/(?:command not found|No such file or directory): '?([\w-]+)'?$/m, ([, name = '']) => DEBIAN(name)],
  [/(?<![\w-])([\w-]+): command not found/, ([, name = '']) => DEBIAN(name)],
  [
    /(?:file or directory not found|can't open file|file not found): '?([\w./-]+)/,
    ([, name]) => `\`test\` in the recipe: the repository has no \`${name}\``,
  ],
];

/** Before 4.5 pytest does not know `-rA`, so that it names no test that passes. */
const OLD_PYTEST = /^platform \S+ -- Python \S+, pytest-((?:[0-3]|4\.[0-4])\.[\d.]+),[\s\S]* passed/m;

/** A list under `pip` replaces the default, which is pytest alone. */
function withPytest(names: string): string {
  return `\`pip: [pytest, ${names}]\` in the recipe`;
}

/** The recipe key that would likely help, or null when the log gives no hint. `day`: of the index that the build saw; null for today. */
export function suggestedOverride(outcome: Outcome, log: string, day: string | null = null): string | null {
  const missing = missingOf(outcome);
  if (missing !== null)
    return `\`background\` in the recipe, a service beside the tests${missing === 'network' ? '; or `network.grade`' : ''}`;
  if (outcome.status === 'timeout')
    return outcome.detail.includes('the recipe’s limit')
      ? '`timeout` in the recipe, if the build is only slow'
      : '`validation.timeout`, if the suite is only slow';
  const old = 'reason' in outcome && outcome.reason === 'no-tests-ran' ? OLD_PYTEST.exec(log) : null;
  if (old !== null)
    return `\`test\` in the recipe, with \`-rfEsxXp\`: pytest ${old[1]} does not know \`-rA\``;
  const ofLanguage = firstHint(ECOSYSTEM_HINTS, log);
  if (ofLanguage !== null) return inRecipe(ofLanguage);
  for (const [pattern, suggest] of HINTS) {
    const match = pattern.exec(log);
    const hint = match === null ? null : suggest(match, day);
    if (hint !== null) return hint;
  }
  const built = hintIn(log);
  return built === null ? null : inRecipe(built);
}

/** `key (why)` as a report says it. */
function inRecipe(hint: string): string {
  const [, keys = hint, why] = /^([\w, ]+?)(?: \((.+)\))?$/.exec(hint) ?? [];
  return `\`${keys}\` in the recipe${why === undefined ? '' : `: ${why}`}`;
}

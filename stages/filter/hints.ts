/** The recipe key that would likely help, by what a log says. */
import { missingOf } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';

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

/** The plugin that has the first of these options for which one is known; null where none is. */
function pluginOf(options: string): string | null {
  for (const [option] of options.matchAll(/(?<=^|\s)--?[a-z][\w-]*/g)) {
    const known = Object.keys(PLUGIN_OF_OPTION).find((name) =>
      name.startsWith('--')
        ? option.startsWith(name)
        : option.slice(0, 2) === name && !option.startsWith('--'),
    );
    if (known !== undefined) return PLUGIN_OF_OPTION[known]!;
  }
  return null;
}

/** Commands that come with Python packages of the same name. */
const PYTHON_TOOLS =
  /([\w-]*(?:pytest|tox|nox|nose2?|nosetests|coverage|cython|flake8|mypy|hatch|poetry)): command not found/;

const HINTS: readonly [pattern: RegExp, suggest: (match: RegExpExecArray) => string][] = [
  [
    /the build proxy refused (.+); allow_hosts/,
    ([, hosts]) => `\`allow_hosts: [${hosts}]\` in the deployment, if its builds may fetch from there`,
  ],
  [PYTHON_TOOLS, ([, name]) => `\`pip: [${name}]\` in the recipe`],
  [/No module named '?([\w.]+)'?/, ([, name]) => `\`pip: [${(name ?? '').split('.')[0]}]\` in the recipe`],
  [
    /error: unrecognized arguments: (.+)/,
    ([, options = '']) => {
      const plugin = pluginOf(options);
      return plugin === null
        ? `a pytest plugin that has the options \`${options}\`, under \`pip\` in the recipe`
        : withPytest(plugin);
    },
  ],
  [/Missing required plugins: ([\w., -]+)/, ([, names = '']) => withPytest(names.trim())],
  [/async def functions are not natively supported/, () => withPytest('pytest-asyncio')],
  [
    /fixture '(\w+)' not found/,
    ([, name = '']) =>
      Object.hasOwn(PLUGIN_OF_FIXTURE, name)
        ? withPytest(PLUGIN_OF_FIXTURE[name]!)
        : `a pytest plugin that has the fixture \`${name}\`, under \`pip\` in the recipe`,
  ],
  [
    /No matching distribution found for ([^\s(]+)/,
    ([, name]) => `another pin for \`${name}\` in the recipe, or another \`python\``,
  ],
  [
    /requires a different Python: \S+ not in '([^']+)'/,
    ([, range]) => `\`python\` within ${range} in the recipe`,
  ],
  [
    /(\w+\.h): No such file or directory/,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
  [
    /(?:command not found|No such file or directory): '?([\w-]+)'?$/m,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
  [
    /([\w-]+): command not found/,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
];

/** A list under `pip` replaces the default, which is pytest alone. */
function withPytest(names: string): string {
  return `\`pip: [pytest, ${names}]\` in the recipe`;
}

/** The recipe key that would likely help, or null when the log gives no hint. */
export function suggestedOverride(outcome: Outcome, tail: string): string | null {
  const missing = missingOf(outcome);
  if (missing !== null)
    return `\`background\` in the recipe, a service beside the tests${missing === 'network' ? '; or `network.grade`' : ''}`;
  if (outcome.status === 'timeout') return '`validation.timeout`, if the suite is only slow';
  for (const [pattern, suggest] of HINTS) {
    const match = pattern.exec(tail);
    if (match !== null) return suggest(match);
  }
  return null;
}

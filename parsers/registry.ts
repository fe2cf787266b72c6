/**
 * All log parsers by name. Those named like a runner are swemake's own. `parse_log_*` are SWE-bench's (the one for
 * pydantic is SWE-Gym's), `swe-smith*` SWE-smith's, `swe-rebench-v2:*` SWE-rebench V2's and `multi-swe-*`
 * Multi-SWE-bench's, reproduced for rows whose tests were listed with them.
 */

import { parseCargoTest } from './cargo-test.ts';
import { parseCtest } from './ctest.ts';
import { goTestText, parseGoTest } from './go-test.ts';
import { parseGtest } from './gtest.ts';
import { parseJest } from './jest.ts';
import { jestText } from './jest-json.ts';
import { parseJunitXml } from './junit-xml.ts';
import { parseMaven } from './maven.ts';
import { mochaText, parseMocha } from './mocha.ts';
import { MULTI_SWE } from './multi-swe.ts';
import { parseNodeTest } from './node-test.ts';
import { parsePytest } from './pytest.ts';
import { isStatus, type Status, type StatusMap } from './status.ts';
import { SWE_REBENCH_V2 } from './swe-rebench-v2.ts';
import { parseLogDjango } from './swebench-django.ts';
import { SWEBENCH_OTHER, SWEBENCH_OTHER_REPOS } from './swebench-other.ts';
import {
  parseLogMatplotlib,
  parseLogPytest,
  parseLogPytestOptions,
  parseLogPytestV2,
  parseLogSeaborn,
  type WordMap,
} from './swebench-pytest.ts';
import { parseLogSympy } from './swebench-sympy.ts';
import { parseGymPydantic } from './swegym.ts';
import {
  parseSmithAutograd,
  parseSmithMypy,
  parseSmithParamiko,
  parseSmithPytest,
  parseSmithSlugify,
  parseSmithTornado,
} from './swesmith.ts';
import { SWESMITH_OTHER } from './swesmith-other.ts';
import { parseUnittest } from './unittest.ts';
import { parseVitest } from './vitest.ts';

export interface LogParser {
  readonly name: string;
  /** Never throws; takes time linear in the log. */
  parse(log: string): StatusMap;
  /** The map as upstream has it, words that are no status included. */
  words(log: string): WordMap;
  /** The log for people: what a machine format says, in the runner's own lines. */
  text(log: string): string;
}

type Parse = (log: string) => Map<string, Status> | WordMap;

const PARSERS: Readonly<Record<string, Parse>> = {
  pytest: parsePytest,
  unittest: parseUnittest,
  'go-test': parseGoTest,
  jest: parseJest,
  vitest: parseVitest,
  mocha: parseMocha,
  'node-test': parseNodeTest,
  'cargo-test': parseCargoTest,
  'junit-xml': parseJunitXml,
  maven: parseMaven,
  ctest: parseCtest,
  gtest: parseGtest,
  parse_log_pytest: parseLogPytest,
  parse_log_pytest_options: parseLogPytestOptions,
  parse_log_pytest_v2: parseLogPytestV2,
  parse_log_matplotlib: parseLogMatplotlib,
  parse_log_seaborn: parseLogSeaborn,
  parse_log_sympy: parseLogSympy,
  parse_log_django: parseLogDjango,
  parse_log_pytest_pydantic: parseGymPydantic,
  'swe-smith': parseSmithPytest,
  'swe-smith-autograd': parseSmithAutograd,
  'swe-smith-paramiko': parseSmithParamiko,
  'swe-smith-python-slugify': parseSmithSlugify,
  'swe-smith-tornado': parseSmithTornado,
  'swe-smith-mypy': parseSmithMypy,
  ...SWESMITH_OTHER,
  ...SWEBENCH_OTHER,
  ...SWE_REBENCH_V2,
  ...MULTI_SWE,
};

/** Of parsers that read a machine format; the log of all others is for people as it is. */
const TEXTS: Readonly<Record<string, (log: string) => string>> = {
  'go-test': goTestText,
  jest: jestText,
  vitest: jestText,
  mocha: mochaText,
};

/** Upstream's further names, and short ones for parsers that have no strict sibling. */
const ALIASES: Readonly<Record<string, string>> = {
  pytest_options: 'parse_log_pytest_options',
  pytest_v2: 'parse_log_pytest_v2',
  matplotlib: 'parse_log_matplotlib',
  seaborn: 'parse_log_seaborn',
  sympy: 'parse_log_sympy',
  django: 'parse_log_django',
  parse_log_astroid: 'parse_log_pytest',
  parse_log_flask: 'parse_log_pytest',
  parse_log_marshmallow: 'parse_log_pytest',
  parse_log_pvlib: 'parse_log_pytest',
  parse_log_pyvista: 'parse_log_pytest',
  parse_log_sqlfluff: 'parse_log_pytest',
  parse_log_xarray: 'parse_log_pytest',
  parse_log_pydicom: 'parse_log_pytest_options',
  parse_log_requests: 'parse_log_pytest_options',
  parse_log_pylint: 'parse_log_pytest_options',
  parse_log_astropy: 'parse_log_pytest_v2',
  parse_log_scikit: 'parse_log_pytest_v2',
  parse_log_sphinx: 'parse_log_pytest_v2',
  parse_log_pydantic: 'parse_log_pytest_pydantic',
};

/** SWE-bench's and SWE-Gym's repositories, and SWE-smith's with a runner of their own. */
export const PARSER_OF_REPO: Readonly<Record<string, string>> = {
  'astropy/astropy': 'parse_log_pytest_v2',
  'django/django': 'parse_log_django',
  'marshmallow-code/marshmallow': 'parse_log_pytest',
  'matplotlib/matplotlib': 'parse_log_matplotlib',
  'mwaskom/seaborn': 'parse_log_seaborn',
  'pallets/flask': 'parse_log_pytest',
  'psf/requests': 'parse_log_pytest_options',
  'pvlib/pvlib-python': 'parse_log_pytest',
  'pydata/xarray': 'parse_log_pytest',
  'pydicom/pydicom': 'parse_log_pytest_options',
  'pylint-dev/astroid': 'parse_log_pytest',
  'pylint-dev/pylint': 'parse_log_pytest_options',
  'pytest-dev/pytest': 'parse_log_pytest',
  'pyvista/pyvista': 'parse_log_pytest',
  'scikit-learn/scikit-learn': 'parse_log_pytest_v2',
  'sphinx-doc/sphinx': 'parse_log_pytest_v2',
  'sqlfluff/sqlfluff': 'parse_log_pytest',
  'sympy/sympy': 'parse_log_sympy',
  'Project-MONAI/MONAI': 'parse_log_pytest',
  'bokeh/bokeh': 'parse_log_pytest',
  'conan-io/conan': 'parse_log_pytest',
  'dask/dask': 'parse_log_pytest',
  'facebookresearch/hydra': 'parse_log_pytest',
  'getmoto/moto': 'parse_log_pytest',
  'iterative/dvc': 'parse_log_pytest',
  'modin-project/modin': 'parse_log_pytest',
  'pandas-dev/pandas': 'parse_log_pytest',
  'pydantic/pydantic': 'parse_log_pytest_pydantic',
  'python/mypy': 'parse_log_pytest',
  'swesmith/HIPS__autograd.ac044f0d': 'swe-smith-autograd',
  'swesmith/paramiko__paramiko.23f92003': 'swe-smith-paramiko',
  'swesmith/un33k__python-slugify.872b3750': 'swe-smith-python-slugify',
  'swesmith/tornadoweb__tornado.d5ac65c1': 'swe-smith-tornado',
  'swesmith/python__mypy.e93f06ce': 'swe-smith-mypy',
  ...SWEBENCH_OTHER_REPOS,
};

export const DEFAULT_PARSER = 'pytest';

/** Names of all parsers, without aliases. */
export function parserNames(): string[] {
  return Object.keys(PARSERS);
}

/** The parser of that name or alias; null when there is none. */
export function findParser(name: string): LogParser | null {
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
  const parse = Object.hasOwn(PARSERS, known) ? (PARSERS[known] as Parse) : null;
  if (parse === null) return null;
  const text = Object.hasOwn(TEXTS, known) ? TEXTS[known] : undefined;
  return {
    name: known,
    parse: (log) => closed(parse(log)),
    words: (log) => parse(log),
    text: (log) => text?.(log) ?? log,
  };
}

/** The parser that upstream lists the repository's tests with; `pytest` for all others. */
export function parserNameOf(repo: string): string {
  return Object.hasOwn(PARSER_OF_REPO, repo) ? (PARSER_OF_REPO[repo] as string) : DEFAULT_PARSER;
}

/** Words that are no status are dropped, so their tests are missing. */
function closed(words: ReadonlyMap<string, string>): StatusMap {
  const statuses = new Map<string, Status>();
  for (const [id, word] of words) if (isStatus(word)) statuses.set(id, word);
  return statuses;
}

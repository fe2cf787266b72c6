/** Causes of failures across environments: what belongs together, what does not, and what is said of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../basics/canonical.ts';
import { packageRoot } from '../../basics/package-root.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { causesOf, fingerprintOf, type ReportGroup } from '../../stages/filter/causes.ts';
import { excerptOf, mainComplaint } from '../../stages/filter/excerpt.ts';
import { suggestedOverride } from '../../stages/filter/hints.ts';
import { failureReport, failuresJson } from '../../stages/filter/report.ts';
import { byReason, weaknessesIn } from '../../stages/filter/weakness.ts';

const failed = (detail: string) => ({ status: 'failed', reason: 'gold-fails', detail }) as const;
const item = (instance: string, log: string) => {
  const outcome = failed(instance);
  return { instance, outcome, ...excerptOf(log, outcome) };
};
const OK: Outcome = { status: 'ok' };
const NOTHING = excerptOf(null, OK);
const NOT_INSTALLED: Outcome = { status: 'failed', reason: 'install-failed', detail: 'pip[0]' };
const missing = (folder: string, line: number, name: string) =>
  `  File "/opt/${folder}/x.py", line ${line}\nE   ModuleNotFoundError: No module named '${name}'\n3 errors in 0.${line}s`;

const GROUPS: ReportGroup[] = [
  {
    environment: 'a/a@1',
    outcome: OK,
    ...NOTHING,
    total: 5,
    items: [
      item('a.1', missing('a', 1, 'hypothesis')),
      item('a.2', missing('b', 22, 'hypothesis')),
      item('a.3', missing('b', 22, 'py7zr')),
    ],
  },
  {
    environment: 'b/b@1',
    outcome: OK,
    ...NOTHING,
    total: 1,
    items: [item('b.1', missing('c', 3, 'hypothesis'))],
  },
  {
    environment: 'c/c@2',
    outcome: NOT_INSTALLED,
    ...excerptOf('ERROR: No matching distribution found for nothing==9\n', NOT_INSTALLED),
    total: 2,
    items: [item('c.1', ''), item('c.2', '')],
  },
  { environment: 'd/d@1', outcome: OK, ...NOTHING, total: 3, items: [] },
];

test('one complaint is one cause in all environments; a failed environment is one for all of its instances', () => {
  expect(
    causesOf('train', GROUPS).map((cause) => [
      cause.instances,
      cause.environments,
      cause.hint,
      cause.example,
    ]),
  ).toEqual([
    [['a.1', 'a.2', 'b.1'], ['a/a@1', 'b/b@1'], '`pip: [hypothesis]` in the recipe', 'validate.train@a.1'],
    [
      ['c.1', 'c.2'],
      ['c/c@2'],
      'another pin for `nothing==9` in the recipe, or another `python`',
      'environments.train@c/c@2',
    ],
    [['a.3'], ['a/a@1'], '`pip: [py7zr]` in the recipe', 'validate.train@a.3'],
  ]);
});

test.each([
  ['Traceback\nValueError: 3 of 4\nmore', 'ValueError: 3 of 4'],
  ['E   assert 1 == 2\nE     x\nFAILED a', 'x'],
  [
    'ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --cov=x\n  rootdir: /testbed',
    'unrecognized arguments: --cov=x',
  ],
  ['bash: line 3: tox: command not found', 'line 3: tox: command not found'],
  [
    'SKIPPED [21] tests/a.py:3: Requires cryptography\n== 21 skipped in 0.1 s ==',
    'SKIPPED [21] tests/a.py:3: Requires cryptography',
  ],
  ['all is well', null],
  ['', null],
])('the line that complains in %j', (log, line) => {
  expect(mainComplaint(log)).toBe(line);
});

test('what differs from run to run is in no fingerprint, and names are', () => {
  const one = fingerprintOf('OSError: /tmp/ab12/x.py line 3 at 0x7f00 of a.1, took 1.5', ['a.1']);
  expect(fingerprintOf('OSError: /var/tmp/q/x.py line 99 at 0xbeef of b.2, took 12', ['b.2'])).toBe(one);
  expect(fingerprintOf("No module named 'py7zr'")).not.toBe(fingerprintOf("No module named 'py8zr'"));
});

test('the report names the causes first, and the JSON holds all of it', () => {
  const report = failureReport('train', GROUPS, []);
  expect(report).toContain(
    "| 3 | 2 | failed (gold-fails) | ModuleNotFoundError: No module named 'hypothesis' |",
  );
  expect(report).toContain("swemake shell 'validate.train@a.1'");
  const json = JSON.parse(failuresJson('train', GROUPS, []));
  expect(json.causes).toHaveLength(3);
  expect(json.environments.map(({ environment }: { environment: string }) => environment)).toEqual([
    'a/a@1',
    'b/b@1',
    'c/c@2',
  ]);
  expect(json.environments[0].failures[0]).toMatchObject({ instance: 'a.1', reason: 'gold-fails' });
  expect(failureReport('train', [GROUPS[3]!], [])).not.toContain('Causes');
});

test('instances that are graded with less are named by reason, most first', () => {
  const integrity = (witness: string, ...excused: string[]) =>
    canonicalJson({ excused, observed: {}, witness });
  expect(weaknessesIn(integrity('tests'))).toEqual([]);
  const few = canonicalJson({ excused: [], mutants: [], observed: {}, witness: 'tests' });
  expect(weaknessesIn(few)).toEqual(['its tests catch fewer than 3 mutants, so patches are run with none']);
  const kept = canonicalJson({ excused: [], mutants: [1, 2, 3], observed: {}, witness: 'tests' });
  expect(weaknessesIn(kept)).toEqual([]);
  const forged =
    "the task's own runs break lines-forged, so this check is off: the output has lines like those of the runner where it writes none";
  expect(weaknessesIn(integrity('tests', 'lines-forged'))).toEqual([forged]);
  const [none, ...others] = weaknessesIn(integrity('none', 'lines-forged'));
  expect(others).toEqual([forged]);
  const weaknesses = byReason([
    { instance: 'd.1', why: none! },
    { instance: 'd.1', why: forged },
    { instance: 'd.2', why: forged },
  ]);
  const report = failureReport('train', [GROUPS[3]!], weaknesses);
  expect(report).toContain(`| 2 | ${forged} | d.1, d.2 |\n| 1 | ${none} | d.1 |`);
  const json = JSON.parse(failuresJson('train', [GROUPS[3]!], weaknesses));
  expect(json.graded_with_less).toEqual(weaknesses);
});

test('docs/filter.md says what each reason means', () => {
  const page = readFileSync(join(packageRoot(), 'docs/filter.md'), 'utf8');
  for (const witness of ['none', 'session'])
    for (const why of weaknessesIn(canonicalJson({ excused: [], observed: {}, witness })))
      expect(page).toContain(`| \`${why}\` |`);
  const [excused] = weaknessesIn(canonicalJson({ excused: ['RULE'], observed: {}, witness: 'tests' }));
  expect(page).toContain(`| \`${excused}\` |`);
});

test('what tests were without is one cause, whatever their last line says', () => {
  const without = (name: string) =>
    failed(`1 fails; without network (${name} errors in its log: Network is unreachable)`);
  const items = ['4', '7'].map((name) => {
    const outcome = without(name);
    return { instance: name, outcome, ...excerptOf(missing('a', 1, name), outcome) };
  });
  const [cause, ...others] = causesOf('train', [{ ...GROUPS[0]!, items }]);
  expect(others).toEqual([]);
  expect(cause).toMatchObject({
    complaint: 'tests need a network that is not there',
    hint: expect.stringContaining('`background`'),
    instances: ['4', '7'],
  });
});

test.each([
  [
    'pytest: error: unrecognized arguments: --cov=x --cov-report=term',
    '`pip: [pytest, pytest-cov]` in the recipe',
  ],
  ['pytest: error: unrecognized arguments: -n4', '`pip: [pytest, pytest-xdist]` in the recipe'],
  [
    'pytest: error: unrecognized arguments: --cov=x -n 4 --cov-branch',
    '`pip: [pytest, pytest-cov, pytest-xdist]` in the recipe',
  ],
  [
    'pytest: error: unrecognized arguments: --unheard-of',
    'a pytest plugin that has the options `--unheard-of`, under `pip` in the recipe',
  ],
  [
    'ERROR: Missing required plugins: pytest-a, pytest-b',
    '`pip: [pytest, pytest-a, pytest-b]` in the recipe',
  ],
  ['async def functions are not natively supported.', '`pip: [pytest, pytest-asyncio]` in the recipe'],
  [
    'SKIPPED [1] t.py:9: async def function and no async plugin installed (see warnings)',
    '`pip: [pytest, pytest-asyncio]` in the recipe',
  ],
  ["E  fixture 'mocker' not found", '`pip: [pytest, pytest-mock]` in the recipe'],
  [
    "E  fixture 'constructor' not found",
    'a pytest plugin that has the fixture `constructor`, under `pip` in the recipe',
  ],
])('the plugin of pytest that %j lacks', (log, hint) => {
  expect(suggestedOverride(failed(''), log)).toBe(hint);
});

/** What a log says -> what would help. */
test.each([
  ["E   ModuleNotFoundError: No module named 'yaml'", '`pip: [PyYAML]`'],
  ["E   ModuleNotFoundError: No module named 'pkg_resources'", '`pip: ["setuptools<81"]`'],
  ["E   ModuleNotFoundError: No module named 'freezegun.api'", '`pip: [freezegun]`'],
  ["E   ModuleNotFoundError: No module named 'imp'", '`python: "3.11"`'],
  [
    "E   ModuleNotFoundError: No module named 'importlib.metadata'",
    '`python: "3.8"` in the recipe, or a newer',
  ],
  // Names of the standard library, which are no modules of it.
  ["E   ModuleNotFoundError: No module named 'cache'", '`pip: [cache]`'],
  ["E   ModuleNotFoundError: No module named 'clock.core'", '`pip: [clock]`'],
  ["E   ModuleNotFoundError: No module named 'tomllib'", '`python: "3.11"` in the recipe, or a newer one'],
  ["E   ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/x.py)", '`python: "3.9"`'],
  ["E   ImportError: cannot import name 'Self' from 'typing' (/usr/lib/x.py)", '`python: "3.11"`'],
  ["E   AttributeError: module 'inspect' has no attribute 'getargspec'", '`python: "3.10"`'],
  ["E   AttributeError: module 'time' has no attribute 'clock'", '`python: "3.7"`'],
  ["E   AttributeError: 'TestA' object has no attribute 'assertEquals'", '`python: "3.11"`'],
  [
    "E   ImportError: cannot import name 'escape' from 'jinja2' (/opt/env/lib/python3.11/site-packages/jinja2/__init__.py)",
    'pin of `jinja2`',
  ],
  ["E   AttributeError: module 'numpy' has no attribute 'float'", 'pin of `numpy`'],
  ['E   ImportError: libGL.so.1: cannot open shared object file: No such file or directory', '`libGL.so.1`'],
  ['E   locale.Error: unsupported locale setting', '`env: { LC_ALL: C.UTF-8 }`'],
  [
    "E   zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key UTC'",
    '`pip: [pytest, tzdata]`',
  ],
  [
    "<frozen os>:679: in __getitem__\n    raise KeyError(key) from None\nE   KeyError: 'API_KEY'",
    '`env: { API_KEY: … }`',
  ],
  ['ERROR: file or directory not found: test/x.py', '`test` in the recipe'],
  ["error: command 'gcc' failed: No such file or directory", '`system` in the recipe: build-essential'],
  ["error: command 'clang-9' failed: No such file or directory", 'Debian package with `clang-9`'],
  ['E   FileNotFoundError: [Errno 2] "dot" not found in path.', 'Debian package with `dot`'],
  ['fatal error: Python.h: No such file or directory', '`system`'],
  [
    "In /opt/env/lib/python3.9/site-packages/matplotlib/x.style: y\nImportError while loading conftest '/testbed/c.py'.\nE   AttributeError: module 'matplotlib.cm' has no attribute 'register_cmap'",
    'pin of `matplotlib`',
  ],
  ["E   recursive dependency involving fixture 'httpbin' detected", '`pip: [pytest, pytest-httpbin]`'],
  [
    "pluggy._manager.PluginValidationError: Plugin 'c.py' for hook 'pytest_ignore_collect'",
    'pin of `pytest`',
  ],
  ["E   AttributeError: module 'own' has no attribute 'name'", null],
  ["INTERNALERROR> AttributeError: module 'py' has no attribute 'io'", '`pip: [pytest, py]`'],
  ['error in suds setup command: use_2to3 is invalid.', '`pip: [pytest, "setuptools<58"]`'],
  [
    'ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.',
    '`pip` in the recipe: a==1 and b==2',
  ],
  [
    'ERROR: /testbed/x does not appear to be a Python project: neither setup.py nor pyproject.toml found.',
    '`install`',
  ],
  ['ERROR: No matching distribution found for a>=2', 'another pin for `a>=2`'],
  ['E   AttributeError: __spec__', '`python` in the recipe, an older version'],
  [
    'ERROR: Could not find a version that satisfies the requirement pytst (from versions: none)\nERROR: No matching distribution found for pytst',
    'another name for `pytst` in the recipe: the index has no version of it',
  ],
  [
    'ERROR: Ignored the following versions that require a different python version: 2.0 Requires-Python >=3.99\nERROR: Could not find a version that satisfies the requirement a==2 (from versions: 1.0)\nERROR: No matching distribution found for a==2',
    'another `python` in the recipe, which versions of `a==2` ask for',
  ],
  [
    '== index as of 2019-01-01\nERROR: No matching distribution found for a>=2',
    '`as_of` in the recipe, a day after 2019-01-01',
  ],
  ['ERROR: Coverage failure: total of 50 is less than fail-under=99', '`test: pytest -rA --no-cov`'],
  ['E   AssertionError: assert 1 == 2', null],
])('%j asks for %s', (line, hint) => {
  const { hint: found } = excerptOf(`== gold patch\n${line}\n${'PASSED a\n'.repeat(50)}`, failed(''));
  expect(found).toEqual(hint === null ? null : expect.stringContaining(hint));
});

test('what the witness makes fail on purpose is no cause', () => {
  const log =
    '== gold patch\n  Error: this test must fail\n  Error: this test must fail\n  Error: no value\n';
  expect(excerptOf(log, failed(''))).toMatchObject({ complaint: 'Error: no value' });
});

test('the last part of a log decides, wherever in it the complaint is', () => {
  const log = [
    '== untouched',
    "E   ModuleNotFoundError: No module named 'early'",
    '== gold patch, with tracebacks',
    'E   AssertionError: assert 1 == 2',
    "E   ModuleNotFoundError: No module named 'often'",
    "E   ModuleNotFoundError: No module named 'often'",
    "E   ModuleNotFoundError: No module named 'once'",
    ...Array<string>(100).fill('PASSED a'),
    '== note: it is a note',
  ].join('\n');
  expect(excerptOf(log, failed(''))).toMatchObject({
    complaint: "ModuleNotFoundError: No module named 'often'",
    hint: '`pip: [often]` in the recipe',
  });
});

test('a pytest that names no test that passes is told by its version', () => {
  const outcome = { status: 'failed', reason: 'no-tests-ran', detail: '' } as const;
  const log = (version: string) =>
    `platform linux -- Python 3.9.18, pytest-${version}, py-1.11.0\n= 9 passed =`;
  expect(suggestedOverride(outcome, log('3.10.1'))).toContain('`test` in the recipe, with `-rfEsxXp`');
  expect(suggestedOverride(outcome, log('4.6.0'))).toBeNull();
});

test('a limit is that of what ended by it', () => {
  const hint = (detail: string) => suggestedOverride({ status: 'timeout', reason: 'time-limit', detail }, '');
  expect(hint('install[0] ran into the recipe’s limit of 1 s')).toContain('`timeout`');
  expect(hint('the tests took more than 300 s')).toContain('`validation.timeout`');
});

test('outcomes without a complaint are grouped by what they say', () => {
  const of = (instance: string, detail: string) => ({ ...item(instance, ''), outcome: failed(detail) });
  const items = [of('a', 'it only changes conftest.py'), of('b', '2 tests fail'), of('c', '31 tests fail')];
  const causes = causesOf('train', [{ ...GROUPS[0]!, items }]);
  expect(causes.map(({ complaint, instances }) => [complaint, instances])).toEqual([
    ['2 tests fail', ['b', 'c']],
    ['it only changes conftest.py', ['a']],
  ]);
});

test('a build that misses a submodule names it, and the compiler’s line is the complaint', () => {
  const log = [
    '== install[0] · exit code 1 · 3.0 s',
    '$ python -m pip install -e .',
    '  error: subprocess-exited-with-error',
    '  gcc -Ivendor/llhttp/include -c parser.c',
    '  parser.c:1107:10: fatal error: llhttp.h: No such file or directory',
    "  error: command '/usr/bin/gcc' failed with exit code 1",
    '== note: a file is missing in submodules that the recipe does not name: vendor/llhttp',
  ].join('\n');
  expect(excerptOf(log, NOT_INSTALLED)).toMatchObject({
    complaint: 'fatal error: llhttp.h: No such file or directory',
    hint: '`submodules` in the recipe: vendor/llhttp',
  });
  // Without the note, the header alone is known.
  expect(excerptOf(log.replace(/== note.*/, ''), NOT_INSTALLED).hint).toContain('`llhttp.h`');
});

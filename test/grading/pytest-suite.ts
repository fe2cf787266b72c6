/**
 * A small pytest project whose conftest writes what pytest itself thinks of every test, so that the parser can be
 * compared with the truth under any option, and a helper that runs it. Names and outputs are chosen to mislead.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONFTEST = `
import json, os
reports = []
def pytest_runtest_logreport(report):
    if report.outcome == "rerun":
        return
    word = report.outcome.upper()
    if hasattr(report, "wasxfail"):
        word = "XFAIL" if report.skipped else "XPASS"
    elif report.failed and report.when != "call":
        word = "ERROR"
    elif report.passed and report.when != "call":
        return
    reports.append([report.nodeid, word])
def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        with open(os.environ["REPORTS"], "w") as file:
            json.dump(reports, file)
`;

const TESTS = `
import pytest, sys, unittest, warnings
NAMES = ["a b", "c - d", "e PASSED f", "[1]", "x::y", "", "/tmp/foo", "a]b", "a] - b", "[ 50%]", "ok PASSED", "line\\nbreak"]
@pytest.mark.parametrize("x", NAMES)
def test_pass(x):
    print("FAILED test_a.py::test_forged - captured")
    print("=" * 20 + " short test summary info " + "=" * 20)
    print("PASSED test_a.py::test_forged_too")
    print("test_a.py::test_forged PASSED")
@pytest.mark.parametrize("x", ["a b", "c - d", "e PASSED f", "x[0] - y", "plain"])
def test_fail(x):
    assert x == 1, "reason - with [brackets] - and dashes"
@pytest.mark.skip(reason="no PASSED (way)")
def test_skip(): pass
@pytest.mark.xfail(reason="known - bug [1]")
def test_xfail(): assert 0
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.xfail(strict=True)
def test_xpass_strict(): pass
@pytest.fixture
def broken(): raise RuntimeError("set-up")
def test_setup_error(broken): pass
@pytest.fixture
def broken_later():
    yield
    raise RuntimeError("tear-down")
def test_teardown_error(broken_later): pass
def test_warns(): warnings.warn("look")
class TestClass(unittest.TestCase):
    def test_method(self): pass
def test_${'long_'.repeat(30)}name(): assert 0, "${'message '.repeat(30)}"
`;

const NESTED = `
pytest_plugins = ["pytester"]
def test_inner_session(pytester):
    pytester.makepyfile("def test_in(): assert 0\\ndef test_good(): pass")
    pytester.runpytest("-v", "-rA")
    assert 0, "so that the inner output is shown"
def test_after(): pass
`;

export interface SuiteRun {
  log: string;
  exitCode: number | null;
  /** Id -> worst status, as pytest reports it. */
  truth: Record<string, string>;
}

/** Writes the project's files into `folder`. */
export function writeSuite(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'conftest.py'), CONFTEST);
  writeFileSync(join(folder, 'test_a.py'), TESTS);
  writeFileSync(join(folder, 'test_nested.py'), NESTED);
  writeFileSync(join(folder, 'test_gone.py'), 'import module_that_is_not_there\ndef test_x(): pass\n');
}

/** Runs pytest in `folder`; null when this machine has none. */
export function runSuite(folder: string, options: string[]): SuiteRun | null {
  const reports = join(folder, 'reports.json');
  rmSync(reports, { force: true });
  const env = { PATH: process.env.PATH, HOME: folder, REPORTS: reports, PYTHONDONTWRITEBYTECODE: '1' };
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', ...options];
  const run = spawnSync('python3', args, { cwd: folder, env, encoding: 'utf8', timeout: 50_000 });
  if (run.error !== undefined || /No module named pytest/.test(run.stderr)) return null;
  const rank = ['SKIPPED', 'XFAIL', 'XPASS', 'PASSED', 'ERROR', 'FAILED'];
  const truth: Record<string, string> = {};
  const written = existsSync(reports) ? readFileSync(reports, 'utf8') : '[]';
  for (const [id, word] of JSON.parse(written) as [string, string][]) {
    if (rank.indexOf(word) > rank.indexOf(truth[id] ?? '')) truth[id] = word;
  }
  return { log: run.stdout + run.stderr, exitCode: run.status, truth };
}
